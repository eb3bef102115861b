//! Reading quest packs: the bundled one, and every fault of a broken one at once.

#![allow(missing_docs, clippy::unwrap_used)]

use garnish_host::curriculum::Pack;

fn faults(files: &[(&str, &str)]) -> String {
    let files = files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned()));
    Pack::from_files(files).expect_err("this must be refused").to_string()
}

const PACK: &str = "\
id: demo
title: Demo
summary: A small one.
levels:
  - id: first
    order: 0
    title: First
    summary: You can begin.
    unlocks: [tool:file]
  - id: second
    order: 1
    title: Second
    summary: You can go on.
    unlocks: []
";

fn quest(id: &str, level: &str, more: &str) -> String {
    format!("---\nid: {id}\nlevel: {level}\ntitle: T\nsummary: S\nrequired: true\nxp: 5\n{more}---\nDo it.\n")
}

#[test]
fn the_bundled_pack_has_no_fault_and_is_the_folder() {
    let bundled = Pack::bundled().unwrap_or_else(|faults| panic!("{faults}"));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/curriculum");
    assert_eq!(bundled, Pack::from_dir(folder.as_ref(), None).unwrap());
    assert!(bundled.levels.len() > 1 && bundled.quests.len() > bundled.levels.len());
    assert!(bundled.quests.iter().all(|quest| !quest.body.trim().is_empty()));
}

#[test]
fn the_graph_has_levels_with_their_quests() {
    let files = [
        ("pack.yml", PACK.to_owned()),
        ("quests/00-first/b.md", quest("b", "first", "requires: [a]\nunlocks: [mcp]\n")),
        ("quests/00-first/a.md", quest("a", "first", "")),
        ("quests/01-second/c.md", quest("c", "second", "requires: [b]\n")),
    ];
    let pack = Pack::from_files(files.iter().rev().map(|(path, text)| ((*path).to_owned(), text.clone()))).unwrap();
    let text = pack.graph_json();
    assert!(text.ends_with("}\n"));
    let graph: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(graph["levels"][0]["quests"], serde_json::json!(["a", "b"]));
    assert_eq!(graph["levels"][0]["unlocks"], serde_json::json!(["tool:file"]));
    assert_eq!(graph["unlockEdges"], serde_json::json!([]));
    assert_eq!(
        graph["quests"][1],
        serde_json::json!({
            "id": "b", "level": "first", "title": "T", "summary": "S", "required": true, "xp": 5, "requires": ["a"],
            "unlocks": ["mcp"],
        })
    );
}

#[test]
fn every_fault_is_told_at_once_with_file_and_line() {
    let pack = PACK.replace("order: 1", "order: 0").replace("tool:file", "Tool:File").replace("id: demo\n", "");
    let text = faults(&[
        ("pack.yml", &pack),
        ("quests/00-first/a.md", &quest("a", "first", "requires:\n  - a\n  - nowhere\nunlocks: [x, x]\n")),
        ("quests/00-first/b.md", "---\nid: c\nlevel: third\nrequired: yes please\n---\n"),
        ("quests/00-first/d.md", "# No front matter\n"),
        ("quests/00-first/e.md", "---\nid: e\nid: e\n---\n"),
        ("quests/00-first/f.md", "---\nid: F f\nlevel: third\nxp: 1\nrequired: true\nsummary: S\n---\n"),
    ]);
    for expected in [
        "pack.yml:1: `id` is missing",
        "pack.yml:8: `Tool:File` is not a feature id",
        "pack.yml:10: the order 0 is there twice",
        "quests/00-first/a.md:9: `a` waits for `a` itself",
        "quests/00-first/a.md:10: there is no quest `nowhere`",
        "quests/00-first/a.md:11: `x` is unlocked twice",
        "quests/00-first/b.md:4: ",
        "quests/00-first/d.md:1: does not begin with a front matter",
        "quests/00-first/e.md:3: ",
        "quests/00-first/f.md:2: `F f` is not an id",
        "quests/00-first/f.md:2: `title` is missing",
        "quests/00-first/f.md:3: there is no level `third`; there are first, second",
    ] {
        assert!(text.contains(expected), "no {expected:?} in:\n{text}");
    }
}

#[test]
fn order_of_quests_is_checked() {
    let optional = quest("b", "second", "").replace("required: true", "required: false");
    let text = faults(&[
        ("pack.yml", PACK),
        ("quests/00-first/a.md", &quest("a", "first", "requires: [c]\n")),
        ("quests/01-second/b.md", &optional),
        ("quests/01-second/c.md", &quest("c", "second", "requires: [b]\n")),
        ("quests/00-first/d.md", &quest("d", "second", "")),
        ("quests/00-first/a2.md", &quest("a", "first", "")),
    ]);
    for expected in [
        "quests/00-first/a.md:8: `c` belongs to a later level",
        "quests/01-second/c.md:8: a required quest cannot wait for `b`, which is optional",
        "quests/00-first/d.md: this quest belongs into quests/01-second/d.md",
        "has the id `a`",
    ] {
        assert!(text.contains(expected), "no {expected:?} in:\n{text}");
    }
}

#[test]
fn a_folder_that_is_no_pack_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let text = Pack::from_dir(folder.path(), None).unwrap_err().to_string();
    assert!(text.contains("pack.yml: cannot be read") && text.contains("quests: cannot be read"), "{text}");
}
