//! From a path that the component names to the file that is meant: checked, all links followed, and inside the agent
//! dir, or allowed to be outside. It never reads or writes the file.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};

use super::failure::{failure, io};
use super::links;
use crate::bindings::{Failure, FailureReason};

/// A file by its folder and name there; the name is no link.
pub(super) struct Target {
    /// The folder, held open: from here on no link is followed any more.
    pub folder: Dir,
    pub name: OsString,
    /// For messages: the path asked for, and where it leads if that is elsewhere.
    pub shown: String,
}

impl Target {
    /// What is there, if anything is.
    ///
    /// # Errors
    ///
    /// `Other` for anything that is no regular file.
    pub fn metadata(&self) -> Result<Option<Metadata>, Failure> {
        let found = match self.folder.symlink_metadata(&self.name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found.map_err(|error| io(&error, &self.shown, "be looked at"))?,
        };
        if found.is_file() {
            return Ok(Some(found));
        }
        let kind = if found.is_dir() { "a folder" } else { "not a regular file" };
        Err(failure(FailureReason::Other, format!("{} is {kind}. Move it away", self.shown)))
    }
}

/// `path` as `wit/files.wit` allows it: relative, `/`-separated, without `.`, `..`, drive letter or NUL.
pub(super) fn checked(path: &str) -> Result<&Path, Failure> {
    let drive = path.as_bytes().get(1) == Some(&b':');
    let bad = |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', '\0']);
    if drive || path.split('/').any(bad) {
        let message = format!("{path:?} is not a path inside the agent dir");
        return Err(failure(FailureReason::Denied, message));
    }
    Ok(Path::new(path))
}

/// The file that `path` means; none when a folder on the way does not exist, or when a link out of the agent dir leads
/// to no file.
pub(super) fn find(root: &Dir, root_path: &Path, path: &str) -> Result<Option<Target>, Failure> {
    locate(root, root_path, path, false)
}

/// The file that `path` means, for writing it: missing folders inside the agent dir are made.
pub(super) fn find_or_make_folders(root: &Dir, root_path: &Path, path: &str) -> Result<Target, Failure> {
    let found = locate(root, root_path, path, true)?;
    found.ok_or_else(|| failure(FailureReason::NotFound, format!("a folder on the way to {path} does not exist")))
}

fn locate(root: &Dir, root_path: &Path, path: &str, to_write: bool) -> Result<Option<Target>, Failure> {
    let relative = checked(path)?;
    let denied = |message: String| Err(failure(FailureReason::Denied, message));
    let follow = |from: &Path| links::follow(from).map_err(|error| io(&error, path, "be found"));

    let parent = follow(&root_path.join(relative.parent().unwrap_or(Path::new(""))))?;
    if !parent.starts_with(root_path) {
        return denied(format!("{path} is in a folder that is a link to {}, out of the agent dir", parent.display()));
    }
    let name = relative.file_name().unwrap_or_default();
    let place = follow(&parent.join(name))?;
    let shown = if place == root_path.join(relative) {
        path.to_owned()
    } else {
        format!("{path} (a link to {})", place.display())
    };
    let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
        return denied(format!("{shown} is not a file"));
    };

    match folder.strip_prefix(root_path) {
        Ok(inside) => inside_folder(root, inside, &shown, to_write)
            .map(|folder| folder.map(|folder| Target { folder, name: name.to_owned(), shown })),
        Err(_) if relative.starts_with("garnish") => {
            denied(format!("{shown} is out of the agent dir; garnish's own files stay inside it"))
        }
        Err(_) => outside(folder, name, shown, root_path, to_write),
    }
}

/// An open folder inside the agent dir. cap-std opens it, so a folder swapped for a link in between leads nowhere.
fn inside_folder(root: &Dir, inside: &Path, shown: &str, make: bool) -> Result<Option<Dir>, Failure> {
    let inside = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
    let opened = match root.open_dir(inside) {
        Err(error) if error.kind() == ErrorKind::NotFound && !make => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make_folders(root, inside).and_then(|()| root.open_dir(inside))
        }
        opened => opened,
    };
    opened.map(Some).map_err(|error| io(&error, shown, "be reached"))
}

/// Makes the missing folders of a path, each on disk before the next.
pub(super) fn make_folders(root: &Dir, path: &Path) -> std::io::Result<()> {
    let mut made = PathBuf::new();
    for part in path {
        let above = if made.as_os_str().is_empty() { PathBuf::from(".") } else { made.clone() };
        made.push(part);
        #[allow(unused_mut)]
        let mut builder = cap_std::fs::DirBuilder::new();
        #[cfg(unix)]
        {
            use cap_std::fs::DirBuilderExt;
            builder.mode(0o700);
        }
        match root.create_dir_with(&made, &builder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => made.and_then(|()| sync_folder(root, &above))?,
        }
    }
    Ok(())
}

/// Makes what happened to a folder's names durable.
pub(super) fn sync_folder(root: &Dir, path: &Path) -> std::io::Result<()> {
    // Opened anew: cap-std holds folders in a way that cannot be synced. Windows has no such call at all.
    if cfg!(windows) { Ok(()) } else { root.open(path)?.sync_all() }
}

/// A config file that is itself a link out of the agent dir, into a dotfiles repository for example.
fn outside(
    folder: &Path,
    name: &OsStr,
    shown: String,
    root_path: &Path,
    to_write: bool,
) -> Result<Option<Target>, Failure> {
    let place = folder.join(name);
    let found = match std::fs::symlink_metadata(&place) {
        Err(error) if error.kind() == ErrorKind::NotFound && !to_write => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let message = format!(
                "{shown} leads out of the agent dir to a file that does not exist. Create that file, or remove the link"
            );
            return Err(failure(FailureReason::Denied, message));
        }
        found => found.map_err(|error| io(&error, &shown, "be looked at"))?,
    };
    if !found.is_file() {
        let message = format!("{shown} leads out of the agent dir to something that is not a regular file");
        return Err(failure(FailureReason::Denied, message));
    }
    if !same_owner(&found, root_path) {
        let message = format!("{shown} leads out of the agent dir to a file of another user");
        return Err(failure(FailureReason::Denied, message));
    }
    let folder =
        Dir::open_ambient_dir(folder, ambient_authority()).map_err(|error| io(&error, &shown, "be reached"))?;
    Ok(Some(Target { folder, name: name.to_owned(), shown }))
}

#[cfg(unix)]
fn same_owner(found: &std::fs::Metadata, root_path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(root_path).is_ok_and(|root| root.uid() == found.uid())
}

#[cfg(not(unix))]
fn same_owner(_found: &std::fs::Metadata, _root_path: &Path) -> bool {
    true
}
