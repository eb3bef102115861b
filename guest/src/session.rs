//! What a session asks of its gate between applies: which tools to show, what else to hold, whether a call may go
//! ahead.
//!
//! It changes no file and no log.

use alloc::{string::String, vec::Vec};

use crate::{
    apply::Session,
    diagnostic::Error,
    disk::Disk,
    gate_config::spelled,
    guard::{Call, Guard, Refusal},
    hold::{self, Moment, Setting, Tool},
    host::{Host, import},
    render::json_line,
};

impl Session {
    /// The names of those of `tools` that may be shown, in their order.
    ///
    /// # Errors
    /// Setup or log cannot be read: hold what `garnish/held.json` names.
    pub fn hold_tools(&mut self, host: &mut dyn Host, tools: &[Tool]) -> Result<Vec<String>, Error> {
        let ready = self.ready(host)?;
        let shown = hold::shown(tools, &ready.gate().held, &ready.setup.profile);
        self.saw_tools(host, tools);
        Ok(shown)
    }

    /// The catalog's capabilities that are held now.
    ///
    /// # Errors
    /// As for [`Session::hold_tools`].
    pub fn held_capabilities(&mut self, host: &mut dyn Host) -> Result<Vec<String>, Error> {
        Ok(spelled(&self.ready(host)?.gate().held))
    }

    /// Settings for a runtime layer of the harness.
    ///
    /// # Errors
    /// As for [`Session::hold_tools`].
    pub fn overrides(&mut self, host: &mut dyn Host, moment: Moment) -> Result<Vec<Setting>, Error> {
        let ready = self.ready(host)?;
        let profile = &ready.setup.profile;
        let disk = Disk::read(host, profile).unwrap_or_default();
        let settings = disk.overrides(&ready.gate(), &ready.setup.catalog, profile, moment);
        let mut list = Vec::new();
        for (key, value) in settings.iter() {
            list.push(Setting { key: key.clone(), json: json_line(value) });
        }
        Ok(list)
    }

    /// The verdict on a tool call; none: go ahead.
    ///
    /// # Errors
    /// Setup or log cannot be read, or the host could not say where a path leads: refuse the call.
    pub fn check_tool_call(&mut self, host: &mut dyn Host, call: &Call) -> Result<Option<Refusal>, Error> {
        let ready = self.ready(host)?;
        let held = ready.gate().held;
        let guard = Guard {
            catalog: &ready.setup.catalog,
            profile: &ready.setup.profile,
            graph: &ready.setup.graph,
            progress: ready.fold.progress(),
            held: &held,
        };
        guard.check(call, &mut |path, cwd| {
            host.resolve(path, cwd).map_err(|failure| failure.during(import::FILES_RESOLVE, path))
        })
    }
}
