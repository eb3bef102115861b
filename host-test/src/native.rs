//! The same instance without wasm: the rules as an ordinary library, over the same effects and session.
//!
//! It translates between the library's types and those of the host, and decides nothing.

use garnish_guest as guest;
use garnish_host::{
    Activation, Applied, Diagnostic, Effects, Error, ErrorKind, Failure, FailureReason, LayerMoment, NoticeLevel,
    Outcome, Place, Refusal, Report, Role, Selector, Session, Setting, Severity, Tool, ToolCall, Trigger, Verdict,
};

use crate::driver::{Answer, Driver, Refused};

/// An instance of the native rules.
///
/// # Errors
/// Never; the signature is that of [`crate::driver::wasm`].
pub fn native(effects: Box<dyn Effects>, session: Box<dyn Session>) -> Answer<Box<dyn Driver>> {
    Ok(Box::new(Native { rules: guest::apply::Session::default(), imports: Imports { effects, session } }))
}

struct Native {
    rules: guest::apply::Session,
    imports: Imports,
}

struct Imports {
    effects: Box<dyn Effects>,
    session: Box<dyn Session>,
}

fn reason_in(reason: FailureReason) -> guest::diagnostic::FailureReason {
    use guest::diagnostic::FailureReason as Guest;
    match reason {
        FailureReason::NotFound => Guest::NotFound,
        FailureReason::Denied => Guest::Denied,
        FailureReason::ReadOnly => Guest::ReadOnly,
        FailureReason::NoSpace => Guest::NoSpace,
        FailureReason::Conflict => Guest::Conflict,
        FailureReason::TooLarge => Guest::TooLarge,
        FailureReason::NoSession => Guest::NoSession,
        FailureReason::Other => Guest::Other,
    }
}

fn reason_out(reason: guest::diagnostic::FailureReason) -> FailureReason {
    use guest::diagnostic::FailureReason as Guest;
    match reason {
        Guest::NotFound => FailureReason::NotFound,
        Guest::Denied => FailureReason::Denied,
        Guest::ReadOnly => FailureReason::ReadOnly,
        Guest::NoSpace => FailureReason::NoSpace,
        Guest::Conflict => FailureReason::Conflict,
        Guest::TooLarge => FailureReason::TooLarge,
        Guest::NoSession => FailureReason::NoSession,
        Guest::Other => FailureReason::Other,
    }
}

fn failure(failure: Failure) -> guest::host::Failure {
    guest::host::Failure { reason: reason_in(failure.reason), message: failure.message }
}

fn activation_in(activation: Activation) -> guest::host::Activation {
    use guest::host::Activation as Guest;
    match activation {
        Activation::Live => Guest::Live,
        Activation::NextTurn => Guest::NextTurn,
        Activation::Queued => Guest::Queued,
        Activation::Restart => Guest::Restart,
        Activation::Pending(reason) => Guest::Pending(reason),
        Activation::Failed(reason) => Guest::Failed(reason),
    }
}

fn activation_out(activation: guest::host::Activation) -> Activation {
    use guest::host::Activation as Guest;
    match activation {
        Guest::Live => Activation::Live,
        Guest::NextTurn => Activation::NextTurn,
        Guest::Queued => Activation::Queued,
        Guest::Restart => Activation::Restart,
        Guest::Pending(reason) => Activation::Pending(reason),
        Guest::Failed(reason) => Activation::Failed(reason),
    }
}

impl guest::host::Host for Imports {
    fn role(&mut self) -> guest::host::Role {
        match self.session.role() {
            Role::Main => guest::host::Role::Main,
            Role::Subagent => guest::host::Role::Subagent,
        }
    }

    fn active_tools(&mut self) -> Result<Vec<String>, guest::host::Failure> {
        self.session.active_tools().map_err(failure)
    }

    fn all_tools(&mut self) -> Result<Vec<String>, guest::host::Failure> {
        self.session.all_tools().map_err(failure)
    }

    fn set_active_tools(&mut self, names: &[String]) -> Result<guest::host::Activation, guest::host::Failure> {
        self.session.set_active_tools(names.to_vec()).map(activation_in).map_err(failure)
    }

    fn reload(
        &mut self,
        capabilities: &[guest::capability::Capability],
    ) -> Result<Vec<guest::host::Activation>, guest::host::Failure> {
        let names = capabilities.iter().map(ToString::to_string).collect();
        self.session.reload(names).map(|answers| answers.into_iter().map(activation_in).collect()).map_err(failure)
    }

    fn notify(&mut self, level: guest::host::NoticeLevel, text: &str) {
        let level = match level {
            guest::host::NoticeLevel::Info => NoticeLevel::Info,
            guest::host::NoticeLevel::Warning => NoticeLevel::Warning,
            guest::host::NoticeLevel::Error => NoticeLevel::Error,
        };
        self.session.notify(level, text.to_owned());
    }

    fn read(&mut self, path: &str) -> Result<Option<guest::host::Content>, guest::host::Failure> {
        let content = self.effects.read(path).map_err(failure)?;
        Ok(content.map(|content| guest::host::Content { bytes: content.bytes, version: content.version }))
    }

    fn write(&mut self, path: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64, guest::host::Failure> {
        self.effects.write(path, expected, bytes).map_err(failure)
    }

    fn resolve(&mut self, path: &str, cwd: &str) -> Result<guest::host::Resolution, guest::host::Failure> {
        let found = self.effects.resolve(path, cwd).map_err(failure)?;
        let place = match found.place {
            Place::Inside(path) => guest::host::Place::Inside(path),
            Place::Above => guest::host::Place::Above,
            Place::Component => guest::host::Place::Component,
            Place::Outside => guest::host::Place::Outside,
        };
        Ok(guest::host::Resolution { place, exists: found.exists })
    }

    fn log_stat(&mut self) -> Result<guest::host::LogStat, guest::host::Failure> {
        let stat = self.effects.log_stat().map_err(failure)?;
        Ok(guest::host::LogStat { length: stat.length, identity: stat.identity })
    }

    fn log_read(&mut self, offset: u64, limit: u32) -> Result<Vec<u8>, guest::host::Failure> {
        self.effects.log_read(offset, limit).map_err(failure)
    }

    fn log_append(&mut self, lines: &[u8]) -> Result<u64, guest::host::Failure> {
        self.effects.log_append(lines).map_err(failure)
    }

    fn now(&mut self) -> String {
        self.effects.now()
    }
}

fn diagnostic(found: guest::diagnostic::Diagnostic) -> Diagnostic {
    let found = found.details();
    let severity = match found.severity {
        guest::diagnostic::Severity::Error => Severity::Error,
        guest::diagnostic::Severity::Warning => Severity::Warning,
        guest::diagnostic::Severity::Note => Severity::Note,
    };
    Diagnostic {
        code: found.code.to_owned(),
        severity,
        message: found.message,
        file: found.file,
        line: found.line,
        column: found.column,
        path: found.path,
    }
}

fn error(error: guest::diagnostic::Error) -> Refused {
    let kind = match &error {
        guest::diagnostic::Error::Invalid(_) => ErrorKind::Invalid,
        guest::diagnostic::Error::Refused(_) => ErrorKind::Refused,
        guest::diagnostic::Error::Host(reason, _) => ErrorKind::Host(reason_out(*reason)),
        guest::diagnostic::Error::Argument(_) => ErrorKind::Argument,
    };
    Refused::Answered(Error { kind, diagnostics: error.into_diagnostics().into_iter().map(diagnostic).collect() })
}

fn applied((capability, activation): (&guest::capability::Capability, &guest::host::Activation)) -> Applied {
    Applied { capability: capability.to_string(), activation: activation_out(activation.clone()) }
}

fn report(report: guest::apply::Report) -> Report {
    Report {
        fresh: report.fresh.iter().map(applied).collect(),
        files_written: report.files_written,
        diagnostics: report.diagnostics.into_iter().map(diagnostic).collect(),
    }
}

fn outcome(outcome: guest::apply::Outcome) -> Outcome {
    Outcome { exit_code: outcome.exit_code, message: outcome.message, report: outcome.report.map(report) }
}

fn tool(tool: Tool) -> guest::hold::Tool {
    guest::hold::Tool { name: tool.name, server: tool.server }
}

impl Driver for Native {
    fn apply(&mut self, _trigger: Trigger) -> Answer<Report> {
        self.rules.apply(&mut self.imports).map(report).map_err(error)
    }

    fn settle(&mut self, outcomes: Vec<Applied>) -> Answer<()> {
        let known = |outcome: Applied| {
            Some((guest::capability::Capability::parse(&outcome.capability)?, activation_in(outcome.activation)))
        };
        self.rules.settle(&mut self.imports, outcomes.into_iter().filter_map(known).collect());
        Ok(())
    }

    fn unlock(&mut self, what: Selector) -> Answer<Outcome> {
        let what = match what {
            Selector::All => guest::unlock::Selector::All,
            Selector::Level(name) => guest::unlock::Selector::Level(name),
        };
        self.rules.unlock(&mut self.imports, &what).map(outcome).map_err(error)
    }

    fn complete(&mut self, quest: &str) -> Answer<Outcome> {
        self.rules.complete(&mut self.imports, quest).map(outcome).map_err(error)
    }

    fn open_hint(&mut self, quest: &str) -> Answer<Outcome> {
        self.rules.open_hint(&mut self.imports, quest).map(outcome).map_err(error)
    }

    fn applied(&mut self) -> Answer<Vec<Applied>> {
        Ok(self.rules.applied().iter().map(applied).collect())
    }

    fn reload_count(&mut self) -> Answer<u32> {
        Ok(self.rules.reloads())
    }

    fn held(&mut self) -> Answer<Vec<String>> {
        self.rules.held_capabilities(&mut self.imports).map_err(error)
    }

    fn overrides(&mut self, moment: LayerMoment) -> Answer<Vec<Setting>> {
        let moment = match moment {
            LayerMoment::Building => guest::hold::Moment::Building,
            LayerMoment::Running => guest::hold::Moment::Running,
        };
        let settings = self.rules.overrides(&mut self.imports, moment).map_err(error)?;
        Ok(settings.into_iter().map(|setting| Setting { key: setting.key, json: setting.json }).collect())
    }

    fn hold_tools(&mut self, tools: Vec<Tool>) -> Answer<Vec<String>> {
        let tools: Vec<_> = tools.into_iter().map(tool).collect();
        self.rules.hold_tools(&mut self.imports, &tools).map_err(error)
    }

    fn check(&mut self, call: ToolCall) -> Answer<Verdict> {
        let call = guest::guard::Call { tool: tool(call.tool), input: call.input, cwd: call.cwd, home: call.home };
        let refusal = self.rules.check_tool_call(&mut self.imports, &call).map_err(error)?;
        Ok(refusal.map_or(Verdict::Allow, |refusal| {
            Verdict::Block(Refusal {
                code: refusal.code.to_owned(),
                for_agent: refusal.for_agent,
                for_learner: refusal.for_learner,
                feature: refusal.feature.map(|feature| feature.to_string()),
            })
        }))
    }

    fn status(&mut self) -> Answer<Vec<u8>> {
        self.rules.status(&mut self.imports).map_err(error)
    }
}
