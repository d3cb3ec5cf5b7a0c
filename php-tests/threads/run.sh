#!/bin/bash
# Serves requests from 8 threads of one process and checks what they left. Needs a ZTS PHP with its embed library (the
# 8.2-zts leg of scripts/matrix.sh has one). PHP, PHP_CONFIG and SO choose it. Last line: 'N passed, N failed'.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. scripts/env.sh
need_tools
dir=$(mktemp -d)
key=$((0x52000000 + $$ % 0xffffff))
trap 'rm -rf "$dir"; ipcrm -M $key 2>/dev/null' EXIT
prefix=$("$PHP_CONFIG" --prefix)
lib=$prefix/lib
if [ -f "$prefix/lib/php/libphp.so" ]; then lib=$prefix/lib/php; fi
echo $key >"$dir/key"
echo "extension=$SO" >"$dir/php.ini"
# shellcheck disable=SC2046 # flags are a list
cc -D_GNU_SOURCE -O1 -o "$dir/threads" php-tests/threads/threads.c $("$PHP_CONFIG" --includes) -L"$lib" -Wl,-rpath,"$lib" -lphp -lpthread ||
    { echo "FAIL threads: it does not build"; echo "0 passed, 1 failed"; exit 1; }
threads=8 requests=50
passed=0 failed=0
check() { # TITLE CONDITION...
    local title=$1
    shift
    if "$@"; then passed=$((passed + 1)); echo "PASS threads: $title"; else failed=$((failed + 1)); echo "FAIL threads: $title"; fi
}
THREADS_DIR=$dir PHPRC=$dir PHP_INI_SCAN_DIR=$dir/none timeout 120 "$dir/threads" "$PWD/php-tests/threads/request.php" $threads $requests
check "$threads threads, $requests requests each, none disturbs another" test $? = 0
if [ -f "$dir/log" ]; then
    check "every record is there once" test "$(sort -u "$dir/log" | wc -l) $(wc -l <"$dir/log")" = "$((threads * requests * 5)) $((threads * requests * 5))"
    # shellcheck disable=SC2016 # PHP expands them
    counted=$("$PHP" -n -d extension="$SO" -r '$c = Rustio\SharedCounter::open((int) $argv[1]); echo implode(" ", array_map([$c, "get"], ["requests", "a", "b", "s"]));' $key)
    n=$((threads * requests))
    check "every count is exact ($counted)" test "$counted" = "$n $n $n $n"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
