//! `garnish hint QUEST`: shows a quest's hint, and records that it was opened: the badge for a level cleared without one is
//! gone then.

use serde_json::json;

use super::{Context, graph_text::Graph};
use crate::curriculum::{BUNDLED, hint_in};
use crate::effects::Effects;
use crate::output::{Answer, Ended, FAINT, styled};

/// Where `init` keeps the texts of a pack, inside the agent dir.
pub(super) const PACK: &str = "garnish/pack";

pub(crate) fn run(context: &Context, quest: &str) -> Result<Answer, Ended> {
    let (mut garnish, _, graph) = context.garnish_with_graph()?;
    let mut answer = super::outcome(garnish.open_hint(quest)?);
    if answer.exit == crate::output::Exit::Done {
        let hint = text_of(context, &Graph::read(&graph), quest)?;
        answer.text.push_str(&match &hint {
            Some(hint) => format!("\n{hint}\n"),
            None => format!("{}\n", styled(FAINT, "The pack has no hint for this quest.")),
        });
        answer.json["hint"] = json!(hint);
    }
    Ok(answer)
}

/// The hint in the pack that was installed, else in the bundled one.
fn text_of(context: &Context, graph: &Graph, quest: &str) -> Result<Option<String>, Ended> {
    let level = graph.quests.iter().find(|known| known.id == quest).and_then(|quest| graph.level(&quest.level));
    let Some(level) = level else { return Ok(None) };
    let path = format!("quests/{:02}-{}/{quest}.md", level.order, level.id);
    let installed = context.dir()?.read(&format!("{PACK}/{path}"))?;
    let text = installed.map(|content| String::from_utf8_lossy(&content.bytes).into_owned());
    let text = text.or_else(|| BUNDLED.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned()));
    Ok(text.as_deref().and_then(hint_in))
}
