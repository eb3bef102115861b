//! The one engine configuration, and how much time and memory a call may take.
//!
//! The build compiles `garnish.wasm` to machine code with this very file (`host/precompile` includes it by path), so
//! that a running `garnish` accepts the result. It never knows what is run.

use std::sync::OnceLock;

use wasmtime::{Config, Engine};

/// Fuel for one call of an export; roughly one unit for each wasm instruction.
///
/// A million events folded in one call take about a quarter of it, a configuration file of a megabyte merged far less;
/// a loop without end stops after some ten seconds, as an error.
pub const FUEL_PER_CALL: u64 = 40_000_000_000;

/// How large the memory of an instance may become, in bytes.
///
/// The component itself lives in about 2 MiB. The room is for `progression.fold-events`, which is given a whole log as
/// one argument: a million events are some 200 MB.
pub const MEMORY_LIMIT: usize = 512 << 20;

/// The settings that machine code depends on.
pub fn config() -> Config {
    let mut config = Config::new();
    config.consume_fuel(true);
    config
}

/// The engine of this process; made at the first call.
///
/// # Panics
///
/// When wasmtime does not run on this machine at all.
pub fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::new(&config()).expect("wasmtime supports this machine"))
}
