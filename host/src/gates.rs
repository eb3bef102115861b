//! What each feature of a catalog opens, and which keys of the harness's files gate a surface. All of it is asked of the
//! component, by rendering and comparing: no rule of catalog or profile is repeated here.

use serde_json::{Map, Value, json};

use crate::bindings::{CatalogSource, File, ProfileSource, UnlockSet};
use crate::instance::{CallError, Garnish};

/// A feature and the capabilities that it opens.
#[derive(Debug, Clone)]
pub(crate) struct FeatureGate {
    pub id: String,
    pub capabilities: Vec<String>,
}

/// Every feature of a catalog, sorted by id.
pub(crate) fn features(
    garnish: &mut Garnish,
    catalog: &CatalogSource,
    profile: &ProfileSource,
) -> Result<Vec<FeatureGate>, CallError> {
    let always = garnish.render_gate_config(&unlocked(&[]), catalog, profile)?.enabled;
    let mut features = Vec::new();
    for id in garnish.catalog_feature_ids(catalog)? {
        let opened = garnish.render_gate_config(&unlocked(&[&id]), catalog, profile)?.enabled;
        let capabilities = opened.into_iter().filter(|capability| !always.contains(capability)).collect();
        features.push(FeatureGate { id, capabilities });
    }
    Ok(features)
}

/// A key that gates a surface.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    /// Inside the agent dir: the profile's first choice.
    pub file: String,
    pub path: Vec<String>,
    /// What garnish writes while the surface is held, and once it is open.
    pub held: Option<Value>,
    pub open: Option<Value>,
}

impl Key {
    pub(crate) fn dotted(&self) -> String {
        self.path.join(".")
    }
}

/// The keys that gate one capability; empty for one that the session alone holds.
pub(crate) fn keys(garnish: &mut Garnish, capability: &str, profile: &ProfileSource) -> Result<Vec<Key>, CallError> {
    let catalog = CatalogSource::Document(catalog_of(capability).to_string().into_bytes());
    let held = garnish.render_gate_config(&unlocked(&[]), &catalog, profile)?.files;
    let open = garnish.render_gate_config(&unlocked(&["it"]), &catalog, profile)?.files;
    let mut keys = Vec::new();
    for (held, open) in held.iter().zip(&open) {
        let (before, after) = (leaves(held), leaves(open));
        let mut paths: Vec<&Vec<String>> = before.iter().chain(&after).map(|(path, _)| path).collect();
        paths.sort();
        paths.dedup();
        for path in paths {
            let [was, is] = [&before, &after].map(|leaves| leaves.iter().find(|(known, _)| known == path));
            let [was, is] = [was, is].map(|leaf| leaf.map(|(_, value)| value.clone()));
            if was != is {
                keys.push(Key { file: held.path.clone(), path: path.clone(), held: was, open: is });
            }
        }
    }
    Ok(keys)
}

fn unlocked(features: &[&str]) -> UnlockSet {
    UnlockSet { features: features.iter().map(|id| (*id).to_owned()).collect(), levels: Vec::new() }
}

/// A catalog of one feature with one surface, spelled as `wit/types.wit` says.
fn catalog_of(capability: &str) -> Value {
    let (kind, name) = capability.split_once(':').unwrap_or(("", capability));
    let (kind, field) = match kind {
        "mcp" => ("mcpServer", "name"),
        "tool" => (kind, "name"),
        "skill" => (kind, "glob"),
        "approvalMode" => (kind, "mode"),
        _ => (kind, "id"),
    };
    json!({ "features": { "it": [{ "kind": kind, field: name }] } })
}

/// Everything that a rendered file says but garnish's own marker and the schema's name.
fn leaves(file: &File) -> Vec<(Vec<String>, Value)> {
    let value: Option<Value> = match file.path.ends_with(".json") {
        true => serde_json::from_slice(&file.bytes).ok(),
        false => serde_saphyr::from_slice(&file.bytes).ok(),
    };
    let mut leaves = Vec::new();
    if let Some(Value::Object(map)) = value {
        walk(&map, &mut Vec::new(), &mut leaves);
    }
    leaves.retain(|(path, _)| !matches!(path.first().map(String::as_str), Some("garnish" | "$schema")));
    leaves
}

fn walk(map: &Map<String, Value>, path: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, Value)>) {
    for (key, value) in map {
        path.push(key.clone());
        match value {
            Value::Object(map) => walk(map, path, leaves),
            value => leaves.push((path.clone(), value.clone())),
        }
        path.pop();
    }
}
