//! The component: the exports of `wit/` in terms of the modules beside it.
//!
//! It translates and decides nothing. How an export is called and answers is [`crate::runtime`]'s.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use crate::{catalog::Catalog, diagnostic::Diagnostic, profile::Profile, unlock::Selector};

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

fn texts<T: ToString>(items: impl IntoIterator<Item = T>) -> Vec<String> {
    items.into_iter().map(|item| item.to_string()).collect()
}

pub mod gating;
pub mod progression;
pub mod unlocks;
