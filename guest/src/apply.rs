//! The apply-once flow of one session: fold what is new, write what differs, set fresh tools live, have the rest
//! reloaded, tell the learner. The one place with effects.
//!
//! Rules live in the modules below; here is only their order. A capability is marked before its first side effect, so a
//! failure half-way can never trigger it again in this session; the next start converges from log and disk.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    capability::{Capability, Kind},
    catalog::Catalog,
    diagnostic::{Diagnostic, Error, FailureReason},
    disk::{self, Disk},
    event::{self, Event, is_timestamp},
    fold::Fold,
    gate_config::{self, Capabilities, Gate},
    hold::{self, Tool},
    host::{Activation, Failure, Host, NoticeLevel, Role, import},
    list::IntoList,
    log::LOG_FILE,
    notice,
    ordered::{Map, Set},
    profile::Profile,
    setup::Setup,
    unlock::{self, Plan, Selector},
    words::quoted,
};

/// How often one call goes round while the log keeps growing under it.
const ROUNDS: usize = 8;

/// What a call changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What became fresh, and how far it came.
    pub fresh: Map<Capability, Activation>,
    /// Paths, in the order of writing.
    pub files_written: Vec<String>,
    /// Each once in the life of a session.
    pub diagnostics: Vec<Diagnostic>,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// 0, or 1 when what was asked for does not exist.
    pub exit_code: u8,
    /// For the learner.
    pub message: String,
    /// None: nothing was recorded.
    pub report: Option<Report>,
}

/// One session's gate. All of it can be rebuilt from the files.
#[derive(Debug, Default)]
pub struct Session {
    ready: Option<Ready>,
    applied: Map<Capability, Activation>,
    /// Whether the first call is done.
    begun: bool,
    stock: Option<Set<String>>,
    reloads: u32,
    told: Set<String>,
}

/// What the first call reads.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) setup: Setup,
    pub(crate) fold: Fold,
    /// Asked at the first apply: before it nothing depends on it, and a host may not know it yet.
    pub(crate) role: Option<Role>,
    /// Found while folding, not yet reported.
    pub(crate) found: Vec<Diagnostic>,
    /// Whether the log gained something that no apply has looked at yet. Every call folds, only an apply acts.
    changed: bool,
}

impl Ready {
    pub(crate) fn gate(&self) -> Gate {
        Gate::new(&|feature| self.fold.is_unlocked(feature), &self.setup.catalog)
    }
}

impl Session {
    /// Setup and log as they are now. What the log cannot be read for is an error; what was folded before stays.
    pub(crate) fn ready(&mut self, host: &mut dyn Host) -> Result<&mut Ready, Error> {
        if self.ready.is_none() {
            let setup = Setup::read(host)?;
            let (fold, found) = (Fold::new(&setup.graph), setup.graph_faults.clone());
            self.ready = Some(Ready { setup, fold, role: None, found, changed: true });
        }
        let Some(ready) = &mut self.ready else { return Err(Error::Invalid(Vec::new())) };
        ready.changed |= ready.fold.refresh(&ready.setup.graph, host, &mut ready.found)?;
        Ok(ready)
    }

    /// Brings session and files to what the log says.
    ///
    /// # Errors
    /// Nothing was done: setup or log cannot be read.
    pub fn apply(&mut self, host: &mut dyn Host) -> Result<Report, Error> {
        let mut report = Report::default();
        for round in 0..ROUNDS {
            match self.append_derived(host) {
                Ok(true) => self.round(host, &mut report),
                Ok(false) => break,
                // What this call has done already must be told.
                Err(error) if round > 0 => {
                    self.tell(host, Map::new(), error.into_diagnostics(), &mut report);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(report)
    }

    /// Appends what follows from the log and is not in it; answers whether there is anything to look at.
    fn append_derived(&mut self, host: &mut dyn Host) -> Result<bool, Error> {
        let begun = self.begun;
        let ready = self.ready(host)?;
        if begun && !ready.changed {
            return Ok(false);
        }
        let role = *ready.role.get_or_insert_with(|| host.role());
        let derived = ready.fold.progress().derived(&ready.setup.graph);
        if derived.is_empty() || role == Role::Subagent {
            ready.changed = false;
            return Ok(true);
        }
        if let Err(failure) = append(host, &derived) {
            // Not in the log, so not unlocked: the next event, or the next start, tries again.
            for mut fault in failure.into_diagnostics() {
                fault.message = format!("What was earned could not be recorded: {}", fault.message);
                ready.found.push(fault);
            }
            ready.changed = false;
            return Ok(true);
        }
        // Read back, with whatever another process appended around it; all of it is looked at now.
        self.ready(host)?.changed = false;
        Ok(true)
    }

    /// One pass over a state of the log.
    fn round(&mut self, host: &mut dyn Host, report: &mut Report) {
        let Some(ready) = &mut self.ready else { return };
        let mut gate = ready.gate();
        let mut found = core::mem::take(&mut ready.found);
        let Ready { setup, fold, role, found: found_now, changed } = ready;
        let (profile, catalog, role) = (&setup.profile, &setup.catalog, *role);
        let first = if self.begun { None } else { Some(first_call(host, profile, catalog, &gate)) };
        self.begun = true;
        if let Some(first) = &first {
            set_all(&mut self.applied, &first.open_before, &Activation::Live);
        }
        let is_fresh = |capability: &&Capability| !self.applied.contains_key(*capability);
        let fresh: Vec<Capability> = gate.enabled.iter().filter(is_fresh).cloned().list();
        // Marked before any side effect: whatever happens from here on, this is not tried again in this session.
        set_all(&mut self.applied, &fresh, &Activation::Failed("it was interrupted".into()));
        let mut outcomes: Map<Capability, Activation> = Map::new();
        if role == Some(Role::Main) && (first.is_some() || !fresh.is_empty()) {
            // What the log gains meanwhile is looked at in a round of its own.
            let mut renew = |host: &mut dyn Host, gate: &mut Gate| match fold.refresh(&setup.graph, host, found_now) {
                Ok(false) => {}
                Ok(true) => {
                    *gate = Gate::new(&|feature| fold.is_unlocked(feature), catalog);
                    *changed = true;
                }
                Err(error) => {
                    found_now.extend(error.into_diagnostics());
                    *changed = true;
                }
            };
            let written = disk::write(host, &mut gate, &mut renew, catalog, profile);
            if let Some(first) = &first {
                // If writing went wrong too, that tells it.
                found.extend(first.problem.clone().filter(|_| written.failed.is_empty()));
                self.reloads += u32::from(first.hold_by_reload(host, profile, &gate, &written, &mut found));
            }
            let (mut live, mut baked) = (Vec::new(), Vec::new());
            for capability in &fresh {
                if capability.kind == Kind::Tool && !profile.read_at_call.contains(&capability.name) {
                    live.push(capability.clone());
                } else if let Some(failure) = disk::failure_of(capability, profile, &written.failed) {
                    outcomes.insert(capability.clone(), Activation::Failed(failure));
                } else {
                    baked.push(capability.clone());
                }
            }
            set_live(host, &live, &self.applied, self.stock.as_ref(), &mut outcomes);
            if !baked.is_empty() {
                self.reloads += 1;
                note(&mut outcomes, &reload(host, &baked));
            }
            report.files_written.extend(written.paths.iter().cloned());
            found.extend(written.diagnostics);
            note(&mut self.applied, &outcomes);
        } else {
            // A subagent's session shows what its own hold lets through, and tells nobody.
            set_all(&mut self.applied, &fresh, &Activation::Live);
        }
        self.tell(host, outcomes, found, report);
    }

    /// Reports what came of an apply, and tells the learner, each thing once.
    fn tell(
        &mut self,
        host: &mut dyn Host,
        outcomes: Map<Capability, Activation>,
        found: Vec<Diagnostic>,
        report: &mut Report,
    ) {
        let new: Vec<Diagnostic> = found.into_iter().filter(|found| self.told.insert(notice::sentence(found))).list();
        self.notify(host, &|catalog| notice::all(&outcomes, &new, catalog));
        note(&mut report.fresh, &outcomes);
        report.diagnostics.extend(new);
    }

    /// Tells the learner; a subagent's session tells nobody.
    fn notify(&self, host: &mut dyn Host, notices: &dyn Fn(&Catalog) -> Vec<(NoticeLevel, String)>) {
        if let Some(ready) = self.ready.as_ref().filter(|ready| ready.role == Some(Role::Main)) {
            for (level, text) in notices(&ready.setup.catalog) {
                host.notify(level, &text);
            }
        }
    }

    /// The end of what was queued.
    pub fn settle(&mut self, host: &mut dyn Host, outcomes: Vec<(Capability, Activation)>) {
        let mut settled = Map::new();
        for (capability, activation) in outcomes {
            let waits = self.applied.get(&capability) == Some(&Activation::Queued);
            if waits && activation != Activation::Queued {
                self.applied.insert(capability.clone(), activation.clone());
                settled.insert(capability, activation);
            }
        }
        self.notify(host, &|catalog| notice::outcomes(&settled, catalog));
    }

    /// Unlocks without earning.
    ///
    /// # Errors
    /// Nothing was recorded: setup or log cannot be read, or the log cannot be appended to.
    pub fn unlock(&mut self, host: &mut dyn Host, selector: &Selector) -> Result<Outcome, Error> {
        let needs_graph = matches!(selector, Selector::Level(_));
        self.command(host, needs_graph, &|ready, now| {
            unlock::plan(selector, ready.fold.progress(), &ready.setup.graph, &ready.setup.catalog, now)
        })
    }

    /// Records a finished quest.
    ///
    /// # Errors
    /// As for [`Session::unlock`].
    pub fn complete(&mut self, host: &mut dyn Host, quest: &str) -> Result<Outcome, Error> {
        let mut outcome = self.command(host, true, &|ready, now| {
            unlock::plan_completion(quest, ready.fold.progress(), &ready.setup.graph, now)
        })?;
        if let (Some(ready), true) = (&self.ready, outcome.report.is_some()) {
            let standing = unlock::standing(quest, ready.fold.progress(), &ready.setup.graph);
            outcome.message = format!("{} {standing}", outcome.message);
        }
        Ok(outcome)
    }

    /// Records a look at a hint.
    ///
    /// # Errors
    /// As for [`Session::unlock`].
    pub fn open_hint(&mut self, host: &mut dyn Host, quest: &str) -> Result<Outcome, Error> {
        self.command(host, true, &|ready, now| unlock::plan_hint(quest, ready.fold.progress(), &ready.setup.graph, now))
    }

    fn command(
        &mut self,
        host: &mut dyn Host,
        needs_graph: bool,
        plan: &dyn Fn(&Ready, &str) -> Plan,
    ) -> Result<Outcome, Error> {
        let ready = self.ready(host)?;
        if needs_graph && !ready.setup.graph_faults.is_empty() {
            return Err(Error::Invalid(ready.setup.graph_faults.clone()));
        }
        let now = host.now();
        if !is_timestamp(&now) {
            return Err(Error::Argument(Diagnostic::error(
                "garnish::clock::not-a-time",
                format!("The host's clock says {}, which is no ISO 8601 time with zone.", quoted(&now)),
            )));
        }
        let Plan { exit_code, message, events } = plan(ready, &now);
        if events.is_empty() {
            return Ok(Outcome { exit_code, message, report: None });
        }
        append(host, &events)?;
        let report = self.apply(host)?;
        Ok(Outcome { exit_code, message, report: Some(report) })
    }

    /// What counts as applied, and how far it came.
    pub fn applied(&self) -> &Map<Capability, Activation> {
        &self.applied
    }

    /// How often the host was asked to reload.
    pub fn reloads(&self) -> u32 {
        self.reloads
    }

    /// Remembers the first list of tools as the session's stock, and sets live what was waiting for a tool in it.
    pub(crate) fn saw_tools(&mut self, host: &mut dyn Host, tools: &[Tool]) {
        if self.stock.is_none() {
            self.stock = Some(Set::from_iter(tools.iter().map(|tool| tool.name.clone())));
        }
        let names = self.ready.as_ref().map(|ready| ready.setup.profile.guard.mcp_names).unwrap_or_default();
        let mut live = Map::new();
        for (capability, activation) in &self.applied {
            let waits = matches!(activation, Activation::Pending(_));
            if waits && tools.iter().any(|tool| hold::provides(tool, capability, names)) {
                live.insert(capability.clone(), Activation::Live);
            }
        }
        note(&mut self.applied, &live);
        self.notify(host, &|catalog| notice::outcomes(&live, catalog));
    }
}

fn append(host: &mut dyn Host, events: &[Event]) -> Result<(), Error> {
    host.log_append(event::lines(events).as_bytes())
        .map(|_| ())
        .map_err(|failure| failure.during(import::LOG_APPEND, LOG_FILE))
}

/// What an instance finds when it first looks.
struct First {
    /// Enabled, and not marked as held: open before this session, so nothing new.
    open_before: Vec<Capability>,
    /// What the harness has open by its files, as it loaded them.
    loaded: Capabilities,
    /// Why the files could not be looked at.
    problem: Option<Diagnostic>,
}

fn first_call(host: &mut dyn Host, profile: &Profile, catalog: &Catalog, gate: &Gate) -> First {
    let values = Disk::read(host, profile).and_then(|disk| disk.values(profile));
    let held_before = disk::marked_held(host, &values).unwrap_or_default();
    let loaded = match &values {
        Ok(values) => gate_config::loaded(values, catalog, profile),
        Err(_) => Capabilities::new(),
    };
    First { open_before: gate.enabled.difference(&held_before).cloned().list(), loaded, problem: values.err() }
}

impl First {
    /// What is held but was open when the harness loaded its files, and which the session cannot hold by itself: one
    /// reload closes it.
    fn hold_by_reload(
        &self,
        host: &mut dyn Host,
        profile: &Profile,
        gate: &Gate,
        written: &disk::Written,
        found: &mut Vec<Diagnostic>,
    ) -> bool {
        let needs_reload = |capability: &&Capability| {
            !profile.session_holds.contains(&capability.kind) && !profile.rules(capability).is_empty()
        };
        let open: Vec<Capability> = gate.held.intersection(&self.loaded).filter(needs_reload).cloned().list();
        if open.is_empty() || !written.failed.is_empty() {
            return false;
        }
        for (capability, activation) in &reload(host, &open) {
            if let Activation::Failed(reason) = activation {
                let message = format!("{} is still open in this session: {reason}", notice::everyday(capability));
                found.push(Diagnostic::error("garnish::apply::not-held", message));
            }
        }
        true
    }
}

/// Sets fresh tools live: the current tools and these, nobody else's dropped, none added that the session did not have.
fn set_live(
    host: &mut dyn Host,
    fresh: &[Capability],
    applied: &Map<Capability, Activation>,
    stock: Option<&Set<String>>,
    outcomes: &mut Map<Capability, Activation>,
) {
    if fresh.is_empty() {
        return;
    }
    let (known, active) = match host.all_tools().and_then(|known| host.active_tools().map(|active| (known, active))) {
        Ok(tools) => tools,
        Err(failure) => return set_all(outcomes, fresh, &unreached(failure)),
    };
    let mut ready = Vec::new();
    for capability in fresh {
        let reason = match stock {
            _ if !known.contains(&capability.name) => "the harness does not offer it now",
            Some(stock) if !stock.contains(&capability.name) => "this session was started without it",
            _ => {
                ready.push(capability.clone());
                continue;
            }
        };
        outcomes.insert(capability.clone(), Activation::Pending(reason.to_string()));
    }
    if ready.is_empty() {
        return;
    }
    let activation = if ready.iter().all(|capability| active.contains(&capability.name)) {
        Activation::Live
    } else {
        let mut names = Set::from_iter(active);
        // What an earlier call set and the harness does not show yet must not be lost by this one.
        for (capability, activation) in applied {
            if capability.kind == Kind::Tool && matches!(activation, Activation::Queued | Activation::NextTurn) {
                names.insert(capability.name.clone());
            }
        }
        names.extend(ready.iter().map(|capability| capability.name.clone()));
        host.set_active_tools(&names.into_iter().list()).unwrap_or_else(unreached)
    };
    set_all(outcomes, &ready, &activation);
}

/// One reload for all; the host answers for each.
fn reload(host: &mut dyn Host, capabilities: &[Capability]) -> Map<Capability, Activation> {
    let mut outcomes = Map::new();
    match host.reload(capabilities) {
        Ok(answers) => {
            let missing = Activation::Failed("the host did not say what became of it".into());
            set_all(&mut outcomes, capabilities, &missing);
            outcomes.extend(capabilities.iter().cloned().zip(answers));
        }
        Err(failure) => set_all(&mut outcomes, capabilities, &unreached(failure)),
    }
    outcomes
}

/// Notes all of these.
fn note(into: &mut Map<Capability, Activation>, outcomes: &Map<Capability, Activation>) {
    for (capability, activation) in outcomes {
        into.insert(capability.clone(), activation.clone());
    }
}

/// Notes the same for all of these.
fn set_all(outcomes: &mut Map<Capability, Activation>, capabilities: &[Capability], activation: &Activation) {
    for capability in capabilities {
        outcomes.insert(capability.clone(), activation.clone());
    }
}

/// Without a session there is nothing to set live: the files are written, and the next start has it.
fn unreached(failure: Failure) -> Activation {
    match failure.reason {
        FailureReason::NoSession => Activation::Restart,
        _ => Activation::Failed(failure.message),
    }
}
