<?php

return (require __DIR__ . '/log_sync.inc')('64 processes', 64, 100, [
    ['side' => 'rustio Sync::Record', 'against' => 'fwrite + fdatasync', 'floor' => 4],
]);
