# Belfry. `make run` and `make test` are all that a newcomer needs; both install what is missing.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 30

.PHONY: run build test check check-long bench coverage fuzz mutants format lint install package dist clean

run: build
	build/belfry serve --dev

build:
	scripts/setup build
	cmake --preset release >/dev/null
	cmake --build --preset release -j $(JOBS)

test:
	scripts/setup test
	cmake --preset test >/dev/null
	cmake --build --preset test -j $(JOBS)
	cd build-test && ../scripts/run-tests --output-on-failure --timeout 900 -j $$((4 * $(JOBS)))

# Sanitizers, the second compiler, linters, instruction counts and drawn mutants: at most 150 minutes on 2 cores.
# STAGES="asan gcc" runs some of them; RESUME=1 passes over what has passed on the same sources. Results: docs/checks.md.
check:
	scripts/setup check
	scripts/check $(if $(RESUME),--resume) $(STAGES)

# Hours of everything else: the whole tree linted, every mutant, fuzzers, long rounds, new seeds.
check-long:
	scripts/setup check
	scripts/check --long $(if $(RESUME),--resume) $(STAGES)

bench: build
	scripts/setup bench
	cmake --preset bench >/dev/null
	cmake --build --preset bench -j $(JOBS)
	python3 bench/run.py --page

# Lines that unit and end-to-end tests execute, by folder: docs/coverage.md.
coverage:
	scripts/setup coverage
	cmake --preset coverage >/dev/null
	cmake --build --preset coverage -j $(JOBS)
	scripts/coverage --run

fuzz:
	scripts/setup test
	cmake --preset fuzz >/dev/null
	cmake --build --preset fuzz --target fuzz -j $(JOBS)
	FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run

mutants:
	scripts/setup test
	python3 tests/mutants.py

format:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 -i

lint:
	scripts/setup check
	git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror
	cmake --preset lint >/dev/null
	git ls-files 'src/*.cpp' | grep -v _test | xargs -P $(JOBS) -n 8 clang-tidy-19 --quiet -p build-lint

install: build
	cmake --install build --prefix $(PREFIX)

package: build
	cd build && cpack -G DEB

dist: build
	cd build && cpack -G TGZ

clean:
	rm -rf build build-*
