//! Every folder in `fixtures/scenarios` and `fixtures/cases` through the component and through the native rules: both say
//! the same, and what the snapshot in the folder says. A case also has its files as they are to be afterwards, in `after/`;
//! without it they are to be as before, in `agent/`. A new one is a new folder.
//!
//! `INSTA_UPDATE=always cargo test -p host-test --release --test scenarios` writes snapshots and `after/` anew.

use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use host_test::{driver, folders, native, scenario::Scenario, tree};

/// Writes down what a case's files are now as what they are to be.
fn update_after(folder: &Path, agent: &Path) -> std::io::Result<()> {
    let after = folder.join("after");
    if after.exists() {
        fs::remove_dir_all(&after)?;
    }
    if !tree::differences(&folder.join("agent"), agent)?.is_empty() {
        for (name, bytes) in tree::expectable(agent)? {
            let path = after.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&after))?;
            fs::write(path, bytes)?;
        }
    }
    Ok(())
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
        let ran = [driver::wasm, native::native].map(|start| scenario.run(&folder, start, Vec::new()).expect(&name));
        if folder.parent().is_some_and(|parent| parent.ends_with("cases")) {
            if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
                update_after(&folder, ran[0].folder.path()).expect("after");
            }
            let after = Some(folder.join("after")).filter(|after| after.exists());
            let after = after.unwrap_or_else(|| folder.join("agent"));
            for ran in &ran {
                let differ = tree::differences(&after, ran.folder.path()).expect("files");
                differences.extend(differ.into_iter().map(|one| format!("{name}: {one}")));
            }
        }
        let [wasm, native] = ran.map(|ran| ran.transcript);
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
