//! `garnish launch [-- ARGS]`: starts the harness on the agent dir, with garnish's extension named on its command line, so
//! that no config of a project can leave it out. Without the extension it starts nothing.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use super::Context;
use crate::output::{Answer, Ended, Exit};
use crate::setup::Setup;

/// Where `init` installs the extension, inside the agent dir.
const EXTENSION: &str = "extensions/garnish/index.js";

/// Replaces this process; comes back with the reason when it could not.
pub(crate) fn run(context: &Context, program: Option<PathBuf>, arguments: Vec<OsString>) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let setup = Setup::read(&mut dir)?;
    let harness = context.garnish()?.describe_profile(&setup.profile).map_err(|error| setup.blame(error))?.harness;
    let extension = dir.path().join(EXTENSION);
    if !extension.is_file() {
        let message = format!(
            "{} is missing, and without it nothing is held in a session. Put it there: garnish init --agent-dir {:?} \
             --harness {harness} --extension DIR, or `make install` in a checkout of garnish.",
            extension.display(),
            dir.path(),
        );
        return Err(Ended::new(Exit::Environment, "garnish::cli::no-extension", message));
    }
    let program = program.unwrap_or_else(|| PathBuf::from(&harness));
    let mut command = Command::new(&program);
    command.env("PI_CODING_AGENT_DIR", dir.path());
    if harness == "omp" {
        // Found in the agent dir, too, where a project's `disabledExtensions` or `disabledProviders` can leave it out.
        command.arg("-e").arg(&extension);
    }
    command.args(arguments);
    let error = replace(&mut command);
    let message =
        format!("{} cannot be started: {error}. Install it, or name it with --program FILE.", program.display());
    Err(Ended::new(Exit::Environment, "garnish::cli::no-harness", message))
}

#[cfg(unix)]
fn replace(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

#[cfg(not(unix))]
fn replace(command: &mut Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
