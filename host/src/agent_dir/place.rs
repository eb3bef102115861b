//! Where a path of a tool call leads, as far as it concerns garnish. It never decides whether the call is allowed.

use std::path::{Path, PathBuf};

use super::failure::failure;
use super::links::{follow, lexical};
use crate::bindings::{Failure, FailureReason, Place, Resolution};

/// The place of `path`, seen from `cwd`.
///
/// `link/../config.yml` is one file for the operating system and another for a program that tidies the text first;
/// if either of the two concerns garnish, that one is the answer.
pub(super) fn resolve(root: &Path, code: &[PathBuf], path: &str, cwd: &str) -> Result<Resolution, Failure> {
    if !Path::new(cwd).is_absolute() {
        return Err(failure(FailureReason::Other, format!("{cwd:?} is not an absolute folder")));
    }
    if path.contains('\0') {
        return Err(failure(FailureReason::Other, format!("{path:?} cannot be a path")));
    }
    let asked = Path::new(cwd).join(path);
    // Whoever cannot follow a path (a loop, a name too long, a folder that may not be read) cannot write by it either,
    // so its text is the answer: one such path in a call must not keep the others from being judged.
    let real = |path: &Path| follow(path).unwrap_or_else(|_| lexical(path));
    let (by_links, by_text) = (real(&asked), real(&lexical(&asked)));
    let readings = [&by_links, &by_text].map(|found| (of_garnish(root, code, found), found));
    let (place, found) = match readings {
        [(Place::Outside, _), other] => other,
        [(Place::Above, _), other] if other.0 != Place::Outside => other,
        [first, _] => first,
    };
    Ok(Resolution { place, exists: found.symlink_metadata().is_ok() })
}

fn of_garnish(root: &Path, code: &[PathBuf], place: &Path) -> Place {
    // Code is installed in the agent dir too, and a folder that it lies in can be taken away.
    let holds_code = |code: &PathBuf| code.starts_with(place) && place.starts_with(root) && place != root;
    if code.iter().any(|code| place.starts_with(code) || holds_code(code)) {
        return Place::Component;
    }
    if let Ok(inside) = place.strip_prefix(root) {
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        return Place::Inside(parts.join("/"));
    }
    if root.starts_with(place) {
        return Place::Above;
    }
    linked_file(root, place).map_or(Place::Outside, Place::Inside)
}

/// A config file that is a link out of the agent dir: whoever writes to its target writes the config file.
fn linked_file(root: &Path, place: &Path) -> Option<String> {
    let entries = std::fs::read_dir(root).ok()?.flatten();
    let mut links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    let link = links.find(|link| follow(&link.path()).is_ok_and(|target| target == place))?;
    link.file_name().into_string().ok()
}
