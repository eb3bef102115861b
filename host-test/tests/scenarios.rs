//! Every folder in `fixtures/scenarios` through the component and through the native rules: both say the same, and what
//! the snapshot in the folder says. A new scenario is a new folder.
//!
//! `INSTA_UPDATE=always cargo test -p host-test --release --test scenarios` writes the snapshots anew.

use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;

use host_test::{driver, fixtures, native, scenario::Scenario};

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(fixtures().join("scenarios"))
        .expect("scenarios")
        .map(|entry| entry.expect("entry").path())
        .collect();
    folders.sort();
    folders
}

#[test]
fn scenarios_end_as_their_snapshots_say() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut differences = Vec::new();
    for folder in folders() {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let scenario = Scenario::read(&folder).expect("a scenario");
        let wasm = scenario.run(&folder, driver::wasm, Vec::new()).expect(&name).transcript;
        let native = scenario.run(&folder, native::native, Vec::new()).expect(&name).transcript;
        if wasm != native {
            differences.push(format!(
                "{name}: wasm and native differ\n{}",
                similar::TextDiff::from_lines(&native, &wasm).unified_diff()
            ));
        }
        if wasm.contains("BROKEN") {
            differences.push(format!("{name}: the component broke down"));
        }
        settings.set_snapshot_path(&folder);
        let told =
            std::panic::catch_unwind(AssertUnwindSafe(|| settings.bind(|| insta::assert_snapshot!("expected", wasm))));
        if told.is_err() {
            differences.push(format!("{name}: not as its snapshot says"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
