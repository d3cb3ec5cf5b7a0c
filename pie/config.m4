dnl rustio is a Rust extension: configure looks for cargo, rustc and libclang, and make calls cargo.
PHP_ARG_ENABLE([rustio],
  [whether to enable rustio],
  [AS_HELP_STRING([--enable-rustio], [Enable rustio])],
  [yes])

if test "$PHP_RUSTIO" != "no"; then
  rustio_min=88

  AC_PATH_PROG([CARGO], [cargo], [no], [$PATH$PATH_SEPARATOR$HOME/.cargo/bin])
  if test "$CARGO" = "no"; then
    AC_MSG_ERROR([cargo was not found: install Rust 1.$rustio_min or newer (https://rustup.rs, or your system's rustc and cargo packages)])
  fi
  rustio_rustc=`dirname "$CARGO"`/rustc
  test -x "$rustio_rustc" || rustio_rustc=rustc
  AC_MSG_CHECKING([for rustc 1.$rustio_min or newer])
  rustio_version=`"$rustio_rustc" --version 2>/dev/null`
  rustio_minor=`echo "$rustio_version" | sed -n 's/^rustc 1\.\([[0-9]][[0-9]]*\)\..*/\1/p'`
  if test -z "$rustio_minor" || test "$rustio_minor" -lt "$rustio_min"; then
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([rustc is too old or missing (found: ${rustio_version:-none}): install Rust 1.$rustio_min or newer, see https://rustup.rs])
  fi
  AC_MSG_RESULT([$rustio_version])

  dnl The bindings to this PHP's headers are made during the build, by libclang.
  AC_MSG_CHECKING([for libclang])
  rustio_libclang=no
  for rustio_dir in "$LIBCLANG_PATH" `llvm-config --libdir 2>/dev/null` /usr/lib/llvm*/lib /usr/lib64/llvm*/lib /usr/lib/*-linux-* /usr/lib64 /usr/lib /usr/local/lib; do
    for rustio_file in "$rustio_dir"/libclang.so* "$rustio_dir"/libclang-*.so*; do
      if test -n "$rustio_dir" && test -f "$rustio_file"; then
        rustio_libclang=$rustio_file
        break 2
      fi
    done
  done
  AC_MSG_RESULT([$rustio_libclang])
  if test "$rustio_libclang" = "no"; then
    AC_MSG_ERROR([libclang was not found: install libclang-dev (Debian, Ubuntu), clang-devel (Fedora) or clang-dev (Alpine), or set LIBCLANG_PATH to its folder])
  fi

  dnl ext-php-rs wants absolute paths.
  RUSTIO_PHP=`$PHP_CONFIG --php-binary`
  RUSTIO_PHP_CONFIG=`command -v $PHP_CONFIG`
  case $RUSTIO_PHP in
    /*) ;;
    *) AC_MSG_ERROR([$PHP_CONFIG names no PHP binary: install the PHP command line program]) ;;
  esac

  PHP_SUBST([CARGO])
  PHP_SUBST([RUSTIO_PHP])
  PHP_SUBST([RUSTIO_PHP_CONFIG])
  PHP_MODULES="\$(phplibdir)/rustio.la"
  PHP_ADD_MAKEFILE_FRAGMENT([$abs_srcdir/Makefile.frag], [$abs_srcdir], [$abs_builddir])
  PHP_ADD_BUILD_DIR([$abs_builddir/modules])
fi
