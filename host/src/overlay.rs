//! `garnish/overlay.yml`: what garnish holds in omp's config, once more as a file that stands above every project's. It
//! copies what the config itself says under the keys that its marker lists, and decides nothing.
//!
//! JSON, which is YAML too. The extension writes it anew after each unlock (`pi/src/omp/overlay.ts`).

use serde_json::{Map, Value};

/// Inside the agent dir.
pub(crate) const PATH: &str = "garnish/overlay.yml";

/// The overlay for a config file; none when the config cannot be read.
pub(crate) fn of(config: &[u8]) -> Option<String> {
    let config: Value = serde_saphyr::from_slice(config).ok()?;
    let leaves = config.pointer("/garnish/leaves").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut overlay = Map::new();
    for leaf in leaves.iter().filter_map(Value::as_str) {
        let path: Vec<&str> = leaf.split('.').collect();
        let value = path.iter().try_fold(&config, |value, step| value.get(step));
        if let (Some(value), Some((last, way))) = (value, path.split_last()) {
            let mut at = &mut overlay;
            for step in way {
                let next = at.entry(*step).or_insert_with(|| Value::Object(Map::new()));
                at = next.as_object_mut()?;
            }
            at.insert((*last).to_owned(), value.clone());
        }
    }
    Some(format!("{:#}\n", Value::Object(overlay)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_says_what_the_marker_lists_and_no_more() {
        let config = "theme: dark\nbash: {enabled: false, timeout: 3}\nskills:\n  enabled: false\n  mine: 1\n\
                      garnish:\n  held: [tool:bash]\n  leaves: [bash.enabled, skills.enabled, gone.key]\n";
        let overlay = super::of(config.as_bytes()).expect("an overlay");
        assert_eq!(
            overlay,
            "{\n  \"bash\": {\n    \"enabled\": false\n  },\n  \"skills\": {\n    \"enabled\": false\n  }\n}\n"
        );
        assert_eq!(super::of(b"theme: dark\n").as_deref(), Some("{}\n"));
        assert_eq!(super::of(b"a: [1"), None);
    }
}
