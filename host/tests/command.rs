//! The `garnish` command as a person or a script meets it: what it says, what it exits with, what it leaves on disk.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use common::Scratch;
use garnish_host::curriculum::Pack;
use serde_json::Value;

/// An agent dir with the bundled curriculum.
fn ready() -> Scratch {
    let scratch = Scratch::new();
    scratch.put("garnish/graph.json", &Pack::bundled().unwrap().graph_json());
    scratch
}

fn garnish(scratch: &Scratch, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garnish"));
    command.env("PI_CODING_AGENT_DIR", &scratch.agent).args(arguments).output().unwrap()
}

/// Runs it, checks the exit code, and answers what it said.
#[track_caller]
fn says(scratch: &Scratch, arguments: &[&str], exit: i32) -> String {
    let output = garnish(scratch, arguments);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(exit), "{text}");
    assert!(!text.contains('\x1b'), "colour without a terminal: {text:?}");
    text
}

#[track_caller]
fn answers(scratch: &Scratch, arguments: &[&str], exit: i32) -> Value {
    let output = garnish(scratch, &[arguments, &["--json"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(exit), "{text}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let json: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text:?}"));
    assert_eq!(json["version"], 1, "{text}");
    json
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let scratch = ready();
    for arguments in
        [&[][..], &["unlock"], &["unlock", "--all", "--level", "1"], &["complete"], &["nonsense"], &["--no"]]
    {
        says(&scratch, arguments, 2);
    }
    assert!(says(&scratch, &["--help"], 0).contains("Examples:"));
    assert!(says(&scratch, &["unlock", "--help"], 0).contains("garnish unlock --all"));
    assert!(says(&scratch, &["--version"], 0).starts_with("garnish "));
}

#[test]
fn a_folder_that_is_not_there_or_not_set_up_is_exit_code_4_with_the_way_out() {
    let scratch = Scratch::new();
    let gone = scratch.outside("gone");
    let text = says(&scratch, &["status", "--agent-dir", gone.to_str().unwrap()], 4);
    assert!(text.contains("does not exist") && text.contains("--agent-dir"), "{text}");
    for command in [&["status"][..], &["unlock", "--all"], &["complete", "say-hello"], &["render"]] {
        let text = says(&scratch, command, 4);
        assert!(text.contains("garnish/graph.json is missing"), "{text}");
    }
    assert_eq!(answers(&scratch, &["status"], 4)["error"]["code"], "garnish::cli::no-graph");
    assert_eq!(scratch.everything(), ["agent"]);
}

#[test]
fn status_says_what_is_held_and_what_comes_next() {
    let scratch = ready();
    let text = says(&scratch, &["status"], 0);
    for expected in [
        "Now in level 0 (Onboarding)",
        "Open: nothing",
        "Held:\n",
        "tool:bash",
        "It comes with the level",
        "say-hello",
        "tool:file opens",
    ] {
        assert!(text.contains(expected), "no {expected:?} in:\n{text}");
    }
    assert!(answers(&scratch, &["status"], 0).is_object());
    assert_eq!(scratch.everything(), ["agent", "agent/garnish", "agent/garnish/graph.json"], "status only looks");
}

#[test]
fn completing_the_quests_of_a_level_opens_what_it_unlocks() {
    let scratch = ready();
    scratch.put("config.yml", "# mine\ntheme: dark\n");
    let pack = Pack::bundled().unwrap();
    let required = pack.quests.iter().filter(|quest| quest.level == "onboarding" && quest.required);
    let mut last = String::new();
    for quest in required {
        last = says(&scratch, &["complete", &quest.id], 0);
    }
    assert!(last.contains("tool:file") || last.contains("tool:read"), "{last}");
    assert!(says(&scratch, &["status"], 0).contains("Open: tool:file"));
    let config = scratch.text("config.yml");
    assert!(config.starts_with("# mine\ntheme: dark\n") && config.contains("bash:\n  enabled: false"), "{config}");

    let before = (scratch.text("garnish/events.jsonl"), config);
    says(&scratch, &["complete", "say-hello"], 0);
    assert_eq!(before, (scratch.text("garnish/events.jsonl"), scratch.text("config.yml")), "it was done already");
}

#[test]
fn what_does_not_exist_is_exit_code_1_and_lists_what_does() {
    let scratch = ready();
    assert!(says(&scratch, &["unlock", "--level", "99"], 1).contains("onboarding"));
    says(&scratch, &["complete", "no-such-quest"], 1);
    assert!(says(&scratch, &["render", "--features", "tool:nope"], 1).contains("tool:bash"));
    assert_eq!(answers(&scratch, &["unlock", "--level", "nope"], 1)["exit"], 1);
    assert!(!scratch.agent.join("garnish/events.jsonl").exists());
}

#[test]
fn unlock_all_is_the_stock_harness_and_a_second_time_does_nothing() {
    let scratch = ready();
    says(&scratch, &["unlock", "--level", "0"], 0);
    let json = answers(&scratch, &["cheat", "--all"], 0);
    assert_eq!(json["recorded"], true);
    assert!(json["report"]["filesWritten"].as_array().unwrap().iter().any(|path| path == "config.yml"));
    assert!(says(&scratch, &["status"], 0).contains("Held: nothing"));

    let before: Vec<String> = ["garnish/events.jsonl", "config.yml", "mcp.json"].map(|path| scratch.text(path)).into();
    says(&scratch, &["unlock", "--all"], 0);
    let after: Vec<String> = ["garnish/events.jsonl", "config.yml", "mcp.json"].map(|path| scratch.text(path)).into();
    assert_eq!(before, after);
    assert!(says(&scratch, &["render", "--diff"], 0).contains("Nothing to change"));
}

#[test]
fn a_config_file_that_cannot_be_edited_is_exit_code_3_and_stays() {
    let scratch = ready();
    scratch.put("config.yml", "a: [1, 2\n");
    let text = says(&scratch, &["unlock", "--all"], 3);
    assert!(text.contains("config.yml:"), "{text}");
    assert_eq!(scratch.text("config.yml"), "a: [1, 2\n");
    assert!(says(&scratch, &["render", "--diff"], 3).contains("config.yml:"));
    // The unlock itself is not lost.
    assert!(says(&scratch, &["status"], 0).contains("Held: nothing"));
}

#[test]
fn render_prints_the_files_and_the_diff_writes_nothing() {
    let scratch = ready();
    scratch.put("config.yml", "theme: dark\n");
    let text = says(&scratch, &["render", "--features", "tool:bash"], 0);
    assert!(text.contains("==> config.yml <==") && text.contains("bash:\n  enabled: true"), "{text}");
    let json = answers(&scratch, &["render"], 0);
    assert!(json["held"].as_array().unwrap().iter().any(|capability| capability == "tool:bash"));

    let before = scratch.everything();
    let diff = says(&scratch, &["render", "--diff"], 0);
    assert!(diff.contains("--- a/config.yml\n+++ b/config.yml\n@@ "), "{diff}");
    assert!(diff.contains("\n theme: dark\n") && diff.contains("--- /dev/null\n+++ b/mcp.json"), "{diff}");
    let json = answers(&scratch, &["render", "--diff"], 0);
    assert!(json["changed"][0]["diff"].as_str().unwrap().contains("+  enabled: false"));
    assert_eq!((scratch.everything(), scratch.text("config.yml")), (before, "theme: dark\n".into()));
}

#[test]
fn a_broken_setup_or_graph_is_named_with_its_place() {
    let scratch = ready();
    scratch.put("garnish/setup.json", "{\"catalog\": 1}");
    assert!(says(&scratch, &["render"], 4).contains("garnish/setup.json:1:"));
    scratch.put("garnish/setup.json", "{\"catalog\": \"team.yml\"}");
    assert!(says(&scratch, &["render"], 4).contains("garnish/team.yml is missing"));
    scratch.put("garnish/setup.json", "{\"graph\": \"other.json\"}");
    assert!(says(&scratch, &["status"], 4).contains("garnish/other.json is missing"));
    scratch.put("garnish/other.json", "{");
    assert!(says(&scratch, &["status"], 4).contains("garnish/other.json:1:"));
}

#[test]
fn a_teams_own_catalog_is_rendered() {
    let scratch = ready();
    scratch.put("garnish/setup.json", "{\"catalog\": \"team.yml\", \"profile\": \"omp-16\"}");
    scratch.put("garnish/team.yml", "features:\n  shell:\n    - kind: tool\n      name: bash\n");
    let text = says(&scratch, &["render", "--features", ""], 0);
    assert!(text.contains("bash:\n  enabled: false") && !text.contains("task"), "{text}");
    scratch.put("garnish/team.yml", "features:\n  shell:\n    - kind: tol\n      name: bash\n");
    assert!(says(&scratch, &["render", "--features", ""], 4).contains("garnish/team.yml:"));
}

#[test]
fn the_built_component_runs_from_a_file_too() {
    let scratch = ready();
    let file = scratch.outside("garnish.wasm");
    fs::write(&file, garnish_host::WASM).unwrap();
    let from_file = says(&scratch, &["render", "--component", file.to_str().unwrap()], 0);
    assert_eq!(from_file, says(&scratch, &["render"], 0));
    fs::write(&file, "no").unwrap();
    assert!(says(&scratch, &["render", "--component", file.to_str().unwrap()], 4).contains("garnish.wasm"));
}

#[test]
fn a_linked_config_file_stays_linked() {
    let scratch = ready();
    fs::write(scratch.outside("dotfile.yml"), "theme: dark\n").unwrap();
    symlink("../dotfile.yml", scratch.agent.join("config.yml")).unwrap();
    says(&scratch, &["unlock", "--level", "1"], 0);
    assert!(scratch.agent.join("config.yml").is_symlink());
    let text = fs::read_to_string(scratch.outside("dotfile.yml")).unwrap();
    assert!(text.starts_with("theme: dark\n") && text.contains("garnish:"), "{text}");
}

#[test]
fn init_sets_up_once_and_keeps_what_is_there() {
    let scratch = Scratch::new();
    scratch.put("config.yml", "# mine\nbash: {enabled: true, timeout: 30}\n");
    let text = says(&scratch, &["init"], 0);
    assert!(text.contains("garnish/setup.json") && text.contains("Start it with"), "{text}");
    assert!(scratch.text("config.yml").contains("timeout: 30"), "{}", scratch.text("config.yml"));
    assert!(scratch.text("config.yml").contains("enabled: false"), "{}", scratch.text("config.yml"));
    assert!(scratch.text("garnish/setup.json").contains("omp-18"));
    let before = scratch.everything();
    let said = answers(&scratch, &["init"], 0);
    assert_eq!(said["written"], serde_json::json!([]));
    assert_eq!(scratch.everything(), before);
}

#[test]
fn init_makes_a_folder_that_only_its_owner_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let new = scratch.outside("new/agent");
    says(&scratch, &["init", "--agent-dir", new.to_str().unwrap()], 0);
    assert_eq!(fs::metadata(&new).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(new.join("garnish/events.jsonl")).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn init_of_a_broken_pack_names_its_faults_and_makes_nothing() {
    let scratch = Scratch::new();
    let pack = scratch.outside("pack");
    fs::create_dir_all(&pack).unwrap();
    let text = says(&scratch, &["init", "--curriculum", pack.to_str().unwrap()], 1);
    assert!(text.contains("pack.yml"), "{text}");
    assert_eq!(scratch.everything(), ["agent", "pack"]);
}

#[test]
fn init_links_to_credentials_and_copies_none() {
    let scratch = Scratch::new();
    let own = scratch.outside("own");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("models.yml"), "providers: {}\n").unwrap();
    says(&scratch, &["init", "--credentials-of", own.to_str().unwrap()], 0);
    assert_eq!(
        fs::read_link(scratch.agent.join("models.yml")).unwrap(),
        own.canonicalize().unwrap().join("models.yml")
    );
    assert!(!scratch.agent.join("agent.db").exists());
}

#[test]
fn eject_gives_the_files_back_and_keeps_what_was_earned() {
    let scratch = Scratch::new();
    let mine = "# mine\nbash: {enabled: true, timeout: 30}\n";
    scratch.put("config.yml", mine);
    says(&scratch, &["init"], 0);
    says(&scratch, &["complete", "say-hello"], 0);
    let held = scratch.text("config.yml");
    let text = says(&scratch, &["eject", "--dry-run"], 0);
    assert!(text.contains("Would be given back") && text.contains("config.yml"), "{text}");
    assert!(text.contains("+bash: {enabled: true, timeout: 30}\n") && text.contains("-garnish:\n"), "{text}");
    let dry = answers(&scratch, &["eject", "--dry-run"], 0);
    assert_eq!(dry["changed"][0]["path"], "config.yml");
    assert_eq!(scratch.text("config.yml"), held, "a dry run wrote");
    says(&scratch, &["eject"], 0);
    assert_eq!(scratch.text("config.yml"), mine);
    assert!(!scratch.agent.join("mcp.json").exists());
    assert!(scratch.text("garnish/events.jsonl").contains("say-hello"));
    assert!(!scratch.agent.join("garnish/setup.json").exists());
    let said = answers(&scratch, &["eject", "--purge"], 0);
    assert_eq!(said["removed"], serde_json::json!(["garnish/events.jsonl"]));
    assert!(!scratch.agent.join("garnish").exists());
    assert!(says(&scratch, &["eject"], 0).contains("nothing of garnish"));
}

#[test]
fn eject_without_its_memory_says_what_it_does_not_know() {
    let scratch = Scratch::new();
    scratch.put("config.yml", "# mine\nbash: {enabled: true, timeout: 30}\n");
    says(&scratch, &["init"], 0);
    fs::remove_file(scratch.agent.join("garnish/displaced.json")).unwrap();
    let text = says(&scratch, &["eject"], 0);
    assert!(text.contains("displaced.json is missing") && text.contains("not known"), "{text}");
    assert_eq!(scratch.text("config.yml"), "# mine\nbash: {timeout: 30}\n");
}

#[test]
fn eject_keeps_a_catalog_and_levels_of_the_teams_own_and_needs_no_setup() {
    let scratch = Scratch::new();
    says(&scratch, &["init"], 0);
    scratch.put("garnish/team.yml", "version: 1\n");
    let graph = scratch.text("garnish/graph.json").replacen("Onboarding", "Welcome", 1);
    fs::write(scratch.agent.join("garnish/graph.json"), &graph).unwrap();
    fs::write(scratch.agent.join("garnish/setup.json"), "{").unwrap();
    let text = says(&scratch, &["eject"], 0);
    assert!(text.contains("Kept, since it is yours: garnish/graph.json, garnish/team.yml"), "{text}");
    assert_eq!(scratch.text("garnish/graph.json"), graph);
    assert!(!scratch.agent.join("config.yml").exists());
    assert!(!scratch.agent.join("garnish/setup.json").exists());
}

#[test]
fn launch_starts_the_harness_with_the_extension_named_and_nothing_without_it() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    says(&scratch, &["init"], 0);
    let program = scratch.outside("omp");
    fs::write(&program, "#!/bin/sh\necho \"$PI_CODING_AGENT_DIR\" \"$@\"\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let launch = ["launch", "--program", program.to_str().unwrap(), "--", "--continue"];
    let text = says(&scratch, &launch, 4);
    assert!(text.contains("extensions/garnish/index.js is missing"), "{text}");
    scratch.put("extensions/garnish/index.js", "");
    let agent = scratch.agent.canonicalize().unwrap().display().to_string();
    let overlay = format!("--config {agent}/garnish/overlay.yml");
    let expected = format!("{agent} -e {agent}/extensions/garnish/index.js {overlay} --continue\n");
    assert_eq!(says(&scratch, &launch, 0), expected);
    let held: Value = serde_json::from_str(&scratch.text("garnish/overlay.yml")).unwrap();
    assert_eq!(held["bash"]["enabled"], false);
    assert!(held.get("garnish").is_none());
    // A config that was lost, as omp's own mending of a broken one loses it, is written again first.
    fs::remove_file(scratch.agent.join("config.yml")).unwrap();
    says(&scratch, &launch, 0);
    assert!(scratch.text("config.yml").contains("garnish:"));
    // And one that garnish cannot write starts nothing.
    scratch.put("config.yml", "a: [\n");
    let text = says(&scratch, &launch, 3);
    assert!(text.contains("config.yml:1:4") && text.contains("not started"), "{text}");
    scratch.put("config.yml", "");
    let gone = scratch.outside("gone");
    let text = says(&scratch, &["launch", "--program", gone.to_str().unwrap()], 4);
    assert!(text.contains("cannot be started"), "{text}");
}

#[test]
fn eject_that_cannot_read_a_file_leaves_all_as_it_is() {
    let scratch = Scratch::new();
    says(&scratch, &["init"], 0);
    scratch.put("config.yml", "a: [\n");
    let before = scratch.everything();
    let text = says(&scratch, &["eject"], 3);
    assert!(text.contains("config.yml:"), "{text}");
    assert_eq!(scratch.everything(), before);
}

#[test]
fn a_skills_folder_that_leads_into_itself_is_not_looked_into() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.agent.join("skills")).unwrap();
    symlink(".", scratch.agent.join("skills/a")).unwrap();
    symlink("../..", scratch.agent.join("skills/up")).unwrap();
    for arguments in [&["init"][..], &["render"], &["unlock", "--all"], &["status"], &["eject"]] {
        says(&scratch, arguments, 0);
    }
    assert!(scratch.agent.join("skills/a").is_symlink() && scratch.agent.join("skills/up").is_symlink());
}

#[test]
fn names_are_compared_and_kept_byte_for_byte() {
    // One letter, and a letter with an accent behind it: they look the same, and the harness compares bytes too.
    let (composed, decomposed) = ("r\u{e9}sum\u{e9}", "re\u{301}sume\u{301}");
    let scratch = ready();
    scratch.put("garnish/setup.json", "{\"catalog\": \"team.yml\"}");
    let feature = |name: &str| format!("    - {{kind: skill, glob: {name}}}\n");
    scratch
        .put("garnish/team.yml", &format!("features:\n  one:\n{}  two:\n{}", feature(composed), feature(decomposed)));
    let mine = format!("skills:\n  includeSkills: [{decomposed}] # mine\n");
    scratch.put("config.yml", &mine);
    let held = answers(&scratch, &["render", "--features", "one"], 0);
    assert_eq!(held["enabled"], serde_json::json!([format!("skill:{composed}")]));
    assert_eq!(held["held"], serde_json::json!([format!("skill:{decomposed}")]));
    says(&scratch, &["unlock", "--level", "0"], 0);
    assert_ne!(scratch.text("config.yml"), mine);
    says(&scratch, &["unlock", "--all"], 0);
    says(&scratch, &["eject"], 0);
    assert_eq!(scratch.text("config.yml"), mine);
}

#[test]
fn a_memory_that_cannot_be_read_is_told_in_one_sentence_and_once() {
    let scratch = ready();
    says(&scratch, &["init"], 0);
    scratch.put("garnish/displaced.json", "broken");
    let text = says(&scratch, &["unlock", "--all"], 3);
    assert!(text.contains("remembers settings of yours. The memory cannot be read: "), "{text}");
    assert!(text.contains("(`key: value`). Mend it, or move it away"), "{text}");
    assert_eq!(text.matches("failed: ").count(), 1, "{text}");
    assert_eq!(scratch.text("garnish/displaced.json"), "broken");
}
