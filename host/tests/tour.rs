//! Every command as it is met: its text off a terminal and on one, its JSON, its exit code; and the tour in the README,
//! which is what the same runs print.
//!
//! `INSTA_UPDATE=always cargo test --release -p garnish --test tour` writes the snapshots and the README's tour anew.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::Scratch;

/// How a command is run.
#[derive(Clone, Copy)]
enum Mode {
    Piped,
    Terminal,
    Json,
}

struct Tour {
    scratch: Scratch,
    text: String,
}

impl Tour {
    fn new() -> Self {
        Self { scratch: Scratch::new(), text: String::new() }
    }

    /// Runs a command line, and answers what it printed, without what differs between two machines.
    fn run(&self, line: &str, mode: Mode) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_garnish"));
        command.args(line.split_whitespace().map(|word| word.replace("AGENT", &self.agent())));
        command.current_dir(self.scratch.outside("project")).env_clear();
        // A harness of which only the version is asked.
        command.env("PATH", self.scratch.outside("bin")).env("HOME", self.scratch.outside("home"));
        command.env("PI_CODING_AGENT_DIR", &self.scratch.agent);
        match mode {
            Mode::Piped => {}
            Mode::Terminal => drop(command.env("CLICOLOR_FORCE", "1").env("TERM", "xterm")),
            Mode::Json => drop(command.arg("--json")),
        }
        let output = command.output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let mut text = self.plain(&String::from_utf8(printed).unwrap());
        if let (Mode::Json, Ok(json)) = (mode, serde_json::from_str::<serde_json::Value>(&text)) {
            text = format!("{json:#}\n");
        }
        let code = output.status.code().unwrap();
        if code == 0 { text } else { format!("{text}(exit code {code})\n") }
    }

    fn agent(&self) -> String {
        self.scratch.agent.display().to_string()
    }

    fn plain(&self, text: &str) -> String {
        let around = self.scratch.agent.parent().unwrap().display().to_string();
        let text = text.replace(env!("CARGO_BIN_EXE_garnish"), "garnish").replace(&self.agent(), "{agent}");
        let text = text.replace(&around, "{home}").replace('\x1b', "ESC");
        // 2026-11-30T22:45:17Z
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("T").filter(|_| true) {
            let is_time = at >= 10
                && rest.is_char_boundary(at - 10)
                && rest[at - 10..at]
                    .bytes()
                    .enumerate()
                    .all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() })
                && rest.as_bytes().get(at + 9) == Some(&b'Z');
            if is_time {
                plain.push_str(&rest[..at - 10]);
                plain.push_str("2026-01-01T00:00:00Z");
                rest = &rest[at + 10..];
            } else {
                plain.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
            }
        }
        plain + rest
    }

    /// All three of a command that changes nothing.
    fn look(&mut self, line: &str) {
        for (mode, how) in [(Mode::Piped, ""), (Mode::Terminal, " on a terminal"), (Mode::Json, " --json")] {
            let printed = self.run(line, mode);
            self.text.push_str(&format!("$ garnish {line}{how}\n{printed}\n"));
        }
    }

    /// One that changes something, as a person runs it.
    fn act(&mut self, line: &str) {
        let printed = self.run(line, Mode::Piped);
        self.text.push_str(&format!("$ garnish {line}\n{printed}\n"));
    }

    fn check(self, name: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_snapshot_path("snapshots");
        settings.bind(|| insta::assert_snapshot!(name, self.text));
    }
}

/// An agent dir with a config of the learner's, a project, and a program that is omp by its version.
fn ready() -> Tour {
    use std::os::unix::fs::PermissionsExt;
    let tour = Tour::new();
    for folder in ["project/.omp", "bin", "home"] {
        fs::create_dir_all(tour.scratch.outside(folder)).unwrap();
    }
    let program = tour.scratch.outside("bin/omp");
    fs::write(&program, "#!/bin/sh\necho omp/18.2.3\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    tour.scratch.put("config.yml", "# mine\ntheme: dark\nbash: {enabled: true, timeout: 30}\n");
    tour
}

#[test]
fn setting_up() {
    let mut tour = ready();
    tour.act("init --harness omp --dry-run");
    tour.act("init --harness omp");
    tour.act("init --harness omp");
    tour.look("doctor");
    tour.act("launch");
    tour.act("eject --dry-run");
    tour.act("eject");
    tour.act("eject");
    tour.check("setting_up");
}

#[test]
fn earning() {
    let mut tour = ready();
    tour.run("init --harness omp", Mode::Piped);
    tour.look("status");
    tour.act("complete say-hello --dry-run");
    tour.act("complete say-hello");
    tour.act("complete nonsense");
    tour.act("hint look-around");
    tour.act("unlock --level 0 --dry-run");
    tour.act("unlock --level 0");
    tour.act("unlock --level nowhere");
    tour.act("unlock --level 0");
    tour.look("log");
    tour.look("log --last 1");
    tour.look("replay");
    tour.act("cheat --all");
    tour.look("status");
    tour.check("earning");
}

#[test]
fn looking() {
    let mut tour = ready();
    tour.run("init --harness omp", Mode::Piped);
    fs::write(tour.scratch.outside("project/.omp/config.yml"), "bash:\n  enabled: true\n").unwrap();
    tour.look("render");
    tour.look("diff");
    tour.look("diff --features tool:bash");
    tour.look("render --features nonsense");
    tour.look("explain bash");
    tour.look("explain skills");
    tour.look("explain tool:todo");
    tour.look("explain bsh");
    tour.run("unlock --level 1", Mode::Piped);
    tour.look("explain tool:bash");
    tour.look("catalog list");
    tour.look("catalog show");
    tour.look("catalog show v1");
    tour.look("catalog show v2");
    tour.scratch.put("garnish/mine.yml", "features:\n  Bad: [{kind: tool, name: bash}]\n  good: [{kind: nonsense}]\n");
    tour.look("catalog validate AGENT/garnish/mine.yml");
    for format in ["mermaid", "dot", "svg"] {
        tour.act(&format!("graph --format {format}"));
    }
    tour.check("looking");
}

#[test]
fn mending() {
    let mut tour = ready();
    tour.run("init --harness omp", Mode::Piped);
    tour.look("check");
    // The harness of the last session had other tools; the log has a bad line; the config was saved over.
    let tools =
        r#"["bash", "debug", "edit", "ast-edit", "eval", "glob", "grep", "launch", "lsp", "read", "task", "write"]"#;
    tour.scratch.put(
        "garnish/inventory.json",
        &format!("{{\"version\": 1, \"harness\": \"omp 18.2.3\", \"garnish\": \"0.1.0\", \"tools\": {tools}}}"),
    );
    tour.scratch.put("garnish/events.jsonl", "{\"at\":\"2026-01-01T00:00:00Z\",\"type\":\"unlock\",\"target\":{\"type\":\"feature\",\"id\":\"tool:bash\"},\"reason\":\"cheat\"}\noops\n");
    tour.look("check");
    tour.look("replay");
    tour.look("doctor");
    tour.act("doctor --fix --dry-run");
    tour.act("doctor --fix");
    tour.scratch.put("config.yml", "a: [\n");
    tour.look("doctor");
    tour.look("check");
    tour.act("unlock --all");
    tour.act("eject");
    tour.scratch.put("garnish/setup.json", "{");
    tour.look("doctor");
    tour.look("status");
    tour.check("mending");
}

#[test]
fn helping() {
    let mut tour = ready();
    tour.act("--help");
    for command in [
        "init",
        "launch",
        "status",
        "complete",
        "hint",
        "unlock",
        "render",
        "diff",
        "explain",
        "check",
        "doctor",
        "catalog",
        "catalog show",
        "graph",
        "log",
        "replay",
        "eject",
        "completions",
        "man",
    ] {
        tour.act(&format!("{command} --help"));
    }
    tour.act("nonsense");
    tour.act("unlock");
    tour.act("--version");
    tour.check("helping");
}

/// The commands of the README's tour.
const README: &[&str] = &[
    "init --harness omp",
    "status",
    "complete say-hello",
    "explain bash",
    "unlock --level 0 --dry-run",
    "unlock --level 0",
    "log",
    "check",
];

#[test]
fn the_readmes_tour_is_what_the_commands_print() {
    let tour = ready();
    let mut text = String::from("\n```\n");
    for line in README {
        let printed = tour.run(line, Mode::Piped).replace("{agent}", "~/.omp/agent");
        // A long answer is cut, and says so.
        let lines: Vec<&str> = printed.lines().collect();
        let shown = if lines.len() > 14 { [&lines[..12], &["…"]].concat() } else { lines };
        text.push_str(&format!("$ garnish {line}\n{}\n\n", shown.join("\n")));
    }
    let text = format!("{}\n```\n", text.trim_end());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once("<!-- tour -->").expect("the README has the tour's beginning");
    let (found, after) = rest.split_once("<!-- /tour -->").expect("the README has the tour's end");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&path, format!("{before}<!-- tour -->{text}<!-- /tour -->{after}")).unwrap();
    } else {
        assert_eq!(found, text, "the README's tour is stale; INSTA_UPDATE=always writes it anew");
    }
}
