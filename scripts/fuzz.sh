#!/usr/bin/env bash
# `make fuzz`: each fuzz target of guest/fuzz for so many seconds, then the properties on many more cases.
#
#   fuzz.sh [SECONDS [TARGET...]]   60 seconds and every target, if nothing is said
#
# What a target finds lies in guest/fuzz/artifacts, and the command to see it again is printed. It becomes a test, and is
# mended. FUZZ_CASES says on how many cases the properties are tried (500000; 0: none).
set -euo pipefail
cd "$(dirname "$0")/.."
export RUSTUP_AUTO_INSTALL=0     # nothing is downloaded behind anybody's back

seconds=${1:-60}
shift || true
targets=${*:-config merge log catalog graph}
cases=${FUZZ_CASES:-500000}

missing() { printf 'fuzz: %s is missing. Get it with: %s\n' "$1" "$2" >&2; exit 1; }
command -v cargo >/dev/null || missing cargo 'https://rustup.rs'
cargo +nightly --version >/dev/null 2>&1 || missing 'a nightly compiler' 'rustup toolchain install nightly --profile minimal'
cargo fuzz --version >/dev/null 2>&1 || missing cargo-fuzz 'cargo install cargo-fuzz --locked'

# What is there already is where to start from.
seed() {
  local corpus=target/fuzz/corpus/$1 file
  shift
  mkdir -p "$corpus"
  for file in "$@"; do
    [ -f "$file" ] && cp "$file" "$corpus/$(printf '%s' "$file" | tr / _)"
  done
}
seed config fixtures/{scenarios,cases}/*/agent/config.yml fixtures/{scenarios,cases}/*/agent/mcp.json
seed merge fixtures/{scenarios,cases}/*/agent/config.yml fixtures/{scenarios,cases}/*/agent/mcp.json
seed log fixtures/{scenarios,cases}/*/agent/garnish/events.jsonl
seed catalog guest/data/catalogs/*.yml guest/data/profiles/*.json fixtures/scenarios/*/agent/garnish/*.yml
seed graph fixtures/graphs/*.json

for target in $targets; do
  printf '\n== Fuzzing %s for %s seconds\n' "$target" "$seconds"
  cargo +nightly fuzz run --fuzz-dir guest/fuzz --target-dir target/fuzz "$target" "target/fuzz/corpus/$target" -- \
    -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 -dict=guest/fuzz/words.dict -print_final_stats=1
done

if [ "$cases" -gt 0 ]; then
  printf '\n== The properties on %s cases each\n' "$cases"
  PROPTEST_CASES=$cases cargo test --locked -p garnish-guest --test merge_props --test displaced_model --test edit_props
fi
echo "Nothing found."
