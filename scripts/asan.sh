#!/bin/bash
# The phpt suite with the extension built with AddressSanitizer, in the PHP of scripts/env.sh.
#
#   scripts/asan.sh [FILE or FOLDER]...     (default: all of php-tests)
#
# PHP itself is an ordinary one, so the sanitizer's library is loaded before it: it sees what the extension reads and writes,
# and all memory that it shares with PHP, because PHP's own allocator is off. The leg 8.2-asan of scripts/matrix.sh has a PHP
# that is built with the sanitizer, too. The core needs no PHP: leg core-asan.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
need_tools
runtime=$(readlink -f "$(cc -print-file-name=libasan.so)")
[ -f "$runtime" ] || die "no libasan.so: install gcc"
target=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=$ROOT/.matrix/target-asan
# A sanitizer is an unstable flag of rustc; RUSTC_BOOTSTRAP lets the stable one take it. With a target named, build scripts
# and macros stay without. Whole-program optimisation takes minutes and hides places.
RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    "$CARGO" build --release --locked --target "$target"
# PHP opens extensions with RTLD_DEEPBIND, which would hide the sanitizer's malloc from them; so the flag is taken away.
shim=$CARGO_TARGET_DIR/without_deepbind.so
cc -x c -shared -fPIC -o "$shim" - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
void *dlopen(const char *file, int flags) {
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    return next(file, flags & ~RTLD_DEEPBIND);
}
END
export SO=$CARGO_TARGET_DIR/$target/release/librustio.so USE_ZEND_ALLOC=0
# Leaks are valgrind's matter (make memcheck): PHP keeps much until its end. The shim comes before the sanitizer.
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:verify_asan_link_order=0
LD_PRELOAD="$shim $runtime" exec php-tests/run.sh --asan "$@"
