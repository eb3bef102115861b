//! The core of garnish: a gate catalog rendered into a harness's configuration, an event log folded into what is
//! unlocked, and the apply-once flow between them.
//!
//! On wasm32 this crate is the component `garnish.wasm` (`no_std`, importing nothing but `garnish:*`); anywhere else it
//! is an ordinary library, so that tests and fuzzers run without wasm. Data flows one way: bytes in → typed state →
//! plan → effects out. Only [`apply`] has effects, all of them through [`host::Host`].
#![cfg_attr(target_arch = "wasm32", no_std)]
#![deny(unsafe_code)]

extern crate alloc;

pub mod apply;
pub mod capability;
pub mod catalog;
#[cfg(target_arch = "wasm32")]
mod component;
pub mod diagnostic;
pub mod disk;
pub mod displaced;
pub mod document;
pub mod earn;
pub mod edit;
pub mod eject;
pub mod event;
pub mod event_line;
pub mod fields;
pub mod fold;
pub mod gate_config;
pub mod graph;
pub mod guard;
pub mod guard_commands;
pub mod guard_data;
pub mod guard_paths;
pub mod hold;
pub mod host;
pub mod id;
pub mod json_scan;
pub mod list;
pub mod log;
pub mod mcp_names;
pub mod merge;
pub mod notice;
pub mod number;
pub mod order;
pub mod ordered;
pub mod profile;
pub mod progression;
pub mod render;
#[cfg(target_arch = "wasm32")]
mod runtime;
pub mod session;
pub mod setup;
pub mod status;
pub mod targets;
pub mod unlock;
pub mod value;
pub mod whose;
pub mod words;
