<?php

return (require __DIR__ . '/inc/shm_t8.php')('16 bytes (a counter): open, write, read, close', 16, 100_000, 10_000);
