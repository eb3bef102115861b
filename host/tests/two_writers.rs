//! A session and the `garnish` command at work on one agent dir at the same time, both killed at random points and started
//! again. What either has said is in the log is there; what is in the log is in the files; what the learner has is theirs.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use common::{Scratch, child, child_dir};
use garnish_host::{Activation, AgentDir, Component, Failure, Garnish, NoticeLevel, Role, Session, Trigger};
use serde_json::{Value, json};

const LOG: &str = "garnish/events.jsonl";
const ROUNDS: usize = 200;
/// Ten quests a level: five of the session's, five of the command's.
const LEVELS: usize = 40;
const XP: u64 = 3;

// --- what both work on

/// Each level opens two features, so that each changes both files, and what is remembered of them.
fn graph() -> Value {
    let mut levels = Vec::new();
    let mut quests = Vec::new();
    for level in 0..LEVELS {
        let unlocks = [format!("f-{:02}", 2 * level), format!("f-{:02}", 2 * level + 1)];
        levels.push(json!({ "id": format!("level-{level:02}"), "order": level, "quests": [], "unlocks": unlocks }));
        for who in ["session", "command"] {
            for quest in 0..5 {
                let id = format!("{who}-{:03}", level * 5 + quest);
                let quest = json!({ "id": id, "level": format!("level-{level:02}"), "required": true, "xp": XP });
                quests.push(quest);
            }
        }
    }
    json!({ "levels": levels, "quests": quests, "unlockEdges": [] })
}

/// One kind of surface after the other. The last four features belong to no level but those that `unlock --all` opens.
fn catalog() -> Value {
    let kinds = [("tool", "name"), ("mcpServer", "name"), ("skill", "glob"), ("extension", "id"), ("provider", "id")];
    let feature = |index: usize| {
        let (kind, field) = kinds[index % kinds.len()];
        (format!("f-{index:02}"), json!([{ "kind": kind, field: format!("x{index:02}") }]))
    };
    let features: serde_json::Map<String, Value> = (0..2 * LEVELS + 5).map(feature).collect();
    json!({ "features": features })
}

const CONFIG: &str = "# mine, to the byte\ntheme:   'dark'   # odd spaces\nx00: {enabled: false, note: keep} # off\n\
                      x10:\n  enabled: true # on\ndisabledExtensions: [mine, extension-module:x03] # two\n\
                      skills:\n  customDirectories: [~/skills]\n";
const MCP: &str = "{\n\t\"mcpServers\": {\"x01\": {\"command\": \"true\", \"env\": {\"A\": \"${HOME}\"}}},\n\
                   \t\"disabledServers\": [\"mine\"]\n}\n";

fn agent_dir() -> Scratch {
    let scratch = Scratch::new();
    scratch.put("garnish/setup.json", "{\"catalog\": \"team.json\", \"profile\": \"omp-18\"}");
    scratch.put("garnish/team.json", &catalog().to_string());
    scratch.put("garnish/graph.json", &graph().to_string());
    scratch.put("config.yml", CONFIG);
    scratch.put("mcp.json", MCP);
    scratch
}

// --- the two

/// A harness that does at once what it is asked.
struct Harness(Vec<String>);

impl Session for Harness {
    fn role(&mut self) -> Role {
        Role::Main
    }

    fn active_tools(&mut self) -> Result<Vec<String>, Failure> {
        Ok(self.0.clone())
    }

    fn all_tools(&mut self) -> Result<Vec<String>, Failure> {
        Ok((0..2 * LEVELS + 5).map(|index| format!("x{index:02}")).collect())
    }

    fn set_active_tools(&mut self, names: Vec<String>) -> Result<Activation, Failure> {
        self.0 = names;
        Ok(Activation::Live)
    }

    fn reload(&mut self, capabilities: Vec<String>) -> Result<Vec<Activation>, Failure> {
        Ok(vec![Activation::Live; capabilities.len()])
    }

    fn notify(&mut self, _level: NoticeLevel, _text: String) {}
}

/// The session, from a round on: a quest, then a turn's end. It says what is in the log, and waits to be told to go on.
fn session(agent: &Path, from: usize) {
    let mut out = std::io::stdout().lock();
    let dir = AgentDir::open(agent).unwrap();
    let mut garnish = Garnish::new(Component::embedded().unwrap(), dir, Harness(Vec::new())).unwrap();
    garnish.apply_unlocks(Trigger::SessionStart).unwrap();
    for round in from..ROUNDS {
        let quest = format!("session-{round:03}");
        garnish.complete(&quest).unwrap();
        writeln!(out, "recorded {quest}").unwrap();
        out.flush().unwrap();
        std::io::stdin().read_line(&mut String::new()).unwrap();
        garnish.apply_unlocks(Trigger::TurnEnd).unwrap();
    }
}

/// What the command does in a round.
fn arguments(round: usize) -> Vec<String> {
    match round % 25 {
        24 => vec!["unlock".into(), "--level".into(), format!("level-{:02}", (round / 5 + 3).min(LEVELS - 2))],
        _ => vec!["complete".into(), format!("command-{round:03}")],
    }
}

/// Random, and the same again for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

fn garnish(agent: &Path, arguments: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garnish"));
    command.arg("--agent-dir").arg(agent).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Kills it after a while; answers whether it was not over before.
fn kill_after(child: &mut Child, while_: Duration) -> bool {
    thread::sleep(while_);
    let is_running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    is_running
}

/// All rounds of the command, one process each, every third killed and tried again. Answers the quests it has recorded,
/// and how many of it were killed.
fn command_rounds(agent: &Path, seed: u64) -> (BTreeSet<String>, usize) {
    let mut dice = Dice(seed);
    let (mut recorded, mut killed) = (BTreeSet::new(), 0);
    // As long as the last one took, so that it is killed anywhere in its work.
    let mut took = Duration::ZERO;
    for round in 0..ROUNDS {
        let arguments = arguments(round);
        if dice.below(3) == 0 {
            let mut child = garnish(agent, &arguments).spawn().unwrap();
            killed += usize::from(kill_after(&mut child, took.mul_f64(dice.below(100) as f64 / 100.0)));
            child.wait().unwrap();
        }
        let begun = Instant::now();
        let output = garnish(agent, &arguments).output().unwrap();
        took = begun.elapsed();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(output.status.success(), "seed {seed}, round {round}: {said}");
        if arguments[0] == "complete" {
            recorded.insert(arguments[1].clone());
        }
    }
    (recorded, killed)
}

/// All rounds of the session, in as many processes as it takes.
fn session_rounds(agent: &Path, seed: u64) -> (BTreeSet<String>, usize) {
    let mut dice = Dice(seed);
    let (mut recorded, mut killed) = (BTreeSet::new(), 0);
    while recorded.len() < ROUNDS {
        let mut session = child("a_session_and_the_command_lose_nothing_of_each_other", agent);
        session.env("GARNISH_TEST_FROM", recorded.len().to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut session = session.spawn().unwrap();
        let mut go_on = session.stdin.take().unwrap();
        let lives_for = 3 + dice.below(20) as usize;
        let dies_after = Duration::from_micros(dice.below(8_000));
        let mut is_killed = false;
        let lines = BufReader::new(session.stdout.take().unwrap()).lines();
        let mut seen = 0;
        for line in lines.map_while(Result::ok) {
            let Some((_, quest)) = line.split_once("recorded ") else { continue };
            recorded.insert(quest.to_owned());
            seen += 1;
            // It may be dead by now.
            let _ = go_on.write_all(b"\n");
            if seen == lives_for {
                is_killed = kill_after(&mut session, dies_after);
                killed += usize::from(is_killed);
            }
        }
        assert!(session.wait().unwrap().success() || is_killed, "seed {seed}: the session failed");
    }
    (recorded, killed)
}

// --- what is left

/// The log's whole events, and how many lines are none.
fn events(scratch: &Scratch) -> (Vec<Value>, usize) {
    let log = fs::read(scratch.agent.join(LOG)).unwrap();
    let lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let events: Vec<Value> = lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let torn = lines.len() - events.len();
    (events, torn)
}

/// What the harness's files say, but for garnish's marker.
fn said(scratch: &Scratch) -> [Value; 2] {
    ["config.yml", "mcp.json"].map(|path| {
        let mut value: Value = serde_saphyr::from_str(&scratch.text(path)).unwrap();
        value.as_object_mut().unwrap().remove("garnish");
        value
    })
}

fn temporary(scratch: &Scratch) -> Vec<String> {
    scratch.everything().into_iter().filter(|path| path.ends_with(".tmp")).collect()
}

fn run(scratch: &Scratch, arguments: &[&str]) -> String {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let output = garnish(&scratch.agent, &arguments).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

#[test]
fn a_session_and_the_command_lose_nothing_of_each_other() {
    if let Some(agent) = child_dir() {
        let from = std::env::var("GARNISH_TEST_FROM").unwrap();
        return session(&agent, from.parse().unwrap());
    }
    let seed: u64 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos().into();
    let seed = std::env::var("GARNISH_TEST_SEED").map_or(seed, |seed| seed.parse().unwrap());
    eprintln!("seed {seed}: GARNISH_TEST_SEED sets it");
    let scratch = agent_dir();
    let (by_session, by_command) = thread::scope(|scope| {
        let session = scope.spawn(|| session_rounds(&scratch.agent, seed | 1));
        let command = scope.spawn(|| command_rounds(&scratch.agent, seed | 2));
        (session.join().unwrap(), command.join().unwrap())
    });
    let ((recorded, killed_sessions), (recorded_too, killed_commands)) = (by_session, by_command);
    eprintln!("killed: {killed_sessions} sessions, {killed_commands} commands");
    assert!(killed_sessions > 3 && killed_commands > 10, "hardly anything was killed");

    // Every event is there, once; only who was killed has left half a line.
    let (events, torn) = events(&scratch);
    assert!(torn <= killed_sessions + killed_commands, "{torn} lines are no events");
    let mut quests = BTreeMap::new();
    for event in events.iter().filter(|event| event["type"] == "quest_completed") {
        *quests.entry(event["quest_id"].as_str().unwrap().to_owned()).or_insert(0) += 1;
    }
    for quest in recorded.iter().chain(&recorded_too) {
        assert_eq!(quests.get(quest), Some(&1), "seed {seed}: {quest}");
    }
    assert_eq!(quests.len(), recorded.len() + recorded_too.len());
    let status: Value = serde_json::from_str(&run(&scratch, &["status", "--json"])).unwrap();
    assert_eq!(status["xp"], XP * quests.len() as u64, "seed {seed}: a quest counts once, whoever wrote it down");

    // The files say what the log says: as on an agent dir where nothing but the log ever was.
    run(&scratch, &["init"]);
    let fresh = agent_dir();
    fs::copy(scratch.agent.join(LOG), fresh.agent.join(LOG)).unwrap();
    run(&fresh, &["init"]);
    assert_eq!(said(&scratch), said(&fresh), "seed {seed}");
    assert!(run(&scratch, &["render", "--diff"]).contains("Nothing to change"), "seed {seed}");
    let config = scratch.text("config.yml");
    for mine in
        ["# mine, to the byte\ntheme:   'dark'   # odd spaces\n", "note: keep} # off\n", "# on\n", "[~/skills]\n"]
    {
        assert!(config.contains(mine), "seed {seed}: {mine:?} is gone from\n{config}");
    }

    // What a killed process left is debris once it is old; the next write takes it away.
    for path in temporary(&scratch) {
        let file = fs::File::options().write(true).open(scratch.outside(&path)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }
    run(&scratch, &["unlock", "--all"]);
    assert_eq!(temporary(&scratch), [""; 0], "seed {seed}");

    run(&scratch, &["eject"]);
    assert_eq!(
        (scratch.text("config.yml"), scratch.text("mcp.json")),
        (CONFIG.to_owned(), MCP.to_owned()),
        "seed {seed}"
    );
}
