//! `host-test vectors FILE`: recorded pairs through `garnish.wasm`. `host-test demo`: the main job, step by step.
//! `host-test graph`: the bundled curriculum as a graph. `host-test files`: questions about files, see `files.rs`.

use std::process::ExitCode;

use garnish_host::curriculum::Pack;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["vectors", file] => vectors(file),
        ["demo"] => match host_test::demo::run(&mut std::io::stdout().lock()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("The demo stopped: {error}");
                ExitCode::FAILURE
            }
        },
        ["graph"] => match Pack::bundled() {
            Ok(pack) => {
                print!("{}", pack.graph_json());
                ExitCode::SUCCESS
            }
            Err(faults) => {
                eprintln!("{faults}");
                ExitCode::FAILURE
            }
        },
        ["files"] => match host_test::files::answer_all(std::io::stdin().lock(), std::io::stdout().lock()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::from(2)
            }
        },
        _ => {
            eprintln!(
                "host-test graph           the bundled curriculum as graph.json\nhost-test vectors FILE   run recorded pairs through garnish.wasm\nhost-test demo           the main job on a throwaway agent dir\nhost-test files          what garnish makes of files: questions on stdin, one a line"
            );
            ExitCode::from(2)
        }
    }
}

fn vectors(file: &str) -> ExitCode {
    let summary = std::fs::read_to_string(file)
        .map_err(|error| error.to_string())
        .and_then(|text| host_test::vectors::run(&text));
    match summary {
        Ok(summary) => {
            summary.failed.iter().for_each(|failure| println!("{failure}"));
            println!("{} passed, {} failed", summary.passed, summary.failed.len());
            if summary.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::from(2)
        }
    }
}
