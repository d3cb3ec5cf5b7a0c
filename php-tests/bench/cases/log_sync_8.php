<?php

return (require __DIR__ . '/log_sync.inc')('Eight processes', 8, 500, [
    ['side' => 'rustio Sync::Record', 'against' => 'fwrite + fdatasync', 'floor' => 1.4],
    ['side' => 'rustio Sync::Record', 'metric' => 'note:syncs a record', 'at_most' => 0.33],
]);
