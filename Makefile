# Entry points for people: each target sets up what it needs on this machine first, so `make demo` and `make test` work
# in a fresh clone. Cargo does the building; nothing here keeps track of files.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.PHONY: help setup build demo blade test lint test-quick test-long test-gpu test-mpich norms doc docs fuzz \
    mutate-inputs sanitize bench ptx clean

# Where rustup installs, for shells that have not been told yet.
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

FR_LES := target/release/fr-les
DEMO := validation/taylor-green/results/taylor-green-demo

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 10

setup: ## install what is missing on this machine
	@scripts/setup

build: setup ## build the solver: target/release/fr-les
	@test -e $(FR_LES) || echo "The first build takes 6 to 10 minutes on two cores, and longer where kernels of all" \
	    "orders are compiled, without a line for minutes. The folder target then takes 1 to 1.5 GB."
	cargo build --release

# One file of kernels of 106 is enough for it; the next `make build` compiles the others.
demo: export FR_LES_KERNELS ?= hex:3 single native
demo: build ## run the Taylor-Green vortex and plot it against published results
	$(FR_LES) validation/taylor-green/demo.yaml
	$(FR_LES) plot $(DEMO) --reference validation/taylor-green/reference.csv
	@echo
	@echo "The Taylor-Green vortex is in $(DEMO):"
	@find $(DEMO) -type f ! -name '*.png' ! -name '*.svg' -printf '  file    %p\n' | sort
	@find $(DEMO) -type f \( -name '*.png' -o -name '*.svg' \) -printf '  figure  %p\n' | sort

blade: build ## mesh the T106C turbine blade (needs Gmsh), run it in two dimensions (minutes), and write its report
	$(FR_LES) mesh cascade validation/t106c/tiny.yaml validation/t106c/tiny.h5 --order 2
	$(FR_LES) validation/t106c/run-tiny.yaml
	$(FR_LES) report validation/t106c/results/t106c-tiny

# Tests start more ranks than the machine has cores, in containers as root; Open MPI asks to be told that this is meant
# (OMPI_* up to version 4, PRTE_* from 5 on).
test: export OMPI_ALLOW_RUN_AS_ROOT := 1
test: export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
test: export OMPI_MCA_rmaps_base_oversubscribe := 1
test: export PRTE_MCA_rmaps_default_mapping_policy := :oversubscribe
# HDF5 leaves its files open in the programs that a process starts: one that a test has started would hold the lock of a
# file that another test, in another thread, opens again.
test: export HDF5_USE_FILE_LOCKING := FALSE
# Tests wait for the programs that they start: with one more than there are processors, none of these is idle.
test: export RUST_TEST_THREADS ?= $(shell echo $$(($$(nproc) + 1)))
# Results do not depend on the vectors. The test programs print times with an option that Rust calls unstable; the
# variable that allows it is set for them alone, since libraries are compiled again where it changes. The kernels of
# high orders take the compiler the longest; `make test-long` tests those that are left out here. Lints and the
# documentation have a job of their own on the forge: they take three minutes of two cores.
test test-quick lint doc: export FR_LES_KERNELS ?= all:2-3 hex:1 hex:4-5:double prism:1,4:double tet:1,4:double \
    pyramid:1,4:double native
# Which tests, so that several machines can share them.
test: TESTS ?= --all-targets
test: ## check the format, compile the GPU kernels, and run all tests
	@scripts/setup --test
	cargo fmt --all --check
	@mkdir -p target # for the log: tee begins before Cargo does
	cargo --config "target.'cfg(all())'.runner = ['env', 'RUSTC_BOOTSTRAP=1']" test --profile tests $(TESTS) \
	    --no-fail-fast -- -Z unstable-options --report-time 2>&1 | tee target/tests.log
	scripts/clock tests target/tests.log --check >target/clock.txt || { tail -n 5 target/clock.txt; exit 1; }
	@if command -v chromium >/dev/null; then cargo test --profile tests --test plot -- --ignored browser::; \
	else echo "There is no chromium here: the test that opens a report in a browser was not run."; fi
	@if command -v chromium >/dev/null && test -e target/manual/index.html; then \
	    cargo test --profile tests --test manual -- --ignored browser::; \
	else echo "There is no chromium or no book (make docs): the manual was not opened in a browser."; fi

lint: doc ## check format, lints and documentation
	cargo fmt --all --check
	cargo clippy --profile tests --all-targets -- -D warnings

test-quick: ## run the tests that start no other program: three minutes on two cores, after the build
	cargo test --profile tests --no-fail-fast --lib --test rules --test plot --test mesh --test numerics -- \
	    --skip order --skip command:: --skip cascade:: --skip rows:: --skip gmsh

test-long: ## run the tests that take hours, beside those of `make test`: once a night
	@scripts/setup --test
	cargo test --release --no-fail-fast --lib --test numerics --test physics --test manual --test parallel --test steady \
	    --test cli --test output --test kernel_text -- --ignored long:: --skip gpu::

norms: ## write tests/output/norms.csv anew; say in the commit why the digits changed
	FR_LES_WRITE_NORMS=1 cargo test --release --test output -- norms::

test-gpu: ## run the tests that need a GPU, and the numerical tests on it
	@scripts/setup --test
	FR_LES_TEST_DEVICE=cuda cargo test --release --test numerics --test physics --test parallel --test output -- \
	    --include-ignored --skip relaxed::long:: --skip relaxed::vortices::long:: free_stream:: order invariants:: \
	    orientation:: boundaries:: boundary_sound:: inflow_outflow:: relaxed:: oblique_sound:: \
	    inlet_turbulence:: bars:: jobs:: statistics:: integrals:: filter:: gpu::

# Debian and Ubuntu have MPICH and its HDF5 beside Open MPI. The tests start `mpirun`, so that of MPICH comes first; a
# link would not do, since Debian's MPICH looks for its proxy by the name under which it was started.
MPICH := target/mpich
test-mpich: export MPICC := mpicc.mpich
test-mpich: export MPI_PKG_CONFIG := mpich
test-mpich: export HDF5_DIR ?= /usr/lib/$(shell uname -m)-linux-gnu/hdf5/mpich
test-mpich: export CARGO_TARGET_DIR := $(CURDIR)/$(MPICH)
test-mpich: export PATH := $(CURDIR)/$(MPICH)/bin:$(PATH)
test-mpich: ## build with MPICH (Debian: mpich libmpich-dev libhdf5-mpich-dev) and run the tests of several ranks
	@mkdir -p $(MPICH)/bin
	cc -O2 -shared -fPIC -o $(MPICH)/yield.so tests/parallel/yield.c
	@printf '#!/bin/sh\nLD_PRELOAD=%s exec mpirun.mpich "$$@"\n' '$(CURDIR)/$(MPICH)/yield.so' >$(MPICH)/bin/mpirun
	@chmod +x $(MPICH)/bin/mpirun
	cargo test --release --no-fail-fast --test parallel --test cli --test output --test steady

doc: ## build the reference of the code and check the pages; warnings are errors
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --profile tests
	scripts/check-docs

# Tools of the manual. They are installed where `make clean` removes them, and cargo builds mdBook once.
MDBOOK := 0.5.4
LATEX2MATHML := 3.81.1
TOOLS := target/tools

docs: ## build the manual as a book, target/manual/index.html, and check its links
	@scripts/setup
	cargo install --quiet --locked --root $(TOOLS) --no-default-features --features search --version $(MDBOOK) mdbook
	@test -x $(TOOLS)/python/bin/python3 || python3 -m venv $(TOOLS)/python
	@$(TOOLS)/python/bin/python3 -m pip install --quiet --disable-pip-version-check latex2mathml==$(LATEX2MATHML)
	PATH="$(CURDIR)/$(TOOLS)/python/bin:$$PATH" $(TOOLS)/bin/mdbook build docs
	scripts/check-docs
	scripts/check-docs --book target/manual

FUZZ_SECONDS ?= 300
FUZZ_TARGETS ?= gmsh cgns hopr su2 mesh initial checkpoint table case expression study cascade report slices
# The kernels run on one cell of order 1 only. They are compiled without AddressSanitizer, with which GCC needs an hour:
# `make sanitize` runs them under it.
fuzz: export FR_LES_KERNELS := all:1 native
fuzz: export CXXFLAGS := -O1 -fno-sanitize=address
fuzz: ## fuzz everything that the program reads, FUZZ_SECONDS for each of FUZZ_TARGETS; needs cargo-fuzz
	@for target in $(FUZZ_TARGETS); do \
	    mkdir -p fuzz/corpus/$$target fuzz/seeds/$$target; \
	    RUSTC_BOOTSTRAP=1 cargo fuzz run $$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
	        -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=20 -close_fd_mask=1; \
	done

MUTATE ?= --count 4000
mutate-inputs: build ## give the program 4000 damaged inputs of all formats; MUTATE='--help' lists the options
	@scripts/setup --test
	.venv/bin/python scripts/mutate-inputs $(MUTATE)

SANITIZE ?=
sanitize: setup ## run the CPU kernels under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/sanitize $(SANITIZE)

bench: build ## time the solver on this machine's CPU, in both precisions
	@for precision in double single; do \
	    for size in '2 40' '4 24' '7 15'; do \
	        read -r order cells <<<"$$size"; \
	        $(FR_LES) bench --device cpu --precision $$precision --order $$order --cells $$cells; \
	    done; \
	done

ptx: build ## compile the GPU kernels ahead of time, for machines with a GPU but no NVRTC
	$(FR_LES) kernels --ptx target/release/ptx

clean: ## remove what was built; results stay
	cargo clean
