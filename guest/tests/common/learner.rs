//! `config.yml` as learners write it: any valid mapping in any layout, with garnish's keys among their own.
//!
//! A file is drawn here as a tree with its layout; `write` puts it down.

mod write;

use proptest::prelude::*;

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
