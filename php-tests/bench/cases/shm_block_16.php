<?php

return (require __DIR__ . '/inc/shm_block.php')('Write and read back 16 bytes', 16, 20_000, 5_000, [
    ['side' => 'rustio', 'against' => 'sem + shmop', 'floor' => 8.0],
]);
