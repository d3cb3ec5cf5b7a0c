#!/bin/bash
# Removes what was built and what tests left; keeps .matrix (hours of building): remove that by hand.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf target target-* php-tests/.run
find php-tests -type f -name '*.phpt' | while read -r t; do
    base=${t%.phpt}
    rm -f "$base".{diff,exp,log,out,sh,php,clean.php,skip.php,mem,valgrind}
done
