//! The imports of `wit/` as a [`Host`].

use alloc::{string::String, vec::Vec};

mod bindings {
    #![allow(unsafe_code, missing_docs, clippy::all, clippy::unwrap_used)]
    // The exports of the world are answered by `crate::runtime`.
    wit_bindgen::generate!({ path: "../wit", world: "gate" });
}

use bindings::garnish::gating::{clock, event_log, files, session, types};

use super::texts;
use crate::{
    capability::Capability,
    diagnostic::FailureReason,
    host::{self, Activation, Host},
    list::IntoList,
};

/// The host.
pub struct Imports;

impl Host for Imports {
    fn role(&mut self) -> host::Role {
        match session::get_role() {
            session::Role::Main => host::Role::Main,
            session::Role::Subagent => host::Role::Subagent,
        }
    }

    fn active_tools(&mut self) -> Result<Vec<String>, host::Failure> {
        Ok(session::get_active_tools()?)
    }

    fn all_tools(&mut self) -> Result<Vec<String>, host::Failure> {
        Ok(session::get_all_tools()?)
    }

    fn set_active_tools(&mut self, names: &[String]) -> Result<Activation, host::Failure> {
        Ok(session::set_active_tools(names)?.into())
    }

    fn reload(&mut self, capabilities: &[Capability]) -> Result<Vec<Activation>, host::Failure> {
        Ok(session::reload(&texts(capabilities))?.into_iter().map(Into::into).list())
    }

    fn notify(&mut self, level: host::NoticeLevel, text: &str) {
        let level = match level {
            host::NoticeLevel::Info => session::NoticeLevel::Info,
            host::NoticeLevel::Warning => session::NoticeLevel::Warning,
            host::NoticeLevel::Error => session::NoticeLevel::Error,
        };
        session::notify(level, text);
    }

    fn read(&mut self, path: &str) -> Result<Option<host::Content>, host::Failure> {
        Ok(files::read(path)?.map(|files::Content { bytes, version }| host::Content { bytes, version }))
    }

    fn write(&mut self, path: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64, host::Failure> {
        Ok(files::write(path, expected, bytes)?)
    }

    fn resolve(&mut self, path: &str, cwd: &str) -> Result<host::Resolution, host::Failure> {
        let files::Resolution { place, exists } = files::resolve(path, cwd)?;
        let place = match place {
            files::Place::Inside(path) => host::Place::Inside(path),
            files::Place::Above => host::Place::Above,
            files::Place::Component => host::Place::Component,
            files::Place::Outside => host::Place::Outside,
        };
        Ok(host::Resolution { place, exists })
    }

    fn log_stat(&mut self) -> Result<host::LogStat, host::Failure> {
        let event_log::LogStat { length, identity } = event_log::stat()?;
        Ok(host::LogStat { length, identity })
    }

    fn log_read(&mut self, offset: u64, limit: u32) -> Result<Vec<u8>, host::Failure> {
        Ok(event_log::read(offset, limit)?)
    }

    fn log_append(&mut self, lines: &[u8]) -> Result<u64, host::Failure> {
        Ok(event_log::append(lines)?)
    }

    fn now(&mut self) -> String {
        clock::now()
    }
}

impl From<types::FailureReason> for FailureReason {
    fn from(reason: types::FailureReason) -> Self {
        match reason {
            types::FailureReason::NotFound => Self::NotFound,
            types::FailureReason::Denied => Self::Denied,
            types::FailureReason::ReadOnly => Self::ReadOnly,
            types::FailureReason::NoSpace => Self::NoSpace,
            types::FailureReason::Conflict => Self::Conflict,
            types::FailureReason::TooLarge => Self::TooLarge,
            types::FailureReason::NoSession => Self::NoSession,
            types::FailureReason::Other => Self::Other,
        }
    }
}

impl From<types::Activation> for Activation {
    fn from(activation: types::Activation) -> Self {
        match activation {
            types::Activation::Live => Self::Live,
            types::Activation::NextTurn => Self::NextTurn,
            types::Activation::Queued => Self::Queued,
            types::Activation::Restart => Self::Restart,
            types::Activation::Pending(reason) => Self::Pending(reason),
            types::Activation::Failed(reason) => Self::Failed(reason),
        }
    }
}

impl From<types::Failure> for host::Failure {
    fn from(types::Failure { reason, message }: types::Failure) -> Self {
        Self { reason: reason.into(), message }
    }
}
