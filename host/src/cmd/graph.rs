//! `garnish graph --format mermaid|dot|svg`: the levels, their quests and what they unlock, as a picture. It reads the graph
//! as the component has accepted it, and what is done from the log.

use std::fmt::Write as _;

use serde_json::json;

use super::{Context, graph_text::Graph};
use crate::output::{Answer, Ended, Exit};

/// What the picture is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For Markdown that shows diagrams
    Mermaid,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
}

pub(crate) fn run(context: &Context, format: Format) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let (mut garnish, setup, bytes) = context.garnish_with_graph()?;
    let progress = super::fold(&mut garnish, &mut dir, &setup, &bytes)?.progress;
    let graph = Graph::read(&bytes);
    let text = match format {
        Format::Mermaid => mermaid(&graph, &progress.completed_quests),
        Format::Dot => dot(&graph, &progress.completed_quests),
        Format::Svg => svg(&graph, &progress.completed_quests),
    };
    Ok(Answer { json: json!({ "graph": text }), text, exit: Exit::Done })
}

/// What a level gives besides the next one: its own unlocks and those of its quests.
fn gives(graph: &Graph, index: usize) -> Vec<&str> {
    let Some(level) = graph.levels.get(index) else { return Vec::new() };
    let own = level.unlocks.iter().map(String::as_str);
    let quests = graph.quests_of(&level.id);
    let of_quests = quests.iter().flat_map(|quest| quest.unlocks.iter().map(String::as_str));
    let mut all: Vec<&str> = own.chain(of_quests).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn mermaid(graph: &Graph, done: &[String]) -> String {
    // Mermaid has entities where others have escapes.
    let quoted = |text: &str| format!("\"{}\"", text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;"));
    let mut text = "flowchart LR\n".to_owned();
    for (index, level) in graph.levels.iter().enumerate() {
        let _ = writeln!(text, "  subgraph level{index}[{}]", quoted(&level.title()));
        for quest in graph.quests_of(&level.id) {
            let mark = if done.contains(&quest.id) { "✓ " } else { "" };
            let (open, close) = if quest.required { ("[", "]") } else { ("(", ")") };
            let _ = writeln!(text, "    {}{open}{}{close}", quest.id, quoted(&format!("{mark}{}", quest.title())));
        }
        let _ = writeln!(text, "  end");
        if index > 0 {
            let _ = writeln!(text, "  level{} --> level{index}", index - 1);
        }
        for feature in gives(graph, index) {
            let _ = writeln!(text, "  level{index} -.-> {}([{}])", feature.replace([':', '.'], "_"), quoted(feature));
        }
    }
    text
}

fn dot(graph: &Graph, done: &[String]) -> String {
    let mut text =
        "digraph garnish {\n  rankdir=LR;\n  compound=true;\n  node [shape=box, fontname=\"sans-serif\"];\n".to_owned();
    for (index, level) in graph.levels.iter().enumerate() {
        let _ = writeln!(
            text,
            "  subgraph cluster_{index} {{\n    label={};\n    level{index} [shape=point, style=invis];",
            quoted(&level.title())
        );
        for quest in graph.quests_of(&level.id) {
            let style = match (done.contains(&quest.id), quest.required) {
                (true, _) => "style=filled, fillcolor=\"#cfe8cf\"",
                (false, true) => "style=solid",
                (false, false) => "style=dashed",
            };
            let _ = writeln!(text, "    {} [label={}, {style}];", quoted(&quest.id), quoted(quest.title()));
        }
        text.push_str("  }\n");
        if index > 0 {
            let _ = writeln!(
                text,
                "  level{} -> level{index} [ltail=cluster_{}, lhead=cluster_{index}];",
                index - 1,
                index - 1
            );
        }
        for feature in gives(graph, index) {
            let _ = writeln!(
                text,
                "  {0} [shape=ellipse];\n  level{index} -> {0} [ltail=cluster_{index}, style=dotted];",
                quoted(feature)
            );
        }
    }
    text.push_str("}\n");
    text
}

const WIDTH: usize = 210;
const GAP: usize = 40;
const ROW: usize = 26;
const HEAD: usize = 34;

/// One column for each level: its quests, and below them what it gives.
fn svg(graph: &Graph, done: &[String]) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // A column is as wide as about 30 letters.
    let short = |text: &str| match text.char_indices().nth(29) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    };
    let rows = |index: usize| graph.levels.get(index).map_or(0, |level| graph.quests_of(&level.id).len());
    let most = (0..graph.levels.len()).map(|index| rows(index) + gives(graph, index).len()).max().unwrap_or(0);
    let (width, height) = (graph.levels.len() * (WIDTH + GAP) + GAP, HEAD + most * ROW + 60);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (index, level) in graph.levels.iter().enumerate() {
        let x = GAP + index * (WIDTH + GAP);
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"10\" width=\"{WIDTH}\" height=\"{}\" rx=\"6\" fill=\"#f4f4f4\" stroke=\"#888\"/>",
            HEAD + rows(index) * ROW
        );
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"32\" font-weight=\"bold\">{}</text>",
            x + 8,
            escaped(&short(&level.title()))
        );
        if index > 0 {
            let _ = writeln!(
                text,
                "<path d=\"M{} 27 h{} m-6 -4 l6 4 l-6 4\" fill=\"none\" stroke=\"#444\"/>",
                x - GAP,
                GAP
            );
        }
        let mut y = 10 + HEAD;
        for quest in graph.quests_of(&level.id) {
            let fill = if done.contains(&quest.id) { "#cfe8cf" } else { "white" };
            let dash = if quest.required { "" } else { " stroke-dasharray=\"4 3\"" };
            let _ = writeln!(
                text,
                "<rect x=\"{}\" y=\"{y}\" width=\"{}\" height=\"20\" rx=\"3\" fill=\"{fill}\" stroke=\"#aaa\"{dash}><title>{}</title></rect>",
                x + 6,
                WIDTH - 12,
                escaped(&quest.id)
            );
            let _ = writeln!(text, "<text x=\"{}\" y=\"{}\">{}</text>", x + 12, y + 14, escaped(&short(quest.title())));
            y += ROW;
        }
        y += 12;
        for feature in gives(graph, index) {
            let _ = writeln!(
                text,
                "<text x=\"{}\" y=\"{}\" fill=\"#205080\">→ {}</text>",
                x + 8,
                y + 14,
                escaped(&short(feature))
            );
            y += ROW - 6;
        }
    }
    text.push_str("</svg>\n");
    text
}
