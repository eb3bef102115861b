//! What a store holds: the effects and the session of one instance, and its memory limit. It carries the imports over
//! to the two traits, and never decides anything.

use wasmtime::ResourceLimiter;
use wasmtime::component::{HasSelf, Linker};

use crate::bindings::{self, Activation, Content, Failure, Gate, LogStat, NoticeLevel, Resolution, Role};
use crate::effects::Effects;
use crate::engine;
use crate::session::Session;

/// The data of one instance's store.
pub(crate) struct State {
    effects: Box<dyn Effects>,
    session: Box<dyn Session>,
    /// Whether the memory limit was hit. A flag, because the trap that follows only has a text.
    pub(crate) out_of_memory: bool,
    /// How large the memory has become, in bytes. It never shrinks.
    pub(crate) memory: usize,
}

impl State {
    pub(crate) fn new(effects: Box<dyn Effects>, session: Box<dyn Session>) -> Self {
        Self { effects, session, out_of_memory: false, memory: 0 }
    }
}

impl ResourceLimiter for State {
    fn memory_growing(&mut self, _now: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        if desired <= engine::MEMORY_LIMIT {
            self.memory = desired;
            return Ok(true);
        }
        self.out_of_memory = true;
        Err(wasmtime::Error::msg("the memory limit of an instance"))
    }

    fn table_growing(&mut self, _now: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        // The component has one table, of its functions, which never grows.
        Ok(desired <= 1 << 16)
    }
}

/// The imports of the world `gate`, and nothing else.
pub(crate) fn linker() -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine::engine());
    Gate::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    Ok(linker)
}

impl bindings::types_import::Host for State {}

impl bindings::session::Host for State {
    fn get_role(&mut self) -> Role {
        self.session.role()
    }

    fn get_active_tools(&mut self) -> Result<Vec<String>, Failure> {
        self.session.active_tools()
    }

    fn get_all_tools(&mut self) -> Result<Vec<String>, Failure> {
        self.session.all_tools()
    }

    fn set_active_tools(&mut self, names: Vec<String>) -> Result<Activation, Failure> {
        self.session.set_active_tools(names)
    }

    fn reload(&mut self, capabilities: Vec<String>) -> Result<Vec<Activation>, Failure> {
        self.session.reload(capabilities)
    }

    fn notify(&mut self, level: NoticeLevel, text: String) {
        self.session.notify(level, text);
    }
}

impl bindings::files::Host for State {
    fn read(&mut self, path: String) -> Result<Option<Content>, Failure> {
        self.effects.read(&path)
    }

    fn write(&mut self, path: String, expected: Option<u64>, bytes: Vec<u8>) -> Result<u64, Failure> {
        self.effects.write(&path, expected, &bytes)
    }

    fn resolve(&mut self, path: String, cwd: String) -> Result<Resolution, Failure> {
        self.effects.resolve(&path, &cwd)
    }
}

impl bindings::event_log::Host for State {
    fn stat(&mut self) -> Result<LogStat, Failure> {
        self.effects.log_stat()
    }

    fn read(&mut self, offset: u64, limit: u32) -> Result<Vec<u8>, Failure> {
        self.effects.log_read(offset, limit)
    }

    fn append(&mut self, lines: Vec<u8>) -> Result<u64, Failure> {
        self.effects.log_append(&lines)
    }
}

impl bindings::clock::Host for State {
    fn now(&mut self) -> String {
        self.effects.now()
    }
}
