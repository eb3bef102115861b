//! Reading a file whole, and replacing it whole: the old bytes or the new ones, never anything between, and no other
//! file left behind. A process that was killed while it wrote leaves one; the next write there takes it away. It never
//! edits in place.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::time::Duration;

use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use cap_std::time::SystemTime;

use super::failure::{failure, io};
use super::target::{self, Target};
use crate::bindings::{Content, Failure, FailureReason};
use crate::digest;

/// As `wit/files.wit` says; far over every file that garnish reads.
const MOST_BYTES: u64 = 4 << 20;

/// So long after the last byte no write is still on its way to its rename, on no disk: whoever began it is gone. Were it
/// not, its rename would fail, and the old bytes stand.
const ABANDONED: Duration = Duration::from_secs(600);

/// The file's bytes and version; none when there is no such file.
pub(super) fn read(target: &Target) -> Result<Option<Content>, Failure> {
    let Some(found) = target.metadata()? else { return Ok(None) };
    let too_large = |length| {
        let message = format!("{} is {length} bytes long; {MOST_BYTES} is the most", target.shown);
        Err(failure(FailureReason::TooLarge, message))
    };
    if found.len() > MOST_BYTES {
        return too_large(found.len());
    }
    let mut bytes = Vec::with_capacity(found.len() as usize);
    let opened = target.folder.open_with(&target.name, &regular_only());
    let read = opened.and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io(&error, &target.shown, "be read")),
        Ok(length) if length as u64 > MOST_BYTES => too_large(length as u64),
        Ok(_) => Ok(Some(Content { version: digest::of(&bytes), bytes })),
    }
}

/// For reading a file that was regular a moment ago, without hanging if it has become a pipe since.
fn regular_only() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    options
}

/// Replaces the file, if it is at `expected`. Answers the version written.
pub(super) fn write(target: &Target, expected: Option<u64>, bytes: &[u8]) -> Result<u64, Failure> {
    let shown = target.shown.as_str();
    let failed = |error: io::Error| io(&error, shown, "be written");
    let before = target.metadata()?;
    check_version(target, expected)?;
    if before.is_some() {
        check_writable(target)?;
    }

    let mut temporary = Temporary::beside(target).map_err(failed)?;
    temporary.sweep();
    let file = &mut temporary.file;
    file.write_all(bytes).map_err(failed)?;
    if let Some(before) = &before {
        keep_owner_and_mode(file, before).map_err(failed)?;
    }
    file.sync_all().map_err(failed)?;
    // Once more, as late as it can be: what was written since is somebody's work.
    check_version(target, expected)?;
    temporary.take_place(&target.name, expected.is_none()).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => conflict(shown),
        _ => failed(error),
    })?;
    target::sync_folder(&target.folder, Path::new(".")).map_err(|error| {
        let message = format!("{shown} is written, but may not survive a power cut: {error}");
        failure(FailureReason::Other, message)
    })?;
    Ok(digest::of(bytes))
}

fn conflict(shown: &str) -> Failure {
    failure(FailureReason::Conflict, format!("{shown} was changed by somebody else in the meantime"))
}

fn check_version(target: &Target, expected: Option<u64>) -> Result<(), Failure> {
    let now = read(target)?.map(|content| content.version);
    if now == expected { Ok(()) } else { Err(conflict(&target.shown)) }
}

/// A rename would replace a write-protected file too, against its owner's word.
#[cfg(unix)]
fn check_writable(target: &Target) -> Result<(), Failure> {
    use rustix::fs::{Access, AtFlags, accessat};
    accessat(&target.folder, &target.name, Access::WRITE_OK, AtFlags::empty())
        .map_err(|error| io(&error.into(), &target.shown, "be written"))
}

#[cfg(not(unix))]
fn check_writable(target: &Target) -> Result<(), Failure> {
    match target.metadata()? {
        Some(found) if found.permissions().readonly() => {
            Err(failure(FailureReason::Denied, format!("{} is write-protected", target.shown)))
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, before: &Metadata) -> io::Result<()> {
    use cap_std::fs::MetadataExt;
    use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (before.uid(), before.gid()) {
        // Owner first: a change of owner takes bits of the mode away.
        fchown(file, Some(Uid::from_raw(before.uid())), Some(Gid::from_raw(before.gid())))?;
    }
    fchmod(file, Mode::from_raw_mode(before.mode() & 0o7777))?;
    Ok(())
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, before: &Metadata) -> io::Result<()> {
    file.set_permissions(before.permissions())
}

const BEFORE_RANDOM: &str = ".garnish-";
const BEHIND_RANDOM: &str = ".tmp";

/// Whether a file is called what [`Temporary`] calls its own.
fn is_temporary(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(BEFORE_RANDOM)?.strip_suffix(BEHIND_RANDOM));
    random.is_some_and(|random| random.len() == 16 && random.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Takes away what killed writers left in a folder.
pub(super) fn sweep(folder: &Dir, now: SystemTime) {
    let Ok(entries) = folder.entries() else { return };
    for entry in entries.flatten().filter(|entry| is_temporary(&entry.file_name())) {
        let modified = entry.metadata().and_then(|found| found.modified());
        if modified.is_ok_and(|then| now.duration_since(then).is_ok_and(|age| age >= ABANDONED)) {
            // What cannot be taken away now is looked at again by the next write.
            let _ = folder.remove_file(entry.file_name());
        }
    }
}

/// A new file beside the target, which is gone again unless it takes the target's place.
struct Temporary<'a> {
    folder: &'a Dir,
    name: OsString,
    file: File,
    in_place: bool,
}

impl<'a> Temporary<'a> {
    fn beside(target: &'a Target) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut tries = 0;
        loop {
            // Short, and not made from the target's name, which may be as long as names can be.
            let random = RandomState::new().hash_one(tries);
            let name = OsString::from(format!("{BEFORE_RANDOM}{random:016x}{BEHIND_RANDOM}"));
            match target.folder.open_with(&name, &options) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && tries < 16 => tries += 1,
                opened => {
                    return opened.map(|file| Self { folder: &target.folder, name, file, in_place: false });
                }
            }
        }
    }

    /// Age is told by the clock that gave this file its time: one elsewhere on the network cannot make a writer look gone
    /// that is not.
    fn sweep(&self) {
        if let Ok(now) = self.file.metadata().and_then(|own| own.modified()) {
            sweep(self.folder, now);
        }
    }

    fn take_place(&mut self, name: &OsStr, must_be_new: bool) -> io::Result<()> {
        let renamed =
            if must_be_new { self.rename_new(name) } else { self.folder.rename(&self.name, self.folder, name) };
        self.in_place = renamed.is_ok();
        renamed
    }

    /// Without replacing anything, where the file system can promise that.
    fn rename_new(&self, name: &OsStr) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            use rustix::io::Errno;
            match renameat_with(self.folder, &self.name, self.folder, name, RenameFlags::NOREPLACE) {
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                done => return Ok(done?),
            }
        }
        self.folder.rename(&self.name, self.folder, name)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.in_place {
            // What caused this is reported already; there is nobody left to tell about the leftover.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}
