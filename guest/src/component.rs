//! The component: the exports of `wit/` in terms of the modules beside it, and the host in terms of the imports.
//!
//! It translates and decides nothing.
#![allow(missing_docs, clippy::too_many_arguments)]

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

mod bindings {
    #![allow(unsafe_code, missing_docs, clippy::all, clippy::unwrap_used)]
    wit_bindgen::generate!({ path: "../wit", world: "gate" });
    use super::Component;
    export!(Component);
}

use bindings::{
    exports::garnish::gating::{gating as out, progression as progress_out, unlocks as unlock_out},
    garnish::gating::{clock, event_log, files, session, types},
};

use crate::{
    capability::Capability,
    catalog::Catalog,
    diagnostic::{Diagnostic, Error, FailureReason, Severity, sorted},
    eject, event, fold,
    gate_config::{self, Capabilities, Gate, spelled},
    graph::Graph,
    guard,
    hold,
    host::{self, Activation, Host},
    merge::{self, File, chosen, refusal},
    profile::Profile,
    render, runtime,
    unlock::{self, Selector},
    value::Value,
};

struct Component;

// ---- from rules to WIT ---------------------------------------------------------------------------------------------

impl From<Diagnostic> for types::Diagnostic {
    fn from(found: Diagnostic) -> Self {
        let severity = match found.severity {
            Severity::Error => types::Severity::Error,
            Severity::Warning => types::Severity::Warning,
            Severity::Note => types::Severity::Note,
        };
        let Diagnostic { code, message, file, line, column, path, .. } = found;
        Self { code: code.to_string(), severity, message, file, line, column, path }
    }
}

impl From<FailureReason> for types::FailureReason {
    fn from(reason: FailureReason) -> Self {
        match reason {
            FailureReason::NotFound => Self::NotFound,
            FailureReason::Denied => Self::Denied,
            FailureReason::ReadOnly => Self::ReadOnly,
            FailureReason::NoSpace => Self::NoSpace,
            FailureReason::Conflict => Self::Conflict,
            FailureReason::TooLarge => Self::TooLarge,
            FailureReason::NoSession => Self::NoSession,
            FailureReason::Other => Self::Other,
        }
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

impl From<Error> for types::Error {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Invalid(_) => types::ErrorKind::Invalid,
            Error::Refused(_) => types::ErrorKind::Refused,
            Error::Host(reason, _) => types::ErrorKind::Host((*reason).into()),
            Error::Argument(_) => types::ErrorKind::Argument,
        };
        Self { kind, diagnostics: all(error.into_diagnostics()) }
    }
}

fn all<T, U: From<T>>(items: impl IntoIterator<Item = T>) -> Vec<U> {
    items.into_iter().map(U::from).collect()
}

impl From<Activation> for types::Activation {
    fn from(activation: Activation) -> Self {
        match activation {
            Activation::Live => Self::Live,
            Activation::NextTurn => Self::NextTurn,
            Activation::Queued => Self::Queued,
            Activation::Restart => Self::Restart,
            Activation::Pending(reason) => Self::Pending(reason),
            Activation::Failed(reason) => Self::Failed(reason),
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

impl From<File> for types::File {
    fn from(File { path, bytes }: File) -> Self {
        Self { path, bytes }
    }
}

impl From<types::File> for File {
    fn from(types::File { path, bytes }: types::File) -> Self {
        Self { path, bytes }
    }
}

impl From<types::Failure> for host::Failure {
    fn from(types::Failure { reason, message }: types::Failure) -> Self {
        Self { reason: reason.into(), message }
    }
}

// ---- gating --------------------------------------------------------------------------------------------------------

fn catalog(source: types::CatalogSource) -> Result<Catalog, Vec<Diagnostic>> {
    match source {
        types::CatalogSource::Builtin(name) => Catalog::builtin(&name),
        types::CatalogSource::Document(bytes) => Catalog::parse(&bytes),
    }
}

fn profile(source: types::ProfileSource) -> Result<Profile, Vec<Diagnostic>> {
    match source {
        types::ProfileSource::Builtin(name) => Profile::builtin(&name),
        types::ProfileSource::Document(bytes) => Profile::parse(&bytes),
    }
}

/// Catalog and profile, each valid and valid together; else all faults of both.
fn rules(catalog_source: types::CatalogSource, profile_source: types::ProfileSource) -> Result<(Catalog, Profile), Error> {
    match (catalog(catalog_source), profile(profile_source)) {
        (Ok(catalog), Ok(profile)) => match catalog.faults_under(&profile) {
            faults if faults.is_empty() => Ok((catalog, profile)),
            faults => Err(Error::Invalid(faults)),
        },
        (catalog, profile) => Err(Error::Invalid(sorted(catalog.err().into_iter().chain(profile.err()).flatten().collect()))),
    }
}

/// By index of the profile's files, what they say.
fn values(files: Vec<types::File>, profile: &Profile) -> Result<Vec<Option<Value>>, Error> {
    let files: Vec<File> = all(files);
    let value = |file: &crate::profile::ProfileFile| {
        let Some(found) = chosen(file, &files) else { return Ok(None) };
        let document = crate::edit::Document::parse(file.format.into(), &found.bytes);
        document.map(|document| Some(document.into_value())).map_err(|fault| Error::Refused(refusal(&found.path, &fault)))
    };
    profile.files.iter().map(value).collect()
}

fn enabled(files: Vec<types::File>, catalog: &Catalog, profile: &Profile) -> Result<Capabilities, Error> {
    Ok(gate_config::enabled(&values(files, profile)?, catalog, profile))
}

fn rendered(gate: &Gate, catalog: &Catalog, profile: &Profile) -> out::Rendered {
    let values = gate_config::rendered(gate, catalog, profile);
    let file = |(file, value): (&crate::profile::ProfileFile, &Value)| types::File {
        path: file.paths.first().cloned().unwrap_or_default(),
        bytes: render::file(value, file.format),
    };
    let files = profile.files.iter().zip(&values).map(file).collect();
    out::Rendered { files, enabled: spelled(&gate.enabled), held: spelled(&gate.held) }
}

impl out::Guest for Component {
    fn render_gate_config(mut unlocked: types::UnlockSet, catalog: types::CatalogSource, profile: types::ProfileSource) -> Result<out::Rendered, types::Error> {
        let (catalog, profile) = rules(catalog, profile)?;
        unlocked.features.sort_unstable();
        let gate = Gate::new(|feature| unlocked.features.binary_search_by(|known| known.as_str().cmp(feature)).is_ok(), &catalog);
        Ok(rendered(&gate, &catalog, &profile))
    }

    fn enabled_capabilities(files: Vec<types::File>, catalog: types::CatalogSource, profile: types::ProfileSource) -> Result<Vec<String>, types::Error> {
        let (catalog, profile) = rules(catalog, profile)?;
        Ok(spelled(&enabled(files, &catalog, &profile)?))
    }

    fn loaded_capabilities(files: Vec<types::File>, catalog: types::CatalogSource, profile: types::ProfileSource) -> Result<Vec<String>, types::Error> {
        let (catalog, profile) = rules(catalog, profile)?;
        Ok(spelled(&gate_config::loaded(&values(files, &profile)?, &catalog, &profile)))
    }

    fn merge_gate_config(files: Vec<types::File>, mut unlocked: types::UnlockSet, catalog: types::CatalogSource, profile: types::ProfileSource, displaced: Option<Vec<u8>>) -> Result<out::Merged, types::Error> {
        let (catalog, profile) = rules(catalog, profile)?;
        unlocked.features.sort_unstable();
        let gate = Gate::new(|feature| unlocked.features.binary_search_by(|known| known.as_str().cmp(feature)).is_ok(), &catalog);
        let files: Vec<File> = all(files);
        let merged = merge::merge(&files, &gate, &catalog, &profile, displaced.as_deref()).map_err(Error::Refused)?;
        Ok(out::Merged { changed: all(merged.changed), displaced: merged.displaced, diagnostics: all(merged.diagnostics) })
    }

    fn eject(files: Vec<types::File>, profile_source: types::ProfileSource, displaced: Vec<u8>) -> Result<out::Ejected, types::Error> {
        let profile = profile(profile_source).map_err(Error::Invalid)?;
        let files: Vec<File> = all(files);
        let ejected = eject::eject(&files, &profile, &displaced).map_err(Error::Refused)?;
        Ok(out::Ejected { changed: all(ejected.changed), removed: ejected.removed })
    }

    fn stock_parity_config(catalog: types::CatalogSource, profile: types::ProfileSource) -> Result<out::Rendered, types::Error> {
        let (catalog, profile) = rules(catalog, profile)?;
        Ok(rendered(&Gate::stock(&catalog), &catalog, &profile))
    }

    fn compare_stock_parity(files: Vec<types::File>, catalog: types::CatalogSource, profile: types::ProfileSource) -> Result<Vec<String>, types::Error> {
        let (catalog, profile) = rules(catalog, profile)?;
        let enabled = enabled(files, &catalog, &profile)?;
        Ok(catalog.capabilities().keys().filter(|capability| !enabled.contains(*capability)).map(ToString::to_string).collect())
    }

    fn find_monotonicity_violations(sequence: Vec<Vec<types::File>>, catalog: types::CatalogSource, profile: types::ProfileSource) -> Result<Vec<out::Violation>, types::Error> {
        let (catalog, profile) = rules(catalog, profile)?;
        let sets: Vec<Capabilities> = sequence.into_iter().map(|files| enabled(files, &catalog, &profile)).collect::<Result<_, _>>()?;
        let index = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let violation = |found: gate_config::Violation| out::Violation {
            from_index: index(found.from),
            to_index: index(found.from + 1),
            capability: found.capability.to_string(),
        };
        Ok(gate_config::violations(&sets).into_iter().map(violation).collect())
    }

    fn catalog_feature_ids(source: types::CatalogSource) -> Result<Vec<String>, types::Error> {
        let catalog = catalog(source).map_err(Error::Invalid)?;
        Ok(catalog.features().keys().map(ToString::to_string).collect())
    }

    fn validate_catalog(catalog: types::CatalogSource, profile: types::ProfileSource) -> Vec<types::Diagnostic> {
        match rules(catalog, profile) {
            Err(Error::Invalid(faults)) => all(faults),
            _ => Vec::new(),
        }
    }

    fn describe_profile(source: types::ProfileSource) -> Result<out::ProfileDescription, types::Error> {
        let profile = profile(source).map_err(Error::Invalid)?;
        let files = profile.paths().map(ToString::to_string).collect();
        Ok(out::ProfileDescription { id: profile.profile, harness: profile.harness, tested_versions: profile.tested_versions, files })
    }

    fn builtin_catalogs() -> Vec<String> {
        Catalog::builtin_names().map(ToString::to_string).collect()
    }

    fn builtin_profiles() -> Vec<String> {
        Profile::builtin_names().map(ToString::to_string).collect()
    }
}

// ---- progression ---------------------------------------------------------------------------------------------------

impl From<event::Badge> for progress_out::Badge {
    fn from(badge: event::Badge) -> Self {
        let kind = match badge.kind {
            event::BadgeKind::Completionist => progress_out::BadgeKind::Completionist,
            event::BadgeKind::NoHintClear => progress_out::BadgeKind::NoHintClear,
            event::BadgeKind::Speedrunner => progress_out::BadgeKind::Speedrunner,
        };
        Self { kind, level: badge.level.map(|id| id.to_string()), quest: badge.quest.map(|id| id.to_string()) }
    }
}

fn texts<T: ToString>(ids: impl IntoIterator<Item = T>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}

fn selector(what: types::Selector) -> Selector {
    match what {
        types::Selector::All => Selector::All,
        types::Selector::Level(name) => Selector::Level(name),
    }
}

impl progress_out::Guest for Component {
    fn fold_events(log: Vec<u8>, graph: Vec<u8>) -> Result<progress_out::Folded, types::Error> {
        let graph = Graph::parse(&graph).map_err(Error::Invalid)?;
        let (progress, diagnostics, unknown_events) = fold::whole(&log, &graph);
        let completion = |(level, completion): (&crate::id::LevelId, &crate::progression::Completion)| progress_out::LevelCompletion {
            level: level.to_string(),
            at: completion.at.clone(),
            source_quest: completion.source.as_ref().map(ToString::to_string),
        };
        let derived: String = progress.derived(&graph).iter().map(event::Event::to_line).collect();
        let current = progress.current_level().and_then(|index| graph.levels().get(index));
        let reached = progress_out::Progress {
            completed_quests: texts(progress.quests()),
            xp_total: progress.xp(),
            completed_levels: texts(progress.completions(&graph).map(|(level, _)| level)),
            current_level: current.map(|level| level.id.to_string()),
            unlocked: types::UnlockSet { features: texts(progress.features()), levels: texts(progress.levels(&graph)) },
            badges: all(progress.badges(&graph)),
            hinted_quests: texts(progress.hinted_quests()),
            hinted_levels: texts(progress.hinted_levels(&graph)),
            level_completions: progress.completions(&graph).map(completion).collect(),
        };
        Ok(progress_out::Folded { progress: reached, derived: derived.into_bytes(), diagnostics: all(diagnostics), unknown_events })
    }

    fn plan_unlock(log: Vec<u8>, graph: Vec<u8>, source: types::CatalogSource, what: types::Selector, now: String) -> Result<progress_out::UnlockPlan, types::Error> {
        let graph = Graph::parse(&graph).map_err(Error::Invalid)?;
        let catalog = catalog(source).map_err(Error::Invalid)?;
        if !event::is_timestamp(&now) {
            return Err(Error::Argument(Diagnostic::error("garnish::argument::now", "now is no ISO 8601 time with zone.")).into());
        }
        let (progress, ..) = fold::whole(&log, &graph);
        let plan = unlock::plan(&selector(what), &progress, &graph, &catalog, &now);
        let events: String = plan.events.iter().map(event::Event::to_line).collect();
        Ok(progress_out::UnlockPlan { exit_code: plan.exit_code, message: plan.message, events: events.into_bytes() })
    }

    fn validate_graph(graph: Vec<u8>) -> Vec<types::Diagnostic> {
        all(Graph::validate(&graph))
    }
}

// ---- unlocks -------------------------------------------------------------------------------------------------------

struct Imports;

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
        Ok(all(session::reload(&texts(capabilities))?))
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

/// The session of this instance with its imports.
fn within<T>(run: impl FnOnce(&mut crate::apply::Session, &mut Imports) -> Result<T, Error>) -> Result<T, types::Error> {
    match runtime::session() {
        Some(mut session) => Ok(run(&mut session, &mut Imports)?),
        None => Err(Error::Argument(Diagnostic::error("garnish::instance::busy", "Another call of this instance is running. Call when it has returned.")).into()),
    }
}

fn applied((capability, activation): (&Capability, &Activation)) -> unlock_out::Applied {
    unlock_out::Applied { capability: capability.to_string(), activation: activation.clone().into() }
}

impl From<crate::apply::Report> for unlock_out::Report {
    fn from(report: crate::apply::Report) -> Self {
        let fresh = report.fresh.iter().map(applied).collect();
        Self { fresh, files_written: report.files_written, diagnostics: all(report.diagnostics) }
    }
}

impl From<crate::apply::Outcome> for unlock_out::Outcome {
    fn from(outcome: crate::apply::Outcome) -> Self {
        Self { exit_code: outcome.exit_code, message: outcome.message, report: outcome.report.map(Into::into) }
    }
}

fn tool(tool: unlock_out::Tool) -> hold::Tool {
    hold::Tool { name: tool.name, server: tool.server }
}

impl unlock_out::Guest for Component {
    fn apply_unlocks(_trigger: unlock_out::Trigger) -> Result<unlock_out::Report, types::Error> {
        within(|session, host| session.apply(host)).map(Into::into)
    }

    fn settle(outcomes: Vec<unlock_out::Applied>) -> Result<(), types::Error> {
        let known = |outcome: unlock_out::Applied| Some((Capability::parse(&outcome.capability)?, outcome.activation.into()));
        let outcomes = outcomes.into_iter().filter_map(known).collect();
        within(|session, host| {
            session.settle(host, outcomes);
            Ok(())
        })
    }

    fn unlock(what: types::Selector) -> Result<unlock_out::Outcome, types::Error> {
        within(|session, host| session.unlock(host, &selector(what))).map(Into::into)
    }

    fn complete(quest: String) -> Result<unlock_out::Outcome, types::Error> {
        within(|session, host| session.complete(host, &quest)).map(Into::into)
    }

    fn open_hint(quest: String) -> Result<unlock_out::Outcome, types::Error> {
        within(|session, host| session.open_hint(host, &quest)).map(Into::into)
    }

    fn applied_capabilities() -> Vec<unlock_out::Applied> {
        within(|session, _| Ok(session.applied().iter().map(applied).collect())).unwrap_or_default()
    }

    fn reload_count() -> u32 {
        within(|session, _| Ok(session.reloads())).unwrap_or_default()
    }

    fn held_capabilities() -> Result<Vec<String>, types::Error> {
        within(|session, host| session.held_capabilities(host))
    }

    fn overrides() -> Result<Vec<unlock_out::Setting>, types::Error> {
        let settings = within(|session, host| session.overrides(host))?;
        Ok(settings.into_iter().map(|hold::Setting { key, json }| unlock_out::Setting { key, json }).collect())
    }

    fn hold_tools(tools: Vec<unlock_out::Tool>) -> Result<Vec<String>, types::Error> {
        let tools: Vec<hold::Tool> = tools.into_iter().map(tool).collect();
        within(|session, host| session.hold_tools(host, &tools))
    }

    fn check_tool_call(call: unlock_out::ToolCall) -> Result<unlock_out::Verdict, types::Error> {
        let call = guard::Call { tool: tool(call.tool), input: call.input, cwd: call.cwd, home: call.home };
        let refusal = within(|session, host| session.check_tool_call(host, &call))?;
        Ok(match refusal {
            None => unlock_out::Verdict::Allow,
            Some(guard::Refusal { code, for_agent, for_learner, feature }) => {
                let feature = feature.map(|feature| feature.to_string());
                unlock_out::Verdict::Block(unlock_out::Refusal { code: code.to_string(), for_agent, for_learner, feature })
            }
        })
    }

    fn status() -> Result<Vec<u8>, types::Error> {
        within(|session, host| session.status(host))
    }
}
