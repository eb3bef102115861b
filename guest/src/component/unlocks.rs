//! The interface `unlocks`: what a session does, with the imports as its host.

use alloc::{string::String, vec::Vec};
use core::cell::RefMut;

use super::{Selector, imports::Imports};
use crate::{
    apply::{Outcome, Report, Session},
    capability::Capability,
    diagnostic::{Diagnostic, Error},
    guard::{Call, Refusal},
    hold::{Moment, Setting, Tool},
    host::Activation,
    runtime,
};

/// The session of this instance.
fn session() -> Result<RefMut<'static, Session>, Error> {
    runtime::session().ok_or_else(|| {
        let message = "Another call of this instance is running. Call when it has returned.";
        Error::Argument(Diagnostic::error("garnish::instance::busy", message))
    })
}

pub fn apply_unlocks() -> Result<Report, Error> {
    session()?.apply(&mut Imports)
}

pub fn settle(outcomes: Vec<(String, Activation)>) -> Result<(), Error> {
    let mut known = Vec::new();
    for (capability, activation) in outcomes {
        known.extend(Capability::parse(&capability).map(|capability| (capability, activation)));
    }
    session()?.settle(&mut Imports, known);
    Ok(())
}

pub fn unlock(what: Selector) -> Result<Outcome, Error> {
    session()?.unlock(&mut Imports, &what)
}

pub fn complete(quest: String) -> Result<Outcome, Error> {
    session()?.complete(&mut Imports, &quest)
}

pub fn open_hint(quest: String) -> Result<Outcome, Error> {
    session()?.open_hint(&mut Imports, &quest)
}

pub fn applied_capabilities() -> Vec<(Capability, Activation)> {
    session().map(|session| super::pairs(session.applied())).unwrap_or_default()
}

pub fn reload_count() -> u32 {
    session().map(|session| session.reloads()).unwrap_or_default()
}

pub fn held_capabilities() -> Result<Vec<String>, Error> {
    session()?.held_capabilities(&mut Imports)
}

pub fn overrides(moment: Moment) -> Result<Vec<Setting>, Error> {
    session()?.overrides(&mut Imports, moment)
}

pub fn hold_tools(tools: Vec<Tool>) -> Result<Vec<String>, Error> {
    session()?.hold_tools(&mut Imports, &tools)
}

/// None: go ahead.
pub fn check_tool_call(call: Call) -> Result<Option<Refusal>, Error> {
    session()?.check_tool_call(&mut Imports, &call)
}

pub fn status() -> Result<Vec<u8>, Error> {
    session()?.status(&mut Imports)
}
