#!/bin/bash
# Builds target/release/librustio.so for the PHP of scripts/env.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
need_tools
# A machine without network builds from cargo's cache; the lock file decides versions either way.
"$CARGO" build --release --locked
[ -f "$SO" ] || die "cargo left no $SO"
# A module of another PHP build is refused with a warning and exit status 0, so ask.
loaded=$("$PHP" -n -d extension="$SO" -r 'echo extension_loaded("rustio") ? "yes" : "no";' 2>&1) || true
case $loaded in
    *yes) say "built $SO for PHP $("$PHP_CONFIG" --version)" ;;
    *) die "$PHP does not load $SO: $loaded" ;;
esac
