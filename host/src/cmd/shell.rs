//! `garnish completions SHELL` and `garnish man`: what a shell and `man` want to know, made from the command line's own
//! definition.

use clap::CommandFactory;
use serde_json::json;

use crate::cli::Cli;
use crate::output::{Answer, Exit};

/// A script that completes commands and options.
pub(crate) fn completions(shell: clap_complete::Shell) -> Answer {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "garnish", &mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Answer { json: json!({ "completions": text }), text, exit: Exit::Done }
}

/// The manual page, in roff: of all commands in one.
pub(crate) fn man() -> Answer {
    let mut bytes = Vec::new();
    let mut command = Cli::command();
    command.build();
    // Writing to memory does not fail.
    let _ = clap_mangen::Man::new(command.clone()).render(&mut bytes);
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        let man = clap_mangen::Man::new(sub.clone());
        let _ = man.render_name_section(&mut bytes);
        let _ = man.render_synopsis_section(&mut bytes);
        let _ = man.render_options_section(&mut bytes);
        let _ = man.render_extra_section(&mut bytes);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Answer { json: json!({ "man": text }), text, exit: Exit::Done }
}
