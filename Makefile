# `make help` lists what there is. Two commands on a fresh machine: `make demo`, `make test`.
.DEFAULT_GOAL := build
.PHONY: build guest precompile extension install uninstall demo test fuzz bench lint clean help
MAKEFLAGS += --no-print-directory

# One place for what is built, whatever the environment says: host/build.rs and the scripts look for it there.
export CARGO_TARGET_DIR := $(CURDIR)/target
WASM  := target/garnish/garnish.wasm
CWASM := target/garnish/garnish.cwasm
# The same packages in every host build: cargo then settles on the same features, and wasmtime is compiled once.
HOST  := -p garnish -p garnish-precompile -p host-test
EXTENSION := target/pi/extension
# What the live tests run: the harnesses, and the engines that they need, pinned by pi/live/package-lock.json.
LIVE  := $(CURDIR)/pi/live/node_modules
NODE  := $(LIVE)/node/bin/node
BUN   := $(LIVE)/bun/bin/bun.exe
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

extension: guest pi/node_modules/.ready ## the extension for omp and Pi: target/pi/extension, one folder
	$(call say,Building the extension for omp and Pi)
	@node pi/build.mjs $(WASM) $(EXTENSION)

# npm marks what it has installed with a file of its own, but not that it has finished. Not `npm ci`: it refuses a lock
# file without the packages of other platforms, which a mirror of the registry may not have. The lock file holds all the same.
%/node_modules/.ready: %/package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing. Install Node.js 20 or later from https://nodejs.org"; exit 1; }
	$(call say,Getting the npm packages of $*)
	@cd $* && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@# No install script is run but these two, which put the engines for this machine there.
	@cd $* && if [ -d node_modules/bun ]; then npm rebuild node bun --loglevel=error; fi
	@touch $@

# Without AGENT_DIR: one that garnish owns, beside the learner's own harness, whose credentials it uses by links.
HARNESS ?= omp
AGENT_DIR ?= $(HOME)/.garnish/$(HARNESS)
HOME_OF_omp := $(HOME)/.omp/agent
HOME_OF_pi  := $(HOME)/.pi/agent
install: build extension ## into an agent dir: make install [HARNESS=pi] [AGENT_DIR=…]; without one, into one of garnish's own
	$(call say,Installing into $(AGENT_DIR))
	@target/release/garnish init --agent-dir "$(AGENT_DIR)" --harness $(HARNESS) --extension $(EXTENSION) --demo pi/demo \
	  --credentials-of "$(HOME_OF_$(HARNESS))"

uninstall: build ## gives everything back: make uninstall [HARNESS=pi] [AGENT_DIR=…]
	$(call say,Taking garnish out of $(AGENT_DIR))
	@target/release/garnish eject --agent-dir "$(AGENT_DIR)"

demo: build ## the main job on a throwaway agent dir: locked start, quests, live unlock, reload, stock parity
	$(call say,Running the demo)
	@target/release/host-test demo

test: build extension pi/live/node_modules/.ready ## all tests: the rules natively, the component in wasmtime, Bun and Node, then real harnesses
	$(call say,Testing the rules natively)
	$(CARGO) test --locked -p garnish-guest
	$(call say,Testing the component and its host through wasmtime)
	$(CARGO) test --locked --release $(HOST)
	$(call say,Checking the types of the extension)
	@cd pi && node_modules/.bin/tsc --noEmit
	$(call say,Testing the extension's effects and the component on Node)
	@cd pi && $(NODE) --test "test/*.test.ts"
	$(call say,The same on Bun)
	@cd pi && $(BUN) test test/*.test.ts
	$(call say,Testing in the real harnesses)
	@cd pi && $(NODE) --test --test-concurrency=2 "live/*.test.ts"
	@echo "All tests passed."

SECONDS ?= 60
fuzz: ## not part of `test`: each fuzz target for a while, then the properties on many cases: make fuzz [SECONDS=60] [TARGET=merge]
	@scripts/fuzz.sh $(SECONDS) $(TARGET)

bench: extension pi/live/node_modules/.ready ## ratios, each measured in one run: the start of omp and Pi with garnish and without
	$(call say,Starting omp and Pi with garnish and without)
	@cd pi && $(NODE) live/start.bench.ts

lint: precompile ## formatting and clippy, warnings are errors
	$(call say,Checking the formatting)
	$(CARGO) fmt --all --check
	$(call say,Running clippy)
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(call say,Checking that builds and tests share their dependencies)
	@scripts/check-features.sh $(filter-out -p,$(HOST))
	@echo "Nothing to complain about."

clean: ## removes everything that was built or got from npm (not the wasm toolchain: scripts/wasm-toolchain.sh clean)
	$(CARGO) clean
	rm -rf pi/node_modules pi/live/node_modules
	@echo "Removed target/ and the npm packages."

help: ## this list
	@echo "make TARGET; without one: build"
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12
