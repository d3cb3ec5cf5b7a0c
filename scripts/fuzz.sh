#!/bin/bash
# Fuzzes the core with libFuzzer and AddressSanitizer: what src/fuzzing says must hold for any bytes.
#
#   scripts/fuzz.sh [TARGET] [SECONDS]      (default: each target of fuzz/fuzz_targets for 60 seconds)
#
# New inputs are kept in fuzz/corpus/TARGET. One that fails is printed and kept in fuzz/artifacts/TARGET: mend the bug, then
# add the file to fuzz/seeds/TARGET, which the ordinary tests run, too. The last line is 'N passed, N failed'.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
[ -n "$CARGO" ] || die "no Rust >= 1.$MIN_RUST: run 'make setup'"
have c++ || die "no C++ compiler, which libFuzzer needs: install g++"

# In a folder of its own, unless the machine has one.
TOOLS=$ROOT/fuzz/target/tools
PATH=$PATH:$TOOLS/bin
have cargo-fuzz || "$CARGO" install cargo-fuzz --locked --quiet --root "$TOOLS" || die "cargo-fuzz could not be installed"

# A sanitizer and coverage are unstable flags of rustc; RUSTC_BOOTSTRAP lets the stable one take them.
export RUSTC_BOOTSTRAP=1
fuzz() { env -C fuzz "$CARGO" fuzz "$@"; }

mapfile -t targets < <(cd fuzz/fuzz_targets && printf '%s\n' *.rs | sed 's/\.rs$//')
if [ -n "${1:-}" ]; then
    [ -f "fuzz/fuzz_targets/$1.rs" ] || die "no target '$1'; there are: ${targets[*]}"
    targets=("$1")
fi
seconds=${2:-60} passed=0 failed=0
for target in "${targets[@]}"; do
    mkdir -p "fuzz/corpus/$target"
    echo "== $target: $seconds seconds"
    # Found inputs go to the first folder; the second is only read.
    if fuzz run "$target" "corpus/$target" "seeds/$target" -- -max_total_time="$seconds" -timeout=10 -max_len=4096 -print_final_stats=1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $target"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
