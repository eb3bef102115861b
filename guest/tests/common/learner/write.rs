//! Writes a drawn file out. Each character is put down as the learner's or as part of what garnish may replace, so what
//! must survive is known without reading the file.

use std::collections::BTreeSet;

use garnish_guest::gate_config::{LeafForm, leaves};

use super::{Entry, Gap, Item, Learner, Node, Style};
use crate::common::Rules;

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
                some => self.theirs(&format!("*{}", self.anchors[at % some])),
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
