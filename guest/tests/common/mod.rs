//! What the tests of files share: readers that are not garnish's own, and files as learners write them.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part of this, and may panic")]

pub mod learner;
pub mod learner_json;

use garnish_guest::{
    catalog::Catalog,
    gate_config::Gate,
    profile::Profile,
    value::{Mapping, Value},
};

/// How many inputs a property is tried on: so many, or what `PROPTEST_CASES` says if that is more.
pub fn cases(least: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).map_or(least, |more: u32| more.max(least))
}

/// What another implementation of YAML reads.
pub fn read_elsewhere(text: &[u8]) -> Value {
    try_read_elsewhere(text).unwrap_or_else(|error| panic!("{error}: {:?}", String::from_utf8_lossy(text)))
}

/// The same, for text that may be none of YAML.
pub fn try_read_elsewhere(text: &[u8]) -> Result<Value, String> {
    // At the end of a file without a line break it reads a block scalar otherwise than Bun does.
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let text = if text.ends_with(b"\n") { text.to_vec() } else { [text, b"\n"].concat() };
    let mut value: yaml_serde::Value = yaml_serde::from_slice(&text).map_err(|error| error.to_string())?;
    value.apply_merge().map_err(|error| error.to_string())?;
    Ok(match from_yaml(value) {
        Value::Null => Value::Map(Mapping::new()),
        value => value,
    })
}

fn from_yaml(value: yaml_serde::Value) -> Value {
    match value {
        yaml_serde::Value::Null => Value::Null,
        yaml_serde::Value::Bool(flag) => Value::Bool(flag),
        yaml_serde::Value::Number(number) => Value::Number(number.as_f64().unwrap()),
        yaml_serde::Value::String(text) => Value::String(text),
        yaml_serde::Value::Sequence(items) => Value::List(items.into_iter().map(from_yaml).collect()),
        yaml_serde::Value::Mapping(map) => Value::Map(
            map.into_iter().map(|(key, value)| (key.as_str().unwrap().to_string(), from_yaml(value))).collect(),
        ),
        yaml_serde::Value::Tagged(tagged) => from_yaml(tagged.value),
    }
}

/// What another implementation of JSON reads.
pub fn read_json_elsewhere(text: &[u8]) -> Value {
    fn from(value: serde_json::Value) -> Value {
        match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(flag) => Value::Bool(flag),
            serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap()),
            serde_json::Value::String(text) => Value::String(text),
            serde_json::Value::Array(items) => Value::List(items.into_iter().map(from).collect()),
            serde_json::Value::Object(map) => {
                Value::Map(map.into_iter().map(|(key, value)| (key, from(value))).collect())
            }
        }
    }
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    from(serde_json::from_slice(text).unwrap_or_else(|e| panic!("{e}: {:?}", String::from_utf8_lossy(text))))
}

/// The file without mappings that hold nothing: whether those go with their last key depends on comments.
pub fn without_empty(value: &Value) -> Value {
    match value {
        Value::Map(map) => {
            let kept = map.iter().map(|(key, value)| (key.clone(), without_empty(value)));
            let hollow =
                |value: &Value| matches!(value, Value::Null) || value.as_map().is_some_and(|map| map.is_empty());
            Value::Map(kept.filter(|(_, value)| !hollow(value)).collect())
        }
        other => other.clone(),
    }
}

/// A dotted path as its steps.
pub fn path(text: &str) -> Vec<String> {
    text.split('.').map(String::from).collect()
}

/// A catalog and a profile that go together.
pub struct Rules {
    pub name: &'static str,
    pub catalog: Catalog,
    pub profile: Profile,
}

/// The pairs that learners have.
pub fn all_rules() -> &'static [Rules] {
    static RULES: std::sync::OnceLock<Vec<Rules>> = std::sync::OnceLock::new();
    RULES.get_or_init(|| {
        [("v1", "omp-16"), ("v1", "omp-18"), ("omp-18", "omp-18")]
            .map(|(catalog, profile)| Rules {
                name: catalog,
                catalog: Catalog::builtin(catalog).unwrap(),
                profile: Profile::builtin(profile).unwrap(),
            })
            .into()
    })
}

impl Rules {
    /// The gate with the features open whose bits are set.
    pub fn gate(&self, unlocked: u16) -> Gate {
        let open: Vec<&str> = self
            .catalog
            .features()
            .keys()
            .enumerate()
            .filter(|(at, _)| unlocked >> at & 1 == 1)
            .map(|(_, feature)| feature.as_str())
            .collect();
        Gate::new(&|feature| open.contains(&feature), &self.catalog)
    }
}
