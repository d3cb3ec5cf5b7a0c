# One door for every chore. The work is done by the scripts in scripts/ and php-tests/.
#
# PHP=/usr/bin/php8.4 PHP_CONFIG=/usr/bin/php-config8.4 choose another PHP.

.DEFAULT_GOAL := help
.PHONY: help setup build install uninstall test lint demo bench bench-check matrix memcheck fuzz soak image clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r n t; do printf '  make %-12s %s\n' "$$n" "$$t"; done

setup: ## install what building and testing need (apt, as root or with sudo); asks nothing
	@scripts/setup.sh build test lint

build: ## build the extension: target/release/librustio.so
	@scripts/setup.sh build
	@scripts/build.sh

install: build ## put rustio.so into PHP's extension directory and switch it on
	@scripts/install.sh install

uninstall: ## take it out again
	@scripts/install.sh uninstall

test: ## set up, build, run every test; the last line counts them
	@scripts/setup.sh build test
	@scripts/test.sh

lint: ## formatting, clippy with both feature sets, shell scripts, stubs against the loaded extension
	@scripts/setup.sh build lint
	@scripts/lint.sh

demo: build ## read a real log with rustio and with plain PHP: make demo [FILE=/var/log/big.log]
	@scripts/demo.sh "$(FILE)"

bench: ## measure everything, write php-tests/bench/runs/: make bench [CASE=lines] [QUICK=1]
	@scripts/setup.sh build test bench
	@scripts/build.sh
	@scripts/bench.sh run CASE="$(CASE)" QUICK="$(QUICK)"

bench-check: ## measure the ratios that have a floor and fail below them: make bench-check [CASE=lines]
	@scripts/setup.sh build test bench
	@scripts/build.sh
	@scripts/bench.sh check CASE="$(CASE)" QUICK="$(QUICK)"

matrix: ## the phpt suite on every PHP that can be had here: make matrix [LEG=8.2-zts]
	@scripts/setup.sh build
	@scripts/matrix.sh $(LEG)

memcheck: ## the phpt suite under valgrind or a sanitizer: make memcheck [TESTS=php-tests/lines] [SANITIZER=address]
	@scripts/setup.sh build test
	@if [ "$(SANITIZER)" = address ]; then scripts/asan.sh $(TESTS); else scripts/build.sh && php-tests/run.sh -m $(TESTS); fi

fuzz: ## any bytes at the core's parsers, with AddressSanitizer: make fuzz [TARGET=lines] [SECONDS=60]
	@scripts/setup.sh build
	@scripts/fuzz.sh "$(TARGET)" "$(SECONDS)"

soak: ## 10,000 requests over PHP-FPM and more: memory and descriptors stay flat
	@scripts/setup.sh build test
	@scripts/build.sh
	@php-tests/soak.sh

image: ## build the container images in docker/
	@scripts/image.sh

clean: ## remove what was built
	@scripts/clean.sh
