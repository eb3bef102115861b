//! The exports of `wit/`, by their names in the ABI: each reads its parameters and hands its answer over.
//!
//! What they do is in [`crate::component`].

use super::abi::{Lower, Words, respond};
use crate::{
    component::{gating, progression, unlocks},
    diagnostic::Error,
};

/// An export: its name; the words of its parameters; how many words the tag before its answer has, 2 where the answer
/// holds a number of 64 bits and none where there is no error; and the way from parameters to answer.
macro_rules! export {
    ($name:literal, $function:ident($($word:ident)*), $tag:literal, $answer:expr) => {
        #[unsafe(export_name = concat!("garnish:gating/", $name))]
        extern "C" fn $function($($word: usize),*) -> *const u64 {
            respond(&[$($word),*], $tag, |words, out| {
                let answer: fn(&mut Words) -> Result<_, Error> = $answer;
                answer(words)?.lower(out);
                Ok(())
            })
        }
    };
}

export!("gating@0.1.0#render-gate-config", render_gate_config(a b c d e f g h i j), 1, |w| {
    gating::render_gate_config(w.read(), w.read(), w.read())
});
export!("gating@0.1.0#enabled-capabilities", enabled_capabilities(a b c d e f g h), 1, |w| {
    gating::enabled_capabilities(w.read(), w.read(), w.read())
});
export!("gating@0.1.0#loaded-capabilities", loaded_capabilities(a b c d e f g h), 1, |w| {
    gating::loaded_capabilities(w.read(), w.read(), w.read())
});
export!("gating@0.1.0#merge-gate-config", merge_gate_config(a b c d e f g h i j k l m n o), 1, |w| {
    gating::merge_gate_config(w.read(), w.read(), w.read(), w.read(), w.read())
});
export!("gating@0.1.0#eject", eject(a b c d e f g), 1, |w| gating::eject(w.read(), w.read(), w.read()));
export!("gating@0.1.0#stock-parity-config", stock_parity_config(a b c d e f), 1, |w| {
    gating::stock_parity_config(w.read(), w.read())
});
export!("gating@0.1.0#compare-stock-parity", compare_stock_parity(a b c d e f g h), 1, |w| {
    gating::compare_stock_parity(w.read(), w.read(), w.read())
});
export!("gating@0.1.0#find-monotonicity-violations", find_monotonicity_violations(a b c d e f g h), 1, |w| {
    gating::find_monotonicity_violations(w.read(), w.read(), w.read())
});
export!("gating@0.1.0#catalog-feature-ids", catalog_feature_ids(a b c), 1, |w| gating::catalog_feature_ids(w.read()));
export!("gating@0.1.0#validate-catalog", validate_catalog(a b c d e f), 0, |w| {
    Ok(gating::validate_catalog(w.read(), w.read()))
});
export!("gating@0.1.0#describe-profile", describe_profile(a b c), 1, |w| gating::describe_profile(w.read()));
export!("gating@0.1.0#builtin-catalogs", builtin_catalogs(), 0, |_| Ok(gating::builtin_catalogs()));
export!("gating@0.1.0#builtin-profiles", builtin_profiles(), 0, |_| Ok(gating::builtin_profiles()));

export!("progression@0.1.0#fold-events", fold_events(a b c d), 2, |w| progression::fold_events(w.read(), w.read()));
export!("progression@0.1.0#plan-unlock", plan_unlock(a b c d e f g h i j k l), 1, |w| {
    progression::plan_unlock(w.read(), w.read(), w.read(), w.read(), w.read())
});
export!("progression@0.1.0#validate-graph", validate_graph(a b), 0, |w| Ok(progression::validate_graph(w.read())));

export!("unlocks@0.1.0#apply-unlocks", apply_unlocks(_trigger), 1, |_| unlocks::apply_unlocks());
export!("unlocks@0.1.0#settle", settle(a b), 1, |w| unlocks::settle(w.read()));
export!("unlocks@0.1.0#unlock", unlock(a b c), 1, |w| unlocks::unlock(w.read()));
export!("unlocks@0.1.0#complete", complete(a b), 1, |w| unlocks::complete(w.read()));
export!("unlocks@0.1.0#open-hint", open_hint(a b), 1, |w| unlocks::open_hint(w.read()));
export!("unlocks@0.1.0#applied-capabilities", applied_capabilities(), 0, |_| Ok(unlocks::applied_capabilities()));
export!("unlocks@0.1.0#held-capabilities", held_capabilities(), 1, |_| unlocks::held_capabilities());
export!("unlocks@0.1.0#overrides", overrides(moment), 1, |w| unlocks::overrides(w.read()));
export!("unlocks@0.1.0#hold-tools", hold_tools(a b), 1, |w| unlocks::hold_tools(w.read()));
export!("unlocks@0.1.0#check-tool-call", check_tool_call(a b c d e f g h i j k l m n o), 1, |w| {
    unlocks::check_tool_call(w.read())
});
export!("unlocks@0.1.0#status", status(), 1, |_| unlocks::status());

#[unsafe(export_name = "garnish:gating/unlocks@0.1.0#reload-count")]
extern "C" fn reload_count() -> u32 {
    unlocks::reload_count()
}
