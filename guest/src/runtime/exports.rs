//! The exports of `wit/`, by their names in the ABI: each reads its parameters and hands its answer over.
//!
//! What they do is in [`crate::component`].

use super::abi::{Words, answer, plain, wide};
use crate::component::{gating, progression, unlocks};

/// An export: its name, the words of its parameters, and the way from there to the answer.
macro_rules! export {
    ($name:literal, $function:ident($($word:ident)*), $answer:expr) => {
        #[unsafe(export_name = concat!("garnish:gating/", $name))]
        extern "C" fn $function($($word: usize),*) -> *const u64 {
            let way: fn(&mut Words) -> *const u64 = $answer;
            way(&mut Words::new(&[$($word),*]))
        }
    };
}

export!("gating@0.1.0#render-gate-config", render_gate_config(a b c d e f g h i j), |w| answer(gating::render_gate_config(w.read(), w.read(), w.read())));
export!("gating@0.1.0#enabled-capabilities", enabled_capabilities(a b c d e f g h), |w| answer(gating::enabled_capabilities(w.read(), w.read(), w.read())));
export!("gating@0.1.0#loaded-capabilities", loaded_capabilities(a b c d e f g h), |w| answer(gating::loaded_capabilities(w.read(), w.read(), w.read())));
export!("gating@0.1.0#merge-gate-config", merge_gate_config(a b c d e f g h i j k l m n o), |w| answer(gating::merge_gate_config(w.read(), w.read(), w.read(), w.read(), w.read())));
export!("gating@0.1.0#eject", eject(a b c d e f g), |w| answer(gating::eject(w.read(), w.read(), w.read())));
export!("gating@0.1.0#stock-parity-config", stock_parity_config(a b c d e f), |w| answer(gating::stock_parity_config(w.read(), w.read())));
export!("gating@0.1.0#compare-stock-parity", compare_stock_parity(a b c d e f g h), |w| answer(gating::compare_stock_parity(w.read(), w.read(), w.read())));
export!("gating@0.1.0#find-monotonicity-violations", find_monotonicity_violations(a b c d e f g h), |w| answer(gating::find_monotonicity_violations(w.read(), w.read(), w.read())));
export!("gating@0.1.0#catalog-feature-ids", catalog_feature_ids(a b c), |w| answer(gating::catalog_feature_ids(w.read())));
export!("gating@0.1.0#validate-catalog", validate_catalog(a b c d e f), |w| plain(gating::validate_catalog(w.read(), w.read())));
export!("gating@0.1.0#describe-profile", describe_profile(a b c), |w| answer(gating::describe_profile(w.read())));
export!("gating@0.1.0#builtin-catalogs", builtin_catalogs(), |_| plain(gating::builtin_catalogs()));
export!("gating@0.1.0#builtin-profiles", builtin_profiles(), |_| plain(gating::builtin_profiles()));

export!("progression@0.1.0#fold-events", fold_events(a b c d), |w| wide(progression::fold_events(w.read(), w.read())));
export!("progression@0.1.0#plan-unlock", plan_unlock(a b c d e f g h i j k l), |w| answer(progression::plan_unlock(w.read(), w.read(), w.read(), w.read(), w.read())));
export!("progression@0.1.0#validate-graph", validate_graph(a b), |w| plain(progression::validate_graph(w.read())));

export!("unlocks@0.1.0#apply-unlocks", apply_unlocks(_trigger), |_| answer(unlocks::apply_unlocks()));
export!("unlocks@0.1.0#settle", settle(a b), |w| answer(unlocks::settle(w.read())));
export!("unlocks@0.1.0#unlock", unlock(a b c), |w| answer(unlocks::unlock(w.read())));
export!("unlocks@0.1.0#complete", complete(a b), |w| answer(unlocks::complete(w.read())));
export!("unlocks@0.1.0#open-hint", open_hint(a b), |w| answer(unlocks::open_hint(w.read())));
export!("unlocks@0.1.0#applied-capabilities", applied_capabilities(), |_| plain(unlocks::applied_capabilities()));
export!("unlocks@0.1.0#held-capabilities", held_capabilities(), |_| answer(unlocks::held_capabilities()));
export!("unlocks@0.1.0#overrides", overrides(moment), |w| answer(unlocks::overrides(w.read())));
export!("unlocks@0.1.0#hold-tools", hold_tools(a b), |w| answer(unlocks::hold_tools(w.read())));
export!("unlocks@0.1.0#check-tool-call", check_tool_call(a b c d e f g h i j k l m n o), |w| answer(unlocks::check_tool_call(w.read())));
export!("unlocks@0.1.0#status", status(), |_| answer(unlocks::status()));

#[unsafe(export_name = "garnish:gating/unlocks@0.1.0#reload-count")]
extern "C" fn reload_count() -> u32 {
    unlocks::reload_count()
}
