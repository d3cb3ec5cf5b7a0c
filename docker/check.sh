#!/bin/bash
# Builds the images of the demo, starts nginx and PHP-FPM from them, fetches a few files and stops them.
#
#   docker/check.sh [debian|alpine]
#
# With docker: by the compose file. With buildah (after scripts/image.sh has made the base image): without isolation of the
# network, so ports 8080 and 9000 of this machine must be free. The last line is 'N passed, N failed, N skipped'.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
name=${1:-debian}
passed=0 failed=0 started=() containers=()
ROOT=$PWD
. scripts/buildah.sh

stop() {
    local pid container
    if docker info >/dev/null 2>&1; then
        DISTRIBUTION=$name docker compose -f docker/compose.yaml down -v >/dev/null 2>&1
        return
    fi
    for container in ${containers[@]+"${containers[@]}"}; do touch "$(b mount "$container")/tmp/stop"; done
    for pid in ${started[@]+"${started[@]}"}; do wait "$pid"; done
    for container in ${containers[@]+"${containers[@]}"}; do b rm "$container" >/dev/null; done
}
trap stop EXIT

start() { # TARGET COMMAND...: runs it in a container of that image
    local container target=$1
    shift
    container=$(b from --pull-never --add-host app:127.0.0.1 "rustio:$name-$target") || exit 1
    containers+=("$container")
    b run --isolation chroot "$container" -- \
        sh -c '"$@" & while [ ! -e /tmp/stop ]; do sleep 0.2; done; kill -TERM $!; wait' sh "$@" &
    started+=($!)
}

if docker info >/dev/null 2>&1; then
    DISTRIBUTION=$name docker compose -f docker/compose.yaml up --build --detach --wait || exit 1
else
    scripts/image.sh "$name" || exit 1
    if (: </dev/tcp/127.0.0.1/8080) 2>/dev/null || (: </dev/tcp/127.0.0.1/9000) 2>/dev/null; then
        echo "SKIP the demo of docker/Dockerfile.$name: port 8080 or 9000 is in use"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    fi
    start demo php-fpm --nodaemonize --force-stderr --fpm-config /etc/rustio/fpm.conf
    start web nginx -e stderr -g 'daemon off;'
fi
for _ in $(seq 100); do curl -fsS -o /dev/null http://127.0.0.1:8080/ 2>/dev/null && break; sleep 0.2; done

expect() { # QUERY WANT
    local got
    got=$(curl -sS "http://127.0.0.1:8080/$1" 2>&1)
    if [ "$got" = "$2" ]; then passed=$((passed + 1)); echo "PASS /$1"; else failed=$((failed + 1)); echo "FAIL /$1: $got"; fi
}
expect '?file=hello.txt' 'Hello from the web server.'
expect '?file=90%25.txt' 'A percent sign.'
expect '?file=a%2520b.txt' 'Looks encoded.'
expect '?file=a%20b.txt' 'A space.'
expect '?file=what%3F.txt' 'A question.'
expect '?file=../../etc/passwd' 'no such file'
size=$(curl -sS -o /dev/null -w '%{http_code} %{size_download}' 'http://127.0.0.1:8080/?file=64MB.bin')
if [ "$size" = "200 67108864" ]; then passed=$((passed + 1)); echo "PASS 64 MB"; else failed=$((failed + 1)); echo "FAIL 64 MB: $size"; fi
if curl -sSI 'http://127.0.0.1:8080/?file=hello.txt' | grep -qi '^x-content-type-options: nosniff'; then
    passed=$((passed + 1))
    echo "PASS nosniff"
else
    failed=$((failed + 1))
    echo "FAIL nosniff"
fi
code=$(curl -sS -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/protected/hello.txt)
if [ "$code" = 404 ]; then passed=$((passed + 1)); echo "PASS internal"; else failed=$((failed + 1)); echo "FAIL internal: $code"; fi
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
