#!/bin/bash
# Builds the archive that PIE downloads for one PHP: dist/php_rustio-TAG_php8.2-x86_64-linux-glibc[-zts].zip, with
# rustio.so at its root, and a SHA-256 sum beside it.
#
#   scripts/release.sh TAG      TAG is the version in Cargo.toml, with or without a leading v
#
# PHP and PHP_CONFIG choose the PHP. glibc binaries run on systems with the same or a newer glibc: build on an old one.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
need_tools
have zip || die "zip is missing"
tag=${1:-}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
[ "${tag#v}" = "$version" ] || die "the tag '$tag' is not the version in Cargo.toml ($version)"

arch=$(uname -m)
libc=glibc
if ldd --version 2>&1 | grep -qi musl; then
    libc=musl
    # A shared object can't have its own copy of libc.
    export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=-crt-static"
fi
php=$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
suffix=$("$PHP" -n -r 'echo PHP_DEBUG ? "-debug" : "", PHP_ZTS ? "-zts" : "";')
name=php_rustio-${tag}_php$php-$arch-linux-$libc$suffix.zip

scripts/build.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$SO" "$dir/rustio.so"
strip --strip-unneeded "$dir/rustio.so"
[ "$("$PHP" -n -d extension="$dir/rustio.so" -r 'echo (int) extension_loaded("rustio");')" = 1 ] || die "the stripped module does not load"
cp LICENSE-MIT LICENSE-APACHE "$dir/"
mkdir -p dist
rm -f "dist/$name"
# Fixed times and order: the same input gives the same archive.
find "$dir" -type f -exec touch -d '2000-01-01 00:00:00 UTC' {} +
(cd "$dir" && TZ=UTC zip -q -X -9 - rustio.so LICENSE-APACHE LICENSE-MIT) >"dist/$name"
(cd dist && sha256sum "$name" >"$name.sha256")
echo "dist/$name"
