//! `garnish complete QUEST`: records a finished quest, and applies what it opens.

use super::Context;
use crate::output::{Answer, Ended};

pub(crate) fn run(context: &Context, quest: &str) -> Result<Answer, Ended> {
    let (mut garnish, ..) = context.garnish_with_graph()?;
    Ok(super::outcome(garnish.complete(quest)?))
}
