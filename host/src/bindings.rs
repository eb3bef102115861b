//! What `wit/` says, as Rust types: generated, and named here once. It never adds a meaning of its own.
//!
//! The generated module stays private, so that a change of the generator is a change of this file alone.

#[allow(missing_docs, clippy::all)]
mod generated {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "gate",
        additional_derives: [PartialEq, Clone],
    });
}

pub(crate) use generated::garnish::gating::{clock, event_log, files, session, types as types_import};
pub(crate) use generated::{Gate, GatePre};

pub use generated::garnish::gating::event_log::LogStat;
pub use generated::garnish::gating::files::{Content, Place, Resolution};
pub use generated::garnish::gating::session::{NoticeLevel, Role};
pub use generated::garnish::gating::types::{
    Activation, CatalogSource, Diagnostic, Error, ErrorKind, Failure, FailureReason, File, ProfileSource, Selector,
    Severity, UnlockSet,
};

pub use generated::exports::garnish::gating::gating::{Ejected, Merged, ProfileDescription, Rendered, Violation};
pub use generated::exports::garnish::gating::progression::{
    Badge, BadgeKind, Folded, LevelCompletion, Progress, UnlockPlan,
};
pub use generated::exports::garnish::gating::unlocks::{
    Applied, LayerMoment, Outcome, Refusal, Report, Setting, Tool, ToolCall, Trigger, Verdict,
};
