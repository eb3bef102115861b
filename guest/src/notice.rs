//! What the learner is told: outcomes as sentences, each capability in its everyday name.
//!
//! It decides nothing and sends nothing.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    capability::{Capability, Kind},
    catalog::Catalog,
    diagnostic::{Diagnostic, Severity},
    host::{Activation, NoticeLevel},
    list::IntoList,
    ordered::{Map, Set},
    words::{filled, joined, trim_end},
};

/// A capability as people call it.
pub fn everyday(capability: &Capability) -> String {
    let name = &capability.name;
    match capability.kind {
        Kind::Tool => name.clone(),
        Kind::Skill if name == "*" => "all skills".into(),
        Kind::Skill => format!("skills {name}"),
        Kind::McpServer => format!("MCP server {name}"),
        Kind::Extension => format!("extension {}", name.strip_prefix("extension-module:").unwrap_or(name)),
        Kind::Provider => format!("context from {name}"),
        Kind::ApprovalMode => format!("approval mode {name}"),
        Kind::Session => filled(name, "-", " "),
    }
}

/// Capabilities as a list for people: a feature's title where all of it is there, with its tools; else one by one.
pub fn listed(capabilities: &[Capability], catalog: &Catalog) -> String {
    let mut rest: Vec<&Capability> = capabilities.iter().list();
    let mut parts = Vec::new();
    for feature in catalog.features().values() {
        let Some(title) = &feature.title else { continue };
        if feature.surfaces.iter().all(|surface| rest.contains(&surface)) {
            let tools: Vec<&str> = feature
                .surfaces
                .iter()
                .filter(|surface| surface.kind == Kind::Tool)
                .map(|surface| surface.name.as_str())
                .list();
            rest.retain(|capability| !feature.surfaces.contains(*capability));
            let says_more = !tools.is_empty() && tools.iter().any(|tool| !tool.eq_ignore_ascii_case(title));
            parts.push(if says_more { format!("{title} ({})", joined(&tools, ", ")) } else { title.clone() });
        }
    }
    parts.extend(rest.into_iter().map(everyday));
    joined(&parts, ", ")
}

/// One notice for each kind of outcome, in a fixed order.
pub fn outcomes(applied: &Map<Capability, Activation>, catalog: &Catalog) -> Vec<(NoticeLevel, String)> {
    let of = |wanted: &dyn Fn(&Activation) -> bool| -> Vec<Capability> {
        applied.iter().filter(|(_, activation)| wanted(activation)).map(|(capability, _)| capability.clone()).list()
    };
    let mut notices = Vec::new();
    let mut tell = |level, capabilities: Vec<Capability>, before: &str, behind: &str| {
        if !capabilities.is_empty() {
            notices.push((level, format!("{before}{}{behind}", listed(&capabilities, catalog))));
        }
    };
    tell(NoticeLevel::Info, of(&|a| *a == Activation::Live), "Unlocked, ready now: ", ".");
    tell(NoticeLevel::Info, of(&|a| *a == Activation::NextTurn), "Unlocked, from your next message on: ", ".");
    tell(
        NoticeLevel::Info,
        of(&|a| *a == Activation::Restart),
        "Unlocked, from the next start of the harness on: ",
        ".",
    );
    let mut by_reason = |level, before: &str, behind: &str, reason_of: fn(&Activation) -> Option<&String>| {
        let reasons: Set<String> = Set::from_iter(applied.values().filter_map(reason_of).cloned());
        let mut parts = Vec::new();
        for reason in &reasons {
            let capabilities = of(&|activation| reason_of(activation) == Some(reason));
            parts.push(format!("{} ({})", listed(&capabilities, catalog), trim_end(reason, ".")));
        }
        if !parts.is_empty() {
            notices.push((level, format!("{before}{}{behind}", joined(&parts, "; "))));
        }
    };
    by_reason(NoticeLevel::Info, "Unlocked, as soon as the harness has it: ", ".", |a| match a {
        Activation::Pending(reason) => Some(reason),
        _ => None,
    });
    by_reason(
        NoticeLevel::Error,
        "Unlocked, but not in force yet: ",
        ". The next start tries again; `garnish render --diff` shows what is still to be written.",
        |a| match a {
            Activation::Failed(reason) => Some(reason),
            _ => None,
        },
    );
    notices
}

/// Everything that one apply has to tell. What failed because of a file is told once, together with what did not.
pub fn all(
    applied: &Map<Capability, Activation>,
    found: &[Diagnostic],
    catalog: &Catalog,
) -> Vec<(NoticeLevel, String)> {
    let mut notices = outcomes(applied, catalog);
    let is_told = |found: &Diagnostic| {
        let tells = |reason: &str| found.message.starts_with(reason) || sentence(found).starts_with(reason);
        applied.values().any(|activation| matches!(activation, Activation::Failed(reason) if tells(reason)))
    };
    let rest: Vec<Diagnostic> = found.iter().filter(|found| !is_told(found)).cloned().list();
    if applied.values().any(|activation| matches!(activation, Activation::Failed(_))) && notices.len() > 1 {
        let text: Vec<String> = notices.into_iter().map(|(_, text)| text).list();
        notices = alloc::vec![(NoticeLevel::Error, joined(&text, "\n"))];
    }
    notices.extend(diagnostics(&rest));
    notices
}

/// Diagnostics as one notice; none when there is nothing to tell.
pub fn diagnostics(diagnostics: &[Diagnostic]) -> Option<(NoticeLevel, String)> {
    let worst = diagnostics.iter().map(|diagnostic| diagnostic.severity).min()?;
    let level = match worst {
        Severity::Error => NoticeLevel::Error,
        Severity::Warning => NoticeLevel::Warning,
        Severity::Note => NoticeLevel::Info,
    };
    let lines: Vec<String> = diagnostics.iter().map(sentence).list();
    Some((level, joined(&lines, "\n")))
}

/// A diagnostic with its place in front, as compilers write it.
pub fn sentence(diagnostic: &Diagnostic) -> String {
    let place: Vec<String> = [
        diagnostic.file.clone(),
        diagnostic.line.map(|line| line.to_string()),
        diagnostic.column.map(|column| column.to_string()),
    ]
    .into_iter()
    .flatten()
    .list();
    if place.is_empty() {
        diagnostic.message.clone()
    } else {
        format!("{}: {}", joined(&place, ":"), diagnostic.message)
    }
}
