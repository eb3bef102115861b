//! `config.yml` as learners write it: any valid mapping in any layout, with garnish's keys among their own.
//!
//! A file is drawn as a tree with its layout, then written; while it is written, each character is put down as the
//! learner's or as part of what garnish may replace. So what must survive is known without reading the file.

use std::collections::BTreeSet;

use garnish_guest::gate_config::{LeafForm, leaves};
use proptest::prelude::*;

use super::Rules;

/// One value with its layout. Only what is drawn is here; where it stands decides how it is written.
#[derive(Debug, Clone)]
pub enum Node {
    /// On one line, as it is.
    Word(String),
    /// Nothing is written.
    Nothing,
    /// A block scalar.
    Text {
        header: &'static str,
        lines: Vec<&'static str>,
    },
    /// A plain or quoted text over two lines.
    Folded([&'static str; 2]),
    List {
        items: Vec<Item>,
        style: Style,
    },
    Map {
        entries: Vec<Entry>,
        style: Style,
    },
    /// An alias of one of the anchors before, if there is one.
    Alias(usize),
}

#[derive(Debug, Clone)]
pub struct Item {
    before: Vec<Gap>,
    node: Node,
    note: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub struct Entry {
    before: Vec<Gap>,
    /// None: a name of its own.
    name: Option<&'static str>,
    spelling: u8,
    anchor: bool,
    node: Node,
    note: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
pub enum Style {
    Block,
    /// In brackets on one line, with or without spaces.
    Line(bool),
    /// In brackets, one line each; with a comma behind the last, with comments.
    Lines {
        comma: bool,
        notes: bool,
    },
}

#[derive(Debug, Clone)]
enum Gap {
    Blank,
    Comment(&'static str, bool),
}

/// A whole file.
#[derive(Debug, Clone)]
pub struct Learner {
    entries: Vec<Entry>,
    end: Vec<Gap>,
    step: usize,
    flush_lists: bool,
    bom: bool,
    crlf: bool,
    start: Option<&'static str>,
    stop: Option<&'static str>,
    final_break: bool,
    /// The whole file in brackets.
    brackets: bool,
}

/// A file, and what of it must survive.
pub struct Written {
    pub text: String,
    pieces: Vec<Piece>,
    pub crlf: bool,
}

/// Something of the learner's.
#[derive(Debug, PartialEq)]
enum Piece {
    /// A whole line.
    Line(String),
    /// Part of a line on which garnish may write too.
    Part(String),
}

// ---------------------------------------------------------------------------------------------------- drawing

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z][a-z0-9_./-]{0,8}(-x| y z)".prop_map(String::from),
        4 => prop::sample::select(vec![
            "1", "-2.5", "true", "false", "null", "~", "plain", "two words", "yes", "off", "''", "\"\"", "'it''s # no'",
            "\"\\u00e9 # no \\\" x\"", "${VAR}", "https://x.y/z?a=b#c", "a#b", "2024-01-01", "é ü", "!!str 5", "'- x'",
            "\"a: b\"", "-x", "?x", ":x", "{}", "[]", "*", "1.10", "@x",
        ])
        .prop_map(|word| if matches!(word, "*" | "@x") { format!("'{word}'") } else { word.to_string() }),
    ]
}

fn text() -> impl Strategy<Value = Node> {
    let header = prop::sample::select(vec!["|", ">", "|-", ">-", "|+", "|  # c"]);
    let first = prop::sample::select(vec!["text", "# no comment", "key: value", "- item", "é"]);
    let line = prop::sample::select(vec!["text", "", "# no comment", "k: v", "- item", "[", "\"", "end"]);
    (header, first, prop::collection::vec(line, 0..3)).prop_map(|(header, first, mut lines)| {
        lines.insert(0, first);
        lines.push("last");
        Node::Text { header, lines }
    })
}

fn gaps() -> impl Strategy<Value = Vec<Gap>> {
    let comment =
        prop::sample::select(vec!["# c", "#", "# bash.enabled: true", "#! - \"x", "# é: [", "## enabled: no"]);
    let gap =
        prop_oneof![2 => Just(Gap::Blank), 3 => (comment, any::<bool>()).prop_map(|(c, flush)| Gap::Comment(c, flush))];
    prop_oneof![3 => Just(Vec::new()), 2 => prop::collection::vec(gap, 1..3)]
}

fn note() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![3 => Just(None), 1 => prop::sample::select(vec![" # n", "   #", "  # a: [b] \"", " # é"]).prop_map(Some)]
}

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![
        6 => Just(Style::Block),
        2 => any::<bool>().prop_map(Style::Line),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(comma, notes)| Style::Lines { comma, notes }),
    ]
}

fn entry_of(
    name: impl Strategy<Value = Option<&'static str>>,
    node: impl Strategy<Value = Node>,
) -> impl Strategy<Value = Entry> {
    (gaps(), name, 0..8u8, prop::bool::weighted(0.06), node, note())
        .prop_map(|(before, name, spelling, anchor, node, note)| Entry { before, name, spelling, anchor, node, note })
}

fn items(node: impl Strategy<Value = Node>, most: usize) -> impl Strategy<Value = Vec<Item>> {
    let item = (gaps(), node, note()).prop_map(|(before, node, note)| Item { before, node, note });
    prop::collection::vec(item, 0..most)
}

/// A value of the learner's own.
fn node() -> impl Strategy<Value = Node> {
    let single = prop_oneof![
        6 => word().prop_map(Node::Word),
        1 => Just(Node::Nothing),
        1 => text(),
        1 => prop::sample::select(vec![["plain", "goes on"], ["\"in", "quotes\""], ["'in", "# quotes'"]]).prop_map(Node::Folded),
        1 => (0..4usize).prop_map(Node::Alias),
    ];
    single.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            (items(inner.clone(), 4), style()).prop_map(|(items, style)| Node::List { items, style }),
            (prop::collection::vec(entry_of(Just(None), inner), 0..4), style())
                .prop_map(|(entries, style)| Node::Map { entries, style }),
        ]
    })
}

/// A value for a key of garnish's: mostly what belongs there.
fn owned_leaf(name: &'static str) -> BoxedStrategy<Node> {
    let words = |words: Vec<&'static str>| prop::sample::select(words).prop_map(|word| Node::Word(word.into()));
    let list = |names: Vec<&'static str>| {
        (items(words(names), 5), style()).prop_map(|(items, style)| Node::List { items, style })
    };
    let usual = match name {
        "includeSkills" => list(vec!["a", "'*'", "\"b c\"", "1"]).boxed(),
        "disabledProviders" => {
            list(vec!["claude", "'codex'", "gemini", "mine", "\"cursor\"", "7", "null", "{a: b}", "github"]).boxed()
        }
        "disabledExtensions" => {
            list(vec!["extension-module:garnish-demo", "'garnish-demo'", "mcp:x", "\"extension-module:mine\""]).boxed()
        }
        "approvalMode" => words(vec!["yolo", "write", "'always-ask'", "\"yolo\"", "odd"]).boxed(),
        "maxRecursionDepth" => words(vec!["0", "2", "-1", "0.0", "'0'"]).boxed(),
        _ => words(vec!["true", "false", "True", "'true'", "\"no\"", "~", "1", "FALSE"]).boxed(),
    };
    let foreign = matches!(name, "disabledProviders" | "disabledExtensions");
    let odd = if foreign { Just(Node::Nothing).boxed() } else { node().boxed() };
    prop_oneof![6 => usual, 1 => Just(Node::Nothing), 1 => odd].boxed()
}

/// A mapping that has keys of garnish's, with the learner's own beside them.
fn owned_map(leaves: &'static [&'static str]) -> impl Strategy<Value = Node> {
    let leaf = prop::sample::select(leaves).prop_flat_map(|name| entry_of(Just(Some(name)), owned_leaf(name)));
    let own = entry_of(Just(None), node());
    let entries = prop::collection::vec(prop_oneof![3 => leaf, 2 => own], 0..4);
    prop_oneof![
        12 => (entries, style()).prop_map(|(entries, style)| Node::Map { entries, style }),
        2 => Just(Node::Nothing),
        1 => prop::sample::select(vec!["~", "{}", "{ }"]).prop_map(|word| Node::Word(word.into())),
    ]
}

const TOOLS: [&str; 15] = [
    "bash", "read", "write", "edit", "glob", "grep", "task", "hub", "eval", "lsp", "ast_edit", "astEdit", "debug",
    "launch", "bash",
];

fn owned() -> impl Strategy<Value = Entry> {
    let some = |name: &'static str| Just(Some(name));
    prop_oneof![
        5 => prop::sample::select(&TOOLS[..]).prop_flat_map(move |name| {
            entry_of(some(name), owned_map(&["enabled", "js", "py", "maxRecursionDepth"]))
        }),
        1 => entry_of(some("skills"), owned_map(&["enabled", "includeSkills"])),
        1 => entry_of(some("mcp"), owned_map(&["enableProjectConfig"])),
        1 => entry_of(some("tools"), owned_map(&["approvalMode"])),
        2 => entry_of(some("disabledProviders"), owned_leaf("disabledProviders")),
        1 => entry_of(some("disabledExtensions"), owned_leaf("disabledExtensions")),
    ]
    // An anchor at a key of garnish's is refused, as it should be; seldom enough.
    .prop_map(|mut entry| {
        entry.anchor &= entry.spelling == 0;
        entry
    })
}

/// Any file of a learner's.
pub fn learner() -> impl Strategy<Value = Learner> {
    let entry = prop_oneof![1 => entry_of(Just(None), node()), 1 => owned()];
    let layout = (2..5usize, any::<bool>(), prop::bool::weighted(0.1), prop::bool::weighted(0.2));
    let start = prop_oneof![
        6 => Just(None),
        1 => prop::sample::select(vec!["---\n", "--- # c\n", "# c\n---\n", "%YAML 1.2\n---\n", "\n# c\n\n"]).prop_map(Some),
    ];
    let stop = prop_oneof![
        6 => Just(None),
        1 => prop::sample::select(vec!["...\n", "... # c\n", "...\n# c\n\n"]).prop_map(Some),
    ];
    let ends = (start, stop, prop::bool::weighted(0.8), prop::bool::weighted(0.04));
    (prop::collection::vec(entry, 0..7), gaps(), layout, ends).prop_map(
        |(entries, end, (step, flush_lists, bom, crlf), (start, stop, final_break, brackets))| Learner {
            entries,
            end,
            step,
            flush_lists,
            bom,
            crlf,
            start,
            stop,
            final_break,
            brackets,
        },
    )
}

// ---------------------------------------------------------------------------------------------------- writing

/// Whose a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Theirs,
    /// Garnish may replace it, or it only sets apart.
    Open,
}

/// What a path is to garnish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Theirs,
    /// Keys of garnish's are in it.
    Above,
    Leaf,
    Deny,
}

/// No character of the file: a place inside a line where garnish may write.
const SEAM: &str = "\0";

struct Sheet<'r> {
    chars: Vec<(char, Whose)>,
    leaves: BTreeSet<Vec<String>>,
    denies: BTreeSet<Vec<String>>,
    file: &'r Learner,
    anchors: Vec<String>,
    names: usize,
    path: Vec<String>,
    /// What is written now may all be replaced.
    open: bool,
}

impl Learner {
    /// Writes the file out.
    pub fn write(&self, rules: &Rules) -> Written {
        let (mut owned, mut denies) = (BTreeSet::new(), BTreeSet::new());
        for leaf in leaves(&rules.catalog, &rules.profile).iter().filter(|leaf| leaf.file == 0) {
            let to = if matches!(leaf.form, LeafForm::Deny(_)) { &mut denies } else { &mut owned };
            to.insert(leaf.path.clone());
        }
        let mut sheet = Sheet {
            chars: Vec::new(),
            leaves: owned,
            denies,
            file: self,
            anchors: Vec::new(),
            names: 0,
            path: Vec::new(),
            open: false,
        };
        sheet.theirs(self.start.unwrap_or_default());
        if self.brackets {
            sheet.flow_entries(&self.entries, Style::Lines { comma: false, notes: false }, 0);
            sheet.theirs("\n");
        } else {
            sheet.entries(&self.entries, 0);
        }
        sheet.gaps(&self.end, 0);
        // Behind nothing at all, others do not read an end mark.
        if !self.entries.is_empty() {
            sheet.theirs(self.stop.unwrap_or_default());
        }
        sheet.finish()
    }
}

impl Sheet<'_> {
    fn put(&mut self, text: &str, whose: Whose) {
        let whose = if self.open { Whose::Open } else { whose };
        self.chars.extend(text.chars().map(|c| (c, whose)));
    }

    fn theirs(&mut self, text: &str) {
        self.put(text, Whose::Theirs);
    }

    fn open(&mut self, text: &str) {
        self.put(text, Whose::Open);
    }

    fn place(&self) -> Place {
        if self.leaves.contains(&self.path) {
            return Place::Leaf;
        }
        if self.denies.contains(&self.path) {
            return Place::Deny;
        }
        let above = |leaf: &Vec<String>| leaf.len() > self.path.len() && leaf.starts_with(&self.path);
        if self.leaves.iter().any(above) { Place::Above } else { Place::Theirs }
    }

    /// Comments are never indented further than the key that they stand before: behind a block scalar they would be
    /// part of it.
    fn gaps(&mut self, gaps: &[Gap], column: usize) {
        for gap in gaps {
            match gap {
                Gap::Blank => self.theirs("\n"),
                Gap::Comment(text, flush) => {
                    let indent = " ".repeat(if *flush { 0 } else { column });
                    self.theirs(&format!("{indent}{text}\n"));
                }
            }
        }
    }

    fn name(&mut self, entry: &Entry, in_flow: bool) -> (String, String) {
        self.names += 1;
        let name = match entry.name {
            Some(name) => name.to_string(),
            None => match entry.spelling {
                5 => format!("bash.enabled{}", self.names),
                6 => format!("two words {}", self.names),
                7 if !in_flow => format!("é{}", self.names),
                _ => format!("k{}", self.names),
            },
        };
        let spelled = match entry.spelling {
            1 => format!("\"{name}\""),
            2 => format!("'{name}'"),
            _ => name.clone(),
        };
        (name, spelled)
    }

    /// A key twice in one mapping is no valid file.
    fn distinct<'e>(&self, entries: &'e [Entry]) -> Vec<&'e Entry> {
        let mut seen = BTreeSet::new();
        entries.iter().filter(|entry| entry.name.is_none_or(|name| seen.insert(name))).collect()
    }

    fn entries(&mut self, entries: &[Entry], column: usize) {
        for entry in self.distinct(entries) {
            self.gaps(&entry.before, column);
            self.theirs(&" ".repeat(column));
            self.entry(entry, column);
        }
    }

    /// From the key on, with the last break.
    fn entry(&mut self, entry: &Entry, column: usize) {
        let (name, spelled) = self.name(entry, false);
        self.path.push(name);
        let place = self.place();
        self.theirs(&spelled);
        let filled = matches!((&entry.node, place), (Node::Nothing, Place::Leaf | Place::Deny));
        self.put(":", if filled { Whose::Open } else { Whose::Theirs });
        let inner = column + self.file.step;
        let anchor =
            (entry.anchor && !matches!(entry.node, Node::Alias(_) | Node::Nothing)).then(|| format!("x{}", self.names));
        let anchored = anchor.is_some();
        if let Some(anchor) = &anchor {
            self.theirs(&format!(" &{anchor}"));
        }
        match (&entry.node, place) {
            // What stands in a mapping's place and is none is replaced.
            (Node::Word(word), Place::Above | Place::Deny) => {
                self.theirs(" ");
                self.open(word);
                self.end(entry.note);
            }
            (Node::Word(word), Place::Leaf) => {
                self.theirs(" ");
                self.open(word);
                self.end(entry.note);
            }
            (node, Place::Leaf) => {
                // Of a block, all goes; of brackets, all but the comment behind.
                let block = !matches!(node, Node::Nothing | Node::Alias(_))
                    && !matches!(node, Node::List { style, .. } | Node::Map { style, .. } if !matches!(style, Style::Block));
                let was = std::mem::replace(&mut self.open, true);
                if block {
                    self.behind_key(node, entry.note, column, inner);
                    self.open = was;
                } else {
                    self.behind_key(node, None, column, inner);
                    self.chars.pop();
                    self.open = was;
                    self.end(entry.note);
                }
            }
            (node, _) => self.behind_key(node, entry.note, column, inner),
        }
        // Known only once it is complete.
        if anchored {
            self.anchors.extend(anchor);
        }
        self.path.pop();
    }

    fn end(&mut self, note: Option<&str>) {
        self.theirs(note.unwrap_or_default());
        self.theirs("\n");
    }

    /// What stands behind the `:`, with the last break.
    fn behind_key(&mut self, node: &Node, note: Option<&'static str>, column: usize, inner: usize) {
        match node {
            Node::Map { entries, style: Style::Block } if !entries.is_empty() => {
                self.end(note);
                self.entries(entries, inner);
            }
            Node::List { items, style: Style::Block } if !items.is_empty() => {
                self.end(note);
                self.items(items, if self.file.flush_lists { column } else { inner });
            }
            Node::Nothing => self.end(note),
            Node::Text { header, lines } => {
                // Blank lines behind it would be part of a value that garnish may replace.
                let header = if self.open { header.trim_end_matches('+') } else { header };
                self.theirs(&format!(" {header}\n"));
                for line in lines {
                    let indent = if line.is_empty() { 0 } else { inner };
                    self.theirs(&format!("{}{line}\n", " ".repeat(indent)));
                }
            }
            Node::Folded([first, second]) => {
                self.theirs(&format!(" {first}\n{}{second}", " ".repeat(inner)));
                self.end(note);
            }
            node => {
                self.theirs(" ");
                self.flow(node, inner);
                self.end(note);
            }
        }
    }

    fn items(&mut self, items: &[Item], column: usize) {
        for item in items {
            self.gaps(&item.before, column);
            self.theirs(&" ".repeat(column));
            self.item(item, column);
        }
    }

    fn item(&mut self, item: &Item, column: usize) {
        self.theirs("-");
        let deny = self.place() == Place::Deny;
        let path = std::mem::take(&mut self.path);
        match &item.node {
            Node::Map { entries, style: Style::Block } if !entries.is_empty() => {
                self.theirs(" ");
                // The first stands behind the dash.
                for (i, entry) in self.distinct(entries).into_iter().enumerate() {
                    if i > 0 {
                        self.gaps(&entry.before, column + 2);
                        self.theirs(&" ".repeat(column + 2));
                    }
                    self.entry(entry, column + 2);
                }
            }
            Node::List { items, style: Style::Block } if !items.is_empty() && !deny => {
                self.theirs(" ");
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.gaps(&item.before, column + 2);
                        self.theirs(&" ".repeat(column + 2));
                    }
                    self.item(item, column + 2);
                }
            }
            node => self.behind_key(node, item.note, column, column + 2),
        }
        self.path = path;
    }

    /// A value between brackets, or a single one.
    fn flow(&mut self, node: &Node, indent: usize) {
        match node {
            Node::Word(word) => self.theirs(word),
            Node::Nothing => self.theirs("~"),
            Node::Text { .. } => self.theirs("'text # t'"),
            Node::Folded([first, second]) => self.theirs(&format!("{first} {second}")),
            Node::Alias(at) => match self.anchors.len() {
                0 => self.theirs("none"),
                some => self.theirs(format!("*{} ", self.anchors[at % some]).trim_end()),
            },
            Node::Map { entries, style } => self.flow_entries(entries, *style, indent),
            Node::List { items, style } => {
                let deny = self.place() == Place::Deny;
                let whose = if deny { Whose::Open } else { Whose::Theirs };
                let path = std::mem::take(&mut self.path);
                self.put("[", whose);
                for (i, item) in items.iter().enumerate() {
                    self.between(i, *style, whose, indent, &item.before);
                    let last = i + 1 == items.len();
                    // In brackets a value of garnish's lists is the learner's all the same.
                    match &item.node {
                        Node::Word(word)
                            if word.starts_with("?x") || word.starts_with(":x") || word.starts_with("!!") =>
                        {
                            self.theirs("odd");
                        }
                        Node::Word(word) => self.theirs(&unbracketed(word)),
                        node => self.flow(node, indent + 2),
                    }
                    self.behind(last, *style, whose, item.note);
                }
                self.close(items.is_empty(), *style, whose, indent, "]");
                self.path = path;
            }
        }
    }

    fn flow_entries(&mut self, entries: &[Entry], style: Style, indent: usize) {
        let whose = if self.place() == Place::Above { Whose::Open } else { Whose::Theirs };
        self.put("{", whose);
        let entries = self.distinct(entries);
        for (i, entry) in entries.iter().enumerate() {
            self.between(i, style, whose, indent, &entry.before);
            let (name, spelled) = self.name(entry, true);
            self.path.push(name);
            self.theirs(&spelled);
            self.theirs(":");
            self.put(" ", whose);
            let leaf = self.place() == Place::Leaf;
            let null = matches!(self.place(), Place::Above | Place::Deny);
            let was = self.open;
            self.open |= leaf;
            match &entry.node {
                Node::Word(word) if null => self.open(&unbracketed(word)),
                Node::Word(word) => self.theirs(&unbracketed(word)),
                Node::Nothing if null => self.open("~"),
                node => self.flow(node, indent + 2),
            }
            self.open = was;
            self.path.pop();
            self.behind(i + 1 == entries.len(), style, whose, entry.note);
        }
        self.close(entries.is_empty(), style, whose, indent, "}");
    }

    fn between(&mut self, i: usize, style: Style, whose: Whose, indent: usize, before: &[Gap]) {
        match style {
            Style::Line(_) | Style::Block if i == 0 => {}
            Style::Block => self.put(", ", whose),
            Style::Line(spaced) => self.put(if spaced { ", " } else { "," }, whose),
            Style::Lines { notes, .. } => {
                if notes && let Some(Gap::Comment(text, _)) = before.first() {
                    self.put("\n", whose);
                    self.theirs(&format!("{}{text}", " ".repeat(indent.max(1))));
                }
                self.put("\n", whose);
                self.put(&" ".repeat(indent.max(1)), whose);
            }
        }
    }

    fn behind(&mut self, last: bool, style: Style, whose: Whose, note: Option<&str>) {
        if let Style::Lines { comma, notes } = style {
            self.put(if comma || !last { "," } else { SEAM }, whose);
            if notes {
                self.theirs(note.unwrap_or_default());
            }
        }
    }

    fn close(&mut self, empty: bool, style: Style, whose: Whose, indent: usize, bracket: &str) {
        if let (Style::Lines { .. }, false) = (style, empty) {
            self.put("\n", whose);
            self.put(&" ".repeat(indent.saturating_sub(1)), whose);
        }
        self.put(bracket, whose);
    }

    fn finish(self) -> Written {
        let mut pieces = Vec::new();
        let mut chars = self.chars;
        if !self.file.final_break {
            chars.pop_if(|(c, _)| *c == '\n');
        }
        for line in chars.split_inclusive(|(c, _)| *c == '\n') {
            let whole = line.iter().all(|(_, whose)| *whose == Whose::Theirs);
            let line = line
                .strip_suffix(&[('\n', Whose::Theirs)])
                .or(line.strip_suffix(&[('\n', Whose::Open)]))
                .unwrap_or(line);
            if whole {
                pieces.push(Piece::Line(line.iter().map(|(c, _)| c).collect::<String>().replace(SEAM, "")));
                continue;
            }
            for part in line.split(|(_, whose)| *whose == Whose::Open) {
                let part: String = part.iter().map(|(c, _)| c).collect::<String>().replace(SEAM, "");
                if !part.trim().is_empty() {
                    pieces.push(Piece::Part(part.trim().to_string()));
                }
            }
        }
        let text: String = chars.iter().map(|(c, _)| c).collect();
        let text = text.replace(SEAM, "");
        let text = if self.file.crlf { text.replace('\n', "\r\n") } else { text };
        let text = if self.file.bom { format!("\u{feff}{text}") } else { text };
        Written { text, pieces, crlf: self.file.crlf }
    }
}

/// A word that may stand between brackets.
fn unbracketed(word: &str) -> String {
    match word {
        "?x" | ":x" | "${VAR}" => format!("'{word}'"),
        "https://x.y/z?a=b#c" => format!("\"{word}\""),
        word => word.to_string(),
    }
}

impl Written {
    /// What of the learner's is not in `after`, or not where it was; none: all is.
    pub fn lost(&self, after: &str) -> Option<String> {
        let strange = after.split('\n').rev().skip(1).any(|line| line.ends_with('\r') != self.crlf);
        if strange && self.text.contains('\n') {
            return Some("a line break is spelled otherwise".into());
        }
        if self.text.starts_with('\u{feff}') != after.starts_with('\u{feff}') {
            return Some("the byte order mark".into());
        }
        if !self.text.trim_start_matches('\u{feff}').is_empty() && self.text.ends_with('\n') != after.ends_with('\n') {
            return Some("the final break".into());
        }
        let lines: Vec<&str> =
            after.trim_start_matches('\u{feff}').split('\n').map(|line| line.trim_end_matches('\r')).collect();
        let (mut line, mut column) = (0, 0);
        for piece in &self.pieces {
            let found = match piece {
                Piece::Line(text) => {
                    let from = if column > 0 { line + 1 } else { line };
                    (from..lines.len()).find(|at| lines[*at] == text).map(|at| (at + 1, 0))
                }
                Piece::Part(text) => (line..lines.len()).find_map(|at| {
                    let from = if at == line { column } else { 0 };
                    lines[at].get(from..)?.find(text.as_str()).map(|found| (at, from + found + text.len()))
                }),
            };
            let Some(found) = found else { return Some(format!("{piece:?}")) };
            (line, column) = found;
        }
        None
    }
}
