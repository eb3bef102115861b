//! Every public case is held by something that is there: a folder that runs, a test, or a sentence in `docs/limits.md`.
//! The list is `fixtures/cases/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use host_test::{fixtures, folders};

const GROUPS: [(&str, usize); 6] = [("A", 11), ("B", 11), ("C", 15), ("D", 10), ("E", 8), ("F", 8)];

#[test]
fn each_public_case_is_held_by_something_that_is_there() {
    let root = fixtures().join("..");
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let limits = read("docs/limits.md");
    let cases = folders().into_iter().filter(|folder| folder.parent().is_some_and(|parent| parent.ends_with("cases")));
    let names: Vec<String> =
        cases.map(|folder| folder.file_name().unwrap_or_default().to_string_lossy().into_owned()).collect();
    let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in read("fixtures/cases/README.md").lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [id, _, held] = cells[..] else { panic!("a row of three cells: {row}") };
        if id == "id" {
            continue;
        }
        let mut by: Vec<String> = names.iter().filter(|name| name.starts_with(&format!("{id}-"))).cloned().collect();
        for (number, piece) in held.split('`').enumerate() {
            if number % 2 == 1 {
                let (file, test) = piece.split_once(": ").unwrap_or_else(|| panic!("{id}: `file: name`, not {piece}"));
                assert!(!test.trim().is_empty() && read(file).contains(test), "{id}: {file} has no test {test:?}");
                by.push(piece.into());
            } else if piece.contains("docs/limits.md") {
                assert!(
                    limits.contains(&format!("({id})")),
                    "{id}: docs/limits.md has no sentence that ends in ({id})"
                );
                by.push(piece.into());
            }
        }
        assert!(!by.is_empty(), "{id} is held by nothing");
        assert!(rows.insert(id.into(), by).is_none(), "{id} stands there twice");
    }
    let known: BTreeSet<&str> = rows.keys().map(String::as_str).collect();
    for name in &names {
        assert!(name.get(..3).is_some_and(|id| known.contains(id)), "{name} is a case without a row");
    }
    for (group, count) in GROUPS {
        assert_eq!(known.iter().filter(|id| id.starts_with(group)).count(), count, "cases of group {group}");
    }
}
