//! A curriculum as a folder of text (`pack.yml`, one Markdown file for each quest), read into the graph that the
//! component folds by. It reports every fault at once, and never guesses around one.
//!
//! The format is described in `fixtures/curriculum/README.md`.

mod check;
mod read;

use std::fmt;
use std::path::Path;

use serde::Serialize;

/// A checked quest pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    /// The pack.
    pub id: String,
    /// One line.
    pub title: String,
    /// One line.
    pub summary: String,
    /// By `order`.
    pub levels: Vec<Level>,
    /// By level, then by file name.
    pub quests: Vec<Quest>,
}

/// A level of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level {
    /// Unique in the pack.
    pub id: String,
    /// The level with the lowest is open from the start.
    pub order: u64,
    /// For people.
    pub title: String,
    /// What the learner can do after it.
    pub summary: String,
    /// Feature ids, given when all required quests are done.
    pub unlocks: Vec<String>,
}

/// A quest of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Quest {
    /// Unique in the pack, and the name of its file.
    pub id: String,
    /// The level it counts for.
    pub level: String,
    /// For people.
    pub title: String,
    /// For people.
    pub summary: String,
    /// Whether the level waits for it.
    pub required: bool,
    /// Given once.
    pub xp: u64,
    /// Quests to do first.
    pub requires: Vec<String>,
    /// Feature ids, given once the quest and its level are both complete.
    pub unlocks: Vec<String>,
    /// What the learner reads: Markdown.
    #[serde(skip)]
    pub body: String,
}

/// What is wrong in a pack, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Inside the pack's folder.
    pub file: String,
    /// Counted from 1.
    pub line: Option<u64>,
    /// One sentence.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// Everything that is wrong in a pack, by file and line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Faults {}

/// The files of the curriculum that is built into this program: (path, text).
pub static BUNDLED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/curriculum.rs"));

impl Pack {
    /// The curriculum that is built into this program.
    ///
    /// # Errors
    ///
    /// All faults; a test keeps it without any.
    pub fn bundled() -> Result<Self, Faults> {
        Self::from_files(BUNDLED.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())))
    }

    /// The pack in a folder. `features`: those of the catalog, if the pack may unlock no others.
    ///
    /// # Errors
    ///
    /// All faults; files that cannot be read are among them.
    pub fn from_dir(folder: &Path, features: Option<&[String]>) -> Result<Self, Faults> {
        let mut files = Vec::new();
        let mut faults = Vec::new();
        read::folder(folder, &mut files, &mut faults);
        Self::checked(files, features, faults)
    }

    /// The pack in these files: (path inside the pack, text).
    ///
    /// # Errors
    ///
    /// All faults.
    pub fn from_files(files: impl IntoIterator<Item = (String, String)>) -> Result<Self, Faults> {
        Self::checked(files.into_iter().collect(), None, Vec::new())
    }

    fn checked(
        mut files: Vec<(String, String)>,
        features: Option<&[String]>,
        mut faults: Vec<Fault>,
    ) -> Result<Self, Faults> {
        files.sort();
        let draft = read::draft(&files, &mut faults);
        let pack = check::pack(draft, features, &mut faults);
        faults.sort();
        faults.dedup();
        match pack {
            Some(pack) if faults.is_empty() => Ok(pack),
            _ => Err(Faults(faults)),
        }
    }

    /// `garnish/graph.json` for this pack: the same text for the same pack, ending in a line feed.
    pub fn graph_json(&self) -> String {
        #[derive(Serialize)]
        struct GraphLevel<'a> {
            #[serde(flatten)]
            level: &'a Level,
            quests: Vec<&'a str>,
        }
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Graph<'a> {
            levels: Vec<GraphLevel<'a>>,
            quests: &'a [Quest],
            unlock_edges: [(); 0],
        }
        let members = |level: &Level| {
            let of_level = self.quests.iter().filter(|quest| quest.level == level.id);
            of_level.map(|quest| quest.id.as_str()).collect()
        };
        let graph = Graph {
            levels: self.levels.iter().map(|level| GraphLevel { level, quests: members(level) }).collect(),
            quests: &self.quests,
            unlock_edges: [],
        };
        let mut text = serde_json::to_string_pretty(&graph).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// Files of a pack: (path inside it, text).
pub type Texts = Vec<(String, String)>;

/// The texts of a pack's folder.
///
/// # Errors
///
/// Files that cannot be read.
pub fn texts(folder: &Path) -> Result<Texts, Faults> {
    let (mut files, mut faults) = (Vec::new(), Vec::new());
    read::folder(folder, &mut files, &mut faults);
    files.sort();
    if faults.is_empty() { Ok(files) } else { Err(Faults(faults)) }
}

/// The text under `## Hint` in a quest's Markdown.
pub fn hint_in(markdown: &str) -> Option<String> {
    let (_, rest) = markdown.split_once("\n## Hint\n")?;
    let hint = rest.split("\n## ").next().unwrap_or_default().trim();
    (!hint.is_empty()).then(|| hint.to_owned())
}
