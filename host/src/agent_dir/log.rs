//! `garnish/events.jsonl`: looking, reading, appending. It never rewrites, cuts off or locks anything.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use super::failure::{failure, io};
use super::target;
use crate::bindings::{Failure, FailureReason, LogStat};

/// How often lines are appended again that came to stand behind somebody's torn one.
const ATTEMPTS: usize = 32;

/// The log, inside the agent dir.
pub(super) const PATH: &str = "garnish/events.jsonl";

/// What is known of the log without opening it. cap-std refuses a link out of the agent dir.
pub(super) fn stat(root: &Dir) -> Result<LogStat, Failure> {
    match root.metadata(PATH) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(LogStat { length: 0, identity: 0 }),
        Err(error) => Err(io(&error, PATH, "be looked at")),
        Ok(found) if !found.is_file() => {
            Err(failure(FailureReason::Other, format!("{PATH} is not a regular file. Move it away")))
        }
        Ok(found) => Ok(LogStat { length: found.len(), identity: identity(&found) }),
    }
}

/// Another number for another file, even if it got the number of one that was removed.
fn identity(found: &Metadata) -> u64 {
    let mut hasher = DefaultHasher::new();
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt;
        (found.dev(), found.ino()).hash(&mut hasher);
    }
    if let Ok(created) = found.created() {
        created.into_std().hash(&mut hasher);
    }
    hasher.finish().max(1)
}

/// At most `limit` bytes from `offset` on.
pub(super) fn read(root: &Dir, offset: u64, limit: u32) -> Result<Vec<u8>, Failure> {
    // No more room than there are bytes: a guest may ask for four gigabytes.
    let rest = stat(root)?.length.saturating_sub(offset).min(u64::from(limit));
    let mut bytes = Vec::with_capacity(rest as usize);
    if rest == 0 {
        return Ok(bytes);
    }
    let read = || {
        let mut file = root.open(PATH)?;
        file.seek(SeekFrom::Start(offset))?;
        file.take(rest).read_to_end(&mut bytes)
    };
    match { read }() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(io(&error, PATH, "be read")),
        Ok(_) => Ok(bytes),
    }
}

/// Appends lines in one write, behind a line feed if the log does not end in one, and waits for the disk.
///
/// Between that look and the write another process may be killed in the middle of its own write, or run out of disk, and
/// these lines come to stand on its torn line, where nobody reads them: so they are looked for, and appended again.
pub(super) fn append(root: &Dir, lines: &[u8]) -> Result<u64, Failure> {
    let is_new = stat(root)?.identity == 0;
    let appended = || {
        if is_new {
            target::make_folders(root, Path::new("garnish"))?;
        }
        let mut file = open(root)?;
        let on_a_fresh_line = [b"\n", lines].concat();
        for _ in 0..ATTEMPTS {
            let before = file.metadata()?.len();
            let bytes = if ends_torn(&file, before)? { &on_a_fresh_line } else { lines };
            write_once(&mut file, bytes)?;
            if stands_alone(&file, before, &on_a_fresh_line)? {
                file.sync_all()?;
                if is_new {
                    target::sync_folder(root, Path::new("garnish"))?;
                }
                return Ok(file.metadata()?.len());
            }
        }
        Err(io::Error::other("others write torn lines into it all the time"))
    };
    appended().map_err(|error: io::Error| io(&error, PATH, "be appended to"))
}

fn open(root: &Dir) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    root.open_with(PATH, &options)
}

fn ends_torn(mut file: &File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(false) };
    file.seek(SeekFrom::Start(last))?;
    let mut byte = Vec::new();
    file.take(1).read_to_end(&mut byte)?;
    Ok(byte != b"\n")
}

/// Whether lines that were appended to `before` bytes are there, behind the end of another line or at the very start.
fn stands_alone(mut file: &File, before: u64, on_a_fresh_line: &[u8]) -> io::Result<bool> {
    let mut added = Vec::new();
    match before.checked_sub(1) {
        Some(last) => file.seek(SeekFrom::Start(last))?,
        None => {
            added.push(b'\n');
            file.seek(SeekFrom::Start(0))?
        }
    };
    file.read_to_end(&mut added)?;
    Ok(added.windows(on_a_fresh_line.len()).any(|found| found == on_a_fresh_line))
}

/// One call of the operating system: two processes that append never mix their lines. A rest that did not fit is not
/// tried again, it would be a second write; what is there is a torn line, which every reader skips and every append
/// isolates.
fn write_once(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    loop {
        match file.write(bytes) {
            Ok(written) if written == bytes.len() => return Ok(()),
            Ok(_) => return Err(ErrorKind::StorageFull.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
