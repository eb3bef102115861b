//! The command line: what can be typed, and how an answer leaves the program. What a command does is in `cmd/`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};

use crate::cmd::graph::Format;
use crate::cmd::init::Wanted;
use crate::cmd::{self, Context};
use crate::harness::Harness;
use crate::output::{Answer, Ended, Exit};

const EXAMPLES: &str = "\
Examples:
  garnish init                     set up an agent dir
  garnish status                   what is open, what is held, what comes next
  garnish complete first-skill     record a finished quest
  garnish explain bash             why a tool is held, and where from
  garnish diff                     what garnish would change in your files, without writing
  garnish doctor                   what is wrong here, and how to mend it
  garnish unlock --level 2         open level 2 now, without its quests
  garnish unlock --all             open everything: the stock harness again

Exit codes: 0 done, or nothing to do; 1 what was asked is not so (no such level, a check
that does not hold); 2 wrong usage;
3 a file of yours was not touched, and why; 4 this machine or folder is not as it must be.";

/// Starts a coding-agent harness with few features and gives them back as you learn.
#[derive(Parser, Debug)]
#[command(name = "garnish", version, after_help = EXAMPLES, propagate_version = false)]
pub(crate) struct Cli {
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
  garnish init                                shows what it would make, and asks
  garnish init --agent-dir ~/.garnish/agent --harness omp --yes
  garnish init --curriculum my-levels/        with quests of your own, or a graph.json")]
    Init(Init),
    /// Start the harness on the agent dir, so that no project can leave garnish out or open a gate
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
    /// What is open, what is held and how it is earned, what comes next
    Status {
        /// Say it anew whenever the log changes, until interrupted
        #[arg(long)]
        watch: bool,
    },
    /// Record a finished quest; what its level unlocks opens at once
    #[command(after_help = "Example:\n  garnish complete first-skill")]
    Complete {
        /// The quest's id; `garnish status` lists those that come next
        quest: String,
        #[command(flatten)]
        dry: Dry,
    },
    /// Show a quest's hint; a level cleared without one gives a badge
    #[command(after_help = "Example:\n  garnish hint first-skill")]
    Hint {
        /// The quest's id
        quest: String,
        #[command(flatten)]
        dry: Dry,
    },
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
    /// Print the gate config for what is unlocked, or what it changes in your files; writes nothing
    #[command(after_help = "\
Examples:
  garnish render                             the files as garnish alone would write them
  garnish render --diff                      what a merge would change in your files
  garnish render --features tool:bash,mcp    with these features open, whatever the log says")]
    Render(Render),
    /// What garnish would change in your files now: `render --diff`
    Diff {
        /// Take these features for unlocked, instead of what the log says
        #[arg(long, value_name = "FEATURES", value_delimiter = ',')]
        features: Option<Vec<String>>,
    },
    /// Why a tool, a server, a skill or a feature is open or held, and where the harness takes that from
    #[command(after_help = "\
Examples:
  garnish explain bash             a tool
  garnish explain mcp:demo         a surface in garnish's own spelling
  garnish explain context          all that a feature opens")]
    Explain {
        /// A tool, a surface, or a feature
        name: String,
    },
    /// Whether the gate keeps its promises here; exit code 1 if not
    Check,
    /// What is wrong with this machine and agent dir, each with the command that mends it
    Doctor {
        /// Write what the next start would write anyway
        #[arg(long)]
        fix: bool,
        #[command(flatten)]
        dry: Dry,
    },
    /// The catalogs: what each feature opens
    #[command(
        subcommand,
        after_help = "\
Examples:
  garnish catalog list             those that are built in
  garnish catalog show             what the agent dir's opens
  garnish catalog validate team.yml"
    )]
    Catalog(Catalog),
    /// Levels, quests and what they unlock, as a picture
    #[command(after_help = "\
Examples:
  garnish graph                            for a Markdown file
  garnish graph --format svg > levels.svg
  garnish graph --format dot | dot -Tpng > levels.png")]
    Graph {
        /// What to write it in
        #[arg(long, value_enum, default_value = "mermaid")]
        format: Format,
    },
    /// The event log in words
    Log {
        /// Go on with what is appended, until interrupted
        #[arg(long)]
        follow: bool,
        /// Only the last lines
        #[arg(long, value_name = "N")]
        last: Option<usize>,
    },
    /// Fold the log anew, step by step, and compare with what is on disk
    Replay,
    /// Give everything back: your files as they were, later edits kept, and nothing of garnish left
    Eject {
        /// Throw away the record of what was earned, too
        #[arg(long)]
        purge: bool,
        /// Say what would happen, with a diff, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Print a script that completes commands and options in your shell
    #[command(after_help = "Example:\n  garnish completions bash > ~/.local/share/bash-completion/completions/garnish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Example:\n  garnish man > ~/.local/share/man/man1/garnish.1")]
    Man,
}

#[derive(Args, Debug)]
struct Dry {
    /// Say what would happen and what would be written, and do nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Subcommand, Debug)]
enum Catalog {
    /// The names of those that are built in
    List,
    /// What each feature opens, of the agent dir's catalog or of a built-in one
    Show {
        /// A built-in catalog
        name: Option<String>,
    },
    /// Every fault of a catalog file, with its place
    Validate {
        /// YAML or JSON
        file: PathBuf,
    },
}

#[derive(Args, Debug)]
struct Init {
    /// Which harness this is for [default: the one on the PATH]
    #[arg(long, value_enum)]
    harness: Option<Harness>,
    /// A folder with the built extension, to be installed
    #[arg(long, value_name = "DIR")]
    extension: Option<PathBuf>,
    /// A folder with the demo extension and MCP server, to be installed
    #[arg(long, value_name = "DIR")]
    demo: Option<PathBuf>,
    /// A quest pack, or a graph.json, instead of the bundled pack
    #[arg(long, value_name = "PATH")]
    curriculum: Option<PathBuf>,
    /// An agent dir whose credentials and models are linked to
    #[arg(long, value_name = "DIR")]
    credentials_of: Option<PathBuf>,
    /// Ask nothing
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    dry: Dry,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false, args = ["all", "level"])]
struct Unlock {
    /// Every feature and every level
    #[arg(long)]
    all: bool,
    /// One level, by its order or its id
    #[arg(long, value_name = "LEVEL")]
    level: Option<String>,
    #[command(flatten)]
    dry: Dry,
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
    let json = global.json;
    let harness = match &command {
        Command::Init(Init { harness, .. }) => *harness,
        _ => None,
    };
    let context =
        Context { agent_dir: agent_dir(global.agent_dir, harness)?, component: global.component, would: None };
    // A dry run is the command itself, on effects that write nothing.
    let dry = |dry: Dry| Context { would: dry.dry_run.then(Arc::default), ..context.clone() };
    match command {
        Command::Init(Init { harness, extension, demo, curriculum, credentials_of, yes, dry: is_dry }) => {
            let context = dry(is_dry);
            context
                .dry(cmd::init::run(&context, &Wanted { harness, extension, demo, curriculum, credentials_of, yes })?)
        }
        Command::Launch { program, arguments } => cmd::launch::run(&context, program, arguments),
        Command::Status { watch: true } => cmd::status::watch(&context, json),
        Command::Status { watch: false } => cmd::status::run(&context),
        Command::Complete { quest, dry: is_dry } => {
            let context = dry(is_dry);
            context.dry(cmd::complete::run(&context, &quest)?)
        }
        Command::Hint { quest, dry: is_dry } => {
            let context = dry(is_dry);
            context.dry(cmd::hint::run(&context, &quest)?)
        }
        Command::Unlock(Unlock { level, dry: is_dry, .. }) => {
            let context = dry(is_dry);
            context.dry(cmd::unlock::run(&context, level)?)
        }
        Command::Render(Render { diff, features }) => cmd::render::run(&context, diff, features),
        Command::Diff { features } => cmd::render::run(&context, true, features),
        Command::Explain { name } => cmd::explain::run(&context, &name),
        Command::Check => cmd::check::run(&context),
        Command::Doctor { fix, dry: is_dry } => {
            let context = dry(is_dry);
            context.dry(cmd::doctor::run(&context, fix)?)
        }
        Command::Catalog(Catalog::List) => cmd::catalog::list(&context),
        Command::Catalog(Catalog::Show { name }) => cmd::catalog::show(&context, name.as_deref()),
        Command::Catalog(Catalog::Validate { file }) => cmd::catalog::validate(&context, &file),
        Command::Graph { format } => cmd::graph::run(&context, format),
        Command::Log { follow, last } => cmd::log::run(&context, last, follow, json),
        Command::Replay => cmd::replay::run(&context),
        Command::Eject { purge, dry_run } => cmd::eject::run(&context, purge, dry_run),
        Command::Completions { shell } => Ok(cmd::shell::completions(shell)),
        Command::Man => Ok(cmd::shell::man()),
    }
}

fn agent_dir(asked: Option<PathBuf>, harness: Option<Harness>) -> Result<PathBuf, Ended> {
    let from_environment = || std::env::var_os("PI_CODING_AGENT_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let default = || std::env::home_dir().map(|home| home.join(harness.unwrap_or(Harness::Omp).default_agent_dir()));
    asked.or_else(from_environment).or_else(default).ok_or_else(|| {
        Ended::new(
            Exit::Environment,
            "garnish::cli::no-agent-dir",
            "There is no home folder here. Name the agent dir with --agent-dir DIR.",
        )
    })
}
