<?php

return (require __DIR__ . '/inc/shm_t8.php')('1 MB (a cache block): open, write, read, close', 1 << 20, 200, 100);
