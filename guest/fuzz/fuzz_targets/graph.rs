//! Any bytes as a graph: refused with every fault, or folded over a log that names much.
#![no_main]

use garnish_guest::{fold, graph::Graph};
use libfuzzer_sys::fuzz_target;

const LOG: &[u8] = b"{\"at\":\"2026-07-01T10:00:00Z\",\"type\":\"quest_completed\",\"quest_id\":\"a\",\"level_id\":\"b\",\"required\":true,\"xp\":10}\n\
{\"at\":\"2026-07-01T10:00:00Z\",\"type\":\"unlock\",\"target\":{\"type\":\"level\",\"id\":\"b\"},\"reason\":\"speedrun\"}\n\
{\"at\":\"2026-07-01T10:00:00Z\",\"type\":\"hint_opened\",\"quest_id\":\"a\",\"level_id\":\"b\"}\n";

fuzz_target!(|bytes: &[u8]| {
    let faults = Graph::validate(bytes);
    let Ok(graph) = Graph::parse(bytes) else {
        assert!(!faults.is_empty(), "what is refused has a fault");
        return;
    };
    let (mut progress, ..) = fold::whole(LOG, &graph);
    let _ = (progress.badges(&graph), progress.levels(&graph), progress.current_level());
    // Folding what follows from it reaches a fixed point.
    for event in progress.derived(&graph) {
        progress.apply(event, &graph);
    }
    assert!(progress.derived(&graph).is_empty(), "derived unlocks are folded once");
});
