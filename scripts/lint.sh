#!/bin/bash
# Formatting, clippy with both feature sets, shell scripts, stubs. Runs all of them, fails if one does.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
need_tools
status=0
check() { # TITLE COMMAND...
    local title=$1
    shift
    if "$@"; then say "ok: $title"; else say "FAILED: $title"; status=1; fi
}

if "$CARGO" fmt --version >/dev/null 2>&1; then
    check "cargo fmt" "$CARGO" fmt --all -- --check
    check "cargo fmt, fuzz targets" "$CARGO" fmt --manifest-path fuzz/Cargo.toml -- --check
else say "SKIP cargo fmt: rustfmt is not installed"; fi
if "$CARGO" clippy --version >/dev/null 2>&1; then
    check "clippy, core alone" "$CARGO" clippy --quiet --locked --no-default-features --all-targets -- -D warnings
    check "clippy, with the extension" "$CARGO" clippy --quiet --locked --lib -- -D warnings
else
    say "SKIP clippy: it is not installed"
fi

if have shellcheck; then
    mapfile -t shell < <(git ls-files -co --exclude-standard -- '*.sh' .ci/run)
    check "shellcheck" shellcheck -x -P SCRIPTDIR "${shell[@]}"
else
    say "SKIP shellcheck: it is not installed"
fi

mapfile -t php < <(git ls-files -co --exclude-standard -- '*.php')
# shellcheck disable=SC2317 # called through check
check_php() { local f; for f in "${php[@]}"; do "$PHP" -n -l "$f" >/dev/null || return 1; done; }
check "PHP syntax" check_php

scripts/build.sh || exit 1
check "stubs agree with the extension" "$PHP" -n php-tests/stub_drift.php
exit $status
