//! The interface `gating`: what a gate makes of files, given a catalog and a profile. It calls no import.

use alloc::{string::String, vec::Vec};

use super::{Source, parameters::Unlocked, texts};
use crate::{
    catalog::Catalog,
    diagnostic::{Diagnostic, Error},
    eject::{self, Ejected},
    gate_config::{self, Capabilities, Gate, Violation, spelled},
    list::IntoList,
    merge::{self, File, Merged},
    order,
    profile::{Profile, ProfileFile},
    render, setup,
    value::Value,
};

/// `rendered`
pub struct Rendered {
    pub files: Vec<File>,
    pub enabled: Vec<String>,
    pub held: Vec<String>,
}

/// `profile-description`
pub struct ProfileDescription {
    pub profile: Profile,
    pub files: Vec<String>,
    pub command_tools: Vec<String>,
    pub writing_tools: Vec<String>,
}

/// Catalog and profile, each valid and valid together; else all faults of both.
fn rules(catalog: &Source, profile: &Source) -> Result<(Catalog, Profile), Error> {
    setup::together(catalog.catalog(), profile.profile()).map_err(Error::Invalid)
}

fn values(files: &[File], profile: &Profile) -> Result<Vec<Option<Value>>, Error> {
    merge::values(files, profile).map_err(Error::Refused)
}

fn enabled(files: &[File], catalog: &Catalog, profile: &Profile) -> Result<Capabilities, Error> {
    Ok(gate_config::enabled(&values(files, profile)?, catalog, profile))
}

/// The gate of these features.
fn gate(mut features: Vec<String>, catalog: &Catalog) -> Gate {
    order::sort(&mut features);
    Gate::new(&|feature| features.binary_search_by(|known| known.as_str().cmp(feature)).is_ok(), catalog)
}

fn rendered(gate: &Gate, catalog: &Catalog, profile: &Profile) -> Rendered {
    let values = gate_config::rendered(gate, catalog, profile);
    let file = |(file, value): (&ProfileFile, &Value)| File {
        path: file.paths.first().cloned().unwrap_or_default(),
        bytes: render::file(value, file.format),
    };
    let files = profile.files.iter().zip(&values).map(file).list();
    Rendered { files, enabled: spelled(&gate.enabled), held: spelled(&gate.held) }
}

pub fn render_gate_config(unlocked: Unlocked, catalog: Source, profile: Source) -> Result<Rendered, Error> {
    let (catalog, profile) = rules(&catalog, &profile)?;
    Ok(rendered(&gate(unlocked.features, &catalog), &catalog, &profile))
}

pub fn enabled_capabilities(files: Vec<File>, catalog: Source, profile: Source) -> Result<Vec<String>, Error> {
    let (catalog, profile) = rules(&catalog, &profile)?;
    Ok(spelled(&enabled(&files, &catalog, &profile)?))
}

pub fn loaded_capabilities(files: Vec<File>, catalog: Source, profile: Source) -> Result<Vec<String>, Error> {
    let (catalog, profile) = rules(&catalog, &profile)?;
    Ok(spelled(&gate_config::loaded(&values(&files, &profile)?, &catalog, &profile)))
}

pub fn merge_gate_config(
    files: Vec<File>,
    unlocked: Unlocked,
    catalog: Source,
    profile: Source,
    displaced: Option<Vec<u8>>,
) -> Result<Merged, Error> {
    let (catalog, profile) = rules(&catalog, &profile)?;
    merge::merge(&files, &gate(unlocked.features, &catalog), &catalog, &profile, displaced.as_deref())
        .map_err(Error::Refused)
}

pub fn eject(files: Vec<File>, profile: Source, displaced: Vec<u8>) -> Result<Ejected, Error> {
    let profile = profile.profile().map_err(Error::Invalid)?;
    eject::eject(&files, &profile, &displaced).map_err(Error::Refused)
}

pub fn stock_parity_config(catalog: Source, profile: Source) -> Result<Rendered, Error> {
    let (catalog, profile) = rules(&catalog, &profile)?;
    Ok(rendered(&Gate::stock(&catalog), &catalog, &profile))
}

pub fn compare_stock_parity(files: Vec<File>, catalog: Source, profile: Source) -> Result<Vec<String>, Error> {
    let (catalog, profile) = rules(&catalog, &profile)?;
    let enabled = enabled(&files, &catalog, &profile)?;
    Ok(texts(catalog.capabilities().keys().filter(|capability| !enabled.contains(*capability))))
}

pub fn find_monotonicity_violations(
    sequence: Vec<Vec<File>>,
    catalog: Source,
    profile: Source,
) -> Result<Vec<Violation>, Error> {
    let (catalog, profile) = rules(&catalog, &profile)?;
    let mut sets = Vec::new();
    for files in &sequence {
        sets.push(enabled(files, &catalog, &profile)?);
    }
    Ok(gate_config::violations(&sets))
}

pub fn catalog_feature_ids(catalog: Source) -> Result<Vec<String>, Error> {
    Ok(texts(catalog.catalog().map_err(Error::Invalid)?.features().keys()))
}

pub fn validate_catalog(catalog: Source, profile: Source) -> Vec<Diagnostic> {
    match rules(&catalog, &profile) {
        Err(Error::Invalid(faults)) => faults,
        _ => Vec::new(),
    }
}

pub fn describe_profile(profile: Source) -> Result<ProfileDescription, Error> {
    let profile = profile.profile().map_err(Error::Invalid)?;
    let (mut command_tools, mut writing_tools) = (Vec::new(), Vec::new());
    for (name, input) in profile.guard.tools.iter() {
        let tools = if input.shell.is_empty() { &mut writing_tools } else { &mut command_tools };
        tools.push(name.clone());
    }
    Ok(ProfileDescription { files: texts(profile.paths()), profile, command_tools, writing_tools })
}

pub fn builtin_catalogs() -> Vec<String> {
    texts(Catalog::builtin_names())
}

pub fn builtin_profiles() -> Vec<String> {
    texts(Profile::builtin_names())
}
