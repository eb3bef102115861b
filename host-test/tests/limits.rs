//! What a merge costs: work that grows as the file does, whatever is in it, and an answer to hostile files within stated
//! bounds. Work is fuel, roughly one unit for each wasm instruction; no test here asserts a time.

use garnish_host::{
    AgentDir, CallError, CatalogSource, Component, Diagnostic, File, Garnish, NoSession, ProfileSource, UnlockSet,
};

/// Fuel for each byte at 1 MB, compared with that at 100 KB, in hundredths.
const GROWTH: u64 = 130;

/// Fuel for each byte of a learner's file of 1 MB, in a merge that writes.
const FUEL_PER_BYTE: u64 = 4_000;

/// Fuel for a hostile file, of any size that is read.
const FUEL: u64 = 7_000_000_000;

/// Memory of an instance after a hostile file, in bytes.
const MEMORY: usize = 64 << 20;

fn instance() -> Garnish {
    let folder = std::env::temp_dir();
    Garnish::new(
        Component::embedded().expect("a component"),
        AgentDir::open(&folder).expect("a folder"),
        NoSession::new(|_, _| {}),
    )
    .expect("an instance")
}

fn rules() -> (CatalogSource, ProfileSource, UnlockSet) {
    (
        CatalogSource::Builtin("omp-18".into()),
        ProfileSource::Builtin("omp-18".into()),
        UnlockSet { features: Vec::new(), levels: Vec::new() },
    )
}

/// A layout of a file that can be of any length.
type Shape = (&'static str, &'static str, fn(usize) -> String);

fn until(length: usize, mut text: String, mut more: impl FnMut(usize) -> String, end: &str) -> String {
    let mut number = 0;
    while text.len() + end.len() < length {
        text += &more(number);
        number += 1;
    }
    text + end
}

const SHAPES: [Shape; 11] = [
    ("many small keys", "config.yml", |n| until(n, String::new(), |i| format!("key{i}: value {i}\n"), "")),
    ("a long deny-list", "config.yml", |n| {
        until(n, "disabledProviders:\n".into(), |i| format!("  - provider-{i} # mine\n"), "")
    }),
    ("a long deny-list in brackets", "config.yml", |n| {
        until(n, "disabledProviders: [a".into(), |i| format!(", provider-{i}"), "]\n")
    }),
    ("deep mappings", "config.yml", |n| {
        let deep = |i: usize| {
            let levels = (0..40).map(|depth| format!("{}k{i}:\n", " ".repeat(depth)));
            levels.collect::<String>() + &" ".repeat(40) + "z: 1\n"
        };
        until(n, String::new(), deep, "")
    }),
    ("long comments", "config.yml", |n| {
        until(n, "bash:\n".into(), |_| format!("  # {}\n", "c".repeat(200)), "  own: 1\n")
    }),
    ("one long list on one line", "config.yml", |n| until(n, "own: [0".into(), |i| format!(", {i}"), "]\n")),
    ("one long text in quotes", "config.yml", |n| until(n, "own: \"".into(), |_| "text \\u00e9 ".into(), "\"\n")),
    ("one long block of text", "config.yml", |n| until(n, "own: |\n".into(), |i| format!("  line {i}\n"), "")),
    ("many anchors and aliases", "config.yml", |n| {
        until(n, "k: &a0 1\n".into(), |i| format!("k{i}: &a{} [x]\nl{i}: *a{i}\n", i + 1), "")
    }),
    ("many servers", "mcp.json", |n| {
        let server = |i: usize| {
            format!(
                "    \"s{i}\": {{\"command\": \"npx\", \"args\": [\"-y\", \"s{i}\"], \"env\": {{\"T\": \"${{T}}\"}}}},\n"
            )
        };
        until(n, "{\n  \"mcpServers\": {\n".into(), server, "    \"last\": {}\n  }\n}\n")
    }),
    ("many servers that are off, on one line", "mcp.json", |n| {
        until(n, "{\"disabledServers\":[\"a\"".into(), |i| format!(",\"server-{i}\""), "]}")
    }),
];

/// Fuel of a first merge, of a second, and of an eject.
fn work(path: &str, text: &str) -> [u64; 3] {
    let (catalog, profile, nothing) = rules();
    let files = [File { path: path.into(), bytes: text.as_bytes().to_vec() }];
    let mut garnish = instance();
    let merged = garnish.merge_gate_config(&files, &nothing, &catalog, &profile, None).expect("a merge");
    let first = garnish.fuel_used();
    let changed: Vec<File> = merged.changed.into_iter().filter(|file| file.path == path).collect();
    assert_eq!(changed.len(), 1);
    let memory = merged.displaced.expect("a memory");
    let other = if path == "mcp.json" { "config.yml" } else { "mcp.json" };
    let again = garnish.merge_gate_config(&changed, &nothing, &catalog, &profile, Some(&memory)).expect("a merge");
    assert!(again.changed.iter().all(|file| file.path == other), "a second merge writes nothing");
    let second = garnish.fuel_used();
    let ejected = garnish.eject(&changed, &profile, &memory).expect("an eject");
    assert!(ejected.changed[0].bytes == files[0].bytes, "eject gives the same bytes");
    [first, second, garnish.fuel_used()]
}

#[test]
fn the_work_of_merge_and_eject_grows_as_the_file_does() {
    let mut report = String::new();
    let mut fine = true;
    for (name, path, shape) in SHAPES {
        let [small, middle, large] =
            [10_000, 100_000, 1_000_000].map(|length| (length as u64, work(path, &shape(length))));
        for (what, at) in [("merge", 0), ("again", 1), ("eject", 2)] {
            let per_byte = [small, middle, large].map(|(length, work)| work[at] / length);
            let right = per_byte[2] * 100 <= per_byte[1] * GROWTH && per_byte[2] <= FUEL_PER_BYTE;
            fine &= right;
            report += &format!("{} {name}, {what}: fuel for each byte {per_byte:?}\n", if right { "  " } else { "! " });
        }
    }
    println!("{report}");
    assert!(fine, "\n{report}");
}

/// A file made to do harm, and what it is refused as; none: it is a file like others.
type Hostile = (&'static str, &'static str, Option<&'static str>, fn() -> String);

const HOSTILE: [Hostile; 20] = [
    ("deep mappings", "config.yml", Some("too-deep"), || {
        (0..1_900).map(|depth| format!("{}k:\n", " ".repeat(depth))).collect()
    }),
    ("deep lists", "config.yml", Some("too-deep"), || format!("a:\n  {}x\n", "- ".repeat(100_000))),
    ("endless dashes", "config.yml", Some("too-deep"), || "- ".repeat(1_000_000)),
    ("endless question marks", "config.yml", Some("too-deep"), || "? ".repeat(1_000_000)),
    ("deep brackets", "config.yml", Some("too-deep"), || {
        format!("a: {}{}\n", "[".repeat(100_000), "]".repeat(100_000))
    }),
    ("deep braces", "config.yml", Some("too-deep"), || {
        format!("a: {}{}\n", "{a: ".repeat(100_000), "}".repeat(100_000))
    }),
    ("2 MB of brackets", "config.yml", Some("too-deep"), || "[".repeat(2_000_000)),
    ("2 MB of quotes", "config.yml", None, || format!("a: {}\n", "''".repeat(1_000_000))),
    ("2 MB of colons", "config.yml", Some("syntax"), || ": ".repeat(1_000_000)),
    ("2 MB of ampersands", "config.yml", Some("not-a-mapping"), || "&".repeat(2_000_000)),
    ("an alias bomb", "config.yml", Some("too-large"), || {
        let level = |i: usize| format!("b{i}: &b{i} [{}]\n", vec![format!("*b{}", i - 1); 9].join(", "));
        "b0: &b0 lol\n".to_string() + &(1..10).map(level).collect::<String>()
    }),
    ("a bomb of merge keys", "config.yml", Some("too-large"), || {
        let level =
            |i: usize| format!("b{i}: &b{i} {{<<: [{}], k{i}: 1}}\n", vec![format!("*b{}", i - 1); 9].join(", "));
        "b0: &b0 {k: 1}\n".to_string() + &(1..10).map(level).collect::<String>()
    }),
    ("10 MB on one line", "config.yml", Some("too-large"), || format!("a: {}\n", "x".repeat(10_000_000))),
    ("a key of 2 MB", "config.yml", None, || format!("{}: 1\n", "k".repeat(2_000_000))),
    ("100 000 anchors", "config.yml", None, || (0..100_000).map(|i| format!("k{i}: &a{i} 1\n")).collect()),
    ("100 000 times one key", "config.yml", Some("duplicate-key"), || "key: 1\n".repeat(100_000)),
    ("100 000 lines of a text in quotes", "config.yml", Some("syntax"), || format!("a: \"{}", "x\n  ".repeat(100_000))),
    ("deep JSON", "mcp.json", Some("too-deep"), || format!("{}{}", "{\"a\":".repeat(100_000), "}".repeat(100_000))),
    ("2 MB of JSON brackets", "mcp.json", Some("too-deep"), || "[".repeat(2_000_000)),
    ("100 000 times one JSON key", "mcp.json", Some("duplicate-key"), || {
        format!("{{{}\"k\":1}}", "\"k\":1,".repeat(100_000))
    }),
];

fn refused(answer: Result<(), CallError>) -> Option<Diagnostic> {
    match answer {
        Ok(()) => None,
        Err(CallError::Answered(error)) => error.diagnostics.into_iter().next(),
        Err(CallError::Trapped(trapped)) => panic!("{trapped}"),
    }
}

#[test]
fn a_hostile_file_is_answered_within_bounds() {
    let (catalog, profile, nothing) = rules();
    let mut report = String::new();
    let mut fine = true;
    for (name, path, code, make) in HOSTILE {
        let files = [File { path: path.into(), bytes: make().into_bytes() }];
        let mut garnish = instance();
        let merged = garnish.merge_gate_config(&files, &nothing, &catalog, &profile, None).map(|_| ());
        let (fuel, memory) = (garnish.fuel_used(), garnish.memory_used());
        let ejected = garnish.eject(&files, &profile, b"").map(|_| ());
        let fuel = fuel.max(garnish.fuel_used());
        let mut right = fuel <= FUEL && memory <= MEMORY;
        for answer in [merged, ejected] {
            let told = refused(answer);
            right &= told.as_ref().map(|told| told.code.rsplit("::").next().unwrap_or_default()) == code;
            right &= told
                .as_ref()
                .is_none_or(|told| told.file.as_deref() == Some(path) && told.line.is_some() && told.column.is_some());
            if let (false, Some(told)) = (right, told) {
                report += &format!("! {told:?}\n");
            }
        }
        fine &= right;
        report += &format!(
            "{} {name}: {:.1} M fuel, {} MiB\n",
            if right { "  " } else { "! " },
            fuel as f64 / 1e6,
            memory >> 20
        );
    }
    println!("{report}");
    assert!(fine, "\n{report}");
}
