//! `garnish launch [-- ARGS]`: starts the harness on the agent dir so that no config of a project can open a gate: omp with
//! garnish's extension named on its command line, and what the config holds once more in an overlay above every project's
//! file. Without the extension, or with a config that garnish cannot write, it starts nothing.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use super::{Context, existing};
use crate::bindings::{Severity, Trigger};
use crate::effects::Effects;
use crate::instance::Told;
use crate::output::{self, Answer, Ended, Exit};
use crate::overlay;
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
    let overlay = gated(context, harness == "omp")?;
    let program = program.unwrap_or_else(|| PathBuf::from(&harness));
    let mut command = Command::new(&program);
    command.env("PI_CODING_AGENT_DIR", dir.path());
    if let Some(overlay) = overlay {
        // Found in the agent dir, too, where a project's `disabledExtensions` or `disabledProviders` can leave it out.
        command.arg("-e").arg(&extension).arg("--config").arg(dir.path().join(overlay));
    }
    command.args(arguments);
    let error = replace(&mut command);
    let message =
        format!("{} cannot be started: {error}. Install it, or name it with --program FILE.", program.display());
    Err(Ended::new(Exit::Environment, "garnish::cli::no-harness", message))
}

/// Brings the files to what the log says, so that the harness starts on a gated config even where it lost its own; and for
/// omp writes what they hold into the overlay. omp does not start on an overlay that is missing or broken.
fn gated(context: &Context, with_overlay: bool) -> Result<Option<&'static str>, Ended> {
    let mut garnish = context.garnish()?;
    let report = garnish.apply_unlocks(Trigger::SessionStart)?;
    if let Some(fault) = report.diagnostics.iter().find(|fault| fault.severity == Severity::Error) {
        let exit = output::exit_of_report(&report);
        let message =
            format!("{} The harness is not started: without its gated config it could run open.", Told(fault));
        return Err(Ended::new(exit, fault.code.clone(), message));
    }
    if !with_overlay {
        return Ok(None);
    }
    let mut dir = context.dir()?;
    let paths = garnish.describe_profile(&Setup::read(&mut dir)?.profile)?.files;
    let config =
        existing(&mut dir, paths)?.into_iter().map(|(file, _)| file).find(|file| !file.path.ends_with(".json"));
    let Some(text) = config.and_then(|config| overlay::of(&config.bytes)) else {
        let message = "The agent dir has no config that can be read, so nothing would be held. Run `garnish doctor`.";
        return Err(Ended::new(Exit::Environment, "garnish::cli::no-config", message));
    };
    let before = dir.read(overlay::PATH)?;
    if before.as_ref().is_none_or(|before| before.bytes != text.as_bytes()) {
        dir.write(overlay::PATH, before.map(|before| before.version), text.as_bytes())?;
    }
    Ok(Some(overlay::PATH))
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
