//! Any bytes as an event log: whatever its pieces, they fold to what the whole does.
#![no_main]

use std::sync::LazyLock;

use garnish_guest::{event::Event, fold, graph::Graph, log::LogReader};
use libfuzzer_sys::fuzz_target;

static GRAPH: LazyLock<Graph> = LazyLock::new(|| {
    Graph::parse(include_bytes!("../../../fixtures/graphs/small.json")).expect("a graph")
});

fn read(pieces: &[&[u8]]) -> Vec<Event> {
    let (mut reader, mut events) = (LogReader::default(), Vec::new());
    for piece in pieces {
        reader.push(piece, &mut |event| events.push(event));
    }
    reader.settle(&mut |event| events.push(event));
    let _ = (reader.torn(), reader.take_faults());
    events
}

fuzz_target!(|input: (u16, u16, &[u8])| {
    let (first, second, bytes) = input;
    let (progress, ..) = fold::whole(bytes, &GRAPH);
    let _ = (progress.badges(&GRAPH), progress.derived(&GRAPH), progress.levels(&GRAPH), progress.hinted_levels(&GRAPH));
    let at = usize::from(first) % (bytes.len() + 1);
    let then = at + usize::from(second) % (bytes.len() - at + 1);
    assert_eq!(read(&[bytes]), read(&[&bytes[..at], &bytes[at..then], &bytes[then..]]));
});
