//! The `garnish` command where the disk is full, may not be written to, or has something else in a file's place: it says
//! which file and what to do, exits with 4, and nothing that was there is changed.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use common::{Scratch, SmallDisk, is_root};

const LOG: &str = "garnish/events.jsonl";
const GRAPH: &str = r#"{"levels": [{"id": "one", "order": 0, "quests": [], "unlocks": ["tool:bash"]}],
    "quests": [{"id": "hello", "level": "one", "required": true, "xp": 1}], "unlockEdges": []}"#;

/// An agent dir whose config garnish holds. One event is in the log, with room behind it in its block of the disk.
fn held(scratch: &Scratch) {
    scratch.put("garnish/graph.json", GRAPH);
    scratch.put("config.yml", "# mine\ntheme: dark\nbash: {enabled: true}\n");
    scratch.put("mcp.json", "{\"mcpServers\": {}}\n");
    let (exit, said) = garnish(scratch, &["complete", "hello"]);
    assert_eq!(exit, 0, "{said}");
}

fn run(mut command: Command, scratch: &Scratch, arguments: &[&str]) -> (i32, String) {
    command.env("PI_CODING_AGENT_DIR", &scratch.agent).args(arguments);
    let output = command.output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), said)
}

fn garnish(scratch: &Scratch, arguments: &[&str]) -> (i32, String) {
    run(Command::new(env!("CARGO_BIN_EXE_garnish")), scratch, arguments)
}

/// The same as somebody who is not allowed everything.
fn garnish_of_another(scratch: &Scratch, arguments: &[&str]) -> (i32, String) {
    let program = scratch.outside("garnish");
    if !program.exists() {
        fs::copy(env!("CARGO_BIN_EXE_garnish"), &program).unwrap();
    }
    let mut command = Command::new(program);
    if is_root() {
        command.uid(65534).gid(65534);
    }
    run(command, scratch, arguments)
}

fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                all.insert(name, b"a folder".to_vec());
                walk(root, &path, all);
            } else {
                all.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(folder, folder, &mut all);
    all
}

#[track_caller]
fn contains(said: &str, words: &[&str]) {
    words.iter().for_each(|word| assert!(said.contains(word), "no {word:?} in: {said}"));
}

#[test]
fn a_disk_too_full_for_the_event_records_nothing_and_says_so() {
    let Some(disk) = SmallDisk::mount() else { return };
    let scratch = disk.scratch.as_ref().unwrap();
    held(scratch);
    // To the end of its block.
    let log = scratch.text(LOG);
    fs::write(scratch.agent.join(LOG), format!("{log}{:>1$}\n", "", 4096 - 1 - log.len())).unwrap();
    disk.fill();
    let before = bytes(&scratch.agent);
    let (exit, said) = garnish(scratch, &["unlock", "--all"]);
    assert_eq!(exit, 4, "{said}");
    contains(&said, &[LOG, "Make room", "not recorded", "run the command again"]);
    assert_eq!(bytes(&scratch.agent), before);

    disk.make_room();
    assert_eq!(garnish(scratch, &["unlock", "--all"]).0, 0);
    contains(&garnish(scratch, &["status"]).1, &["Held: nothing"]);
}

#[test]
fn a_disk_too_full_for_the_files_keeps_them_and_the_event() {
    let Some(disk) = SmallDisk::mount() else { return };
    let scratch = disk.scratch.as_ref().unwrap();
    held(scratch);
    disk.fill();
    let mut before = bytes(&scratch.agent);
    let (exit, said) = garnish(scratch, &["unlock", "--level", "one"]);
    assert_eq!(exit, 0, "it was earned already: {said}");
    let (exit, said) = garnish(scratch, &["unlock", "--all"]);
    assert_eq!(exit, 4, "{said}");
    contains(&said, &["garnish/displaced.json could not be written", "Make room"]);
    let mut after = bytes(&scratch.agent);
    assert!(after[LOG].starts_with(&before[LOG]) && after[LOG].len() > before[LOG].len());
    before.remove(LOG);
    after.remove(LOG);
    assert_eq!(after, before);

    // Nothing of the unlock is lost: the next start has it.
    disk.make_room();
    assert_eq!(garnish(scratch, &["init"]).0, 0);
    contains(&garnish(scratch, &["render", "--diff"]).1, &["Nothing to change"]);
    assert!(scratch.text("config.yml").contains("bash: {enabled: true}"), "{}", scratch.text("config.yml"));
}

#[test]
fn a_read_only_agent_dir_is_named_and_stays() {
    let Some(disk) = SmallDisk::mount() else { return };
    let scratch = disk.scratch.as_ref().unwrap();
    held(scratch);
    disk.make_read_only();
    let before = bytes(&scratch.agent);
    for arguments in [&["unlock", "--all"][..], &["unlock", "--level", "one"], &["status"]] {
        let (exit, said) = garnish(scratch, arguments);
        if arguments[0] == "unlock" && arguments[1] == "--all" {
            assert_eq!(exit, 4, "{said}");
            contains(&said, &[LOG, "read-only", "Make its file system writable", "not recorded"]);
        } else {
            assert_eq!(exit, 0, "{said}");
        }
    }
    assert_eq!(bytes(&scratch.agent), before);
}

#[test]
fn what_may_not_be_written_is_named_and_stays() {
    let scratch = Scratch::new();
    held(&scratch);
    fs::set_permissions(scratch.home.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let allow =
        |path: &str, mode| fs::set_permissions(scratch.agent.join(path), fs::Permissions::from_mode(mode)).unwrap();
    let files = ["config.yml", "mcp.json", LOG, "garnish/displaced.json", "garnish/held.json"];
    if is_root() {
        // All of it belongs to whoever runs the command.
        for path in files.iter().chain(&["", "garnish", "garnish/graph.json"]) {
            std::os::unix::fs::chown(scratch.agent.join(path), Some(65534), Some(65534)).unwrap();
        }
    }
    for (closed, is_recorded) in [(LOG, false), ("garnish/displaced.json", true), ("config.yml", true)] {
        files.iter().for_each(|path| allow(path, if *path == closed { 0o444 } else { 0o600 }));
        let before = bytes(&scratch.agent);
        let (exit, said) = garnish_of_another(&scratch, &["unlock", "--all"]);
        assert_eq!(exit, 4, "{closed}: {said}");
        contains(&said, &[closed, "permission denied", "Look at its permissions"]);
        assert_eq!(said.contains("not recorded"), !is_recorded, "{closed}: {said}");
        let after = bytes(&scratch.agent);
        assert_eq!(after[closed], before[closed], "{closed}");
        assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>(), "{closed}");
        // The unlock of this round is taken back for the next.
        fs::write(scratch.agent.join(LOG), &before[LOG]).unwrap();
    }
}

#[test]
fn a_folder_in_a_files_place_is_named_and_stays() {
    for (path, is_recorded) in
        [(LOG, false), ("config.yml", true), ("garnish/displaced.json", true), ("garnish/held.json", true)]
    {
        let scratch = Scratch::new();
        held(&scratch);
        fs::remove_file(scratch.agent.join(path)).unwrap();
        fs::create_dir(scratch.agent.join(path)).unwrap();
        let before = bytes(&scratch.agent);
        let (exit, said) = garnish(&scratch, &["unlock", "--all"]);
        assert_eq!(exit, 4, "{path}: {said}");
        contains(&said, &[path, "Move it away"]);
        let after = bytes(&scratch.agent);
        assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>(), "{path}");
        assert_eq!(after[LOG] != before[LOG], is_recorded, "{path}: {said}");
    }
}

#[test]
fn eject_takes_away_what_killed_writers_left() {
    let scratch = Scratch::new();
    held(&scratch);
    let left = ["garnish/.garnish-0123456789abcdef.tmp", ".garnish-0123456789abcdef.tmp"];
    for path in left {
        scratch.put(path, "half");
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        fs::File::open(scratch.agent.join(path)).unwrap().set_modified(old).unwrap();
    }
    fs::remove_file(scratch.agent.join("garnish/graph.json")).unwrap();
    let (exit, said) = garnish(&scratch, &["eject", "--purge"]);
    assert_eq!(exit, 0, "{said}");
    assert_eq!(scratch.everything(), ["agent", "agent/config.yml", "agent/mcp.json"]);
}
