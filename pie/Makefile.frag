# The module is a file that cargo makes; the .la beside it is what 'make test' asks for the module's name.
TESTS = $(srcdir)/../php-tests

$(phplibdir)/rustio.la: rustio-cargo-build
	@printf "dlname='rustio.so'\n" > $@

rustio-cargo-build:
	cd $(srcdir)/.. && PHP=$(RUSTIO_PHP) PHP_CONFIG=$(RUSTIO_PHP_CONFIG) PATH="`dirname $(CARGO)`:$$PATH" $(CARGO) build --release --locked --target-dir $(builddir)/target
	@mkdir -p $(phplibdir)
	cp $(builddir)/target/release/librustio.so $(phplibdir)/rustio.so
	@if command -v strip >/dev/null; then strip --strip-unneeded $(phplibdir)/rustio.so; fi

clean: rustio-cargo-clean

rustio-cargo-clean:
	rm -rf $(builddir)/target

.PHONY: rustio-cargo-build rustio-cargo-clean
