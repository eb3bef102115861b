//! Where the paths of tool calls lead: `files.resolve`.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::symlink;

use common::Scratch;
use garnish_host::{Effects, FailureReason, Place};

fn place(scratch: &Scratch, path: &str, cwd: &str) -> (Place, bool) {
    let found = scratch.dir().resolve(path, cwd).unwrap();
    (found.place, found.exists)
}

fn inside(path: &str) -> Place {
    Place::Inside(path.to_owned())
}

#[test]
fn plain_paths_say_what_they_are() {
    let scratch = Scratch::new();
    scratch.put("config.yml", "");
    let agent = scratch.agent.to_str().unwrap();
    assert_eq!(place(&scratch, "config.yml", agent), (inside("config.yml"), true));
    assert_eq!(place(&scratch, &format!("{agent}/mcp.json"), "/"), (inside("mcp.json"), false));
    assert_eq!(place(&scratch, "../agent/garnish/x/y", agent), (inside("garnish/x/y"), false));
    assert_eq!(place(&scratch, ".", agent), (inside(""), true));
    assert_eq!(place(&scratch, "..", agent), (Place::Above, true));
    assert_eq!(place(&scratch, "/", agent), (Place::Above, true));
    assert_eq!(place(&scratch, "../other", agent), (Place::Outside, false));
    assert_eq!(place(&scratch, "/etc/passwd", agent), (Place::Outside, true));
    assert_eq!(place(&scratch, &format!("{agent}-too/x"), "/"), (Place::Outside, false));
}

#[test]
fn links_are_followed_also_dangling_ones() {
    let scratch = Scratch::new();
    symlink("agent/garnish", scratch.outside("way-in")).unwrap();
    symlink("agent/not-yet.yml", scratch.outside("dangling")).unwrap();
    let home = scratch.outside("").to_str().unwrap().to_owned();
    assert_eq!(place(&scratch, "way-in/events.jsonl", &home), (inside("garnish/events.jsonl"), false));
    assert_eq!(place(&scratch, "dangling", &home), (inside("not-yet.yml"), false));
    assert_eq!(place(&scratch, "x", &format!("{home}way-in")), (inside("garnish/x"), false));
}

#[test]
fn two_dots_behind_a_link_count_in_both_readings() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.outside("far/away")).unwrap();
    // By the text this is agent/config.yml; for the operating system it is far/config.yml.
    symlink("../far/away", scratch.agent.join("link")).unwrap();
    let agent = scratch.agent.to_str().unwrap();
    assert_eq!(place(&scratch, "link/../config.yml", agent).0, inside("config.yml"));
    // And the other way round.
    fs::create_dir(scratch.agent.join("skills")).unwrap();
    symlink("agent/skills", scratch.outside("back")).unwrap();
    let home = scratch.outside("").to_str().unwrap().to_owned();
    assert_eq!(place(&scratch, "back/../config.yml", &home).0, inside("config.yml"));
}

#[test]
fn the_target_of_a_config_file_linked_out_is_the_config_file() {
    let scratch = Scratch::new();
    let dotfile = scratch.outside("dotfile.yml");
    fs::write(&dotfile, "").unwrap();
    symlink("../dotfile.yml", scratch.agent.join("config.yml")).unwrap();
    assert_eq!(place(&scratch, dotfile.to_str().unwrap(), "/"), (inside("config.yml"), true));
}

#[test]
fn the_code_of_garnish_is_told_apart() {
    let scratch = Scratch::new();
    let code = scratch.outside("code");
    fs::create_dir(&code).unwrap();
    fs::write(code.join("garnish.wasm"), "").unwrap();
    let mut dir = scratch.dir().with_code([code.clone(), scratch.outside("not-there")]);
    let found = dir.resolve("garnish.wasm", code.to_str().unwrap()).unwrap();
    assert_eq!((found.place, found.exists), (Place::Component, true));
    assert_eq!(dir.resolve("..", code.to_str().unwrap()).unwrap().place, Place::Above);
}

#[test]
fn what_is_no_path_is_an_error() {
    let scratch = Scratch::new();
    for (path, cwd) in [("x", "relative"), ("x", ""), ("a\0b", "/")] {
        assert_eq!(scratch.dir().resolve(path, cwd).unwrap_err().reason, FailureReason::Other);
    }
}

#[test]
fn a_path_that_nobody_can_follow_is_where_its_text_says() {
    let scratch = Scratch::new();
    symlink("b", scratch.outside("a")).unwrap();
    symlink("a", scratch.outside("b")).unwrap();
    let home = scratch.outside("").to_str().unwrap().to_owned();
    let long = "x".repeat(300);
    assert_eq!(place(&scratch, "a", &home), (Place::Outside, true));
    assert_eq!(place(&scratch, &long, &home), (Place::Outside, false));
    assert_eq!(place(&scratch, &format!("agent/{long}"), &home), (inside(&long), false));
}

#[test]
fn code_that_is_installed_in_the_agent_dir_is_code() {
    let scratch = Scratch::new();
    scratch.put("extensions/garnish/index.js", "");
    scratch.put("extensions/other/index.js", "");
    let mut dir = scratch.dir().with_code([scratch.agent.join("extensions/garnish")]);
    let agent = scratch.agent.to_str().unwrap();
    let mut place = |path: &str| dir.resolve(path, agent).unwrap().place;
    for path in ["extensions/garnish", "extensions/garnish/index.js", "extensions/garnish/new.js", "extensions"] {
        assert_eq!(place(path), Place::Component, "{path}");
    }
    assert_eq!(place("extensions/other/index.js"), inside("extensions/other/index.js"));
    assert_eq!(place("."), inside(""));
}
