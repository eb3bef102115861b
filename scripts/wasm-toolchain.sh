#!/usr/bin/env bash
# Makes `cargo build --target wasm32-wasip2` work, whatever this machine has.
#
#   wasm-toolchain.sh [setup]   get ready; says on stderr what it did; fast when there is nothing to do
#   wasm-toolchain.sh check     exit 0 if ready, 1 if not; changes nothing
#   wasm-toolchain.sh env       print the KEY=VALUE words that the guest build needs (none with a rustup target)
#   wasm-toolchain.sh clean     remove what setup built (not the Debian packages)
#
#   env $(scripts/wasm-toolchain.sh env) cargo build --target wasm32-wasip2 -p garnish-guest
#
# Three ways, the first that works is taken:
#   1. The toolchain has the target already (`rustup target add wasm32-wasip2` was run). Nothing is built.
#   2. rustup is here and may download (RUSTUP_AUTO_INSTALL is not 0): `rustup target add` is run.
#   3. Debian, root, no rustup server: std is compiled once, from Debian's packages and the Rust registry:
#        rustc-web       a rustc; std only fits the rustc that compiled it, so the guest is built with this one
#        rust-web-src    that rustc's std sources (std's few dependencies come from the registry, pinned by std's
#                        own Cargo.lock)
#        wasi-libc       libc.a
#      into a private sysroot under $WASM_TOOLCHAIN_DIR. The linkers, wasm-component-ld and rust-lld, are those of
#      the rustup toolchain. This std has no threads and no sockets; the guest, which is no_std, needs neither.
# Guest source and cargo command are the same in all three.
set -euo pipefail

target=wasm32-wasip2
host=x86_64-unknown-linux-gnu
oldest=1.96                      # the oldest rustc-web that this way was tried with
prefix=${WASM_TOOLCHAIN_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/garnish-wasm-toolchain}
deb_rustc=/usr/bin/rustc
deb_libc=/usr/lib/wasm32-wasi/libc.a
deb_sources=/usr/lib/rustlib/src/rust/library/std/Cargo.toml
packages=(rustc-web rust-web-src wasi-libc)
recipe=1                         # raise it when the way the sysroot is built changes
may_download=${RUSTUP_AUTO_INSTALL:-1}
export RUSTUP_AUTO_INSTALL=0     # from here on only the explicit `rustup target add` below may download
way_out="run: rustup target add $target"

say() { printf 'wasm-toolchain: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# --- 1: the toolchain that cargo would take by itself has a std for the target

has_target() {
  local dir
  dir=$(unset RUSTC; rustc --print target-libdir --target "$target" 2>/dev/null) || return 1
  compgen -G "$dir/libstd-*.rlib" >/dev/null || compgen -G "$dir/libcore-*.rlib" >/dev/null
}

# --- 2: rustup brings it

add_target() {
  [ "$may_download" != 0 ] && command -v rustup >/dev/null || return 1
  say "adding the target $target with rustup"
  rustup target add "$target" >&2 && has_target && return 0
  say "rustup could not add $target"
  return 1
}

# --- 3: Debian's packages

# All that the private sysroot was made from: when any of it changes, the sysroot is stale.
wanted_stamp() {
  [ -x "$deb_rustc" ] && [ -f "$deb_libc" ] || return 1
  printf 'recipe %s\n' "$recipe"
  "$deb_rustc" -vV
  dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null
}

has_private() {
  local want
  [ -f "$prefix/stamp" ] && [ -x "$prefix/bin/rustc" ] || return 1
  want=$(wanted_stamp) && [ "$want" = "$(cat "$prefix/stamp")" ] || return 1
  # These two are links into the rustup toolchain, and die with it.
  [ -x "$prefix/lib/rustlib/$host/bin/rust-lld" ] && [ -x "$prefix/lib/rustlib/$host/bin/wasm-component-ld" ]
}

installed() { dpkg-query -W -f '${db:Status-Status} ${Version}' "$1" 2>/dev/null | sed -n 's/^installed //p'; }
candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *//p' | grep -v '^(none)$' || true; }
recent() { [ -n "$1" ] && dpkg --compare-versions "$1" ge "$oldest"; }

# Installed, new enough, and compiler and sources of one version?
packages_fit() {
  local p
  for p in "${packages[@]}"; do [ -n "$(installed "$p")" ] || return 1; done
  recent "$(installed rustc-web)" && [ "$(installed rustc-web)" = "$(installed rust-web-src)" ]
}

need_packages() {
  packages_fit && return 0
  command -v apt-get >/dev/null || die "no std for $target here; $way_out"
  [ "$(id -u)" = 0 ] || die "no std for $target here; $way_out (or, as root on Debian 12: apt-get update && apt-get install --no-install-recommends ${packages[*]})"
  export DEBIAN_FRONTEND=noninteractive
  # Without recommended packages: they would put a second cargo into /usr/bin.
  local install=(apt-get install -y -qq --no-install-recommends "${packages[@]}")
  # A list of packages can be months old and still install, just too old a compiler: ask the list first.
  if ! recent "$(candidate rustc-web)" || [ -z "$(candidate wasi-libc)" ]; then
    say "updating Debian's package lists"
    apt-get update -qq >&2 || say "apt-get update failed; going on with the lists that are here"
  fi
  say "installing ${packages[*]} from Debian"
  "${install[@]}" >/dev/null 2>&1 || { apt-get update -qq >&2 && "${install[@]}" >&2; } ||
    die "apt-get could not install ${packages[*]} (Debian 12 and its security archive have them); $way_out"
  packages_fit && return 0
  die "rustc-web is $(installed rustc-web) and rust-web-src $(installed rust-web-src), but both must be the same and at least $oldest (Debian 12's security archive has it: see /etc/apt/sources.list); $way_out"
}

remove_private() {  # only ever what this script made
  [ -e "$prefix" ] || return 0
  [ -f "$prefix/stamp" ] || die "$prefix exists and is not mine; set WASM_TOOLCHAIN_DIR to another folder"
  rm -rf "$prefix"
}

build_private() {
  [ "$(uname -sm)" = "Linux x86_64" ] || die "no std for $target here; $way_out"
  command -v cargo >/dev/null || die "no cargo on PATH; install Rust from https://rustup.rs"
  need_packages
  [ -f "$deb_sources" ] || die "rust-web-src left no std sources at $deb_sources; $way_out"
  [ -f "$deb_libc" ] || die "wasi-libc left no $deb_libc; $way_out"
  local tool tools start=$SECONDS lib
  tools=$(unset RUSTC; rustc --print sysroot)/lib/rustlib/$host/bin
  for tool in wasm-component-ld rust-lld; do
    [ -x "$tools/$tool" ] || die "no $tool in $tools; a rustup toolchain, 1.82 or later, must be first on PATH"
  done

  say "compiling std for $target into $prefix (once; under a minute)"
  mkdir -p "$(dirname "$prefix")"
  work=$(mktemp -d "$prefix.tmp.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/seed"
  printf '[package]\nname = "seed"\nversion = "0.0.0"\nedition = "2021"\n[lib]\npath = "lib.rs"\n[workspace]\n' >"$work/seed/Cargo.toml"
  printf '#![no_std]\n' >"$work/seed/lib.rs"
  # RUSTC_BOOTSTRAP is for this one build of std, never for the guest.
  (
    cd "$work/seed"
    unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS \
      RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_TARGET CARGO_TARGET_DIR CARGO_MAKEFLAGS MAKEFLAGS
    # With bitcode, as the std that rustup brings: without it the guest could not be optimised as a whole (LTO).
    RUSTC=$deb_rustc RUSTC_BOOTSTRAP=1 CARGO_PROFILE_RELEASE_DEBUG=0 RUSTFLAGS="-C embed-bitcode=yes" \
      cargo -Zbuild-std=std,panic_abort build --quiet --release --target "$target" --target-dir "$work/target" >&2
  ) || die "std did not compile (the compiler's words are above; it needs the Rust registry the first time)"

  lib=$work/root/lib/rustlib
  mkdir -p "$work/root/bin" "$lib/$target/lib/self-contained" "$lib/$host/bin"
  find "$work/target/$target/release/deps" -name 'lib*.rlib' ! -name 'libseed-*' -exec cp {} "$lib/$target/lib/" \;
  compgen -G "$lib/$target/lib/libstd-*.rlib" >/dev/null || die "the build of std left no libstd; $way_out"
  ln -s "/usr/lib/rustlib/$host/lib" "$lib/$host/lib"
  for tool in wasm-component-ld rust-lld; do ln -s "$tools/$tool" "$lib/$host/bin/$tool"; done
  printf '#!/bin/sh\nexec %s --sysroot="%s" "$@"\n' "$deb_rustc" "$prefix" >"$work/root/bin/rustc"
  chmod +x "$work/root/bin/rustc"
  cp "$deb_libc" "$lib/$target/lib/self-contained/"
  # Debian's crt1-command.o is too old for this std: it leaves the constructors (they find the preopened folders) to
  # the linker, which runs none once another part of the program, as std does, names them itself.
  cat >"$work/crt1.rs" <<'RS'
#![no_std]
unsafe extern "C" {
    fn __wasm_call_ctors();
    fn __main_void() -> i32;
    fn __wasm_call_dtors();
    fn __wasi_proc_exit(code: i32) -> !;
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _start() {
    unsafe {
        __wasm_call_ctors();
        let code = __main_void();
        __wasm_call_dtors();
        if code != 0 {
            __wasi_proc_exit(code);
        }
    }
}
RS
  "$deb_rustc" --sysroot="$work/root" --edition 2024 --target "$target" --crate-name crt1 --crate-type lib --emit obj -O \
    "$work/crt1.rs" -o "$lib/$target/lib/self-contained/crt1-command.o" || die "crt1 did not compile; $way_out"
  wanted_stamp >"$work/root/stamp"
  remove_private
  mv -T "$work/root" "$prefix"
  say "std for $target is ready after $((SECONDS - start)) s"
}

setup() {
  if has_target; then return; fi
  if has_private; then return; fi
  if add_target; then return; fi
  build_private
  has_private || die "the sysroot in $prefix was built, but does not check; remove it and try again"
}

case ${1:-setup} in
  setup)
    if has_target || has_private; then say "ready for $target"; exit 0; fi
    mkdir -p "$(dirname "$prefix")"
    # Two builds at once wait for each other.
    if command -v flock >/dev/null; then exec 9>"$prefix.lock"; flock 9; fi
    setup ;;
  check) has_target || has_private ;;
  env)
    if has_target; then :
    elif has_private; then printf 'RUSTC=%s\n' "$prefix/bin/rustc"
    else die "not ready for $target; run: $0 setup"; fi ;;
  clean) remove_private ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
