#!/bin/bash
# Runs the benchmarks, or their regression gate: scripts/bench.sh run|check [CASE=family] [QUICK=1]
# A Redis server of its own runs meanwhile, on a socket in target/, if there is one to be had.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
need_tools
command=$1
shift
export SO
mkdir -p target/bench-data
if have redis-server; then
    # A socket's path is limited to 107 bytes, so not below the project.
    redis=$(mktemp -d)
    export BENCH_REDIS=$redis/redis.sock
    redis-server --port 0 --unixsocket "$BENCH_REDIS" --save '' --appendonly no --daemonize no --dir "$redis" >"$redis/log" 2>&1 </dev/null &
    server=$!
    trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$redis"' EXIT
    for _ in 1 2 3 4 5 6 7 8 9 10; do [ -S "$BENCH_REDIS" ] && break; sleep 0.2; done
fi
arguments=()
for a in "$@"; do case $a in *=) ;; *) arguments+=("$a") ;; esac; done
"$PHP" -n php-tests/bench/run.php "$command" ${arguments[@]+"${arguments[@]}"}
