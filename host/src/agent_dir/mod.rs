//! The real effects: the agent dir of a harness, its event log, and the clock. What `wit/files.wit` and
//! `wit/event-log.wit` promise is kept here, once. It never leaves the agent dir, save for a config file that the
//! learner has linked out of it.

mod failure;
mod links;
mod log;
mod place;
mod replace;
mod target;

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::bindings::{Content, Failure, LogStat, Resolution};
use crate::effects::Effects;

/// Why an agent dir cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum AgentDirError {
    /// There is nothing at this path.
    #[error("the agent dir {} does not exist", .0.display())]
    Missing(PathBuf),
    /// There is something else at this path.
    #[error("the agent dir {} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The operating system does not let us in.
    #[error("the agent dir {} cannot be opened: {source}", path.display())]
    Io {
        /// The agent dir.
        path: PathBuf,
        /// What the operating system answered.
        source: io::Error,
    },
}

/// An agent dir, held open.
///
/// ```
/// use garnish_host::{AgentDir, Effects};
///
/// let folder = std::env::temp_dir().join(format!("garnish-doc-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let mut dir = AgentDir::open(&folder)?;
/// let version = dir.write("config.yml", None, b"theme: dark\n").map_err(|failure| failure.message)?;
/// assert_eq!(dir.read("config.yml").map_err(|failure| failure.message)?.map(|file| file.version), Some(version));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AgentDir {
    dir: Dir,
    /// Without links.
    path: PathBuf,
    code: Vec<PathBuf>,
}

impl AgentDir {
    /// Opens an agent dir that exists. It may be a link itself.
    ///
    /// # Errors
    ///
    /// Every case of [`AgentDirError`].
    pub fn open(path: &Path) -> Result<Self, AgentDirError> {
        let error = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => AgentDirError::Missing(path.to_owned()),
            io::ErrorKind::NotADirectory => AgentDirError::NotAFolder(path.to_owned()),
            _ => AgentDirError::Io { path: path.to_owned(), source },
        };
        let real = path.canonicalize().map_err(error)?;
        let dir = Dir::open_ambient_dir(&real, ambient_authority()).map_err(error)?;
        Ok(Self { dir, path: real, code: Vec::new() })
    }

    /// Names what belongs to garnish itself (the component's file, the host's program or folder): `resolve` answers
    /// `component` there. A path that does not exist is ignored.
    #[must_use]
    pub fn with_code(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.code.extend(paths.into_iter().filter_map(|path| path.canonicalize().ok()));
        self
    }

    /// Takes away what killed writers have left, here and in garnish's folder. A write does so where it writes.
    pub(crate) fn sweep(&self) {
        let now = cap_std::time::SystemTime::from_std(SystemTime::now());
        for folder in [".", "garnish"] {
            if let Ok(folder) = self.dir.open_dir(folder) {
                replace::sweep(&folder, now);
            }
        }
    }

    /// The agent dir without links.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Effects for AgentDir {
    fn read(&mut self, path: &str) -> Result<Option<Content>, Failure> {
        match target::find(&self.dir, &self.path, path)? {
            Some(target) => replace::read(&target),
            None => Ok(None),
        }
    }

    fn write(&mut self, path: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64, Failure> {
        let target = target::find_or_make_folders(&self.dir, &self.path, path)?;
        replace::write(&target, expected, bytes)
    }

    fn resolve(&mut self, path: &str, cwd: &str) -> Result<Resolution, Failure> {
        place::resolve(&self.path, &self.code, path, cwd)
    }

    fn log_stat(&mut self) -> Result<LogStat, Failure> {
        log::stat(&self.dir)
    }

    fn log_read(&mut self, offset: u64, limit: u32) -> Result<Vec<u8>, Failure> {
        log::read(&self.dir, offset, limit)
    }

    fn log_append(&mut self, lines: &[u8]) -> Result<u64, Failure> {
        log::append(&self.dir, lines)
    }

    fn now(&mut self) -> String {
        humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
    }
}
