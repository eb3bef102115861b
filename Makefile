# `make help` lists what there is. Two commands on a fresh machine: `make demo`, `make test`.
.DEFAULT_GOAL := build
.PHONY: build guest precompile demo test lint clean help
MAKEFLAGS += --no-print-directory

# One place for what is built, whatever the environment says: host/build.rs and the scripts look for it there.
export CARGO_TARGET_DIR := $(CURDIR)/target
WASM  := target/garnish/garnish.wasm
CWASM := target/garnish/garnish.cwasm
# The same packages in every host build: cargo then settles on the same features, and wasmtime is compiled once.
HOST  := -p garnish -p garnish-precompile -p host-test
CARGO ?= cargo
say    = @printf '\n== %s\n' "$(1)"

build: precompile ## the component and the `garnish` command: target/garnish/garnish.wasm, target/release/garnish
	$(call say,Building the garnish command with the component inside)
	$(CARGO) build --locked --release $(HOST)
	@echo "Built $(WASM) and target/release/garnish. Next: make demo"

guest: ## the component alone: target/garnish/garnish.wasm
	$(call say,Building the component (no WASI imports, target wasm32-wasip2))
	@command -v $(CARGO) >/dev/null || { echo "cargo is missing. Get Rust 1.95 or later from https://rustup.rs"; exit 1; }
	@scripts/wasm-toolchain.sh setup
	@# Its own target dir: guest and host may come from two compilers. For wasm alone: optimised as one unit, which
	@# cargo only does when nothing but the component is made of the crate; and 64 KiB of stack instead of 1 MiB,
	@# which counts as guest memory.
	env $$(scripts/wasm-toolchain.sh env) \
	  CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_OPT_LEVEL=z \
	  CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS="-C link-arg=-zstack-size=65536 -C link-arg=--compress-relocations" \
	  $(CARGO) rustc --locked --release --target wasm32-wasip2 --target-dir target/guest \
	  -p garnish-guest --lib --crate-type cdylib
	@mkdir -p target/garnish
	@scripts/strip-component.sh target/guest/wasm32-wasip2/release/garnish_guest.wasm $(WASM).new
	@# Untouched when it is the same, so that the host is not built again for nothing.
	@if cmp -s $(WASM).new $(WASM); then rm $(WASM).new; else mv $(WASM).new $(WASM); fi
	@echo "$(WASM) is $$(wc -c < $(WASM)) bytes."

precompile: guest
	$(call say,Compiling the component to machine code for this machine)
	$(CARGO) build --locked --release $(HOST) --bin garnish-precompile
	@target/release/garnish-precompile $(WASM) $(CWASM)

demo: build ## the main job on a throwaway agent dir: locked start, quests, live unlock, reload, stock parity
	$(call say,Running the demo)
	@target/release/host-test demo

test: precompile ## all tests: the rules natively, then the component, the effects and the command through wasmtime
	$(call say,Testing the rules natively)
	$(CARGO) test --locked -p garnish-guest
	$(call say,Testing the component and its host through wasmtime)
	$(CARGO) test --locked --release $(HOST)
	@echo "All tests passed."

lint: precompile ## formatting and clippy, warnings are errors
	$(call say,Checking the formatting)
	$(CARGO) fmt --all --check
	$(call say,Running clippy)
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(call say,Checking that builds and tests share their dependencies)
	@scripts/check-features.sh $(filter-out -p,$(HOST))
	@echo "Nothing to complain about."

clean: ## removes everything that was built (not the wasm toolchain: scripts/wasm-toolchain.sh clean)
	$(CARGO) clean
	@echo "Removed target/."

help: ## this list
	@echo "make TARGET; without one: build"
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12
