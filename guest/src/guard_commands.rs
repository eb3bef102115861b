//! What a command line, or code that starts programs, runs: its words, and the commands that are the learner's.
//!
//! It knows no path and asks nobody; where words lead is for [`crate::guard_paths`].

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::words::{behind_last, find, has, parts};

/// Subcommands of `garnish` that write.
const WRITING: [&str; 9] = ["unlock", "cheat", "complete", "hint", "init", "launch", "eject", "install", "uninstall"];

/// Words that another command may stand behind.
const BEFORE_COMMANDS: [&str; 19] = [
    "!", "bash", "bun", "command", "do", "else", "env", "eval", "exec", "if", "nohup", "npx", "sh", "sudo", "then",
    "time", "timeout", "while", "xargs",
];

/// Parts of the names of functions that run a program.
const RUNNING: [&str; 7] = ["call", "exec", "output", "popen", "run", "spawn", "system"];

/// What ends a command.
pub const ENDS: &str = ";|&\n";

/// The words of a command or of code, without quotes and punctuation.
pub fn words(text: &str) -> Vec<&str> {
    parts(text, " \t\r\n'\"`;|&<>()=,[]")
}

/// A command of garnish's that writes, wherever it stands.
pub fn own_command(words: &[&str]) -> Option<String> {
    let mends = words.contains(&"--fix");
    words.iter().enumerate().find_map(|(index, word)| {
        let name = behind_last(behind_last(word, b'/'), b'\\');
        if !matches!(name, "garnish" | "garnish.exe") {
            return None;
        }
        let rest = words.get(index + 1..)?;
        // Options may come first, each with or without a value.
        let command = rest.iter().take(6).find(|word| WRITING.contains(word) || **word == "doctor" && mends)?;
        let between = rest.iter().take_while(|word| *word != command);
        let read_only = between.clone().any(|word| {
            matches!(*word, "status" | "render" | "diff" | "explain" | "check" | "log" | "replay" | "catalog" | "graph")
        });
        (!read_only).then(|| (*command).to_owned())
    })
}

/// What a word calls: a command without its folder, a function without what it belongs to.
pub fn called(word: &str) -> &str {
    behind_last(behind_last(word, b'/'), b'.')
}

/// Whether a word takes things away: all that it is given, or all but the last, which it moves them to.
pub fn removes(word: &str) -> Option<bool> {
    match called(word) {
        "rm" | "rmdir" | "rmtree" | "rmSync" | "-delete" => Some(true),
        "mv" | "move" | "rename" | "renameSync" => Some(false),
        _ => None,
    }
}

/// Whether a command line, or code that starts a program, runs the harness.
pub fn runs(text: &str, harness: &str) -> bool {
    for command in parts(text, ENDS) {
        let mut starts = true;
        for part in parts(command, "(") {
            let words = parts(part, " \t\r'\"`)[,{<>");
            for (index, word) in words.iter().enumerate() {
                let name = behind_last(behind_last(word, b'/'), b'\\');
                if starts && name.strip_suffix(".exe").unwrap_or(name) == harness && words.get(index + 1) != Some(&"=")
                {
                    return true;
                }
                let is_before = matches!(word.as_bytes(), [b'-' | b'0'..=b'9', ..])
                    || has(word, b'=')
                    || BEFORE_COMMANDS.contains(&name);
                starts = starts && is_before || word.ends_with('$');
            }
            let last = words.last().copied().unwrap_or_default();
            let last_name = last.to_ascii_lowercase();
            starts = starts && last.is_empty()
                || last.ends_with('$')
                || RUNNING.iter().any(|running| find(&last_name, running).is_some());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harness_is_run_where_a_command_stands() {
        let run = [
            "pi",
            "pi install x",
            "/usr/bin/pi -p hi",
            "a && pi",
            "a | pi",
            "X=1 pi",
            "(pi)",
            "x=$(pi)",
            "bash -c 'pi -p'",
            "npx pi",
            "nohup pi &",
            "subprocess.run(['pi', '-p'])",
            "os.system(\"pi -p\")",
            "await Bun.$`pi -p`",
        ];
        let not_run = [
            "python pi.py",
            "echo pi",
            "cd pi",
            "./pi-test",
            "git commit -m 'a pi'",
            "ls bin/pi",
            "pi = 3",
            "f(pi)",
            "print('pi')",
            "const pi = 3",
            "grep -c pi x",
            "pip install x",
        ];
        for text in run {
            assert!(runs(text, "pi"), "{text}");
        }
        for text in not_run {
            assert!(!runs(text, "pi"), "{text}");
        }
    }
}
