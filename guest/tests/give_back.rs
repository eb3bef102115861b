//! What stands in a file again when garnish lets go: each case was a fault that the properties had found.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Rules, all_rules};
use garnish_guest::{
    edit::{Document, Format},
    eject::eject,
    merge::{File, merge},
};

fn v1() -> &'static Rules {
    &all_rules()[0]
}

fn v1_on_omp_18() -> &'static Rules {
    &all_rules()[1]
}

/// Features of v1 by their place in the catalog.
const EXTENSIONS: u16 = 1 << 1;
const BASH: u16 = 1 << 5;
const ALL: u16 = u16::MAX;

/// A `config.yml` with garnish's memory of it.
struct Agent {
    rules: &'static Rules,
    text: Option<String>,
    memory: Option<Vec<u8>>,
}

impl Agent {
    fn new(rules: &'static Rules, text: &str) -> Self {
        Agent { rules, text: Some(text.into()), memory: None }
    }

    fn files(&self) -> Vec<File> {
        self.text.iter().map(|text| File { path: "config.yml".into(), bytes: text.clone().into_bytes() }).collect()
    }

    fn unlock(&mut self, unlocked: u16) -> &mut Self {
        let Rules { catalog, profile, .. } = self.rules;
        let gate = self.rules.gate(unlocked);
        let merged = merge(&self.files(), &gate, catalog, profile, self.memory.as_deref()).unwrap();
        if let Some(file) = merged.changed.into_iter().find(|file| file.path == "config.yml") {
            self.text = Some(String::from_utf8(file.bytes).unwrap());
        }
        self.memory = merged.displaced.or(self.memory.take());
        self
    }

    fn replace(&mut self, old: &str, new: &str) -> &mut Self {
        let text = self.text.take().unwrap();
        assert!(text.contains(old), "{old:?} is not in {text}");
        self.text = Some(text.replacen(old, new, 1));
        self
    }

    fn lose_the_memory(&mut self) -> &mut Self {
        self.memory = None;
        self
    }

    /// The file after an eject; none: it is removed.
    fn ejected(&mut self) -> Option<String> {
        let ejected = eject(&self.files(), &self.rules.profile, &self.memory.clone().unwrap_or_default()).unwrap();
        if ejected.removed.contains(&"config.yml".into()) {
            return None;
        }
        let changed = ejected.changed.into_iter().find(|file| file.path == "config.yml");
        changed.map(|file| String::from_utf8(file.bytes).unwrap()).or(self.text.clone())
    }
}

#[test]
fn a_mapping_that_was_there_and_empty_stays_as_it_was_spelled() {
    for text in [
        "mcp: {}\n",
        "mcp: {  }  # mine\n",
        "mcp:\nbash: ~ # why\n",
        "mcp: # mine\n  # deeper\nz: 1\n",
        "{mcp: {}, z: 1}\n",
    ] {
        let mut agent = Agent::new(v1(), text);
        assert_ne!(agent.unlock(0).text.as_deref(), Some(text));
        assert_eq!(agent.unlock(BASH).ejected().as_deref(), Some(text));
    }
    // Nothing that garnish made itself is left.
    assert_eq!(Agent::new(v1(), "z: 1\n").unlock(0).ejected().as_deref(), Some("z: 1\n"));
}

#[test]
fn a_mapping_that_goes_back_while_garnish_stays_is_kept_too() {
    // `task.maxRecursionDepth` goes with its gates, and leaves the learner's empty mapping as it was.
    let rules = &all_rules()[2];
    let mut agent = Agent::new(rules, "z: 1\ntask: {}\n");
    assert!(agent.unlock(0).text.as_ref().unwrap().contains("maxRecursionDepth: 0"));
    assert!(agent.unlock(ALL).text.as_ref().unwrap().contains("task: {enabled: true}"));
    assert_eq!(agent.ejected().as_deref(), Some("z: 1\ntask: {}\n"));
}

#[test]
fn an_empty_list_of_the_learners_stays_as_it_was_spelled() {
    for text in
        ["disabledProviders: []\n", "disabledProviders:\n", "disabledProviders: ~ # none\n", "disabledProviders: [ ]\n"]
    {
        let mut agent = Agent::new(v1(), text);
        agent.unlock(0);
        let memory = agent.memory.clone();
        assert_eq!(agent.unlock(0).memory, memory, "a second merge remembers the same");
        assert_eq!(agent.unlock(ALL).ejected().as_deref(), Some(text));
    }
}

#[test]
fn what_is_as_it_was_is_not_refused_for_how_it_is_spelled() {
    let text = "mcp:\n  enableProjectConfig: &x FALSE\nz: *x\ndisabledExtensions: &y []\n";
    assert_eq!(Agent::new(v1(), text).unlock(EXTENSIONS).ejected().as_deref(), Some(text));
}

#[test]
fn a_value_that_means_nothing_by_itself_is_not_taken_away() {
    let text = "a: &a 1\nskills:\n  enabled: {b: *a}\n";
    let Rules { catalog, profile, .. } = v1();
    let files = Agent::new(v1(), text).files();
    let refusal = merge(&files, &v1().gate(0), catalog, profile, None).unwrap_err();
    assert_eq!((refusal.code, refusal.line, refusal.column), ("garnish::file::alias", Some(3), Some(3)));
    assert!(merge(&files, &v1().gate(ALL), catalog, profile, None).is_ok(), "it stays where no gate needs the place");
}

#[test]
fn eject_mends_what_the_harness_saved_from_an_older_state() {
    let text = "bash:\n  enabled: true\n  timeout: 5\ndisabledProviders:\n  - mine\n";
    let mut agent = Agent::new(v1(), text);
    let older = agent.unlock(0).text.clone();
    agent.unlock(ALL);
    agent.text = older;
    assert_eq!(agent.ejected().as_deref(), Some(text));
}

#[test]
fn what_the_learner_set_after_garnish_let_go_is_theirs_even_if_it_says_what_garnish_said() {
    let mut agent = Agent::new(v1(), "z: 1\n");
    assert!(agent.unlock(ALL).text.as_ref().unwrap().contains("bash:\n  enabled: true"));
    agent.replace("bash:\n  enabled: true", "bash:\n  enabled: false").unlock(ALL);
    agent.replace("bash:\n  enabled: false", "bash:\n  enabled: true").unlock(ALL);
    assert_eq!(agent.ejected().as_deref(), Some("z: 1\nbash:\n  enabled: true\n"));
}

#[test]
fn a_value_of_nothing_is_remembered_as_it_is() {
    let mut agent = Agent::new(v1(), "bash:\n  enabled: ~\n");
    agent.unlock(0).unlock(BASH);
    let memory = agent.memory.clone();
    assert_eq!(agent.unlock(BASH).memory, memory, "a second merge remembers the same");
    assert_eq!(agent.ejected().as_deref(), Some("bash:\n  enabled: ~\n"));
}

#[test]
fn with_the_memory_lost_eject_takes_what_the_marker_says_is_garnishs() {
    let text = "# mine\nbash:\n  timeout: 5 # s\ndisabledProviders:\n  - mine\n";
    assert_eq!(Agent::new(v1(), text).unlock(0).lose_the_memory().ejected().as_deref(), Some(text));
    // What a learner has opened by hand since stays open, and what they have added stays.
    let mut agent = Agent::new(v1_on_omp_18(), "z: 1\n");
    agent.unlock(0).replace("bash:\n  enabled: false", "bash:\n  enabled: true").lose_the_memory();
    assert_eq!(agent.ejected().as_deref(), Some("z: 1\nbash:\n  enabled: true\n"));
    let mut agent = Agent::new(v1_on_omp_18(), "z: 1\n");
    agent.unlock(0).replace("  - claude\n", "  - claude\n  - mine\n");
    assert_eq!(agent.lose_the_memory().ejected().as_deref(), Some("z: 1\ndisabledProviders:\n  - mine\n"));
}

#[test]
fn a_file_that_garnish_made_goes_though_the_memory_is_lost() {
    let mut agent = Agent { rules: v1(), text: None, memory: None };
    assert_eq!(agent.unlock(0).lose_the_memory().ejected(), None);
}

#[test]
fn with_the_memory_lost_a_gate_that_opens_leaves_what_the_profile_has_open() {
    let mut agent = Agent::new(v1(), "bash:\n  enabled: true\n");
    agent.unlock(0).lose_the_memory().unlock(ALL);
    assert!(agent.text.as_ref().unwrap().starts_with("bash:\n  enabled: true\n"), "{:?}", agent.text);
}

#[test]
fn a_catalog_that_gates_less_leaves_nothing_behind() {
    let mut agent = Agent::new(&all_rules()[2], "z: 1\ndebug: {}\nlsp:\n  enabled: false\n");
    agent.unlock(0);
    agent.rules = v1_on_omp_18();
    let text = agent.unlock(0).text.clone().unwrap();
    assert!(text.contains("debug: {}\nlsp:\n  enabled: false\n") && !text.contains("launch"), "{text}");
    assert_eq!(agent.ejected().as_deref(), Some("z: 1\ndebug: {}\nlsp:\n  enabled: false\n"));
}

#[test]
fn an_entry_for_what_the_session_alone_holds_is_the_learners() {
    // omp-18 writes no `cursor`, since that would close the models of that name too.
    let text = "disabledProviders:\n  - \"cursor\"\n";
    let mut agent = Agent::new(v1_on_omp_18(), text);
    agent.unlock(0);
    assert_eq!(agent.ejected().as_deref(), Some(text));
    let mut agent = Agent::new(v1_on_omp_18(), text);
    agent.unlock(0).unlock(ALL);
    assert_eq!(agent.ejected().as_deref(), Some(text));
}

#[test]
fn with_the_memory_lost_what_holds_no_more_is_the_learners() {
    let mut agent = Agent::new(v1_on_omp_18(), "z: 1\n");
    agent.unlock(0).replace("bash:\n  enabled: false", "bash:\n  enabled: true").lose_the_memory().unlock(0);
    assert!(agent.text.as_ref().unwrap().contains("bash:\n  enabled: false"), "the gate holds all the same");
    assert_eq!(agent.ejected().as_deref(), Some("z: 1\nbash:\n  enabled: true\n"));
}

#[test]
fn where_nothing_changes_a_merge_key_is_no_reason_to_refuse() {
    // Found by the fuzzer.
    let text = "<<: !1\n- ..";
    let document = Document::parse(Format::Yaml, text.as_bytes()).unwrap();
    assert_eq!(document.edit(&[]).unwrap(), text.as_bytes());
    // The learner has taken garnish's key out, and what is there now comes from elsewhere.
    let mut agent = Agent::new(v1(), "base: &base {enabled: true}\n");
    agent.unlock(0).replace("bash:\n  enabled: false\n", "bash:\n  <<: *base\n");
    assert_eq!(agent.ejected().as_deref(), Some("base: &base {enabled: true}\nbash:\n  <<: *base\n"));
}

#[test]
fn a_text_that_keeps_its_breaks_comes_back_where_lines_end_with_cr_alone() {
    // Found by the fuzzer.
    let text = "bash:\r  enabled: |+\r\r  z: 1\rz:\r";
    let mut agent = Agent::new(v1(), text);
    assert!(agent.unlock(0).text.as_ref().unwrap().contains("enabled: false\r"));
    assert_eq!(agent.ejected().as_deref(), Some(text));
}
