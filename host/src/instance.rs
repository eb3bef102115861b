//! One instance of the component: every export as a typed method. It never lets a trap end the program: a trap becomes
//! an error value, and the instance answers nothing but that from then on.

use std::fmt;

use wasmtime::{Store, Trap};

use crate::bindings::{
    Applied, CatalogSource, Diagnostic, Ejected, Error, ErrorKind, File, Folded, Gate, LayerMoment, Merged, Outcome,
    ProfileDescription, ProfileSource, Rendered, Report, Selector, Setting, Tool, ToolCall, Trigger, UnlockPlan,
    UnlockSet, Verdict, Violation,
};
use crate::component::Component;
use crate::effects::Effects;
use crate::engine::{self, engine};
use crate::session::Session;
use crate::state::State;

/// Why an instance ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrapKind {
    /// The call took more than [`engine::FUEL_PER_CALL`].
    Time,
    /// The instance wanted more than [`engine::MEMORY_LIMIT`].
    Memory,
    /// A fault of the component.
    Fault,
    /// An earlier call trapped.
    Dead,
}

/// A call that did not return. The instance is dead: drop it, make a new one and go on from the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trapped {
    /// The export, as `unlocks.apply-unlocks`.
    pub export: &'static str,
    /// Why.
    pub kind: TrapKind,
    /// What wasmtime says, for a bug report.
    pub detail: String,
}

impl fmt::Display for Trapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let export = self.export;
        match self.kind {
            TrapKind::Time => write!(f, "{export} was stopped: it took too long"),
            TrapKind::Memory => {
                write!(f, "{export} was stopped: it needs more than {} MiB of memory", engine::MEMORY_LIMIT >> 20)
            }
            TrapKind::Fault => write!(f, "{export} broke down; this is a fault of garnish ({})", self.detail),
            TrapKind::Dead => write!(f, "{export} was not called: this instance broke down before"),
        }
    }
}

impl std::error::Error for Trapped {}

/// Why an export gave no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum CallError {
    /// The component's own error, with its code. The instance lives on.
    Answered(Error),
    /// The instance is dead.
    Trapped(Trapped),
}

impl CallError {
    /// The same, with `path` as the file of every fault that names none: the pure exports are given bytes, and do not
    /// know where those come from.
    #[must_use]
    pub fn in_file(mut self, path: &str) -> Self {
        if let Self::Answered(error) = &mut self
            && error.kind == ErrorKind::Invalid
        {
            for fault in error.diagnostics.iter_mut().filter(|fault| fault.file.is_none()) {
                fault.file = Some(path.to_owned());
            }
        }
        self
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trapped(trapped) => trapped.fmt(f),
            Self::Answered(error) => {
                let lines: Vec<String> = error.diagnostics.iter().map(|fault| Told(fault).to_string()).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl std::error::Error for CallError {}

impl From<Trapped> for CallError {
    fn from(trapped: Trapped) -> Self {
        Self::Trapped(trapped)
    }
}

/// A diagnostic as one line for a person: place first, code last.
pub struct Told<'a>(pub &'a Diagnostic);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostic { code, message, file, line, column, path, .. } = self.0;
        if let Some(file) = file {
            f.write_str(file)?;
            if let Some(line) = line {
                write!(f, ":{line}")?;
                if let Some(column) = column {
                    write!(f, ":{column}")?;
                }
            }
            f.write_str(": ")?;
        }
        if let Some(path) = path {
            write!(f, "{path}: ")?;
        }
        write!(f, "{message} [{code}]")
    }
}

/// An instance of the component with its effects and its session.
///
/// ```no_run
/// use garnish_host::{AgentDir, Component, Garnish, NoSession, Trigger};
///
/// let effects = AgentDir::open("/home/me/.omp/agent".as_ref())?;
/// let session = NoSession::new(|_, text| println!("{text}"));
/// let mut garnish = Garnish::new(Component::embedded()?, effects, session)?;
/// for written in garnish.apply_unlocks(Trigger::SessionStart)?.files_written {
///     println!("wrote {written}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Garnish {
    store: Store<State>,
    gate: Gate,
    dead: bool,
    fuel_per_call: u64,
    fuel_used: u64,
}

impl Garnish {
    /// A new instance. Nothing is read or written before the first call.
    ///
    /// # Errors
    ///
    /// When this machine has no room for an instance.
    pub fn new(
        component: &Component,
        effects: impl Effects + 'static,
        session: impl Session + 'static,
    ) -> Result<Self, Trapped> {
        let mut store = Store::new(engine(), State::new(Box::new(effects), Box::new(session)));
        store.limiter(|state| state);
        let export = "instantiate";
        let gate = store
            .set_fuel(engine::FUEL_PER_CALL)
            .and_then(|()| component.pre.instantiate(&mut store))
            .map_err(|error| trapped(export, &error, store.data()))?;
        Ok(Self { store, gate, dead: false, fuel_per_call: engine::FUEL_PER_CALL, fuel_used: 0 })
    }

    /// Whether a call has trapped. Then every call answers `TrapKind::Dead`.
    pub fn is_dead(&self) -> bool {
        self.dead
    }

    /// Another limit than [`engine::FUEL_PER_CALL`] for the calls to come: for tests that stop a call half-way.
    pub fn set_fuel_per_call(&mut self, fuel: u64) {
        self.fuel_per_call = fuel;
    }

    /// What the last call took: a measure of work that does not depend on the machine.
    pub fn fuel_used(&self) -> u64 {
        self.fuel_used
    }

    /// How large the memory of the instance has become, in bytes.
    pub fn memory_used(&self) -> usize {
        self.store.data().memory
    }

    fn call<T>(
        &mut self,
        export: &'static str,
        call: impl FnOnce(&Gate, &mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        if self.dead {
            return Err(Trapped { export, kind: TrapKind::Dead, detail: String::new() }.into());
        }
        let answer = self.store.set_fuel(self.fuel_per_call).and_then(|()| call(&self.gate, &mut self.store));
        self.fuel_used = self.fuel_per_call - self.store.get_fuel().unwrap_or(0);
        answer.map_err(|error| {
            self.dead = true;
            trapped(export, &error, self.store.data()).into()
        })
    }

    fn ask<T>(
        &mut self,
        export: &'static str,
        call: impl FnOnce(&Gate, &mut Store<State>) -> wasmtime::Result<Result<T, Error>>,
    ) -> Result<T, CallError> {
        self.call(export, call)?.map_err(CallError::Answered)
    }
}

fn trapped(export: &'static str, error: &wasmtime::Error, state: &State) -> Trapped {
    let kind = match error.downcast_ref::<Trap>() {
        _ if state.out_of_memory => TrapKind::Memory,
        Some(Trap::OutOfFuel) => TrapKind::Time,
        _ => TrapKind::Fault,
    };
    Trapped { export, kind, detail: format!("{error:#}") }
}

/// Methods that carry an export over. `ask`: answers `result<_, error>`; `call`: cannot fail but by a trap.
macro_rules! exports {
    ($interface:literal, $accessor:ident: $(
        $how:ident $method:ident = $export:literal, $call:ident($($argument:ident: $type:ty),*) -> $answer:ty;
    )*) => {
        #[doc = concat!("The exports of `", $interface, "`; `wit/", $interface, ".wit` says what each does.")]
        impl Garnish {
            $(
                #[doc = concat!("`", $interface, ".", $export, "`.")]
                ///
                /// # Errors
                ///
                /// The component's own, or that it trapped.
                pub fn $method(&mut self, $($argument: $type),*) -> Result<$answer, CallError> {
                    self.$how(concat!($interface, ".", $export), |gate, store| {
                        gate.$accessor().$call(store, $($argument),*)
                    })
                }
            )*
        }
    };
}

exports! { "gating", garnish_gating_gating:
    ask render_gate_config = "render-gate-config",
        call_render_gate_config(unlocked: &UnlockSet, catalog: &CatalogSource, profile: &ProfileSource) -> Rendered;
    ask enabled_capabilities = "enabled-capabilities",
        call_enabled_capabilities(files: &[File], catalog: &CatalogSource, profile: &ProfileSource) -> Vec<String>;
    ask loaded_capabilities = "loaded-capabilities",
        call_loaded_capabilities(files: &[File], catalog: &CatalogSource, profile: &ProfileSource) -> Vec<String>;
    ask merge_gate_config = "merge-gate-config",
        call_merge_gate_config(
            files: &[File], unlocked: &UnlockSet, catalog: &CatalogSource, profile: &ProfileSource,
            displaced: Option<&[u8]>
        ) -> Merged;
    ask eject = "eject", call_eject(files: &[File], profile: &ProfileSource, displaced: &[u8]) -> Ejected;
    ask stock_parity_config = "stock-parity-config",
        call_stock_parity_config(catalog: &CatalogSource, profile: &ProfileSource) -> Rendered;
    ask compare_stock_parity = "compare-stock-parity",
        call_compare_stock_parity(files: &[File], catalog: &CatalogSource, profile: &ProfileSource) -> Vec<String>;
    ask find_monotonicity_violations = "find-monotonicity-violations",
        call_find_monotonicity_violations(
            sequence: &[Vec<File>], catalog: &CatalogSource, profile: &ProfileSource
        ) -> Vec<Violation>;
    ask catalog_feature_ids = "catalog-feature-ids", call_catalog_feature_ids(catalog: &CatalogSource) -> Vec<String>;
    call validate_catalog = "validate-catalog",
        call_validate_catalog(catalog: &CatalogSource, profile: &ProfileSource) -> Vec<Diagnostic>;
    ask describe_profile = "describe-profile", call_describe_profile(profile: &ProfileSource) -> ProfileDescription;
    call builtin_catalogs = "builtin-catalogs", call_builtin_catalogs() -> Vec<String>;
    call builtin_profiles = "builtin-profiles", call_builtin_profiles() -> Vec<String>;
}

exports! { "progression", garnish_gating_progression:
    ask fold_events = "fold-events", call_fold_events(log: &[u8], graph: &[u8]) -> Folded;
    ask plan_unlock = "plan-unlock",
        call_plan_unlock(log: &[u8], graph: &[u8], catalog: &CatalogSource, what: &Selector, now: &str) -> UnlockPlan;
    call validate_graph = "validate-graph", call_validate_graph(graph: &[u8]) -> Vec<Diagnostic>;
}

exports! { "unlocks", garnish_gating_unlocks:
    ask apply_unlocks = "apply-unlocks", call_apply_unlocks(trigger: Trigger) -> Report;
    ask settle = "settle", call_settle(outcomes: &[Applied]) -> ();
    ask unlock = "unlock", call_unlock(what: &Selector) -> Outcome;
    call applied_capabilities = "applied-capabilities", call_applied_capabilities() -> Vec<Applied>;
    call reload_count = "reload-count", call_reload_count() -> u32;
    ask held_capabilities = "held-capabilities", call_held_capabilities() -> Vec<String>;
    ask overrides = "overrides", call_overrides(moment: LayerMoment) -> Vec<Setting>;
    ask hold_tools = "hold-tools", call_hold_tools(tools: &[Tool]) -> Vec<String>;
    ask check_tool_call = "check-tool-call", call_check_tool_call(call: &ToolCall) -> Verdict;
    ask status = "status", call_status() -> Vec<u8>;
}

// Apart from the others, because the generated methods take a `&String` here.
impl Garnish {
    /// `unlocks.complete`.
    ///
    /// # Errors
    ///
    /// The component's own, or that it trapped.
    pub fn complete(&mut self, quest: &str) -> Result<Outcome, CallError> {
        let quest = quest.to_owned();
        self.ask("unlocks.complete", |gate, store| gate.garnish_gating_unlocks().call_complete(store, &quest))
    }

    /// `unlocks.open-hint`.
    ///
    /// # Errors
    ///
    /// The component's own, or that it trapped.
    pub fn open_hint(&mut self, quest: &str) -> Result<Outcome, CallError> {
        let quest = quest.to_owned();
        self.ask("unlocks.open-hint", |gate, store| gate.garnish_gating_unlocks().call_open_hint(store, &quest))
    }
}
