//! Any bytes as a configuration file: read, edited at every kind of place, put back. Only faults may come of it.
#![no_main]

use garnish_guest::{
    edit::{Document, Edit, Format},
    value::Value,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let list: Value = ["x", "no"].into_iter().collect();
    for format in [Format::Yaml, Format::Json] {
        let Ok(document) = Document::parse(format, bytes) else { continue };
        assert_eq!(document.edit(&[]).expect("no edit"), bytes, "no edit, no change");
        for at in ["a", "b", "a.b", "bash.enabled", "disabledProviders", "garnish.held"] {
            let path: Vec<String> = at.split('.').map(String::from).collect();
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            let _ = document.place(&names);
            let raw = document.raw(&names);
            for value in [&list, &Value::Bool(true)] {
                let Ok(after) = document.edit(&[Edit::Set { path: &path, value }]) else { continue };
                let again = Document::parse(format, &after).expect("what was written can be read");
                assert_eq!(again.value().at(&path), Some(value));
                if let Some(raw) = raw {
                    let back = again.edit(&[Edit::Restore { path: &path, raw }]).expect("what was there can be put back");
                    assert_eq!(back, bytes, "{at} put back");
                }
            }
            let _ = document.edit(&[Edit::Remove { path: &path }, Edit::Empty { path: &path[..1], raw: " {}" }]);
        }
    }
});
