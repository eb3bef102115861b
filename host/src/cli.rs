//! The command line: what can be typed, and how an answer leaves the program. What a command does is in `cmd/`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::cmd::init::{Harness, Wanted};
use crate::cmd::{self, Context};
use crate::output::{Answer, Ended, Exit};

const EXAMPLES: &str = "\
Examples:
  garnish status                   what is open, what is held, what comes next
  garnish complete first-skill     record a finished quest
  garnish render --diff            what garnish would change in your files, without writing
  garnish unlock --level 2         open level 2 now, without its quests
  garnish unlock --all             open everything: the stock harness again

Exit codes: 0 done, or nothing to do; 1 no such level, quest or feature; 2 wrong usage;
3 a file of yours was not touched, and why; 4 this machine or folder is not as it must be.";

/// Starts a coding-agent harness with few features and gives them back as you learn.
#[derive(Parser, Debug)]
#[command(name = "garnish", version, after_help = EXAMPLES, propagate_version = false)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Args, Debug)]
struct Global {
    /// The harness's folder [default: $PI_CODING_AGENT_DIR, else ~/.omp/agent]
    #[arg(long, global = true, value_name = "DIR")]
    agent_dir: Option<PathBuf>,
    /// Answer with one JSON object
    #[arg(long, global = true)]
    json: bool,
    /// Run this garnish.wasm instead of the built-in one
    #[arg(long, global = true, value_name = "FILE")]
    component: Option<PathBuf>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Set up an agent dir: the gated config, the levels, an empty log, the extension
    #[command(after_help = "\
Examples:
  garnish init --agent-dir ~/.garnish/agent --harness omp
  garnish init --curriculum my-levels/        with quests of your own")]
    Init(Init),
    /// What is open, what is held and how it is earned, what comes next
    Status,
    /// Open features without earning them, for good; gives no XP
    #[command(
        visible_alias = "cheat",
        after_help = "\
Examples:
  garnish unlock --level 2         the level of order 2, and what it unlocks
  garnish unlock --level skills    the level with this id
  garnish unlock --all             every feature and every level"
    )]
    Unlock(Unlock),
    /// Record a finished quest; what its level unlocks opens at once
    #[command(after_help = "Example:\n  garnish complete first-skill")]
    Complete {
        /// The quest's id; `garnish status` lists those that come next
        quest: String,
    },
    /// Print the gate config for what is unlocked, or what it changes in your files; writes nothing
    #[command(after_help = "\
Examples:
  garnish render                             the files as garnish alone would write them
  garnish render --diff                      what a merge would change in your files
  garnish render --features tool:bash,mcp    with these features open, whatever the log says")]
    Render(Render),
    /// Start the harness on the agent dir, so that no project can leave garnish out
    #[command(after_help = "\
Examples:
  garnish launch --agent-dir ~/.garnish/omp
  garnish launch -- --continue              with arguments for the harness")]
    Launch {
        /// The harness's program, if it is not on the PATH
        #[arg(long, value_name = "FILE")]
        program: Option<PathBuf>,
        /// Arguments for the harness
        #[arg(last = true, value_name = "ARGS")]
        arguments: Vec<OsString>,
    },
    /// Give everything back: your files as they were, later edits kept, and nothing of garnish left
    Eject {
        /// Throw away the record of what was earned, too
        #[arg(long)]
        purge: bool,
        /// Say what would happen, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Args, Debug)]
struct Init {
    /// Which harness this is for
    #[arg(long, value_enum, default_value = "omp")]
    harness: Harness,
    /// A folder with the built extension, to be installed
    #[arg(long, value_name = "DIR")]
    extension: Option<PathBuf>,
    /// A folder with the demo extension and MCP server, to be installed
    #[arg(long, value_name = "DIR")]
    demo: Option<PathBuf>,
    /// A quest pack instead of the bundled one
    #[arg(long, value_name = "DIR")]
    curriculum: Option<PathBuf>,
    /// An agent dir whose credentials and models are linked to
    #[arg(long, value_name = "DIR")]
    credentials_of: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct Unlock {
    /// Every feature and every level
    #[arg(long)]
    all: bool,
    /// One level, by its order or its id
    #[arg(long, value_name = "LEVEL")]
    level: Option<String>,
}

#[derive(Args, Debug)]
struct Render {
    /// Show what a merge would change on disk, as a unified diff
    #[arg(long)]
    diff: bool,
    /// Take these features for unlocked, instead of what the log says
    #[arg(long, value_name = "FEATURES", value_delimiter = ',')]
    features: Option<Vec<String>>,
}

/// Runs the command that this process was started with.
pub fn main() -> ExitCode {
    // Without this, writing more than `ulimit -f` allows kills the process, and leaves a temporary file behind.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    run(std::env::args_os())
}

fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let Cli { global, command } = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(usage) => {
            // Help and version come this way too; clap knows where each goes.
            let _ = usage.print();
            return ExitCode::from(if usage.use_stderr() { Exit::Usage } else { Exit::Done });
        }
    };
    let json = global.json;
    match answer(global, command) {
        Ok(answer) => answer.print(json),
        Err(ended) => ended.print(json),
    }
}

fn answer(global: Global, command: Command) -> Result<Answer, Ended> {
    let context = Context { agent_dir: agent_dir(global.agent_dir)?, component: global.component };
    match command {
        Command::Init(Init { harness, extension, demo, curriculum, credentials_of }) => {
            cmd::init::run(&context, &Wanted { harness, extension, demo, curriculum, credentials_of })
        }
        Command::Launch { program, arguments } => cmd::launch::run(&context, program, arguments),
        Command::Eject { purge, dry_run } => cmd::eject::run(&context, purge, dry_run),
        Command::Status => cmd::status::run(&context),
        Command::Unlock(Unlock { level, .. }) => cmd::unlock::run(&context, level),
        Command::Complete { quest } => cmd::complete::run(&context, &quest),
        Command::Render(Render { diff, features }) => cmd::render::run(&context, diff, features),
    }
}

fn agent_dir(asked: Option<PathBuf>) -> Result<PathBuf, Ended> {
    let from_environment = || std::env::var_os("PI_CODING_AGENT_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let default = || std::env::home_dir().map(|home| home.join(".omp/agent"));
    asked.or_else(from_environment).or_else(default).ok_or_else(|| {
        Ended::new(
            Exit::Environment,
            "garnish::cli::no-agent-dir",
            "There is no home folder here. Name the agent dir with --agent-dir DIR.",
        )
    })
}
