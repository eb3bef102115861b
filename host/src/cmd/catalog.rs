//! `garnish catalog list|show|validate`: the catalogs that are built in, what one opens, and what is wrong with one. It
//! writes nothing.

use std::path::Path;

use serde_json::{Value, json};

use super::Context;
use crate::bindings::{CatalogSource, Severity};
use crate::gates;
use crate::output::{self, Answer, Ended, Exit, FAINT, STRONG, styled, table};
use crate::setup::Setup;

/// The names.
pub(crate) fn list(context: &Context) -> Result<Answer, Ended> {
    let mut garnish = context.bare()?;
    let names = garnish.builtin_catalogs()?;
    let profiles = garnish.builtin_profiles()?;
    let text = format!("Built-in catalogs: {}\nBuilt-in profiles: {}\n", names.join(", "), profiles.join(", "));
    Ok(Answer { text, json: json!({ "catalogs": names, "profiles": profiles }), exit: Exit::Done })
}

/// What each feature of the agent dir's catalog, or of one named, opens.
pub(crate) fn show(context: &Context, name: Option<&str>) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let mut setup = Setup::read(&mut dir)?;
    let mut garnish = context.garnish()?;
    if let Some(name) = name {
        setup.catalog = CatalogSource::Builtin(name.to_owned());
        setup.catalog_path = None;
    }
    let features = gates::features(&mut garnish, &setup.catalog, &setup.profile).map_err(|error| setup.blame(error))?;
    let rows: Vec<Vec<String>> =
        features.iter().map(|feature| vec![feature.id.clone(), feature.capabilities.join(", ")]).collect();
    let text = table(&["feature", "opens"], &rows);
    let one = |feature: &gates::FeatureGate| json!({ "id": feature.id, "capabilities": feature.capabilities });
    let json = json!({ "features": features.iter().map(one).collect::<Vec<Value>>() });
    Ok(Answer { text, json, exit: Exit::Done })
}

/// All faults of a catalog file.
pub(crate) fn validate(context: &Context, file: &Path) -> Result<Answer, Ended> {
    let bytes = std::fs::read(file).map_err(|error| {
        Ended::new(Exit::Environment, "garnish::cli::file", format!("{}: {error}.", file.display()))
    })?;
    let mut garnish = context.bare()?;
    // Without an agent dir there is still a profile to check against.
    let profile = match context.dir().map(|mut dir| Setup::read(&mut dir)) {
        Ok(setup) => setup?.profile,
        Err(_) => crate::bindings::ProfileSource::Builtin("omp-18".into()),
    };
    let mut faults = garnish.validate_catalog(&CatalogSource::Document(bytes), &profile)?;
    for fault in &mut faults {
        fault.file = Some(file.display().to_string());
    }
    let is_bad = faults.iter().any(|fault| fault.severity == Severity::Error);
    let mut text: String = faults.iter().map(output::told).collect();
    if !is_bad {
        text.push_str(&format!(
            "{} is a valid catalog. Copy it into garnish/ and name it in garnish/setup.json.\n",
            styled(STRONG, file.display())
        ));
    } else {
        text.push_str(&format!("{}\n", styled(FAINT, "The catalog cannot be used as it is.")));
    }
    let json = json!({ "valid": !is_bad, "diagnostics": output::diagnostics_json(&faults) });
    Ok(Answer { text, json, exit: if is_bad { Exit::NotSo } else { Exit::Done } })
}
