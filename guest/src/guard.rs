//! The verdict on a tool call: is the tool held, and would the call write garnish's own state?
//!
//! It runs nothing and opens nothing. What it cannot read it refuses for tools that write.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    capability::Capability,
    catalog::Catalog,
    diagnostic::Error,
    earn,
    edit::{Document, Format},
    gate_config::Capabilities,
    graph::Graph,
    guard_data::ToolInput,
    guard_paths::{self, Finding},
    hold::{self, Tool},
    host::Resolution,
    id::FeatureId,
    profile::Profile,
    progression::Progress,
    value::Value,
    words::{joined, parts, trim_end},
};

/// A call that an agent is about to make.
#[derive(Debug, Clone)]
pub struct Call {
    /// Which tool.
    pub tool: Tool,
    /// A JSON object.
    pub input: Vec<u8>,
    /// Absolute.
    pub cwd: String,
    /// The learner's home folder.
    pub home: Option<String>,
}

/// Why a call is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Stable.
    pub code: &'static str,
    /// The tool's result.
    pub for_agent: String,
    /// A note.
    pub for_learner: String,
    /// What would allow it.
    pub feature: Option<FeatureId>,
}

/// The rules and the state that a call is judged by.
pub struct Guard<'g> {
    /// What is gated.
    pub catalog: &'g Catalog,
    /// How the harness's calls look.
    pub profile: &'g Profile,
    /// The curriculum, for words.
    pub graph: &'g Graph,
    /// The learner, for words.
    pub progress: &'g Progress,
    /// What is held now.
    pub held: &'g Capabilities,
}

/// Asks the host where a path leads.
pub type Resolve<'r> = dyn FnMut(&str, &str) -> Result<Resolution, Error> + 'r;

/// Largest input that is read, in bytes. A larger one is judged by its tool alone.
const MAX_INPUT: usize = 16 << 20;

impl Guard<'_> {
    /// None: go ahead.
    ///
    /// # Errors
    /// The host could not say where a path leads.
    pub fn check(&self, call: &Call, resolve: &mut Resolve<'_>) -> Result<Option<Refusal>, Error> {
        let input =
            Document::parse_within(Format::Json, &call.input, MAX_INPUT).ok().map(|document| document.into_value());
        let shape = self.profile.guard.tools.get(&call.tool.name);
        let names = self.names(call, input.as_ref(), shape);
        if let Some((tool, capability)) =
            names.iter().find_map(|tool| Some((tool, hold::holder(tool, self.held, self.profile)?)))
        {
            return Ok(Some(self.held_refusal(tool, capability)));
        }
        let Some(shape) = shape else { return Ok(None) };
        let Some(input) = input.filter(|input| input.as_map().is_some()) else {
            return Ok(Some(Refusal {
                code: "garnish::guard::unreadable",
                for_agent: format!(
                    "The arguments of {} are not a readable JSON object, so garnish cannot tell what the call \
                        would write. Send it again, well formed.",
                    call.tool.name
                ),
                for_learner: String::new(),
                feature: None,
            }));
        };
        self.own_state(call, &input, shape, resolve)
    }

    /// Every tool that a call amounts to. A call of a device through `write` is that device's; `read` shows a device's
    /// text, so both must be open.
    fn names(&self, call: &Call, input: Option<&Value>, shape: Option<&ToolInput>) -> Vec<Tool> {
        let mut names = Vec::new();
        let text = |field: &str| input.and_then(|input| input.at(&[field])).and_then(Value::as_str);
        let device = self
            .profile
            .guard
            .device_scheme
            .as_deref()
            .zip(text("path"))
            .and_then(|(scheme, path)| device(scheme, path));
        match device {
            Some(device) if matches!(call.tool.name.as_str(), "read" | "write") => {
                names.push(Tool { name: device, server: None });
                if call.tool.name == "read" {
                    names.push(call.tool.clone());
                }
            }
            _ => names.push(call.tool.clone()),
        }
        for counts in shape.map_or(&[][..], |shape| &shape.counts) {
            if input.is_some_and(|input| input.at(&[&counts.field]).is_some()) {
                names.push(Tool { name: counts.tool.clone(), server: None });
            }
        }
        names
    }

    fn held_refusal(&self, tool: &Tool, capability: &Capability) -> Refusal {
        let feature = earn::feature_for(capability, self.catalog, self.graph).cloned();
        let (title, how) = match &feature {
            Some(feature) => (earn::title(feature, self.catalog), earn::sentence(feature, self.graph, self.progress)),
            None => (capability.to_string(), String::new()),
        };
        Refusal {
            code: "garnish::guard::held",
            for_agent: format!(
                "{} is held by garnish: the learner has not earned it yet. Do the task without it, or tell \
                    the learner how to do that step by hand. Do not look for a way around.",
                tool.name
            ),
            for_learner: format!("The agent wanted {}, which is still held ({title}). {how}", tool.name)
                .trim_end()
                .into(),
            feature,
        }
    }

    fn own_state(
        &self,
        call: &Call,
        input: &Value,
        shape: &ToolInput,
        resolve: &mut Resolve<'_>,
    ) -> Result<Option<Refusal>, Error> {
        let cwd = match all_texts(input, shape.cwd.as_slice()).first() {
            Some(folder) => guard_paths::join(&call.cwd, &guard_paths::plain(folder, call.home.as_deref())),
            None => call.cwd.clone(),
        };
        let mut finder = guard_paths::Finder {
            profile: self.profile,
            anything_held: !self.held.is_empty(),
            cwd: &cwd,
            home: call.home.as_deref(),
            resolve,
            lookups: 0,
        };
        let mut paths = all_texts(input, &shape.writes);
        for text in all_texts(input, &shape.patches) {
            paths.extend(guard_paths::patch_targets(text));
        }
        for path in paths {
            if let Some(found) = finder.written(path, shape.spreads, shape.rebinds)? {
                return Ok(Some(own_state_refusal(&found)));
            }
        }
        // A program and its arguments are one command, in whatever fields they come.
        let code = joined(&all_texts(input, &shape.shell), " ");
        Ok(finder.named_in(&code).map(|found| own_state_refusal(&found)))
    }
}

fn own_state_refusal(found: &Finding) -> Refusal {
    const EDIT: &str = "You may edit it yourself, in an editor.";
    let (deed, name, says, advice) = match found {
        Finding::Path(path) => ("touch", path.as_str(), "belongs to garnish", EDIT),
        Finding::Project(path) => ("touch", path.as_str(), "can open what garnish holds", EDIT),
        Finding::Command(command) => {
            ("run", command.as_str(), "is the learner's to run", "You may do so in a shell of your own.")
        }
        Finding::TooMuch => ("run", "the command", "names too many paths to check each", ""),
    };
    let for_learner = format!("The agent wanted to {deed} {name}, which {says}. {advice}");
    Refusal {
        code: "garnish::guard::own-state",
        for_agent: format!(
            "Refused: {name} {says}. Agents do not change what is unlocked; the learner does. Go on without it."
        ),
        for_learner: if advice.is_empty() { String::new() } else { for_learner },
        feature: None,
    }
}

/// The tool behind a path like `xd://lsp`, however a harness lets it be spelled.
fn device(scheme: &str, path: &str) -> Option<String> {
    let path = path.trim();
    let path = path.strip_prefix('[').map_or(path, |inner| trim_end(inner, "]")).trim();
    let (head, name) = path.split_at_checked(scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then(|| parts(name, "?#/").first().copied().unwrap_or_default().to_string())
}

/// All texts at these dotted fields; `[]` stands for every item of a list, `{}` for every value of a mapping.
fn all_texts<'v>(input: &'v Value, fields: &[String]) -> Vec<&'v str> {
    let mut all = Vec::new();
    for field in fields {
        texts(input, &parts(field, "."), &mut all);
    }
    all
}

fn texts<'v>(value: &'v Value, steps: &[&str], all: &mut Vec<&'v str>) {
    let Some((step, steps)) = steps.split_first() else { return all.extend(value.as_str()) };
    let key = parts(step, "[]{}");
    match value.at(&key) {
        // A harness also takes a single text where it documents a list.
        Some(Value::List(items)) if step.ends_with(']') => items.iter().for_each(|item| texts(item, steps, all)),
        Some(Value::Map(map)) if step.ends_with('}') => map.iter().for_each(|(_, item)| texts(item, steps, all)),
        Some(value) => texts(value, steps, all),
        None => {}
    }
}
