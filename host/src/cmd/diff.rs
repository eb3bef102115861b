//! What would change in a file, for people and for programs.
//!
//! It writes nothing and reads nothing: both texts are given.

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use crate::output::{BAD, FAINT, GOOD, STRONG, styled};

/// One file, before and after.
pub(super) struct Difference<'d> {
    path: &'d str,
    is_new: bool,
    before: String,
    after: String,
}

impl<'d> Difference<'d> {
    /// `before` is none for a file that is not there.
    pub(super) fn new(path: &'d str, before: Option<&[u8]>, after: &[u8]) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { path, is_new: before.is_none(), before: text(before.unwrap_or_default()), after: text(after) }
    }

    fn old_name(&self) -> String {
        if self.is_new { "/dev/null".into() } else { format!("a/{}", self.path) }
    }

    /// With a diff that `patch -p1` takes.
    pub(super) fn json(&self) -> Value {
        let diff = TextDiff::from_lines(&self.before, &self.after);
        let unified = diff.unified_diff().header(&self.old_name(), &format!("b/{}", self.path)).to_string();
        json!({ "path": self.path, "new": self.is_new, "diff": unified })
    }

    pub(super) fn coloured(&self) -> String {
        let diff = TextDiff::from_lines(&self.before, &self.after);
        let mut text = format!(
            "{}\n{}\n",
            styled(STRONG, format_args!("--- {}", self.old_name())),
            styled(STRONG, format_args!("+++ b/{}", self.path))
        );
        for hunk in diff.unified_diff().iter_hunks() {
            text.push_str(&format!("{}\n", styled(FAINT, hunk.header())));
            for change in hunk.iter_changes() {
                let line = change.value().trim_end_matches('\n');
                let line = format!("{}{line}", change.tag());
                text.push_str(&match change.tag() {
                    ChangeTag::Insert => styled(GOOD, line),
                    ChangeTag::Delete => styled(BAD, line),
                    ChangeTag::Equal => line,
                });
                text.push('\n');
                if change.missing_newline() {
                    text.push_str("\\ No newline at end of file\n");
                }
            }
        }
        text
    }
}
