//! The `unlocks` interface as a trait, so that one scenario runs on the component and on the native rules alike; and the
//! component's side of it.

use garnish_host::{
    Applied, CallError, Component, Effects, Error, Garnish, LayerMoment, Outcome, Report, Selector, Session, Setting,
    Tool, ToolCall, Trigger, Verdict,
};

/// Why a call gave no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Refused {
    /// The rules' own error.
    Answered(Error),
    /// The component broke down, which is never right.
    Broken(String),
}

/// An answer of one call.
pub type Answer<T> = Result<T, Refused>;

/// One instance.
pub trait Driver {
    /// `unlocks.apply-unlocks`
    fn apply(&mut self, trigger: Trigger) -> Answer<Report>;
    /// `unlocks.settle`
    fn settle(&mut self, outcomes: Vec<Applied>) -> Answer<()>;
    /// `unlocks.unlock`
    fn unlock(&mut self, what: Selector) -> Answer<Outcome>;
    /// `unlocks.complete`
    fn complete(&mut self, quest: &str) -> Answer<Outcome>;
    /// `unlocks.open-hint`
    fn open_hint(&mut self, quest: &str) -> Answer<Outcome>;
    /// `unlocks.applied-capabilities`
    fn applied(&mut self) -> Answer<Vec<Applied>>;
    /// `unlocks.reload-count`
    fn reload_count(&mut self) -> Answer<u32>;
    /// `unlocks.held-capabilities`
    fn held(&mut self) -> Answer<Vec<String>>;
    /// `unlocks.overrides`
    fn overrides(&mut self, moment: LayerMoment) -> Answer<Vec<Setting>>;
    /// `unlocks.hold-tools`
    fn hold_tools(&mut self, tools: Vec<Tool>) -> Answer<Vec<String>>;
    /// `unlocks.check-tool-call`
    fn check(&mut self, call: ToolCall) -> Answer<Verdict>;
    /// `unlocks.status`
    fn status(&mut self) -> Answer<Vec<u8>>;
}

/// What makes instances: each start of a session is one.
pub type Start = fn(Box<dyn Effects>, Box<dyn Session>) -> Answer<Box<dyn Driver>>;

/// An instance of the component that is built into the host.
///
/// # Errors
/// The component does not run on this machine.
pub fn wasm(effects: Box<dyn Effects>, session: Box<dyn Session>) -> Answer<Box<dyn Driver>> {
    let component = Component::embedded().map_err(|error| Refused::Broken(error.to_string()))?;
    let garnish = Garnish::new(component, effects, session).map_err(|trapped| Refused::Broken(trapped.to_string()))?;
    Ok(Box::new(Wasm(garnish)))
}

struct Wasm(Garnish);

fn answer<T>(result: Result<T, CallError>) -> Answer<T> {
    result.map_err(|error| match error {
        CallError::Answered(error) => Refused::Answered(error),
        CallError::Trapped(trapped) => Refused::Broken(trapped.to_string()),
    })
}

impl Driver for Wasm {
    fn apply(&mut self, trigger: Trigger) -> Answer<Report> {
        answer(self.0.apply_unlocks(trigger))
    }

    fn settle(&mut self, outcomes: Vec<Applied>) -> Answer<()> {
        answer(self.0.settle(&outcomes))
    }

    fn unlock(&mut self, what: Selector) -> Answer<Outcome> {
        answer(self.0.unlock(&what))
    }

    fn complete(&mut self, quest: &str) -> Answer<Outcome> {
        answer(self.0.complete(quest))
    }

    fn open_hint(&mut self, quest: &str) -> Answer<Outcome> {
        answer(self.0.open_hint(quest))
    }

    fn applied(&mut self) -> Answer<Vec<Applied>> {
        answer(self.0.applied_capabilities())
    }

    fn reload_count(&mut self) -> Answer<u32> {
        answer(self.0.reload_count())
    }

    fn held(&mut self) -> Answer<Vec<String>> {
        answer(self.0.held_capabilities())
    }

    fn overrides(&mut self, moment: LayerMoment) -> Answer<Vec<Setting>> {
        answer(self.0.overrides(moment))
    }

    fn hold_tools(&mut self, tools: Vec<Tool>) -> Answer<Vec<String>> {
        answer(self.0.hold_tools(&tools))
    }

    fn check(&mut self, call: ToolCall) -> Answer<Verdict> {
        answer(self.0.check_tool_call(&call))
    }

    fn status(&mut self) -> Answer<Vec<u8>> {
        answer(self.0.status())
    }
}
