//! The interface `unlocks`: what a session does, with the imports as its host.

use alloc::{string::String, vec::Vec};

use super::{Selector, imports::Imports};
use crate::{
    apply::{Outcome, Report, Session},
    capability::Capability,
    diagnostic::{Diagnostic, Error},
    guard::{Call, Refusal},
    hold::{Setting, Tool},
    host::{Activation, Host},
    list::IntoList,
    runtime,
};

/// The session of this instance with its imports.
fn within<T>(run: impl FnOnce(&mut Session, &mut dyn Host) -> Result<T, Error>) -> Result<T, Error> {
    match runtime::session() {
        Some(mut session) => run(&mut session, &mut Imports),
        None => Err(busy()),
    }
}

fn busy() -> Error {
    Error::Argument(Diagnostic::error(
        "garnish::instance::busy",
        "Another call of this instance is running. Call when it has returned.",
    ))
}

pub fn apply_unlocks() -> Result<Report, Error> {
    within(|session, host| session.apply(host))
}

pub fn settle(outcomes: Vec<(String, Activation)>) -> Result<(), Error> {
    let known = |(capability, activation): (String, Activation)| Some((Capability::parse(&capability)?, activation));
    let outcomes = outcomes.into_iter().filter_map(known).list();
    within(|session, host| {
        session.settle(host, outcomes);
        Ok(())
    })
}

pub fn unlock(what: Selector) -> Result<Outcome, Error> {
    within(|session, host| session.unlock(host, &what))
}

pub fn complete(quest: String) -> Result<Outcome, Error> {
    within(|session, host| session.complete(host, &quest))
}

pub fn open_hint(quest: String) -> Result<Outcome, Error> {
    within(|session, host| session.open_hint(host, &quest))
}

pub fn applied_capabilities() -> Vec<(Capability, Activation)> {
    within(|session, _| Ok(session.applied().clone().into_iter().list())).unwrap_or_default()
}

pub fn reload_count() -> u32 {
    within(|session, _| Ok(session.reloads())).unwrap_or_default()
}

pub fn held_capabilities() -> Result<Vec<String>, Error> {
    within(|session, host| session.held_capabilities(host))
}

pub fn overrides() -> Result<Vec<Setting>, Error> {
    within(|session, host| session.overrides(host))
}

pub fn hold_tools(tools: Vec<Tool>) -> Result<Vec<String>, Error> {
    within(|session, host| session.hold_tools(host, &tools))
}

/// None: go ahead.
pub fn check_tool_call(call: Call) -> Result<Option<Refusal>, Error> {
    within(|session, host| session.check_tool_call(host, &call))
}

pub fn status() -> Result<Vec<u8>, Error> {
    within(|session, host| session.status(host))
}
