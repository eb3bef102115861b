//! What a profile says of a harness's tool calls: which inputs are paths, which are code, and how names are made up.
//!
//! Data only; [`crate::guard`] judges.

use alloc::{string::String, vec::Vec};

use crate::{fields::Fields, list::IntoList, ordered::Map};

/// The guard's part of a profile.
#[derive(Debug, Clone, Default)]
pub struct GuardData {
    /// A path that begins with this names a tool to be run: `xd://lsp`.
    pub device_scheme: Option<String>,
    /// How the harness names the tools of MCP servers.
    pub mcp_names: McpNames,
    /// Environment variables that hold the agent dir.
    pub agent_dir_variables: Vec<String>,
    /// Files of a project that the harness takes settings from.
    pub project_configs: Vec<String>,
    /// Tools that can write, or run code that can.
    pub tools: Map<String, ToolInput>,
}

/// How a harness names the tools of MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum McpNames {
    /// `mcp__<server>_<tool>`: lower case, everything but letters, digits and `_` folded to one `_`.
    #[default]
    Omp,
    /// `mcp__<server>__<tool>`: case kept, each foreign character a `_`.
    Pi,
}

/// Where one tool's input names paths and code. Fields are dotted; `[]` stands for every item of a list,
/// `{}` for every value of a mapping.
#[derive(Debug, Clone, Default)]
pub struct ToolInput {
    /// Paths that a call writes.
    pub writes: Vec<String>,
    /// Texts with paths in their headers: patches.
    pub patches: Vec<String>,
    /// Commands or code.
    pub shell: Vec<String>,
    /// A folder that the call runs in, instead of the session's.
    pub cwd: Option<String>,
    /// A path may be a folder or a glob; whatever lies below is written.
    pub spreads: bool,
    /// A path that does not exist may be taken for another one of that name below the working folder.
    pub rebinds: bool,
    /// A call with this field counts as a call of that tool too.
    pub counts: Vec<Counts>,
}

/// See [`ToolInput::counts`].
#[derive(Debug, Clone)]
pub struct Counts {
    /// The field that makes the difference.
    pub field: String,
    /// The tool.
    pub tool: String,
}

impl GuardData {
    /// Reads the guard's part of a profile.
    pub fn read(fields: &Fields<'_>) -> Self {
        fields.only(&["deviceScheme", "mcpNames", "agentDirVariables", "projectConfigs", "tools"]);
        let names = |word: &str| match word {
            "omp" => Some(McpNames::Omp),
            "pi" => Some(McpNames::Pi),
            _ => None,
        };
        let tools = fields.entries("tools").into_iter().map(|(name, input)| (name.into(), ToolInput::read(&input)));
        Self {
            device_scheme: fields.string("deviceScheme"),
            mcp_names: fields.need("mcpNames", "way of naming (omp or pi)", names).unwrap_or_default(),
            agent_dir_variables: fields.texts("agentDirVariables"),
            project_configs: fields.texts("projectConfigs"),
            tools: Map::from_iter(tools),
        }
    }
}

impl ToolInput {
    fn read(fields: &Fields<'_>) -> Self {
        fields.only(&["writes", "patches", "shell", "cwd", "spreads", "rebinds", "counts"]);
        let counts = |fields: &Fields<'_>| {
            fields.only(&["field", "as"]);
            Counts { field: fields.need_string("field"), tool: fields.need_string("as") }
        };
        Self {
            writes: fields.texts("writes"),
            patches: fields.texts("patches"),
            shell: fields.texts("shell"),
            cwd: fields.string("cwd"),
            spreads: fields.flag("spreads").unwrap_or(false),
            rebinds: fields.flag("rebinds").unwrap_or(false),
            counts: fields.records("counts").iter().map(counts).list(),
        }
    }
}
