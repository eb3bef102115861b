//! The wasmtime host of `garnish.wasm`: the component, one [`Garnish`] for each session, the real effects on an agent
//! dir, and the parts of the `garnish` command.
//!
//! All rules are in the component. This crate carries out what it says and never decides what is held or open.

#![deny(missing_docs, unsafe_code)]

mod agent_dir;
mod bindings;
pub mod cli;
mod cmd;
mod component;
pub mod curriculum;
mod digest;
mod dry_run;
mod effects;
pub mod engine;
mod gates;
mod harness;
mod instance;
mod inventory;
mod log_lines;
mod output;
mod overlay;
mod place;
mod session;
pub mod setup;
mod state;

pub use agent_dir::{AgentDir, AgentDirError};
pub use bindings::{
    Activation, Applied, Badge, BadgeKind, CatalogSource, Content, Diagnostic, Ejected, Error, ErrorKind, Failure,
    FailureReason, File, Folded, LayerMoment, LevelCompletion, LogStat, Merged, NoticeLevel, Outcome, Place,
    ProfileDescription, ProfileSource, Progress, Refusal, Rendered, Report, Resolution, Role, Selector, Setting,
    Severity, Tool, ToolCall, Trigger, UnlockPlan, UnlockSet, Verdict, Violation,
};
pub use component::{Component, ComponentError, PACKAGE, VERSION, WASM};
pub use effects::Effects;
pub use instance::{CallError, Garnish, Told, TrapKind, Trapped};
pub use session::{NoSession, Session};
