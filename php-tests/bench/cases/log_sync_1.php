<?php

return (require __DIR__ . '/log_sync.inc')('One process', 1, 500, [
    ['side' => 'rustio Sync::Record', 'against' => 'fwrite + fdatasync', 'floor' => 0.9],
]);
