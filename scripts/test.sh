#!/bin/bash
# Every test there is; the last line counts them: 'N passed, N failed, N skipped'. Exit status 1 if any failed.
#
#   scripts/test.sh [core|phpt|servers|soak|docs]...      (default: all)
#
# Each part writes to target/test-output/PART.log as well. What was skipped is named before the last line.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
need_tools
export SO CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}

out=target/test-output
mkdir -p $out
rm -f $out/*
passed=0 failed=0 skipped=0

# Adds a part's counts. A part that failed without naming a failure (it did not compile, it crashed) is one failure.
count() { # PART STATUS PASSED FAILED SKIPPED
    local f=$4
    if [ "$2" != 0 ] && [ "$f" = 0 ]; then f=1; echo "$1: ended with status $2" >>$out/failures; fi
    if [ $(($3 + f + $5)) = 0 ]; then f=1; echo "$1: ran no test" >>$out/failures; fi
    passed=$((passed + $3)) failed=$((failed + f)) skipped=$((skipped + $5))
    echo "== $1: $3 passed, $f failed, $5 skipped"
}

# cargo prints one 'test result' line per binary.
part_core() {
    echo "== core: unit, property and process tests, without PHP"
    "$CARGO" test --locked --no-default-features --no-fail-fast 2>&1 | tee $out/core.log
    local status=${PIPESTATUS[0]} sums
    grep '^test .* \.\.\. FAILED$' $out/core.log | sed 's/^test /core: /; s/ \.\.\. FAILED$//' >>$out/failures
    grep '^test .* \.\.\. ignored' $out/core.log | sed 's/^test /core: /' >>$out/skips
    sums=$(sed -n 's/^test result: .* \([0-9]*\) passed; \([0-9]*\) failed; \([0-9]*\) ignored;.*/\1 \2 \3/p' $out/core.log |
        awk '{ p += $1; f += $2; i += $3 } END { print p + 0, f + 0, i + 0 }')
    # shellcheck disable=SC2086 # three numbers
    count core "$status" $sums
}

# Everything else ends with its own 'N passed, N failed[, N skipped]' and names skips as 'SKIP what: why'.
part() { # NAME TITLE COMMAND...
    local name=$1 status sums
    echo "== $name: $2"
    shift 2
    "$@" 2>&1 </dev/null | tee "$out/$name.log"
    status=${PIPESTATUS[0]}
    sums=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p' "$out/$name.log" | tail -n 1)
    grep '^FAIL ' "$out/$name.log" | sed "s/^FAIL /$name: /" >>$out/failures
    grep '^SKIP ' "$out/$name.log" | sed "s/^SKIP /$name: /" >>$out/skips
    # shellcheck disable=SC2086 # two or three numbers
    set -- ${sums:-0 0 0}
    count "$name" "$status" "$1" "$2" "${3:-0}"
}

for p in "${@:-all}"; do
    case $p in core | phpt | servers | soak | docs | all) ;; *) die "usage: scripts/test.sh [core|phpt|servers|soak|docs]..." ;; esac
done
wanted() { case " ${parts} " in *" $1 "* | *" all "*) return 0 ;; esac; return 1; }
parts=${*:-all}

scripts/build.sh || { echo "== build failed"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
if wanted core; then part_core; fi
if wanted phpt; then part phpt "the extension in PHP $("$PHP_CONFIG" --version)" php-tests/run.sh; fi
if wanted servers && [ -f php-tests/accel/servers.sh ]; then part servers "files over real web servers" bash php-tests/accel/servers.sh; fi
if wanted soak; then part soak "many requests in few processes, short form" php-tests/soak.sh short; fi
if wanted docs; then part docs "every PHP snippet of the documentation" "$PHP" -n php-tests/docs_snippets.php; fi

echo
if [ -s $out/skips ]; then echo "skipped:"; sed 's/^/  /' $out/skips; fi
if [ -s $out/failures ]; then echo "failed:"; sed 's/^/  /' $out/failures; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
