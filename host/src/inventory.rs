//! `garnish/inventory.json`: what the harness had when a session with garnish began, as the extension wrote it down
//! (`pi/src/inventory.ts`). It is read here and never written.

use serde::Deserialize;

use crate::bindings::Failure;
use crate::effects::Effects;

/// Inside the agent dir.
pub(crate) const PATH: &str = "garnish/inventory.json";

/// What a session found.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Inventory {
    /// The harness's own version.
    pub harness: String,
    /// Garnish's, as the extension says it.
    pub garnish: String,
    /// Every tool that the harness had, shown or not.
    pub tools: Vec<String>,
}

impl Inventory {
    /// None: no session has begun yet, or the file is not one of this version.
    pub(crate) fn read(effects: &mut impl Effects) -> Result<Option<Self>, Failure> {
        Ok(effects.read(PATH)?.and_then(|content| serde_json::from_slice(&content.bytes).ok()))
    }
}
