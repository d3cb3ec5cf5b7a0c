<?php

return (require __DIR__ . '/inc/shm_t8.php')('1 KB (shared configuration): open, write, read, close', 1024, 20_000, 5_000);
