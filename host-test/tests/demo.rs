//! `make demo` on every run of the tests: it stops by itself at the first step that is not so.

#[test]
fn the_demo_runs_to_its_end() {
    let mut out = Vec::new();
    let ended = host_test::demo::run(&mut out);
    let text = String::from_utf8(out).expect("text");
    assert_eq!(ended, Ok(()), "{text}");
    assert!(text.trim_end().ends_with("Next: make test"), "{text}");
}
