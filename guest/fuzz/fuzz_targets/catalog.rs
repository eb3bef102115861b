//! Any bytes as a catalog, and as a profile: refused with every fault, or rendered, merged and ejected.
#![no_main]

use std::sync::LazyLock;

use garnish_guest::{
    catalog::Catalog,
    eject::eject,
    gate_config::{self, Gate},
    merge::merge,
    profile::Profile,
    render, setup,
};
use libfuzzer_sys::fuzz_target;

static PROFILE: LazyLock<Profile> = LazyLock::new(|| Profile::builtin("omp-18").expect("a profile"));
static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::builtin("omp-18").expect("a catalog"));

fuzz_target!(|bytes: &[u8]| {
    let (catalog, profile) = (Catalog::parse(bytes), Profile::parse(bytes));
    let rules = match (catalog, profile) {
        (Ok(catalog), _) => setup::together(Ok(catalog), Ok(PROFILE.clone())),
        (_, Ok(profile)) => setup::together(Ok(CATALOG.clone()), Ok(profile)),
        (Err(faults), Err(more)) => {
            assert!(!faults.is_empty() && !more.is_empty());
            return;
        }
    };
    let Ok((catalog, profile)) = rules else { return };
    let nothing = Gate::new(&|_| false, &catalog);
    for gate in [&nothing, &Gate::stock(&catalog)] {
        let values = gate_config::rendered(gate, &catalog, &profile);
        for (value, file) in values.iter().zip(&profile.files) {
            let text = render::file(value, file.format);
            let read = garnish_guest::edit::Document::parse(file.format, &text).expect("what is rendered can be read");
            assert_eq!(read.value(), value);
        }
    }
    let merged = merge(&[], &nothing, &catalog, &profile, None).expect("no file refuses nothing");
    let memory = merged.displaced.expect("a memory");
    let ejected = eject(&merged.changed, &profile, &memory).expect("what garnish made goes");
    assert!(ejected.changed.is_empty(), "nothing is left of files that garnish made");
});
