//! `garnish unlock --all | --level LEVEL`: opens without earning.

use super::Context;
use crate::bindings::Selector;
use crate::output::{Answer, Ended};

/// Everything when `level` is none.
pub(crate) fn run(context: &Context, level: Option<String>) -> Result<Answer, Ended> {
    let (mut garnish, ..) = context.garnish_with_graph()?;
    let what = level.map_or(Selector::All, Selector::Level);
    Ok(super::outcome(garnish.unlock(&what)?))
}
