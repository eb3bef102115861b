//! The component: the exports of `wit/` in terms of the modules beside it.
//!
//! It translates and decides nothing. How an export is called and answers is [`crate::runtime`]'s.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    capability::Capability, catalog::Catalog, diagnostic::Diagnostic, host::Activation, list::IntoList, ordered::Map,
    profile::Profile, unlock::Selector,
};

mod answers;
mod imports;
mod parameters;

/// Where a catalog or profile comes from.
pub enum Source {
    /// The component brings it.
    Builtin(String),
    /// The caller does.
    Document(Vec<u8>),
}

impl Source {
    fn catalog(&self) -> Result<Catalog, Vec<Diagnostic>> {
        match self {
            Source::Builtin(name) => Catalog::builtin(name),
            Source::Document(bytes) => Catalog::parse(bytes),
        }
    }

    fn profile(&self) -> Result<Profile, Vec<Diagnostic>> {
        match self {
            Source::Builtin(name) => Profile::builtin(name),
            Source::Document(bytes) => Profile::parse(bytes),
        }
    }
}

/// What became of each capability, in order.
fn pairs(outcomes: &Map<Capability, Activation>) -> Vec<(Capability, Activation)> {
    outcomes.iter().map(|(capability, activation)| (capability.clone(), activation.clone())).list()
}

fn texts<T: ToString>(items: impl IntoIterator<Item = T>) -> Vec<String> {
    items.into_iter().map(|item| item.to_string()).list()
}

pub mod gating;
pub mod progression;
pub mod unlocks;
