//! Where a path really leads. It follows every link, one hop after the other, and goes on where nothing exists yet;
//! it never opens or changes anything.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// As many hops as Linux takes before it calls a path a loop.
const MOST_HOPS: usize = 40;

/// The place that an absolute path names, without links, `.` and `..`. What does not exist (the end of the path, the
/// referent of a dangling link) is kept as it is written.
///
/// # Errors
///
/// When links lead in a circle, or the operating system refuses to look.
pub(super) fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut done = PathBuf::new();
    let mut ahead = Vec::new();
    push(&mut ahead, path);
    let mut hops = 0;
    while let Some(part) = ahead.pop() {
        match Path::new(&part).components().next() {
            Some(Component::Normal(_)) => {}
            Some(Component::ParentDir) => {
                // `done` is free of links, so this is the parent that the operating system means.
                done.pop();
                continue;
            }
            Some(Component::CurDir) | None => continue,
            Some(Component::Prefix(_) | Component::RootDir) => {
                done.push(&part);
                continue;
            }
        }
        done.push(&part);
        match fs::symlink_metadata(&done) {
            Ok(found) if found.is_symlink() => {
                hops += 1;
                if hops > MOST_HOPS {
                    return Err(io::Error::other("its links lead in a circle"));
                }
                let target = fs::read_link(&done)?;
                done.pop();
                if target.has_root() {
                    done = PathBuf::new();
                }
                push(&mut ahead, &target);
            }
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(spelled(done))
}

fn push(ahead: &mut Vec<OsString>, path: &Path) {
    ahead.extend(path.components().rev().map(|component| component.as_os_str().to_owned()));
}

/// As the file system spells it, where it takes `CONFIG.YML` for `config.yml`.
#[cfg(not(target_os = "linux"))]
fn spelled(path: PathBuf) -> PathBuf {
    for existing in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (existing.canonicalize(), path.strip_prefix(existing)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path
}

#[cfg(target_os = "linux")]
fn spelled(path: PathBuf) -> PathBuf {
    path
}

/// The path with `.` and `..` taken away by its text alone, as many programs do before they open it.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut done = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                done.pop();
            }
            other => done.push(other),
        }
    }
    done
}
