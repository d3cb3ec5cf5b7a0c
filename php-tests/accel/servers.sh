#!/bin/sh
# Starts nginx, php-fpm, Apache, lighttpd and PHP's own server on free loopback ports, with exactly the configuration that
# serverConfig() prints, and sends files over real HTTP. Stops them all at the end. A server that is not installed is
# reported as skipped. Exit status 1 if anything failed.
#
#   php-tests/accel/servers.sh [nginx|apache|lighttpd|builtin]...      (default: all)
#
# SO names the extension, PHP and PHP_FPM the binaries. KEEP=1 leaves the folder with configurations and logs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
so=${SO:-$here/../../target/release/librustio.so}
so=$(cd "$(dirname "$so")" && pwd)/$(basename "$so")
php=${PHP:-php}
exec timeout --kill-after=10 "${SERVERS_TIMEOUT:-300}" "$php" -n -d "extension=$so" -d memory_limit=512M -d max_execution_time=0 \
    "$here/servers/run.php" "$so" "$@"
