#!/bin/bash
# Puts the built extension into PHP's extension directory and switches it on, or takes it out again.
#
#   scripts/install.sh install|uninstall
#
# On Debian and Ubuntu through mods-available and phpenmod, for every SAPI; elsewhere it prints the one php.ini line.
# DESTDIR is honoured (then nothing is switched on).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
[ -n "$PHP_CONFIG" ] || die "no php-config"
dir=${DESTDIR:-}$("$PHP_CONFIG" --extension-dir)
version=$("$PHP_CONFIG" --version | cut -d. -f1,2)
mods=/etc/php/$version/mods-available

as_root() {
    if [ "$(id -u)" = 0 ] || [ -n "${DESTDIR:-}" ]; then "$@"; elif have sudo; then sudo "$@"; else die "not root and no sudo; as root run: $*"; fi
}
debian() { [ -z "${DESTDIR:-}" ] && [ -d "$mods" ] && have phpenmod; }

case ${1:-} in
    install)
        [ -f "$SO" ] || die "no $SO: run 'make build' first"
        copy=$(mktemp)
        trap 'rm -f "$copy"' EXIT
        cp "$SO" "$copy"
        if have strip; then strip --strip-unneeded "$copy"; fi # 10 times smaller; a backtrace keeps its module names
        as_root mkdir -p "$dir"
        # By rename: a running PHP has the old file mapped and must not see it change.
        as_root install -m 644 "$copy" "$dir/.rustio.so.new"
        as_root mv -f "$dir/.rustio.so.new" "$dir/rustio.so"
        say "installed $dir/rustio.so"
        if debian; then
            printf '; priority=20\nextension=rustio.so\n' | as_root tee "$mods/rustio.ini" >/dev/null
            as_root phpenmod -v "$version" rustio
            [ "$("$PHP" -r 'echo (int) extension_loaded("rustio");')" = 1 ] || die "switched on, but $PHP does not load it"
            say "switched on for every SAPI of PHP $version; restart PHP-FPM to use it there"
        elif [ -z "${DESTDIR:-}" ]; then
            say "add this line to php.ini ($("$PHP" -r 'echo php_ini_loaded_file() ?: PHP_CONFIG_FILE_PATH . "/php.ini";')):"
            echo "extension=rustio.so"
        fi
        ;;
    uninstall)
        if debian && [ -f "$mods/rustio.ini" ]; then
            as_root phpdismod -v "$version" rustio
            as_root rm -f "$mods/rustio.ini"
        fi
        as_root rm -f "$dir/rustio.so"
        say "removed $dir/rustio.so"
        ;;
    *) die "usage: scripts/install.sh install|uninstall" ;;
esac
