//! Which tools are kept out of sight, and which settings keep the rest closed.
//!
//! It judges names that a harness shows; calls are judged by [`crate::guard`].

use alloc::{string::String, vec::Vec};

use crate::{
    capability::{Capability, Kind},
    catalog::Catalog,
    displaced::Displaced,
    document,
    gate_config::{Capabilities, Gate, Leaf, LeafForm, leaves, spelled},
    guard_data::McpNames,
    list::IntoList,
    mcp_names,
    profile::{MARKER, Profile},
    value::{Mapping, Value, map},
    words::has,
};

/// A tool as a harness names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The MCP server that offers it, where the harness tells.
    pub server: Option<String>,
}

/// The held capability that keeps a tool back; none: it may be shown.
pub fn holder<'h>(tool: &Tool, held: &'h Capabilities, profile: &Profile) -> Option<&'h Capability> {
    held.iter().find(|capability| provides(tool, capability, profile.guard.mcp_names))
}

/// Whether a tool is what a capability stands for, or one of an MCP server's.
pub fn provides(tool: &Tool, capability: &Capability, names: McpNames) -> bool {
    match capability.kind {
        Kind::Tool => capability.name == tool.name,
        Kind::McpServer => match &tool.server {
            Some(server) => capability.name == *server,
            None => mcp_names::may_belong(names, &tool.name, &capability.name),
        },
        _ => false,
    }
}

/// The names of the tools that may be shown, in their order.
pub fn shown(tools: &[Tool], held: &Capabilities, profile: &Profile) -> Vec<String> {
    tools.iter().filter(|tool| holder(tool, held, profile).is_none()).map(|tool| tool.name.clone()).list()
}

/// One setting of a runtime layer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setting {
    /// Dotted.
    pub key: String,
    /// As JSON.
    pub json: String,
}

/// When a runtime layer is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the harness builds its tools.
    Building,
    /// Once they are built.
    Running,
}

/// What a runtime layer says, by dotted key, while something is held: tools are registered, everything else is closed.
/// `files` are those on disk, by index of [`Profile::files`].
pub fn overrides(
    moment: Moment,
    gate: &Gate,
    catalog: &Catalog,
    profile: &Profile,
    displaced: &Displaced,
    files: &[Option<Value>],
) -> Mapping {
    let mut settings = Mapping::new();
    let Some(layer) = profile.settings_layer else { return settings };
    for leaf in leaves(catalog, profile).iter().filter(|leaf| leaf.file == layer) {
        let is_held = leaf.holds(&gate.held);
        // A tool that was opened since the harness read its files: registered all the same, so that it can be set live.
        let is_tools = matches!(leaf.form, LeafForm::Toggle | LeafForm::Switch(_));
        if !(is_held || is_tools && is_closed_on_disk(leaf, files)) {
            continue;
        }
        let theirs = original(leaf, profile, displaced, files);
        let closed = || Some(leaf.held_value(gate, theirs.as_ref()));
        let value = match leaf.form {
            // A tool is looked up among the registered ones when it is unlocked, so it must be there from the start.
            LeafForm::Toggle => {
                let [tool] = leaf.needs.as_slice() else { continue };
                let off = match theirs.as_ref() {
                    Some(theirs) => *theirs == Value::Bool(false),
                    None => profile.off_by_default.contains(&tool.name),
                };
                // A name with a dot is a setting of a tool and none itself: nothing but the setting holds it.
                match (
                    is_held && (profile.read_at_call.contains(&tool.name) || has(&tool.name, b'.')),
                    profile.untoggled.contains(&tool.name) || off,
                ) {
                    (true, _) => closed(),
                    (false, true) => continue,
                    (false, false) => Some(Value::Bool(true)),
                }
            }
            LeafForm::Switch(switch) if is_held && moment == Moment::Running && switch.read_at_use => closed(),
            LeafForm::Switch(switch) => match theirs.clone() {
                Some(theirs) if theirs == switch.held => continue,
                Some(theirs) => Some(theirs),
                None if leaf.needs.iter().any(|tool| profile.off_by_default.contains(&tool.name)) => continue,
                None => Some(switch.registered.clone()),
            },
            // Lists replace each other between a harness's layers, so the learner's own entries go along.
            LeafForm::Deny(rule) => {
                let file = files.get(leaf.file).and_then(Option::as_ref);
                let mut list: Vec<Value> =
                    file.and_then(|file| file.at(&leaf.path)?.as_list()).unwrap_or_default().to_vec();
                for entry in leaf.needs.iter().filter(|need| gate.held.contains(need)).map(|need| rule.entry(need)) {
                    if !list.iter().any(|item| item.as_str() == Some(&entry)) {
                        list.push(Value::String(entry));
                    }
                }
                Some(Value::List(list))
            }
            LeafForm::Any | LeafForm::Allow | LeafForm::Level(_) => closed(),
        };
        if let Some(value) = value {
            settings.insert(leaf.dotted(), value);
        }
    }
    settings
}

/// Whether the value that stands in a file is garnish's, as the file's own marker says.
fn is_closed_on_disk(leaf: &Leaf<'_>, files: &[Option<Value>]) -> bool {
    let file = files.get(leaf.file).and_then(Option::as_ref);
    let marked = file.and_then(|file| file.at(&[MARKER, "leaves"])?.as_list()).unwrap_or_default();
    let key = leaf.dotted();
    marked.iter().any(|marked| marked.as_str() == Some(&key))
}

/// The learner's own value of a key: what garnish displaced, or what stands in a file that garnish has not written yet.
fn original(leaf: &Leaf<'_>, profile: &Profile, displaced: &Displaced, files: &[Option<Value>]) -> Option<Value> {
    let file = profile.files.get(leaf.file)?;
    let record = file.paths.iter().find_map(|path| displaced.files.get(path)?.values.get(&leaf.dotted()));
    match record {
        Some(record) => document::raw_value(file.format, record.original.as_deref()?),
        None => {
            let found = files.get(leaf.file)?.as_ref()?;
            found.at(&leaf.path).filter(|_| found.at(&[MARKER]).is_none()).cloned()
        }
    }
}

/// Relative to the agent dir: the names held, and the settings that close the rest, for a host whose component will not
/// load.
pub const HELD_FILE: &str = "garnish/held.json";

/// The content of [`HELD_FILE`]; `settings` are the [`overrides`] of a running session.
pub fn held_file(held: &Capabilities, settings: Mapping) -> Vec<u8> {
    let names = |kind: Kind| -> Value {
        held.iter().filter(|capability| capability.kind == kind).map(|capability| capability.name.as_str()).collect()
    };
    let all = Value::texts(&spelled(held));
    let value = map([
        ("capabilities", Some(all)),
        ("mcpServers", Some(names(Kind::McpServer))),
        ("settings", Some(Value::Map(settings))),
        ("tools", Some(names(Kind::Tool))),
        ("version", Some(Value::Number(1.0))),
    ]);
    crate::render::file(&value, crate::edit::Format::Json)
}
