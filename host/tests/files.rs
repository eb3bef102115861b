//! What `wit/files.wit` promises of `read` and `write`, on a real file system.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Scratch, SmallDisk, child, child_dir, fails, is_root, passes, rewrite, succeeds};
use garnish_host::{AgentDir, Effects, FailureReason};

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn a_file_that_is_not_there_reads_as_none() {
    let scratch = Scratch::new();
    assert_eq!(scratch.dir().read("config.yml").unwrap(), None);
    assert_eq!(scratch.dir().read("garnish/setup.json").unwrap(), None);
}

#[test]
fn a_new_file_is_private_and_its_folders_are_made() {
    let scratch = Scratch::new();
    let version = scratch.dir().write("garnish/deep/held.json", None, b"{}").unwrap();
    assert_eq!(scratch.dir().read("garnish/deep/held.json").unwrap().unwrap().version, version);
    assert_eq!(mode(&scratch.agent.join("garnish/deep/held.json")), 0o600);
    assert_eq!(mode(&scratch.agent.join("garnish/deep")), 0o700);
    assert_eq!(scratch.everything(), ["agent", "agent/garnish", "agent/garnish/deep", "agent/garnish/deep/held.json"]);
}

#[test]
fn the_mode_of_a_replaced_file_stays() {
    let scratch = Scratch::new();
    for wanted in [0o600, 0o644, 0o660, 0o755] {
        scratch.put("mcp.json", "{}");
        let path = scratch.agent.join("mcp.json");
        fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
        rewrite(&mut scratch.dir(), "mcp.json", "{ }").unwrap();
        assert_eq!(mode(&path), wanted);
    }
}

#[test]
fn the_owner_of_a_replaced_file_stays() {
    if !is_root() {
        return eprintln!("skipped: only root can give a file away");
    }
    let scratch = Scratch::new();
    scratch.put("config.yml", "a: 1\n");
    std::os::unix::fs::chown(scratch.agent.join("config.yml"), Some(65534), Some(65534)).unwrap();
    rewrite(&mut scratch.dir(), "config.yml", "a: 2\n").unwrap();
    let found = fs::metadata(scratch.agent.join("config.yml")).unwrap();
    assert_eq!((found.uid(), found.gid()), (65534, 65534));
}

#[test]
fn a_link_stays_a_link_over_every_hop() {
    let scratch = Scratch::new();
    scratch.put("real/b/config.yml", "a: 1\n");
    fs::create_dir(scratch.agent.join("links")).unwrap();
    // Each hop is relative to the folder of its own link.
    symlink("links/first", scratch.agent.join("config.yml")).unwrap();
    symlink("../real/second", scratch.agent.join("links/first")).unwrap();
    symlink("b/config.yml", scratch.agent.join("real/second")).unwrap();
    let before = scratch.everything();

    rewrite(&mut scratch.dir(), "config.yml", "a: 2\n").unwrap();

    assert_eq!(scratch.text("real/b/config.yml"), "a: 2\n");
    assert_eq!(fs::read_link(scratch.agent.join("config.yml")).unwrap().to_str(), Some("links/first"));
    assert_eq!(scratch.everything(), before);
}

#[test]
fn an_absolute_link_into_the_agent_dir_is_followed() {
    let scratch = Scratch::new();
    scratch.put("real.yml", "a: 1\n");
    symlink(scratch.agent.join("real.yml"), scratch.agent.join("config.yml")).unwrap();
    rewrite(&mut scratch.dir(), "config.yml", "a: 2\n").unwrap();
    assert_eq!(scratch.text("real.yml"), "a: 2\n");
    assert!(scratch.agent.join("config.yml").is_symlink());
}

#[test]
fn an_agent_dir_that_is_a_link_itself_is_followed() {
    let scratch = Scratch::new();
    symlink("agent", scratch.outside("link")).unwrap();
    let mut dir = AgentDir::open(&scratch.outside("link")).unwrap();
    dir.write("config.yml", None, b"a: 1\n").unwrap();
    assert_eq!(scratch.text("config.yml"), "a: 1\n");
}

#[test]
fn a_dangling_link_gets_its_referent_and_stays() {
    let scratch = Scratch::new();
    symlink("later/real.yml", scratch.agent.join("config.yml")).unwrap();
    let mut dir = scratch.dir();
    assert_eq!(dir.read("config.yml").unwrap(), None);
    dir.write("config.yml", None, b"a: 1\n").unwrap();
    assert_eq!(scratch.text("later/real.yml"), "a: 1\n");
    assert!(scratch.agent.join("config.yml").is_symlink());
}

#[test]
fn a_dangling_link_out_of_the_agent_dir_is_not_followed() {
    let scratch = Scratch::new();
    symlink("../dotfiles.yml", scratch.agent.join("config.yml")).unwrap();
    let mut dir = scratch.dir();
    assert_eq!(dir.read("config.yml").unwrap(), None);
    fails(dir.write("config.yml", None, b"a: 1\n"), FailureReason::Denied, "config.yml");
    assert_eq!(scratch.everything(), ["agent", "agent/config.yml"]);
}

#[test]
fn a_config_file_linked_into_a_dotfiles_folder_is_replaced_there() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.outside("dotfiles")).unwrap();
    fs::write(scratch.outside("dotfiles/omp.yml"), "a: 1\n").unwrap();
    symlink("../dotfiles/omp.yml", scratch.agent.join("config.yml")).unwrap();
    let before = scratch.everything();

    rewrite(&mut scratch.dir(), "config.yml", "a: 2\n").unwrap();

    assert_eq!(fs::read_to_string(scratch.outside("dotfiles/omp.yml")).unwrap(), "a: 2\n");
    assert!(scratch.agent.join("config.yml").is_symlink());
    assert_eq!(scratch.everything(), before);
}

#[test]
fn a_link_out_of_the_agent_dir_to_anything_but_a_file_is_refused() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.outside("folder")).unwrap();
    for target in ["../folder", "/dev/null"] {
        let link = scratch.agent.join("config.yml");
        symlink(target, &link).unwrap();
        fails(scratch.dir().read("config.yml"), FailureReason::Denied, "config.yml");
        fails(scratch.dir().write("config.yml", None, b"a: 1\n"), FailureReason::Denied, "config.yml");
        fs::remove_file(link).unwrap();
    }
}

#[test]
fn a_link_to_a_file_of_another_user_is_refused() {
    if !is_root() {
        return eprintln!("skipped: only root can give a file away");
    }
    let scratch = Scratch::new();
    let target = scratch.outside("theirs.yml");
    fs::write(&target, "a: 1\n").unwrap();
    std::os::unix::fs::chown(&target, Some(65534), None).unwrap();
    symlink("../theirs.yml", scratch.agent.join("config.yml")).unwrap();
    fails(scratch.dir().read("config.yml"), FailureReason::Denied, "config.yml");
    fails(scratch.dir().write("config.yml", None, b"a: 2\n"), FailureReason::Denied, "config.yml");
}

#[test]
fn garnishs_own_files_are_never_followed_out_of_the_agent_dir() {
    let scratch = Scratch::new();
    fs::write(scratch.outside("setup.json"), "{}").unwrap();
    fs::create_dir(scratch.agent.join("garnish")).unwrap();
    symlink("../../setup.json", scratch.agent.join("garnish/setup.json")).unwrap();
    fails(scratch.dir().read("garnish/setup.json"), FailureReason::Denied, "garnish/setup.json");
    fails(scratch.dir().write("garnish/setup.json", None, b"{}"), FailureReason::Denied, "garnish/setup.json");
}

#[test]
fn a_folder_that_is_a_link_out_of_the_agent_dir_is_refused() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.outside("folder")).unwrap();
    fs::write(scratch.outside("folder/held.json"), "{}").unwrap();
    symlink("../folder", scratch.agent.join("garnish")).unwrap();
    fails(scratch.dir().read("garnish/held.json"), FailureReason::Denied, "garnish/held.json");
    fails(scratch.dir().write("garnish/new.json", None, b"{}"), FailureReason::Denied, "garnish/new.json");
    assert_eq!(fs::read_dir(scratch.outside("folder")).unwrap().count(), 1);
}

#[test]
fn links_in_a_circle_are_an_error() {
    let scratch = Scratch::new();
    symlink("b.yml", scratch.agent.join("config.yml")).unwrap();
    symlink("config.yml", scratch.agent.join("b.yml")).unwrap();
    fails(scratch.dir().read("config.yml"), FailureReason::Other, "config.yml");
    fails(scratch.dir().write("config.yml", None, b""), FailureReason::Other, "config.yml");
}

#[test]
fn paths_that_are_no_paths_inside_are_refused() {
    let scratch = Scratch::new();
    let long_way = "garnish/../../x";
    for path in ["", "/etc/passwd", "../x", long_way, "a//b", "./a", "a/.", "a/", "C:/x", "c:x", "a\\..\\b", "a\0b"] {
        fails(scratch.dir().read(path), FailureReason::Denied, "agent dir");
        fails(scratch.dir().write(path, None, b""), FailureReason::Denied, "agent dir");
    }
    assert_eq!(scratch.everything(), ["agent"]);
}

#[test]
fn a_write_that_expects_another_version_is_a_conflict() {
    let scratch = Scratch::new();
    let mut dir = scratch.dir();
    let old = dir.write("config.yml", None, b"a: 1\n").unwrap();
    scratch.put("config.yml", "a: 1 # mine\n");
    fails(dir.write("config.yml", Some(old), b"a: 2\n"), FailureReason::Conflict, "config.yml");
    fails(dir.write("config.yml", None, b"a: 2\n"), FailureReason::Conflict, "config.yml");
    fs::remove_file(scratch.agent.join("config.yml")).unwrap();
    fails(dir.write("config.yml", Some(old), b"a: 2\n"), FailureReason::Conflict, "config.yml");
    assert_eq!(scratch.everything(), ["agent"]);
}

#[test]
fn the_version_that_a_write_answers_is_the_one_that_a_read_answers() {
    let scratch = Scratch::new();
    let mut dir = scratch.dir();
    let mut version = None;
    for text in ["a", "b", "a", ""] {
        version = Some(dir.write("config.yml", version, text.as_bytes()).unwrap());
        let content = dir.read("config.yml").unwrap().unwrap();
        assert_eq!((Some(content.version), content.bytes.as_slice()), (version, text.as_bytes()));
    }
}

#[test]
fn a_folder_or_a_pipe_in_place_of_a_file_is_an_error_and_does_not_hang() {
    let scratch = Scratch::new();
    for path in ["config.yml", "garnish/displaced.json"] {
        fs::create_dir_all(scratch.agent.join(path)).unwrap();
    }
    for path in ["mcp.json", "garnish/held.json"] {
        succeeds(&Command::new("mkfifo").arg(scratch.agent.join(path)).output().unwrap());
    }
    let before = scratch.everything();
    for path in FILES {
        fails(scratch.dir().read(path), FailureReason::Other, path);
        fails(scratch.dir().write(path, None, b"{}"), FailureReason::Other, path);
    }
    assert_eq!(scratch.everything(), before);
}

#[test]
fn a_file_in_place_of_a_folder_is_an_error() {
    let scratch = Scratch::new();
    scratch.put("garnish", "");
    fails(scratch.dir().write("garnish/held.json", None, b"{}"), FailureReason::Other, "garnish/held.json");
    assert_eq!(scratch.everything(), ["agent", "agent/garnish"]);
}

#[test]
fn a_name_too_long_for_the_file_system_is_an_error() {
    let scratch = Scratch::new();
    let longest = "x".repeat(255);
    scratch.dir().write(&longest, None, b"fits").unwrap();
    let longer = "x".repeat(256);
    fails(scratch.dir().write(&longer, None, b"{}"), FailureReason::Other, &longer);
    assert_eq!(scratch.everything().len(), 2);
}

#[test]
fn a_file_over_four_mebibytes_is_too_large() {
    let scratch = Scratch::new();
    let file = fs::File::create(scratch.agent.join("config.yml")).unwrap();
    file.set_len(4 << 20).unwrap();
    assert_eq!(scratch.dir().read("config.yml").unwrap().unwrap().bytes.len(), 4 << 20);
    file.set_len((4 << 20) + 1).unwrap();
    fails(scratch.dir().read("config.yml"), FailureReason::TooLarge, "config.yml");
}

/// The harness's files, and garnish's own.
const FILES: [&str; 4] = ["config.yml", "mcp.json", "garnish/displaced.json", "garnish/held.json"];

#[test]
fn a_full_disk_leaves_the_old_bytes_and_nothing_else() {
    let Some(disk) = SmallDisk::mount() else { return };
    let scratch = disk.scratch.as_ref().unwrap();
    FILES.iter().for_each(|path| scratch.put(path, "a: 1\n"));
    let before = scratch.everything();
    for path in FILES {
        fails(rewrite(&mut scratch.dir(), path, &"x".repeat(200_000)), FailureReason::NoSpace, path);
        assert_eq!(scratch.text(path), "a: 1\n");
    }
    for path in FILES.map(|path| format!("{path}.new")) {
        let written = scratch.dir().write(&path, None, &[b'x'; 200_000]);
        fails(written, FailureReason::NoSpace, &path);
    }
    assert_eq!(scratch.everything(), before);
}

#[test]
fn a_file_system_that_is_read_only_is_said_to_be_so() {
    let Some(disk) = SmallDisk::mount() else { return };
    let scratch = disk.scratch.as_ref().unwrap();
    FILES.iter().for_each(|path| scratch.put(path, "a: 1\n"));
    disk.make_read_only();
    let before = scratch.everything();
    for path in FILES {
        fails(rewrite(&mut scratch.dir(), path, "a: 2\n"), FailureReason::ReadOnly, path);
        assert_eq!(scratch.text(path), "a: 1\n");
        let new = format!("{path}.new");
        fails(scratch.dir().write(&new, None, b"a: 2\n"), FailureReason::ReadOnly, &new);
    }
    assert_eq!(scratch.everything(), before);
}

#[test]
fn a_limit_on_the_size_of_files_leaves_the_old_bytes_and_nothing_else() {
    let name = "a_limit_on_the_size_of_files_leaves_the_old_bytes_and_nothing_else";
    if let Some(agent) = child_dir() {
        // As the garnish command does; without it the first write over the limit ends the process.
        let hit = std::sync::Arc::<AtomicBool>::default();
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, hit).unwrap();
        let mut dir = AgentDir::open(&agent).unwrap();
        let written = rewrite(&mut dir, "config.yml", &"x".repeat(200_000));
        return fails(written, FailureReason::TooLarge, "config.yml");
    }
    let scratch = Scratch::new();
    scratch.put("config.yml", "a: 1\n");
    let limited = child(name, &scratch.agent);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 16; exec \"$@\"", "sh"]).arg(limited.get_program()).args(limited.get_args());
    passes(&shell.env("GARNISH_TEST_CHILD", &scratch.agent).output().unwrap());
    assert_eq!(scratch.text("config.yml"), "a: 1\n");
    assert_eq!(scratch.everything(), ["agent", "agent/config.yml"]);
}

#[test]
fn what_may_not_be_written_stays_as_it_is() {
    let name = "what_may_not_be_written_stays_as_it_is";
    if let Some(agent) = child_dir() {
        let mut dir = AgentDir::open(&agent).unwrap();
        fails(rewrite(&mut dir, "config.yml", "a: 2\n"), FailureReason::Denied, "config.yml");
        fails(dir.write("closed/held.json", None, b"{}"), FailureReason::Denied, "closed/held.json");
        for path in ["garnish/displaced.json", "garnish/held.json"] {
            fails(rewrite(&mut dir, path, "{}"), FailureReason::Denied, path);
        }
        return fails(dir.read("mcp.json"), FailureReason::Denied, "mcp.json");
    }
    let scratch = Scratch::new();
    scratch.put("config.yml", "a: 1\n");
    scratch.put("mcp.json", "{}");
    fs::create_dir(scratch.agent.join("closed")).unwrap();
    // Anybody may write to these, but not make another file beside them.
    scratch.put("garnish/displaced.json", "a: 1\n");
    scratch.put("garnish/held.json", "a: 1\n");
    let allow =
        |path: &str, mode| fs::set_permissions(scratch.agent.join(path), fs::Permissions::from_mode(mode)).unwrap();
    allow("config.yml", 0o444);
    allow("mcp.json", 0o000);
    allow("closed", 0o555);
    allow("garnish/displaced.json", 0o666);
    allow("garnish/held.json", 0o666);
    allow("garnish", 0o555);
    allow("", 0o777);
    fs::set_permissions(scratch.home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut child = child(name, &scratch.agent);
    if is_root() {
        // Root may do everything: somebody else must try.
        child.uid(65534);
    }
    let before = scratch.everything();
    passes(&child.output().unwrap());
    for path in ["config.yml", "garnish/displaced.json", "garnish/held.json"] {
        assert_eq!(scratch.text(path), "a: 1\n");
    }
    assert_eq!(scratch.everything(), before);
}

#[test]
fn a_reader_sees_the_old_bytes_or_the_new_ones() {
    let scratch = Scratch::new();
    let (a, b) = ("a".repeat(60_000), "b".repeat(70_000));
    scratch.put("config.yml", &a);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..100 {
                let mut dir = scratch.dir();
                rewrite(&mut dir, "config.yml", if round % 2 == 0 { &b } else { &a }).unwrap();
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            let seen = scratch.text("config.yml");
            assert!(seen == a || seen == b, "{} bytes that nobody wrote", seen.len());
        }
    });
}

#[test]
fn of_two_writers_that_read_the_same_bytes_one_has_a_conflict() {
    let scratch = Scratch::new();
    scratch.put("config.yml", "0");
    for round in 1..=50 {
        let version = scratch.dir().read("config.yml").unwrap().map(|content| content.version);
        let text = round.to_string();
        let (mut first, mut second) = (scratch.dir(), scratch.dir());
        first.write("config.yml", version, text.as_bytes()).unwrap();
        fails(second.write("config.yml", version, b"late"), FailureReason::Conflict, "config.yml");
        assert_eq!(scratch.text("config.yml"), text);
    }
}

#[test]
fn of_a_file_with_two_names_the_other_keeps_the_old_bytes() {
    let scratch = Scratch::new();
    scratch.put("config.yml", "a: 1\n");
    fs::hard_link(scratch.agent.join("config.yml"), scratch.outside("other.yml")).unwrap();
    rewrite(&mut scratch.dir(), "config.yml", "a: 2\n").unwrap();
    assert_eq!(scratch.text("config.yml"), "a: 2\n");
    assert_eq!(fs::read_to_string(scratch.outside("other.yml")).unwrap(), "a: 1\n");
    assert_eq!(scratch.everything(), ["agent", "agent/config.yml", "other.yml"]);
}

#[test]
fn what_a_killed_writer_left_goes_with_the_next_write_and_a_living_ones_stays() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.outside("dotfiles")).unwrap();
    fs::write(scratch.outside("dotfiles/omp.yml"), "a: 1\n").unwrap();
    symlink("../dotfiles/omp.yml", scratch.agent.join("config.yml")).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    // Another length, another ending, a folder: not garnish's, however old.
    let (gone, young) = (".garnish-0123456789abcdef.tmp", ".garnish-fedcba9876543210.tmp");
    let others = [".garnish-0123.tmp", ".garnish-0123456789abcdef.tmp.yml", "garnish-0123456789abcdef.tmp"];
    for folder in ["dotfiles", "agent/garnish", "agent"] {
        let at = |name: &str| scratch.outside(folder).join(name);
        fs::create_dir_all(at(".garnish-00000000000000ff.tmp")).unwrap();
        for name in others.iter().chain(&[gone, young]) {
            fs::write(at(name), "half").unwrap();
        }
        for name in others.iter().chain(&[gone, ".garnish-00000000000000ff.tmp"]) {
            fs::File::open(at(name)).unwrap().set_modified(old).unwrap();
        }
    }
    let before = scratch.everything();
    rewrite(&mut scratch.dir(), "config.yml", "a: 2\n").unwrap();
    scratch.dir().write("garnish/held.json", None, b"{}").unwrap();
    let mut expected: Vec<String> = before
        .into_iter()
        .filter(|path| *path != format!("dotfiles/{gone}") && *path != format!("agent/garnish/{gone}"))
        .chain(["agent/garnish/held.json".into()])
        .collect();
    expected.sort();
    assert_eq!(scratch.everything(), expected);
}
