//! `mcp.json` as learners write it: any object in any layout, with garnish's list among their own keys.

use proptest::prelude::*;

/// A JSON text whose members are known apart.
#[derive(Debug, Clone)]
pub struct LearnerJson {
    members: Vec<(Member, u8)>,
    layout: Layout,
    bom: bool,
    final_break: bool,
}

#[derive(Debug, Clone)]
enum Member {
    /// The learner's own, by number.
    Own(Json),
    Deny(Vec<&'static str>),
    Schema(&'static str),
    /// Garnish's key with something that is no list.
    Odd(&'static str),
}

#[derive(Debug, Clone)]
enum Json {
    Word(String),
    List(Vec<Json>),
    Map(Vec<Json>),
}

#[derive(Debug, Clone, Copy)]
struct Layout {
    /// None: on one line.
    indent: Option<&'static str>,
    space: &'static str,
    crlf: bool,
}

/// A file, and what of it must survive.
pub struct WrittenJson {
    pub text: String,
    pieces: Vec<String>,
}

fn value() -> impl Strategy<Value = Json> {
    let word = prop::sample::select(vec![
        "1",
        "-0.50",
        "1E+2",
        "1e3",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a b\"",
        "\"\\u00e9\\n\\\"[\"",
        "\"é\"",
        "\"${TOKEN}\"",
        "\"disabledServers\"",
        "\"//\"",
        "0.10",
        "12345678901234567890",
        "\"https://x.y\"",
        "{}",
        "[]",
        "[ ]",
    ]);
    word.prop_map(|word| Json::Word(word.into())).prop_recursive(4, 16, 4, |inner| {
        let many = prop::collection::vec(inner, 0..4);
        prop_oneof![many.clone().prop_map(Json::List), many.prop_map(Json::Map)]
    })
}

/// Any `mcp.json` of a learner's.
pub fn learner_json() -> impl Strategy<Value = LearnerJson> {
    let names =
        vec!["\"garnish-demo\"", "\"mine\"", "\"garnish\\u002ddemo\"", "\"other\"", "7", "null", "{\"a\": 1}", "[1]"];
    let member = prop_oneof![
        10 => value().prop_map(Member::Own),
        4 => prop::collection::vec(prop::sample::select(names), 0..5).prop_map(Member::Deny),
        1 => prop::sample::select(vec!["\"\"", "\"./own.json\"", "null", "1"]).prop_map(Member::Schema),
        1 => prop::sample::select(vec!["null", "null", "null", "true", "{}"]).prop_map(Member::Odd),
    ];
    let layout = (
        prop_oneof![1 => Just(None), 3 => prop::sample::select(vec!["  ", "    ", "\t", " "]).prop_map(Some)],
        prop::sample::select(vec![" ", " ", "", "  "]),
        prop::bool::weighted(0.2),
    );
    (prop::collection::vec((member, 0..4u8), 0..6), layout, prop::bool::weighted(0.1), prop::bool::weighted(0.8))
        .prop_map(|(members, (indent, space, crlf), bom, final_break)| LearnerJson {
            members,
            layout: Layout { indent, space, crlf },
            bom,
            final_break,
        })
}

impl Layout {
    fn line(self, out: &mut String, depth: usize) {
        if let Some(indent) = self.indent {
            out.push_str(if self.crlf { "\r\n" } else { "\n" });
            out.push_str(&indent.repeat(depth));
        }
    }

    fn json(self, out: &mut String, json: &Json, depth: usize) {
        let (open, close, items) = match json {
            Json::Word(word) => return out.push_str(word),
            Json::List(items) => ('[', ']', items),
            Json::Map(items) => ('{', '}', items),
        };
        out.push(open);
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            self.line(out, depth + 1);
            if open == '{' {
                out.push_str(&format!("\"k{i}\":{}", self.space));
            }
            self.json(out, item, depth + 1);
        }
        if !items.is_empty() {
            self.line(out, depth);
        }
        out.push(close);
    }
}

impl LearnerJson {
    /// Writes the file out.
    pub fn write(&self) -> WrittenJson {
        let layout = self.layout;
        let (mut text, mut pieces) = (String::new(), Vec::new());
        if self.bom {
            text.push('\u{feff}');
        }
        text.push('{');
        let mut seen = Vec::new();
        let mut first = true;
        for (i, (member, blank)) in self.members.iter().enumerate() {
            let key = match member {
                Member::Own(_) if i == 1 => "\"mcpServers\"".to_string(),
                Member::Own(_) if *blank == 3 => format!("\"k\\u0065y{i}\""),
                Member::Own(_) => format!("\"own {i}\""),
                Member::Deny(_) | Member::Odd(_) if *blank == 3 => "\"disabled\\u0053ervers\"".into(),
                Member::Deny(_) | Member::Odd(_) => "\"disabledServers\"".into(),
                Member::Schema(_) => "\"$schema\"".into(),
            };
            let name = key.replace("\\u0053", "S");
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            if !std::mem::take(&mut first) {
                text.push(',');
            }
            if *blank == 2 && layout.indent.is_some() {
                text.push_str(if layout.crlf { "\r\n" } else { "\n" });
            }
            layout.line(&mut text, 1);
            let from = text.len();
            text.push_str(&format!("{key}:{}", layout.space));
            match member {
                Member::Own(json) => layout.json(&mut text, json, 1),
                Member::Schema(word) => text.push_str(word),
                Member::Odd(word) => {
                    pieces.push(text[from..].trim_end().to_string());
                    text.push_str(word);
                    continue;
                }
                Member::Deny(items) => {
                    pieces.push(text[from..].trim_end().to_string());
                    text.push('[');
                    for (i, item) in items.iter().enumerate() {
                        if i > 0 {
                            text.push(',');
                        }
                        layout.line(&mut text, 2);
                        text.push_str(item);
                        pieces.push(item.to_string());
                    }
                    if !items.is_empty() {
                        layout.line(&mut text, 1);
                    }
                    text.push(']');
                    continue;
                }
            }
            pieces.push(text[from..].to_string());
        }
        if !first {
            layout.line(&mut text, 0);
        }
        text.push('}');
        if self.final_break {
            text.push_str(if layout.crlf { "\r\n" } else { "\n" });
        }
        WrittenJson { text, pieces }
    }
}

impl WrittenJson {
    /// What of the learner's is not in `after`, or not in its order; none: all is.
    pub fn lost(&self, after: &str) -> Option<String> {
        let mut at = 0;
        for piece in &self.pieces {
            match after[at..].find(piece.as_str()) {
                Some(found) => at += found + piece.len(),
                None => return Some(piece.clone()),
            }
        }
        let end = |text: &str| text[text.trim_end().len()..].to_string();
        (end(&self.text) != end(after)).then(|| "the end of the file".into())
    }
}
