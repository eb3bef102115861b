//! The names under which harnesses offer the tools of MCP servers.
//!
//! A name cannot always be traced back to one server; where it cannot, it counts as held. A harness that tells the
//! server itself is believed instead.

use alloc::{borrow::ToOwned, string::String};

use crate::{guard_data::McpNames, words::trim};

/// Longest name that the harnesses give; what is longer ends in a hash.
const MAX_NAME: usize = 64;

/// What the names of a server's tools begin with.
pub fn prefix(style: McpNames, server: &str) -> String {
    match style {
        McpNames::Omp => "mcp__".to_owned() + &omp_part(server) + "_",
        McpNames::Pi => {
            let part: String =
                server.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
            "mcp__".to_owned() + &part + "__"
        }
    }
}

/// Whether a tool of that name may be a tool of that server.
pub fn may_belong(style: McpNames, tool: &str, server: &str) -> bool {
    let prefix = prefix(style, server);
    // A shortened name keeps as many of the first characters as the hash behind leaves room for.
    let kept = match style {
        McpNames::Omp => MAX_NAME - 9,
        McpNames::Pi => MAX_NAME - 9,
    };
    match tool.len() < MAX_NAME || prefix.len() <= kept {
        true => tool.starts_with(&prefix),
        false => prefix.get(..kept).is_some_and(|prefix| tool.starts_with(prefix)),
    }
}

/// A character as omp has it in names: lower case, and `_` for all but letters and digits of ASCII.
pub fn folded(character: char) -> char {
    match character {
        // The Kelvin sign, whose lower case is a letter of ASCII.
        '\u{212a}' => 'k',
        letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
        _ => '_',
    }
}

/// Lower case; every run of other characters than letters, digits and `_` one `_`; none at the ends; never empty.
fn omp_part(name: &str) -> String {
    let mut part = String::new();
    for character in name.chars() {
        if character == '\u{130}' {
            // Its lower case is an `i` and a dot to be set on it.
            part.push('i');
        }
        let character = folded(character);
        if character != '_' || !part.ends_with('_') {
            part.push(character);
        }
    }
    match trim(&part, "_") {
        "" => "server".into(),
        part => part.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_omp_gave() {
        // Recorded from omp 18.2.3.
        for (server, tool) in [
            ("github", "mcp__github_get_issue"),
            ("Git-Hub", "mcp__git_hub_list_repos"),
            ("puppeteer", "mcp__puppeteer_puppeteer"),
            ("été", "mcp__t_na_ve"),
            ("日本", "mcp__server_tool"),
            ("server", "mcp__server_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_1z6ide00"),
            ("some-rather-long-server-name", "mcp__some_rather_long_server_name_and_an_even_longer_to_bk12lwqy"),
        ] {
            assert!(may_belong(McpNames::Omp, tool, server), "{server} {tool}");
            assert!(!may_belong(McpNames::Omp, tool, "other"), "{tool}");
        }
        assert!(!may_belong(McpNames::Omp, "mcp__github_get_issue", "git"));
        assert!(may_belong(McpNames::Pi, "mcp__my_server__Echo", "my-server"));
        assert!(!may_belong(McpNames::Pi, "mcp__my_server_x__Echo", "my-server"));
    }
}
