//! `garnish-precompile IN.wasm OUT.cwasm`: machine code for this machine, made while building, so that starting
//! `garnish` compiles nothing. It is a program of its own rather than a part of `host/build.rs` because a build script
//! that uses wasmtime makes cargo compile all of wasmtime twice.
//!
//! It never decides what is trusted: `garnish` embeds the output only if it belongs to the `garnish.wasm` beside it.

#[path = "../../src/digest.rs"]
mod digest;
#[path = "../../src/engine.rs"]
#[allow(dead_code)]
mod engine;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [wasm, cwasm] = arguments.as_slice() else {
        eprintln!("usage: garnish-precompile IN.wasm OUT.cwasm");
        return ExitCode::from(2);
    };
    match precompile(wasm, cwasm) {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn precompile(wasm: &str, cwasm: &str) -> Result<String, String> {
    let bytes = std::fs::read(wasm).map_err(|error| format!("{wasm} cannot be read: {error}"))?;
    let code = engine::engine()
        .precompile_component(&bytes)
        .map_err(|error| format!("{wasm} is no component that wasmtime can compile: {error:#}"))?;
    // The first eight bytes say which garnish.wasm this was made from.
    let mut out = digest::of(&bytes).to_le_bytes().to_vec();
    out.extend_from_slice(&code);
    if std::fs::read(cwasm).is_ok_and(|old| old == out) {
        return Ok(format!("{cwasm} is up to date."));
    }
    std::fs::write(cwasm, &out).map_err(|error| format!("{cwasm} cannot be written: {error}"))?;
    Ok(format!("{cwasm} is {} bytes.", out.len()))
}
