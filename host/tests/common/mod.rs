//! What the tests of the effects share: an agent dir that is gone afterwards, and children that run one test in
//! another process.

#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use garnish_host::{AgentDir, Effects, Failure, FailureReason};
use tempfile::TempDir;

/// A folder `agent` with a folder beside it for what must stay out of reach.
pub struct Scratch {
    pub home: TempDir,
    pub agent: PathBuf,
}

impl Scratch {
    pub fn new() -> Self {
        Self::in_home(TempDir::new().unwrap())
    }

    fn in_home(home: TempDir) -> Self {
        let agent = home.path().canonicalize().unwrap().join("agent");
        fs::create_dir(&agent).unwrap();
        Self { home, agent }
    }

    pub fn dir(&self) -> AgentDir {
        AgentDir::open(&self.agent).unwrap()
    }

    /// A path beside the agent dir.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.agent.parent().unwrap().join(name)
    }

    pub fn put(&self, path: &str, bytes: &str) {
        let path = self.agent.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.agent.join(path)).unwrap()
    }

    /// Everything under the home folder, sorted: what was left behind shows up here.
    pub fn everything(&self) -> Vec<String> {
        let mut all = Vec::new();
        list(self.agent.parent().unwrap(), "", &mut all);
        all.sort();
        all
    }
}

fn list(folder: &Path, prefix: &str, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            list(&entry.path(), &format!("{name}/"), all);
        }
        all.push(name);
    }
}

/// Reads and writes over the version that was read.
pub fn rewrite(dir: &mut AgentDir, path: &str, bytes: &str) -> Result<u64, Failure> {
    let version = dir.read(path)?.map(|content| content.version);
    dir.write(path, version, bytes.as_bytes())
}

/// The failure has this reason, and names the path.
#[track_caller]
pub fn fails<T: std::fmt::Debug>(answer: Result<T, Failure>, reason: FailureReason, path: &str) {
    let failure = answer.expect_err("this must fail");
    assert_eq!(failure.reason, reason, "{}", failure.message);
    assert!(failure.message.contains(path), "{:?} does not name {path}", failure.message);
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The agent dir that a child process is told to work on; none in the parent.
pub fn child_dir() -> Option<PathBuf> {
    std::env::var_os("GARNISH_TEST_CHILD").map(PathBuf::from)
}

/// This test program again, running one test alone, on `agent`.
pub fn child(test: &str, agent: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env("GARNISH_TEST_CHILD", agent);
    command
}

#[track_caller]
pub fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The child has run its test, and it passed.
#[track_caller]
pub fn passes(output: &Output) {
    succeeds(output);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1 passed"), "{text}");
}

/// A file system of 64 KiB, mounted while it lives; none where we may not mount.
pub struct SmallDisk {
    pub scratch: Option<Scratch>,
    mount: PathBuf,
    _home: TempDir,
}

impl SmallDisk {
    pub fn mount() -> Option<Self> {
        let home = TempDir::new().unwrap();
        let mount = home.path().to_owned();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&mount).output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: no file system can be mounted here");
            return None;
        }
        let scratch = Some(Scratch::in_home(TempDir::new_in(&mount).unwrap()));
        Some(Self { scratch, mount, _home: home })
    }

    pub fn make_read_only(&self) {
        succeeds(&Command::new("mount").args(["-o", "remount,ro"]).arg(&self.mount).output().unwrap());
    }

    pub fn make_room(&self) {
        fs::remove_file(self.mount.join("filler")).unwrap();
    }

    /// Writes until nothing fits any more.
    pub fn fill(&self) {
        let mut file = fs::File::create(self.mount.join("filler")).unwrap();
        while file.write_all(&[0; 512]).is_ok() {}
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("mount").args(["-o", "remount,rw"]).arg(&self.mount).status();
        self.scratch = None;
        let _ = Command::new("umount").arg(&self.mount).status();
    }
}
