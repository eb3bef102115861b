#!/usr/bin/env bash
# Do `cargo build` and `cargo test` of the host packages use their common dependencies with the same features? If not,
# cargo compiles those, and wasmtime with them, twice. The cure is a line in host/precompile/Cargo.toml.
#
#   check-features.sh PACKAGE...
set -euo pipefail

packages=()
for package in "$@"; do packages+=(-p "$package"); done
# Every package with its features, as cargo sees them along these kinds of edges.
tree() { cargo tree --locked "${packages[@]}" -e "$1" -f '{p} {f}' --prefix none --no-dedupe | grep . | sort -u; }

build=$(tree normal,build)
tests=$(tree normal,build,dev)
# A line that only the build has is a package whose features are others in the tests.
if only=$(grep -vxF -f <(printf '%s\n' "$tests") <<<"$build"); then
  printf 'Other features in tests than in builds (see host/precompile/Cargo.toml):\n%s\n' "$only" >&2
  exit 1
fi
