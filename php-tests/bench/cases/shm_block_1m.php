<?php

return (require __DIR__ . '/inc/shm_block.php')('Write and read back 1 MB', 1 << 20, 100, 100, [
    ['side' => 'rustio', 'against' => 'shmop without a lock', 'floor' => 0.6],
]);
