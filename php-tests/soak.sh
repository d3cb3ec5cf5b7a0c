#!/bin/bash
# Many requests in few processes, and what else a long-lived PHP does to an extension: memory, descriptors and locks stay
# flat, and a request that dies takes nothing with it.
#
#   php-tests/soak.sh [short]      10,000 requests a server, or 500
#
# The last line is 'N passed, N failed, N skipped'.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
need_tools
version=$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
fpm=
# The one beside this PHP: another build would not load the extension.
for f in "$(dirname "$PHP")/../sbin/php-fpm$version" "$(dirname "$PHP")/../sbin/php-fpm"; do
    if [ -z "$fpm" ]; then fpm=$(path_of "$f"); fi
done
requests=10000
if [ "${1:-}" = short ]; then requests=500; fi
export SO FPM=$fpm
exec "$PHP" -n -d memory_limit=-1 php-tests/soak/run.php "$requests"
