//! Recorded pairs of inputs and answers, run through `garnish.wasm`. The format is described in
//! `fixtures/vectors/README.md`.
//!
//! It compares and never mends: a difference in form that carries no meaning is said where it is ignored.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use garnish_host::{
    BadgeKind, CatalogSource, Component, Content, Effects, Failure, File, Folded, Garnish, LogStat, NoSession, Place,
    ProfileSource, Rendered, Resolution, Selector, UnlockSet,
};
use serde_json::{Map, Value, json};

/// How a run ended.
#[derive(Debug, Default)]
pub struct Summary {
    /// Pairs that agree.
    pub passed: usize,
    /// Those that do not: which, and how.
    pub failed: Vec<String>,
}

/// Runs every pair of a file.
///
/// # Errors
/// The file is not of the format, or the component does not run here.
pub fn run(text: &str) -> Result<Summary, String> {
    let file: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| format!("the file is no JSON object: {error}"))?;
    let mut summary = Summary::default();
    for (list, check) in [("render", render as Check), ("monotonic", monotonic), ("fold", fold), ("unlock", unlock)] {
        let pairs = file.get(list).and_then(Value::as_array).ok_or_else(|| format!("the file has no list {list:?}"))?;
        for (index, pair) in pairs.iter().enumerate() {
            match check(pair) {
                Ok(()) => summary.passed += 1,
                Err(difference) => summary.failed.push(format!("{list}[{index}]: {difference}")),
            }
        }
    }
    Ok(summary)
}

type Check = fn(&Value) -> Result<(), String>;

fn instance(effects: Memory) -> Result<Garnish, String> {
    let component = Component::embedded().map_err(ToString::to_string)?;
    Garnish::new(component, effects, NoSession::new(|_, _| {})).map_err(|trapped| trapped.to_string())
}

fn same(what: &str, expected: &Value, found: &Value) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{what}\n  expected {expected}\n  found    {found}")) }
}

fn field<'p>(pair: &'p Value, name: &str) -> Result<&'p Value, String> {
    pair.get(name).ok_or_else(|| format!("the pair has no {name:?}"))
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
}

fn sorted(value: &Value) -> Value {
    json!(texts(value).into_iter().collect::<BTreeSet<_>>())
}

fn catalog(pair: &Value) -> Result<CatalogSource, String> {
    let document = json!({"version": 1, "features": field(pair, "catalog")?});
    Ok(CatalogSource::Document(document.to_string().into_bytes()))
}

/// The form that the pairs were recorded in.
fn profile() -> ProfileSource {
    ProfileSource::Builtin("omp-16".into())
}

fn unlocked(features: Vec<String>) -> UnlockSet {
    UnlockSet { features, levels: Vec::new() }
}

/// A rendered config, read by another YAML implementation than the one that wrote it, without the marker.
fn config(files: &[File]) -> Result<Value, String> {
    let file = files.iter().find(|file| file.path == "config.yml").ok_or("no config.yml")?;
    let mut config: Value = yaml_serde::from_slice(&file.bytes).map_err(|error| error.to_string())?;
    if let Some(config) = config.as_object_mut() {
        config.remove("garnish");
    }
    Ok(config)
}

fn disabled_servers(files: &[File]) -> Result<Value, String> {
    let file = files.iter().find(|file| file.path == "mcp.json").ok_or("no mcp.json")?;
    let file: Value = serde_json::from_slice(&file.bytes).map_err(|error| error.to_string())?;
    Ok(file.get("disabledServers").cloned().unwrap_or(Value::Null))
}

fn render(pair: &Value) -> Result<(), String> {
    let (catalog, profile, mut garnish) = (catalog(pair)?, profile(), instance(Memory::default())?);
    let unlocked = unlocked(texts(field(pair, "unlocked")?));
    let told = |error: garnish_host::CallError| error.to_string();
    let Rendered { files, enabled, .. } = garnish.render_gate_config(&unlocked, &catalog, &profile).map_err(told)?;
    same("config", field(pair, "config")?, &config(&files)?)?;
    same("disabledServers", field(pair, "disabledServers")?, &disabled_servers(&files)?)?;
    same("enabled", field(pair, "enabled")?, &json!(enabled))?;
    let read_back = garnish.enabled_capabilities(&files, &catalog, &profile).map_err(told)?;
    same("enabled, read back", field(pair, "enabled")?, &json!(read_back))?;
    let locked = garnish.compare_stock_parity(&files, &catalog, &profile).map_err(told)?;
    same("parity", &sorted(field(pair, "parity")?), &json!(locked))?;
    let stock = garnish.stock_parity_config(&catalog, &profile).map_err(told)?.files;
    let stock = json!({"config": config(&stock)?, "disabledServers": disabled_servers(&stock)?});
    same("stock", field(pair, "stock")?, &stock)
}

fn monotonic(pair: &Value) -> Result<(), String> {
    let (catalog, profile, mut garnish) = (catalog(pair)?, profile(), instance(Memory::default())?);
    let told = |error: garnish_host::CallError| error.to_string();
    let mut sequence = Vec::new();
    for set in field(pair, "unlock_sets")?.as_array().into_iter().flatten() {
        sequence.push(garnish.render_gate_config(&unlocked(texts(set)), &catalog, &profile).map_err(told)?.files);
    }
    let found = garnish.find_monotonicity_violations(&sequence, &catalog, &profile).map_err(told)?;
    let key = |from: u64, to: u64, capability: &str| (from, to, capability.to_owned());
    let found: Vec<_> =
        found.iter().map(|found| key(found.from_index.into(), found.to_index.into(), &found.capability)).collect();
    let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_u64).unwrap_or(u64::MAX);
    let expected = field(pair, "violations")?.as_array().into_iter().flatten();
    let expected: BTreeSet<_> = expected
        .map(|one| {
            key(
                number(one, "fromIndex"),
                number(one, "toIndex"),
                one.get("capability").and_then(Value::as_str).unwrap_or_default(),
            )
        })
        .collect();
    same("violations", &json!(expected), &json!(found))
}

fn log(events: &Value) -> Vec<u8> {
    events.as_array().into_iter().flatten().map(|event| format!("{event}\n")).collect::<String>().into_bytes()
}

fn events(lines: &[u8]) -> Result<Value, String> {
    let text = String::from_utf8_lossy(lines);
    let events: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
    Ok(Value::Array(events.map_err(|error| error.to_string())?))
}

fn fold(pair: &Value) -> Result<(), String> {
    let mut garnish = instance(Memory::default())?;
    let graph = field(pair, "graph")?.to_string();
    let folded =
        garnish.fold_events(&log(field(pair, "events")?), graph.as_bytes()).map_err(|error| error.to_string())?;
    same("diagnostics", &json!(0), &json!(folded.diagnostics.len()))?;
    same("state", field(pair, "state")?, &state(&folded))?;
    same("derived", field(pair, "derived")?, &events(&folded.derived)?)
}

/// An absent optional key is left out, as the pairs have it.
fn object(fields: &[(&str, Option<Value>)]) -> Value {
    let present = fields.iter().filter_map(|(key, value)| Some(((*key).to_owned(), value.clone()?)));
    Value::Object(present.collect())
}

fn state(folded: &Folded) -> Value {
    let progress = &folded.progress;
    let badge = |badge: &garnish_host::Badge| {
        let kind = match badge.kind {
            BadgeKind::Completionist => "completionist",
            BadgeKind::NoHintClear => "no_hint_clear",
            BadgeKind::Speedrunner => "speedrunner",
        };
        object(&[
            ("badge", Some(json!(kind))),
            ("levelId", badge.level.as_ref().map(|id| json!(id))),
            ("questId", badge.quest.as_ref().map(|id| json!(id))),
        ])
    };
    let completion = |completion: &garnish_host::LevelCompletion| {
        object(&[
            ("levelId", Some(json!(completion.level))),
            ("at", Some(json!(completion.at))),
            ("sourceQuestId", completion.source_quest.as_ref().map(|id| json!(id))),
        ])
    };
    json!({
        "completedQuests": progress.completed_quests,
        "xpTotal": progress.xp_total,
        "completedLevels": progress.completed_levels,
        "currentLevel": progress.current_level,
        "unlockSet": {"features": progress.unlocked.features, "levels": progress.unlocked.levels},
        "badges": progress.badges.iter().map(badge).collect::<Vec<_>>(),
        "hintsOpened": {"quests": progress.hinted_quests, "levels": progress.hinted_levels},
        "levelCompletions": progress.level_completions.iter().map(completion).collect::<Vec<_>>(),
    })
}

/// Through the pure plan, and through the command itself on a folder in memory: both must append the same.
fn unlock(pair: &Value) -> Result<(), String> {
    let told = |error: garnish_host::CallError| error.to_string();
    let options = field(pair, "options")?;
    let what = match options.get("level").and_then(Value::as_str) {
        Some(level) => Selector::Level(level.to_owned()),
        None => Selector::All,
    };
    let (graph, log, catalog) = (field(pair, "graph")?.to_string(), log(field(pair, "events")?), catalog(pair)?);
    let (exit_code, appended) = (field(pair, "exit_code")?, field(pair, "appended")?);
    let mut garnish = instance(Memory::default())?;
    let plan = garnish.plan_unlock(&log, graph.as_bytes(), &catalog, &what, NOW).map_err(told)?;
    same("exit_code", exit_code, &json!(plan.exit_code))?;
    same("appended", appended, &events(&plan.events)?)?;

    let CatalogSource::Document(catalog) = catalog else { return Err("no document".into()) };
    let memory = Memory::default();
    for (path, bytes) in [
        ("garnish/graph.json", graph.into_bytes()),
        ("garnish/catalog.json", catalog),
        ("garnish/setup.json", br#"{"catalog":"catalog.json"}"#.to_vec()),
    ] {
        memory.put(path, bytes);
    }
    memory.put(LOG, log.clone());
    let mut garnish = instance(memory.clone())?;
    let outcome = garnish.unlock(&what).map_err(told)?;
    same("exit_code of the command", exit_code, &json!(outcome.exit_code))?;
    let after = memory.get(LOG).unwrap_or_default();
    // What complete levels give on top is appended by the apply behind the command, with another reason.
    let mut new = events(after.get(log.len()..).unwrap_or_default())?;
    if let Some(new) = new.as_array_mut() {
        new.retain(|event| event.get("reason") == Some(&json!("cheat")));
    }
    same("appended by the command", appended, &new)
}

/// The time at which the pairs were recorded.
const NOW: &str = "2026-07-02T12:00:00Z";
const LOG: &str = "garnish/events.jsonl";

/// An agent dir in memory, for thousands of short runs.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<std::collections::BTreeMap<String, Vec<u8>>>>);

impl Memory {
    fn get(&self, path: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    fn put(&self, path: &str, bytes: Vec<u8>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), bytes);
    }
}

impl Effects for Memory {
    fn read(&mut self, path: &str) -> Result<Option<Content>, Failure> {
        Ok(self.get(path).map(|bytes| Content { version: bytes.len() as u64, bytes }))
    }

    fn write(&mut self, path: &str, _expected: Option<u64>, bytes: &[u8]) -> Result<u64, Failure> {
        self.put(path, bytes.to_vec());
        Ok(bytes.len() as u64)
    }

    fn resolve(&mut self, _path: &str, _cwd: &str) -> Result<Resolution, Failure> {
        Ok(Resolution { place: Place::Outside, exists: false })
    }

    fn log_stat(&mut self) -> Result<LogStat, Failure> {
        Ok(LogStat { length: self.get(LOG).unwrap_or_default().len() as u64, identity: 1 })
    }

    fn log_read(&mut self, offset: u64, limit: u32) -> Result<Vec<u8>, Failure> {
        let log = self.get(LOG).unwrap_or_default();
        let rest = usize::try_from(offset).ok().and_then(|offset| log.get(offset..)).unwrap_or_default();
        Ok(rest.iter().copied().take(limit as usize).collect())
    }

    fn log_append(&mut self, lines: &[u8]) -> Result<u64, Failure> {
        let mut log = self.get(LOG).unwrap_or_default();
        log.extend(lines);
        let length = log.len() as u64;
        self.put(LOG, log);
        Ok(length)
    }

    fn now(&mut self) -> String {
        NOW.into()
    }
}
