//! What `wit/event-log.wit` promises, on a real file system.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Scratch, SmallDisk, child, child_dir, fails, is_root, passes};
use garnish_host::{AgentDir, Effects, FailureReason, LogStat};

const LOG: &str = "garnish/events.jsonl";

#[test]
fn no_log_is_an_empty_log() {
    let mut dir = Scratch::new().dir();
    assert_eq!(dir.log_stat().unwrap(), LogStat { length: 0, identity: 0 });
    assert_eq!(dir.log_read(0, 100).unwrap(), b"");
}

#[test]
fn the_first_append_makes_a_private_log() {
    let scratch = Scratch::new();
    assert_eq!(scratch.dir().log_append(b"{}\n").unwrap(), 3);
    assert_eq!(scratch.text(LOG), "{}\n");
    assert_eq!(fs::metadata(scratch.agent.join(LOG)).unwrap().mode() & 0o7777, 0o600);
    assert_eq!(fs::metadata(scratch.agent.join("garnish")).unwrap().mode() & 0o7777, 0o700);
}

#[test]
fn an_append_begins_on_a_line_of_its_own() {
    for (before, after) in [
        ("{\"a\":1}\n", "{\"a\":1}\n{}\n"),
        ("{\"a\":1}", "{\"a\":1}\n{}\n"),
        ("{\"a\":1}\n{\"id\":7,\"ki", "{\"a\":1}\n{\"id\":7,\"ki\n{}\n"),
        ("", "{}\n"),
    ] {
        let scratch = Scratch::new();
        scratch.put(LOG, before);
        assert_eq!(scratch.dir().log_append(b"{}\n").unwrap(), after.len() as u64);
        assert_eq!(scratch.text(LOG), after);
    }
}

#[test]
fn reading_stops_at_the_limit_and_at_the_end() {
    let scratch = Scratch::new();
    scratch.put(LOG, "0123456789");
    let mut dir = scratch.dir();
    assert_eq!(dir.log_read(0, 4).unwrap(), b"0123");
    assert_eq!(dir.log_read(4, 4).unwrap(), b"4567");
    assert_eq!(dir.log_read(8, u32::MAX).unwrap(), b"89");
    assert_eq!(dir.log_read(10, 4).unwrap(), b"");
    assert_eq!(dir.log_read(u64::MAX, 4).unwrap(), b"");
}

#[test]
fn the_identity_stays_over_appends_and_changes_with_the_file() {
    let scratch = Scratch::new();
    let mut dir = scratch.dir();
    dir.log_append(b"{}\n").unwrap();
    let first = dir.log_stat().unwrap();
    dir.log_append(b"{}\n").unwrap();
    let second = dir.log_stat().unwrap();
    assert_eq!((second.identity, second.length), (first.identity, 6));
    // Another file of the same length; many file systems give it the number of the one that was removed.
    fs::remove_file(scratch.agent.join(LOG)).unwrap();
    dir.log_append(b"{}\n{}\n").unwrap();
    assert_ne!(dir.log_stat().unwrap().identity, first.identity);
}

#[test]
fn a_log_out_of_the_agent_dir_is_refused() {
    let scratch = Scratch::new();
    fs::write(scratch.outside("theirs"), "secret\n").unwrap();
    fs::create_dir(scratch.agent.join("garnish")).unwrap();
    for target in ["../../theirs".into(), scratch.outside("theirs")] {
        symlink(target, scratch.agent.join(LOG)).unwrap();
        let mut dir = scratch.dir();
        fails(dir.log_stat(), FailureReason::Denied, LOG);
        fails(dir.log_read(0, 10), FailureReason::Denied, LOG);
        fails(dir.log_append(b"{}\n"), FailureReason::Denied, LOG);
        fs::remove_file(scratch.agent.join(LOG)).unwrap();
    }
    assert_eq!(fs::read_to_string(scratch.outside("theirs")).unwrap(), "secret\n");
}

#[test]
fn a_garnish_folder_out_of_the_agent_dir_is_refused() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.outside("folder")).unwrap();
    symlink("../folder", scratch.agent.join("garnish")).unwrap();
    fails(scratch.dir().log_append(b"{}\n"), FailureReason::Denied, LOG);
    assert_eq!(fs::read_dir(scratch.outside("folder")).unwrap().count(), 0);
}

#[test]
fn a_folder_in_place_of_the_log_is_an_error() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.agent.join(LOG)).unwrap();
    fails(scratch.dir().log_stat(), FailureReason::Other, LOG);
    fails(scratch.dir().log_append(b"{}\n"), FailureReason::Other, LOG);
}

#[test]
fn two_processes_that_append_lose_no_line() {
    let name = "two_processes_that_append_lose_no_line";
    if let Some(agent) = child_dir() {
        let mut dir = AgentDir::open(&agent).unwrap();
        for round in 0..200 {
            let line = format!("{{\"by\":{},\"round\":{round},\"pad\":\"{}\"}}\n", std::process::id(), "x".repeat(500));
            dir.log_append(line.as_bytes()).unwrap();
        }
        return;
    }
    let scratch = Scratch::new();
    scratch.put(LOG, "{\"torn\":");
    let mut children: Vec<_> =
        (0..2).map(|_| child(name, &scratch.agent).stdout(Stdio::null()).spawn().unwrap()).collect();
    let ids: Vec<u32> = children.iter().map(std::process::Child::id).collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let text = scratch.text(LOG);
    for id in ids {
        let of_one = text.lines().filter(|line| line.starts_with(&format!("{{\"by\":{id},")) && line.ends_with("x\"}"));
        assert_eq!(of_one.count(), 200);
    }
    // Both may have found the torn line and made an end of it: that leaves an empty line, and no more.
    let others: Vec<&str> = text.lines().filter(|line| !line.contains("\"by\"") && !line.is_empty()).collect();
    assert_eq!(others, ["{\"torn\":"]);
}

#[test]
fn a_full_disk_keeps_every_line_and_the_next_append_is_readable() {
    let Some(disk) = SmallDisk::mount() else { return };
    let scratch = disk.scratch.as_ref().unwrap();
    let mut dir = scratch.dir();
    dir.log_append(b"{\"first\":1}\n").unwrap();
    let long = format!("{{\"pad\":\"{}\"}}\n", "x".repeat(200_000));
    fails(dir.log_append(long.as_bytes()), FailureReason::NoSpace, LOG);
    let text = scratch.text(LOG);
    assert!(text.starts_with("{\"first\":1}\n"));
    // Somebody makes room.
    let kept: String = text.chars().take(1000).collect();
    fs::write(scratch.agent.join(LOG), &kept).unwrap();
    dir.log_append(b"{\"next\":1}\n").unwrap();
    assert!(scratch.text(LOG).ends_with("\n{\"next\":1}\n"));
}

#[test]
fn what_cannot_be_appended_to_says_why_and_keeps_its_bytes() {
    let name = "what_cannot_be_appended_to_says_why_and_keeps_its_bytes";
    if let Some(agent) = child_dir() {
        return fails(AgentDir::open(&agent).unwrap().log_append(b"{}\n"), FailureReason::Denied, LOG);
    }
    let scratch = Scratch::new();
    scratch.put(LOG, "{\"a\":1}\n");
    let allow = |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(scratch.home.path(), 0o755);
    allow(&scratch.agent.join(LOG), 0o444);
    let mut child = child(name, &scratch.agent);
    if is_root() {
        // Root may do everything: somebody else must try.
        child.uid(65534);
    }
    passes(&child.output().unwrap());
    assert_eq!(scratch.text(LOG), "{\"a\":1}\n");

    let Some(disk) = SmallDisk::mount() else { return };
    let scratch = disk.scratch.as_ref().unwrap();
    scratch.put(LOG, "{\"a\":1}\n");
    disk.make_read_only();
    fails(scratch.dir().log_append(b"{}\n"), FailureReason::ReadOnly, LOG);
    assert_eq!(scratch.text(LOG), "{\"a\":1}\n");
}

#[test]
fn who_dies_in_an_append_blocks_nobody() {
    let name = "who_dies_in_an_append_blocks_nobody";
    if let Some(agent) = child_dir() {
        let mut dir = AgentDir::open(&agent).unwrap();
        loop {
            dir.log_append(b"{\"by\":\"the one that is killed\"}\n").unwrap();
        }
    }
    let scratch = Scratch::new();
    for round in 1..=5 {
        let mut killed = child(name, &scratch.agent).stdout(Stdio::null()).spawn().unwrap();
        let length = || fs::metadata(scratch.agent.join(LOG)).map_or(0, |found| found.len());
        let before = length();
        while length() < before + 100 {
            std::thread::yield_now();
        }
        killed.kill().unwrap();
        killed.wait().unwrap();
        scratch.dir().log_append(format!("{{\"round\":{round}}}\n").as_bytes()).unwrap();
        assert!(scratch.text(LOG).ends_with(&format!("\n{{\"round\":{round}}}\n")));
    }
    // No lock was ever made, so none can be left.
    assert_eq!(scratch.everything(), ["agent", "agent/garnish", "agent/garnish/events.jsonl"]);
}

#[test]
fn lines_that_came_to_stand_on_a_torn_one_are_appended_again() {
    let scratch = Scratch::new();
    scratch.put(LOG, "");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Somebody is killed in the middle of writing, all the time.
        scope.spawn(|| {
            let mut torn = fs::File::options().append(true).open(scratch.agent.join(LOG)).unwrap();
            while !done.load(Ordering::Relaxed) {
                torn.write_all(b"{\"torn\":").unwrap();
                std::thread::sleep(std::time::Duration::from_micros(20));
            }
        });
        for round in 0..500 {
            scratch.dir().log_append(format!("{{\"round\":{round}}}\n").as_bytes()).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    let text = scratch.text(LOG);
    let lines: std::collections::BTreeSet<&str> = text.lines().collect();
    for round in 0..500 {
        assert!(lines.contains(format!("{{\"round\":{round}}}").as_str()), "round {round} is lost");
    }
}

#[test]
fn the_time_is_iso_8601_with_zone() {
    let now = Scratch::new().dir().now();
    assert!(now.len() == 20 && now.ends_with('Z') && now.as_bytes()[10] == b'T', "{now}");
}
