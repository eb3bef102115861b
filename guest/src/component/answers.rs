//! How answers are written: the fields of each record in the order of `wit/`.
//!
//! The cases of an enum of ours stand in the order of `wit/`, so that its number is the tag.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use super::{
    gating::{ProfileDescription, Rendered},
    progression::{Folded, Plan},
};
use crate::{
    apply::{Outcome, Report},
    capability::Capability,
    diagnostic::{Details, Diagnostic, Error},
    eject::Ejected,
    event::Badge,
    gate_config::Violation,
    guard::Refusal,
    hold::Setting,
    host::Activation,
    id::LevelId,
    merge::{File, Merged},
    progression::Completion,
    runtime::abi::{Lower, Out},
};

impl Lower for Diagnostic {
    const WORDS: usize = 15;

    fn lower(self, out: &mut Out) {
        let Details { code, severity, message, file, line, column, path } = self.details();
        out.write(code).write(severity as u32).write(message);
        out.write(file).write(line).write(column).write(path);
    }
}

impl Lower for Error {
    const WORDS: usize = 3;

    fn lower(self, out: &mut Out) {
        let (kind, diagnostics): (u32, _) = match self {
            Error::Invalid(faults) => (0, faults),
            Error::Refused(fault) => (1, Vec::from([fault])),
            // Tag and payload are a byte each.
            Error::Host(reason, fault) => (2 | (reason as u32) << 8, Vec::from([fault])),
            Error::Argument(fault) => (3, Vec::from([fault])),
        };
        out.write(kind).write(diagnostics);
    }
}

impl Lower for File {
    const WORDS: usize = 4;

    fn lower(self, out: &mut Out) {
        out.write(self.path).write(self.bytes);
    }
}

impl Lower for Rendered {
    const WORDS: usize = 6;

    fn lower(self, out: &mut Out) {
        out.write(self.files).write(self.enabled).write(self.held);
    }
}

impl Lower for Merged {
    const WORDS: usize = 7;

    fn lower(self, out: &mut Out) {
        out.write(self.changed).write(self.displaced).write(self.diagnostics);
    }
}

impl Lower for Ejected {
    const WORDS: usize = 4;

    fn lower(self, out: &mut Out) {
        out.write(self.changed).write(self.removed);
    }
}

impl Lower for Violation {
    const WORDS: usize = 4;

    fn lower(self, out: &mut Out) {
        let from = self.from as u32;
        out.write(from).write(from + 1).write(self.capability);
    }
}

impl Lower for ProfileDescription {
    const WORDS: usize = 14;

    fn lower(self, out: &mut Out) {
        out.write(self.profile.profile)
            .write(self.profile.harness)
            .write(self.profile.tested_versions)
            .write(self.files)
            .write(self.profile.guard.project_configs)
            .write(self.command_tools)
            .write(self.writing_tools);
    }
}

impl Lower for Capability {
    const WORDS: usize = 2;

    fn lower(self, out: &mut Out) {
        out.write(self.to_string());
    }
}

impl Lower for Badge {
    const WORDS: usize = 7;

    fn lower(self, out: &mut Out) {
        out.write(self.kind as u32).write(self.level.map(String::from)).write(self.quest.map(String::from));
    }
}

/// `level-completion`
impl Lower for (LevelId, Completion) {
    const WORDS: usize = 7;

    fn lower(self, out: &mut Out) {
        let (level, Completion { at, source, .. }) = self;
        out.write(String::from(level)).write(at).write(source.map(String::from));
    }
}

impl Lower for Folded {
    const WORDS: usize = 28;

    fn lower(self, out: &mut Out) {
        out.write(self.completed_quests).write(self.xp_total).write(self.completed_levels).write(self.current_level);
        out.write(self.features)
            .write(self.levels)
            .write(self.badges)
            .write(self.hinted_quests)
            .write(self.hinted_levels);
        // `progress` holds a number of 64 bits, so its size is a multiple of two words.
        out.write(self.level_completions).write(0_u32);
        out.write(self.derived).write(self.diagnostics).write(self.unknown_events);
    }
}

impl Lower for Plan {
    const WORDS: usize = 5;

    fn lower(self, out: &mut Out) {
        out.write(u32::from(self.exit_code)).write(self.message).write(self.events);
    }
}

impl Lower for Activation {
    const WORDS: usize = 3;

    fn lower(self, out: &mut Out) {
        match self {
            Activation::Live => out.variant(0, None::<String>),
            Activation::NextTurn => out.variant(1, None::<String>),
            Activation::Queued => out.variant(2, None::<String>),
            Activation::Restart => out.variant(3, None::<String>),
            Activation::Pending(reason) => out.variant(4, Some(reason)),
            Activation::Failed(reason) => out.variant(5, Some(reason)),
        }
    }
}

/// `applied`
impl Lower for (Capability, Activation) {
    const WORDS: usize = 5;

    fn lower(self, out: &mut Out) {
        out.write(self.0).write(self.1);
    }
}

impl Lower for Report {
    const WORDS: usize = 6;

    fn lower(self, out: &mut Out) {
        out.write(super::pairs(&self.fresh)).write(self.files_written).write(self.diagnostics);
    }
}

impl Lower for Outcome {
    const WORDS: usize = 10;

    fn lower(self, out: &mut Out) {
        out.write(u32::from(self.exit_code)).write(self.message).write(self.report);
    }
}

impl Lower for Setting {
    const WORDS: usize = 4;

    fn lower(self, out: &mut Out) {
        out.write(self.key).write(self.json);
    }
}

/// `refusal`; with none a `verdict` is `allow`.
impl Lower for Refusal {
    const WORDS: usize = 9;

    fn lower(self, out: &mut Out) {
        out.write(self.code).write(self.for_agent).write(self.for_learner).write(self.feature.map(String::from));
    }
}
