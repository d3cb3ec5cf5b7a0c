#!/bin/bash
# Runs the phpt suite against the built extension with run-tests.php of that PHP.
#
#   php-tests/run.sh [-m|--asan] [-j N] [FILE or FOLDER]...     (default: all of php-tests)
#
# -m: under valgrind; --asan: for a PHP with AddressSanitizer. SO, PHP, PHP_CONFIG and TEST_PHP_SCRIPT choose others. The last line is
# 'N passed, N failed, N skipped'; skipped tests are named with their reason.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
if [ -z "$PHP" ] || [ -z "$PHP_CONFIG" ]; then die "no PHP: run 'make setup'"; fi
runner=$(run_tests_php) || die "no run-tests.php: install php-dev (or set TEST_PHP_SCRIPT)"
[ -f "$SO" ] || die "no $SO: run 'make build'"

jobs=2 timeout=180 options=() targets=()
while [ $# -gt 0 ]; do
    case $1 in
        -m | --asan) options+=("$1") timeout=900 ;;
        -j) jobs=$2; shift ;;
        *) targets+=("$1") ;;
    esac
    shift
done

# run-tests.php takes failures of the loading itself for skips; be sure first.
[ "$("$PHP" -n -d extension="$SO" -r 'echo (int) extension_loaded("rustio");' 2>&1)" = 1 ] || die "$PHP does not load $SO"

# It leaves its files beside each test, so the results go to a file of this run's own.
results=$(mktemp)
trap 'rm -f "$results" "$results.said"' EXIT
# Seconds a test: three times what run-tests.php gives, for a machine that is busy with other things.
export TEST_TIMEOUT=${TEST_TIMEOUT:-$timeout}
export TEST_PHP_EXECUTABLE=$PHP NO_INTERACTION=1 SKIP_ONLINE_TESTS=1 REPORT_EXIT_STATUS=1 NO_COLOR=1
# -n: no php.ini and so no opcache or other extension but what a test's EXTENSIONS section asks for.
"$PHP" -n "$runner" -P -q -n --no-color --no-progress --show-diff -g FAIL,BORK,WARN,LEAK,XFAIL,SKIP -j"$jobs" -W "$results" \
    -d extension="$SO" ${options[@]+"${options[@]}"} "${targets[@]:-php-tests}" | tee "$results.said"
status=${PIPESTATUS[0]}

# run-tests.php tries tests that look at clocks twice and only warns then: they passed, and their names stay to be seen.
sed -n 's/^WARN .* \[\(.*\)\] .*(warn: Test passed on retry attempt).*/\1/p' "$results.said" | sort -u | while read -r test; do
    echo "RETRIED $test"
    sed -i "s#^WARNED\(\t.*$test\)\$#PASSED\1#" "$results"
done

# One line a test: STATUS<tab>path. valgrind also remarks on system calls that it does not know (openat2): lines that start
# with -- where an error's start with ==. A test that has only such remarks passed.
if grep -q '^LEAKED' "$results"; then
    while IFS=$'\t' read -r what test; do
        if [ "$what" = LEAKED ] && ! grep -q '^==' "${test%.phpt}.mem"; then what=PASSED; fi
        printf '%s\t%s\n' "$what" "$test"
    done <"$results" >"$results.judged"
    mv "$results.judged" "$results"
    if ! grep -qvE '^(PASSED|SKIPPED|XFAILED)' "$results"; then status=0; fi
fi
tally() { grep -c "^$1" "$results"; }
passed=$(tally PASSED) skipped=$(tally SKIPPED)
failed=$(grep -cvE '^(PASSED|SKIPPED|XFAILED)' "$results")
grep -vE '^(PASSED|SKIPPED|XFAILED)' "$results" | while IFS=$'\t' read -r what test; do
    # Its own lines name failed tests; the other ways to fail it does not call FAIL.
    if [ "$what" != FAILED ]; then echo "FAIL $test ($what)"; fi
done
if [ $((passed + failed + skipped)) = 0 ]; then failed=1; echo "FAIL run-tests.php found no test"; fi
if [ "$status" != 0 ] && [ "$failed" = 0 ]; then failed=1; echo "FAIL run-tests.php ended with status $status"; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
