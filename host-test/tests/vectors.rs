//! The recorded pairs: all agree, and the runner notices one that does not.

use std::fmt::Write as _;
use std::fs;

use host_test::{fixtures, vectors};
use sha2::{Digest, Sha256};

/// Of the pairs as they were recorded. A pair is never edited to make a test pass.
const SHA256: &str = "8408be3bfdeb9c4ae28124726c2570a776c1425844a7320cfc5f37240f85a53e";

fn recorded() -> String {
    fs::read_to_string(fixtures().join("vectors/open.json")).expect("the recorded pairs")
}

#[test]
fn all_recorded_pairs_agree() {
    let text = recorded();
    let hash = Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    assert_eq!(hash, SHA256);
    let summary = vectors::run(&text).expect("a run");
    assert_eq!((summary.passed, summary.failed.as_slice()), (450, [].as_slice()));
}

#[test]
fn a_pair_that_differs_is_counted_and_named() {
    let text = recorded().replacen("\"xpTotal\": ", "\"xpTotal\": 9", 1);
    let text = if text == recorded() { text.replacen("\"xpTotal\":", "\"xpTotal\":9", 1) } else { text };
    let summary = vectors::run(&text).expect("a run");
    assert_eq!((summary.passed, summary.failed.len()), (449, 1));
    assert!(summary.failed[0].starts_with("fold["), "{}", summary.failed[0]);
}
