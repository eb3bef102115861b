//! The `garnish` command. All of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    garnish_host::cli::main()
}
