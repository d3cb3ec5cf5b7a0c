#!/bin/bash
# Installs what this machine lacks, and nothing else. Asks nothing; a second run finds everything and ends at once.
#
#   scripts/setup.sh [build|test|bench]...      (default: build)
#
# build: PHP with its headers, a C compiler, libclang, Rust.  test: the web servers, tracers and PHP libraries that the
# tests talk to.  bench: the peers that the benchmarks measure. Debian and Ubuntu, as root or with sudo; elsewhere it
# says what is missing. Services that come with a package are neither started nor left enabled.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

need=()      # packages without which nothing works
extra=()     # packages that make a test or a row possible; absent from a distribution: skipped by name

php_version() { "$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;' 2>/dev/null || true; }
installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# libclang as ext-php-rs' bindgen looks for it.
have_libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] && return 0
    compgen -G '/usr/lib/llvm*/lib/libclang*.so*' >/dev/null && return 0
    compgen -G '/usr/lib*/libclang*.so*' >/dev/null && return 0
    compgen -G '/usr/lib/*-linux-gnu/libclang-*.so' >/dev/null
}
# ... and the headers of its own that it needs (stddef.h).
have_clang_headers() { compgen -G '/usr/lib/llvm*/lib/clang/*/include/stddef.h' >/dev/null || compgen -G '/usr/lib*/clang/*/include/stddef.h' >/dev/null; }

want_build() {
    [ -n "$PHP" ] || need+=(php-cli)
    if [ -z "$PHP_CONFIG" ] || ! [ -f "$("$PHP_CONFIG" --include-dir 2>/dev/null)/main/php.h" ]; then need+=(php-dev); fi
    have cc || need+=(gcc)
    [ -f /usr/include/stdio.h ] || need+=(libc6-dev)
    have make || need+=(make)
    have git || need+=(git)
    [ -f /etc/ssl/certs/ca-certificates.crt ] || [ -f /etc/ssl/cert.pem ] || need+=(ca-certificates)
    have_libclang && have_clang_headers || need+=(libclang-dev)
}

want_test() {
    local v
    have nginx || extra+=(nginx-light)
    have apache2 || extra+=(apache2)
    have lighttpd || extra+=(lighttpd)
    have strace || extra+=(strace)
    have valgrind || extra+=(valgrind)
    have shellcheck || extra+=(shellcheck)
    have setfacl || extra+=(acl)
    v=$(php_version)
    if [ -z "$v" ]; then extra+=(php-fpm); elif ! have "php-fpm$v" && ! have php-fpm; then extra+=("php$v-fpm"); fi
    if [ -n "$(path_of dpkg-query)" ]; then
        local p
        for p in libapache2-mod-xsendfile php-monolog php-apcu; do installed "$p" || extra+=("$p"); done
    fi
}

want_bench() {
    have redis-server || extra+=(redis-server)
    have fio || extra+=(fio)
    if [ -n "$(path_of dpkg-query)" ] && ! installed php-redis; then extra+=(php-redis); fi
}

# --- Rust --------------------------------------------------------------------------------------------------------

minor_of() { sed -n 's/^1\.\([0-9][0-9]*\)\..*/\1/p' <<<"$1"; }
# The version that apt would install, without epoch; nothing if there is none.
candidate() { apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" { sub(/^[0-9]+:/, "", $2); print $2 }'; }

# The packages of the newest Rust that the system has, if it is new enough: plain, -web (Debian's security updates keep
# it fresh for browsers) or versioned (Ubuntu).
rust_packages() {
    local suffix minor best=0 choice=
    for suffix in "" -web $(apt-cache pkgnames cargo-1. 2>/dev/null | sed 's/^cargo//'); do
        [ "$(candidate "cargo$suffix")" ] || continue
        minor=$(minor_of "$(candidate "rustc$suffix")")
        if [ "${minor:-0}" -ge $MIN_RUST ] && [ "$minor" -gt "$best" ]; then best=$minor choice=$suffix; fi
    done
    [ "$best" -gt 0 ] || return 1
    echo "cargo$choice" "rustc$choice"
}

# clippy and rustfmt of the same source, where they are packages of their own.
rust_lint_packages() {
    local suffix=${1#cargo} p
    for p in "rustfmt$suffix" "rust${suffix}-clippy"; do
        if [ "$(candidate "$p")" ]; then echo "$p"; fi
    done
}

# --- apt ---------------------------------------------------------------------------------------------------------

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif have sudo && [ -t 0 ]; then sudo "$@"
    elif have sudo; then sudo -n "$@"
    else die "not root and no sudo; as root run: $*"; fi
}

updated=
apt_update() {
    [ -z "$updated" ] || return 0
    say "apt-get update"
    as_root apt-get -q update >&2 || say "apt-get update failed; going on with the lists that are there"
    updated=1
}

POLICY=/usr/sbin/policy-rc.d
policy_made=
# Keeps packages from starting their service.
forbid_services() {
    if ! [ -e $POLICY ]; then
        printf '#!/bin/sh\nexit 101\n' | as_root tee $POLICY >/dev/null
        as_root chmod 755 $POLICY
        policy_made=1
    fi
}
allow_services() {
    if [ -n "$policy_made" ]; then as_root rm -f $POLICY; policy_made=; fi
}
trap allow_services EXIT

apt_install() {
    say "installing: $*"
    forbid_services
    as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l apt-get -q -y --no-remove \
        -o DPkg::Lock::Timeout=300 --no-install-recommends install "$@" </dev/null >&2
    local p unit
    if have systemctl; then
        for p in "$@"; do
            case $p in
                nginx*) unit=nginx ;;
                apache2 | lighttpd | redis-server) unit=$p ;;
                php*-fpm) unit=$p ;;
                *) continue ;;
            esac
            as_root systemctl disable "$unit" >/dev/null 2>&1 || true
        done
    fi
    allow_services
}

install_packages() {
    [ ${#need[@]} -gt 0 ] || [ ${#extra[@]} -gt 0 ] || return 0
    if ! have apt-get; then
        [ ${#need[@]} -eq 0 ] || die "no apt-get here; please install what these Debian packages hold: ${need[*]}"
        say "no apt-get here; tests or rows that need these are skipped: ${extra[*]}"
        return 0
    fi
    apt_update
    local p found=()
    for p in ${extra[@]+"${extra[@]}"}; do
        if [ "$(candidate "$p")" ]; then found+=("$p"); else say "no package $p here: what needs it is skipped"; fi
    done
    if [ ${#need[@]} -gt 0 ]; then apt_install "${need[@]}" || die "apt-get could not install: ${need[*]}"; fi
    if [ ${#found[@]} -gt 0 ]; then
        # One that fails must not take the others with it.
        apt_install "${found[@]}" || for p in "${found[@]}"; do
            apt_install "$p" || say "could not install $p: what needs it is skipped"
        done
    fi
    need=() extra=()
    PHP=${PHP:-} find_php
}

install_rust() {
    if [ -z "$CARGO" ]; then
        local packages
        if have apt-get; then
            apt_update
            packages=$(rust_packages) || packages=
            # shellcheck disable=SC2086 # a list
            if [ -n "$packages" ]; then apt_install $packages || say "apt-get could not install $packages"; fi
            find_cargo
        fi
        if [ -z "$CARGO" ]; then
            die "Rust >= 1.$MIN_RUST is needed${packages:+ (the packages are: $packages)}; this system has $(rustc --version 2>/dev/null || echo none) and no newer package. Install it with rustup (https://rustup.rs), then run this again."
        fi
    fi
}

install_rust_lints() {
    if "$CARGO" fmt --version >/dev/null 2>&1 && "$CARGO" clippy --version >/dev/null 2>&1; then return; fi
    have apt-get || return 0
    apt_update
    local cargo_package packages
    cargo_package=$(dpkg -S "$(readlink -f "$CARGO")" 2>/dev/null | cut -d: -f1)
    packages=$(rust_lint_packages "${cargo_package:-cargo}" | tr '\n' ' ')
    # shellcheck disable=SC2086 # a list
    if [ -n "$packages" ]; then apt_install $packages || say "could not install $packages"; fi
}

for what in "${@:-build}"; do
    case $what in
        build) want_build ;;
        test) want_test ;;
        bench) want_bench ;;
        lint) have shellcheck || extra+=(shellcheck) ;;
        *) die "usage: scripts/setup.sh [build|test|lint|bench]..." ;;
    esac
done
install_packages
install_rust
case " $* " in *" lint "*) install_rust_lints ;; esac

if [ -z "$PHP" ] || [ -z "$PHP_CONFIG" ]; then die "PHP is still missing: php='$PHP' php-config='$PHP_CONFIG'"; fi
[ "$("$PHP" -n -r 'echo PHP_VERSION_ID;')" -ge $MIN_PHP ] || die "$PHP is $(php_version): rustio needs PHP 8.2 or newer"
[ "$("$PHP" -n -r 'echo PHP_VERSION;')" = "$("$PHP_CONFIG" --version)" ] ||
    die "$PHP is $("$PHP" -n -r 'echo PHP_VERSION;') but $PHP_CONFIG is of $("$PHP_CONFIG" --version): set PHP and PHP_CONFIG to one version"
