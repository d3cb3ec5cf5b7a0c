#!/bin/bash
# Builds the extension for several PHPs and runs the whole phpt suite on each.
#
#   scripts/matrix.sh [LEG]...      (default: all)
#
# LEGS   8.2 8.4 8.5            Debian's packages: this system's, or those of a Debian release in a folder (chroot)
#        8.2-zts 8.2-debug      from Debian's source package, into prefixes of their own
#        core-asan              the core's tests with AddressSanitizer; needs no PHP
#        8.2-asan               a PHP with AddressSanitizer, and the extension built with it, too
#
# Everything lives in .matrix/ and is kept: a second run only builds the extension and tests. It needs root (chroot) and a
# Debian mirror among the machine's own apt sources. A leg that can't be had is printed as skipped, with the reason; one
# that fails, or a skipped 8.2-zts or 8.2-debug, makes the exit status 1. Logs: .matrix/logs/LEG.log.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
need_tools
ALL=(8.2 8.2-zts 8.2-debug core-asan 8.2-asan 8.4 8.5)
MATRIX=$ROOT/.matrix
mkdir -p "$MATRIX/logs"
jobs=$(nproc)

# A reason why a leg can't be had ends that leg.
skip() { echo "SKIP $*"; exit 77; }

# shellcheck disable=SC2016 # apt-get expands them
# The Debian archive that this machine's apt uses, and the keyring for it.
mirror() { apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 'Created-By: Packages' 2>/dev/null | awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }'; }
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

apt_get_install() {
    env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "$@" </dev/null
}

# --- PHP from source ---------------------------------------------------------------------------------------------

# Unpacks Debian's source of PHP 8.2 once. Its own lists and sources: the machine's stay as they are.
php_source() {
    local apt=$MATRIX/apt uri
    [ -d "$MATRIX/src/php" ] && return 0
    [ "$(id -u)" = 0 ] || skip "not root"
    uri=$(mirror)
    [ -n "$uri" ] || skip "no Debian mirror among this machine's apt sources"
    if ! { have dpkg-source && have bison && have re2c && have autoconf && have pkg-config; }; then
        apt_get_install dpkg-dev bison re2c autoconf pkg-config || skip "no build tools"
    fi
    mkdir -p "$apt/lists/partial" "$MATRIX/src"
    echo "deb-src [signed-by=$KEYRING] $uri bookworm main" >"$apt/sources.list"
    (
        cd "$MATRIX/src" || exit 1
        options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt/lists" -o APT::Sandbox::User=root)
        apt-get -q "${options[@]}" update && apt-get -q "${options[@]}" source php8.2 && mv php8.2-*/ php
    ) || skip "the source package of php8.2 can't be had"
}

# PHP in a prefix of its own: built_php NAME CONFIGURE-OPTION...
built_php() {
    local name=$1 prefix=$MATRIX/php-$1
    shift
    # Other options than last time: build it again.
    [ "$(cat "$prefix/.ready" 2>/dev/null)" = "$*" ] && return 0
    php_source
    rm -rf "$MATRIX/build-$name" "$prefix"
    cp -a "$MATRIX/src/php" "$MATRIX/build-$name"
    (
        set -e
        cd "$MATRIX/build-$name"
        ./buildconf --force
        zlib=()
        if [ -f /usr/include/zlib.h ]; then zlib=(--with-zlib); fi
        ./configure -q --prefix="$prefix" --with-config-file-path="$prefix/etc" --disable-all --disable-cgi --disable-phpdbg --enable-cli --enable-fpm \
            --enable-pcntl --enable-posix --enable-shmop --enable-sysvsem --enable-sysvshm --enable-sockets --enable-opcache \
            --enable-ctype --enable-tokenizer ${zlib[@]+"${zlib[@]}"} "$@"
        make -j"$jobs" >/dev/null
        make install >/dev/null
    ) || { echo "PHP $name did not build"; return 1; }
    rm -rf "$MATRIX/build-$name"
    echo "$*" >"$prefix/.ready"
}

# Builds and tests with a PHP of this system: on_host LEG PHP PHP_CONFIG
on_host() {
    env PHP="$2" PHP_CONFIG="$3" CARGO_TARGET_DIR="$MATRIX/target-$1" \
        bash -c 'scripts/build.sh && php-tests/run.sh'
}

# --- PHP of another Debian release -------------------------------------------------------------------------------

# Runs a command as root in a Debian of its own, with the project at /rustio: inside ROOT COMMAND...
inside() {
    local root=$1
    shift
    local cargo_home=${CARGO_HOME:-$HOME/.cargo} rustup_home=${RUSTUP_HOME:-$HOME/.rustup}
    # A mount namespace of its own: the binds end with it, whatever happens.
    # shellcheck disable=SC2016 # the inner shell expands them
    unshare -m --propagation private bash -c '
        set -e
        root=$1 project=$2 cargo=$3 rustup=$4
        shift 4
        mount -t proc proc "$root/proc"
        mount --rbind /sys "$root/sys"
        mount --rbind /dev "$root/dev"
        for dir in "$cargo" "$rustup"; do
            if [ -d "$dir" ]; then mkdir -p "$root$dir"; mount --bind "$dir" "$root$dir"; fi
        done
        mkdir -p "$root/rustio"
        mount --bind "$project" "$root/rustio"
        exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 TERM=dumb CARGO_HOME="$cargo" RUSTUP_HOME="$rustup" \
            PATH="$cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "$@"
    ' inside "$root" "$ROOT" "$cargo_home" "$rustup_home" "$@"
}

# A Debian with that PHP, made once: in_chroot LEG SUITE PACKAGE
in_chroot() {
    local leg=$1 suite=$2 package=$3 root=$MATRIX/root-$2 uri file
    [ "$(id -u)" = 0 ] || skip "not root"
    if ! [ -f "$root/.ready" ]; then
        uri=$(mirror)
        [ -n "$uri" ] || skip "no Debian mirror among this machine's apt sources"
        have debootstrap || apt_get_install debootstrap || skip "no debootstrap"
        rm -rf "$root"
        debootstrap --variant=minbase --keyring="$KEYRING" "$suite" "$root" "$uri" || { rm -rf "$root"; skip "debootstrap of $suite failed"; }
        printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
        chmod 755 "$root/usr/sbin/policy-rc.d"
        # How this machine reaches its mirror is set in these.
        cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
        for file in /etc/apt/apt.conf.d/*; do
            if grep -q '^ *Acquire' "$file"; then cp "$file" "$root/etc/apt/apt.conf.d/"; fi
        done
        if [ "$suite" = sid ]; then echo "deb $uri experimental main" >"$root/etc/apt/sources.list.d/experimental.list"; fi
        touch "$root/.ready"
    fi
    mkdir -p "$root/etc/ssl/certs"
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null
    # What the suite talks to comes along: a test that lacks it would be skipped.
    local packages=("$package-cli" "$package-dev" "$package-fpm" "$package-mbstring" libclang-dev gcc libc6-dev strace procps)
    if [ "$(cat "$root/.php" 2>/dev/null)" != "${packages[*]}" ]; then
        local wanted=${packages[*]}
        inside "$root" apt-get -q update
        # PHP of sid and experimental wants the php-common of its own time: take the first that fits.
        local common fits=
        for common in "" $(inside "$root" apt-cache madison php-common | awk '{ print "php-common=" $3 }'); do
            if inside "$root" apt-get -q -s --no-install-recommends install "${packages[@]}" ${common:+"$common"} >/dev/null 2>&1; then
                fits=1
                break
            fi
        done
        [ -n "$fits" ] || skip "$package is not to be had in $suite today"
        if [ -n "$common" ]; then packages+=("$common"); fi
        inside "$root" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "${packages[@]}" </dev/null ||
            skip "$package is not to be had in $suite today"
        echo "$wanted" >"$root/.php"
    fi
    # What cargo needs was fetched outside.
    "$CARGO" fetch --locked -q
    inside "$root" env CARGO_NET_OFFLINE=true CARGO_TARGET_DIR=/rustio/.matrix/target-"$leg" PHP="/usr/bin/php$leg" PHP_CONFIG="/usr/bin/php-config$leg" \
        bash -c 'cd /rustio && scripts/build.sh && php-tests/run.sh'
}

# --- all legs ----------------------------------------------------------------------------------------------------

# A sanitizer is an unstable flag of rustc; RUSTC_BOOTSTRAP lets the stable one take it. With a target named, build scripts
# and macros stay without.
with_asan() { # COMMAND-OF-CARGO OPTION...
    RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=$MATRIX/target-asan "$CARGO" "$1" --locked --target "$(host_target)" "${@:2}"
}
host_target() { rustc -vV | sed -n 's/^host: //p'; }

# The simulations that try every interleaving run safe code over vectors for minutes: a sanitizer has nothing to see there.
core_asan_leg() {
    with_asan test --no-default-features --no-fail-fast -- --skip log::group::tests --skip shm::protocol_tests
    local status=$?
    # One line of all binaries, as every leg ends.
    sed -n 's/^test result: .* \([0-9]*\) passed; \([0-9]*\) failed; \([0-9]*\) ignored;.*/\1 \2 \3/p' "$MATRIX/logs/core-asan.log" |
        awk '{ p += $1; f += $2; i += $3 } END { print p + 0 " passed, " f + 0 " failed, " i + 0 " skipped" }'
    return $status
}

asan_leg() {
    local php=$MATRIX/php-8.2-asan/bin/php
    # Leaks are the debug build's and valgrind's matter. PHP's own allocator would hide overflows.
    export ASAN_OPTIONS=detect_leaks=0 USE_ZEND_ALLOC=0
    built_php 8.2-asan --enable-address-sanitizer || return 1
    # Whole-program optimisation takes minutes and hides places.
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 PHP=$php PHP_CONFIG=$php-config with_asan build --release || return 1
    PHP=$php PHP_CONFIG=$php-config SO=$MATRIX/target-asan/$(host_target)/release/librustio.so php-tests/run.sh --asan
}

# The suite, and then requests in real threads: the embed library makes them.
zts_leg() {
    local php=$MATRIX/php-8.2-zts/bin/php
    built_php 8.2-zts --enable-zts --disable-zend-signals --enable-embed=shared || return 1
    on_host 8.2-zts "$php" "$php-config" || return 1
    PHP=$php PHP_CONFIG=$php-config SO=$MATRIX/target-8.2-zts/release/librustio.so php-tests/threads/run.sh
}

run_leg() {
    case $1 in
        8.2)
            if have php8.2 && have php-config8.2; then on_host 8.2 "$(path_of php8.2)" "$(path_of php-config8.2)"; else in_chroot 8.2 bookworm php8.2; fi
            ;;
        8.2-zts) zts_leg ;;
        8.2-debug) built_php 8.2-debug --enable-debug && on_host 8.2-debug "$MATRIX/php-8.2-debug/bin/php" "$MATRIX/php-8.2-debug/bin/php-config" ;;
        core-asan) core_asan_leg ;;
        8.2-asan) asan_leg ;;
        8.4) in_chroot 8.4 trixie php8.4 ;;
        8.5) in_chroot 8.5 sid php8.5 ;;
        *) die "no leg '$1'; there are: ${ALL[*]}" ;;
    esac
}

# One block, read whole before it runs: this file may change meanwhile, a leg takes long.
{
    legs=("$@")
    [ ${#legs[@]} -gt 0 ] || legs=("${ALL[@]}")
    summary=() bad=0
    for leg in "${legs[@]}"; do
        log=$MATRIX/logs/$leg.log
        echo "== $leg (log: .matrix/logs/$leg.log)"
        (run_leg "$leg") >"$log" 2>&1 </dev/null
        status=$?
        line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tr '\n' ';' | sed 's/;$//; s/;/; /g')
        if [ $status = 77 ]; then
            line="skipped: $(sed -n 's/^SKIP //p' "$log" | tail -n 1)"
            case $leg in *-zts | *-debug) bad=1; line="$line (this leg must not be skipped)" ;; esac
        elif [ $status != 0 ]; then
            bad=1
            grep '^FAIL ' "$log"
            line="FAILED: ${line:-$(tail -n 1 "$log")}"
        fi
        echo "   $line"
        summary+=("$(printf '%-10s %s' "$leg" "$line")")
    done
    echo
    printf '%s\n' "${summary[@]}"
    exit $bad
}
