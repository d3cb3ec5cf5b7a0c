# shellcheck shell=bash
# shellcheck disable=SC2034,SC2030,SC2031 # used by those who source this; PATH is tried in a subshell first
#
# Sourced by every script here: where things are. Sets ROOT, PHP, PHP_CONFIG (absolute paths, or empty when absent),
# CARGO (empty when no Rust is new enough), SO (the built extension) and the helpers below.
#
# PHP=... and PHP_CONFIG=... choose another PHP; both must be of the same version.

MIN_RUST=88      # 1.88: what ext-php-rs' own dependencies need (Cargo.toml, rust-version)
MIN_PHP=80200

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# The absolute path of a command, or nothing.
path_of() { command -v "$1" 2>/dev/null || true; }

# Minor version of a rustc (88 for 1.88.0), 0 if it can't tell.
rust_minor() {
    local v
    v=$("$1" --version 2>/dev/null | sed -n 's/^rustc 1\.\([0-9][0-9]*\)\..*/\1/p')
    printf '%s' "${v:-0}"
}

# Puts the first toolchain that is new enough at the front of PATH: the one in PATH, rustup's, or a versioned package's
# (/usr/lib/rust-1.NN/bin on Ubuntu).
find_cargo() {
    local dir
    CARGO=
    for dir in "" "${CARGO_HOME:-${HOME:-/root}/.cargo}/bin" /usr/lib/rust-1.*/bin; do
        [ -z "$dir" ] || [ -d "$dir" ] || continue
        if [ "$(PATH=${dir:+$dir:}$PATH; rust_minor rustc)" -ge $MIN_RUST ]; then
            if [ -n "$dir" ]; then PATH=$dir:$PATH; fi
            CARGO=$(path_of cargo)
            [ -n "$CARGO" ] && break
        fi
    done
    export PATH CARGO
}

find_php() {
    PHP=$(path_of "${PHP:-php}")
    if [ -z "${PHP_CONFIG:-}" ] && [ -n "$PHP" ]; then
        # Several versions may be installed side by side: prefer the one beside this PHP.
        local real
        real=$(readlink -f "$PHP")
        PHP_CONFIG=$(path_of "${real/%php*/php-config${real##*/php}}")
    fi
    PHP_CONFIG=$(path_of "${PHP_CONFIG:-php-config}")
    export PHP PHP_CONFIG
}

# For scripts that need everything in place (scripts/setup.sh has run).
need_tools() {
    [ -n "$PHP" ] || die "no php in PATH: run 'make setup', or set PHP=/path/to/php"
    [ -n "$PHP_CONFIG" ] || die "no php-config in PATH: run 'make setup', or set PHP_CONFIG=/path/to/php-config"
    [ -n "$CARGO" ] || die "no Rust >= 1.$MIN_RUST: run 'make setup'"
}

# run-tests.php of this PHP; TEST_PHP_SCRIPT overrides. Fails when there is none.
run_tests_php() {
    local f
    for f in "${TEST_PHP_SCRIPT:-}" \
        "$("$PHP_CONFIG" --prefix)/lib/php/$("$PHP_CONFIG" --phpapi 2>/dev/null)/build/run-tests.php" \
        "$("$PHP_CONFIG" --prefix)/lib/php/build/run-tests.php" \
        "$(dirname "$("$PHP_CONFIG" --extension-dir)")/build/run-tests.php" \
        "$("$PHP_CONFIG" --extension-dir)/build/run-tests.php"; do
        if [ -n "$f" ] && [ -f "$f" ]; then printf '%s' "$f"; return; fi
    done
    return 1
}

find_php
find_cargo
SO=${SO:-${CARGO_TARGET_DIR:-$ROOT/target}/release/librustio.so}
