//! The gate config as values: which keys a catalog's surfaces have under a profile, what they say for an unlock set,
//! and what a config says in turn: enabled, loaded, parity, monotonicity.
//!
//! It never sees a file's text and never decides what is unlocked.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::mem;

use crate::{
    capability::{APPROVAL_MODES, Capability, Kind, approval_strength},
    catalog::Catalog,
    list::IntoList,
    order,
    ordered::Set,
    profile::{Form, MARKER, Profile, Rule, SCHEMA, Switch, split},
    value::{self, Mapping, Value},
    words::joined,
};

/// A set of open (or held) capabilities.
pub type Capabilities = Set<Capability>;

/// One key that garnish owns in one file, with the capabilities that need it.
#[derive(Debug, Clone)]
pub struct Leaf<'p> {
    /// Index into [`Profile::files`].
    pub file: usize,
    /// The steps to the key.
    pub path: Vec<String>,
    /// What is written there.
    pub form: LeafForm<'p>,
    /// Who needs it, sorted.
    pub needs: Vec<Capability>,
}

/// What a leaf says.
#[derive(Debug, Clone, Copy)]
pub enum LeafForm<'p> {
    /// `true` when its one surface is open.
    Toggle,
    /// `true` when any is open.
    Any,
    /// The open ones.
    Allow,
    /// The held ones.
    Deny(&'p Rule),
    /// The strongest open mode.
    Level(&'p Rule),
    /// A value while all are held.
    Switch(&'p Switch),
}

/// Every leaf that a catalog needs under a profile, by file, then by path.
pub fn leaves<'p>(catalog: &Catalog, profile: &'p Profile) -> Vec<Leaf<'p>> {
    let mut leaves = Vec::new();
    for (kind, rules) in &profile.surfaces {
        let needs = catalog.of_kind(*kind).filter(|capability| !profile.session_only.contains(capability));
        let needs: Vec<Capability> = needs.cloned().list();
        for rule in rules.iter().filter(|rule| rule.always || !needs.is_empty()) {
            let Some(file) = profile.file_index(&rule.file) else { continue };
            let form = match rule.form {
                Form::Toggle => {
                    let one = |capability: &Capability| Leaf {
                        file,
                        path: rule.path(capability),
                        form: LeafForm::Toggle,
                        needs: alloc::vec![capability.clone()],
                    };
                    leaves.extend(needs.iter().map(one));
                    continue;
                }
                Form::Any => LeafForm::Any,
                Form::Allow => LeafForm::Allow,
                Form::Deny => LeafForm::Deny(rule),
                Form::Level => LeafForm::Level(rule),
            };
            leaves.push(Leaf { file, path: split(&rule.key), form, needs: needs.clone() });
        }
    }
    for switch in &profile.switches {
        let tool =
            |name: &String| Capability::new(Kind::Tool, name).filter(|tool| catalog.capabilities().contains_key(tool));
        let needs: Vec<Capability> = switch.tools.iter().filter_map(tool).list();
        if let Some(file) = profile.file_index(&switch.file)
            && needs.len() == switch.tools.len()
        {
            leaves.push(Leaf { file, path: split(&switch.key), form: LeafForm::Switch(switch), needs });
        }
    }
    order::sort_by(&mut leaves, |a, b| (a.file, &a.path).cmp(&(b.file, &b.path)));
    // Of two for one key the one named last stands.
    leaves.dedup_by(|later, earlier| {
        let same = (later.file, &later.path) == (earlier.file, &earlier.path);
        if same {
            mem::swap(later, earlier);
        }
        same
    });
    leaves
}

impl Leaf<'_> {
    /// The key as people write it.
    pub fn dotted(&self) -> String {
        joined(&self.path, ".")
    }

    /// Whether garnish's value stands here while `held` is held.
    pub fn holds(&self, held: &Capabilities) -> bool {
        match self.form {
            LeafForm::Switch(_) => self.needs.iter().all(|capability| held.contains(capability)),
            _ => self.needs.iter().any(|capability| held.contains(capability)),
        }
    }

    /// What the canonical config says; none: the key is not there. `open` is what has been unlocked, as the catalog
    /// names it; `held` what is closed.
    pub fn rendered(&self, open: &Capabilities, held: &Capabilities) -> Option<Value> {
        let is_open = |capability: &&Capability| open.contains(capability);
        Some(match self.form {
            LeafForm::Toggle | LeafForm::Any => Value::Bool(self.needs.iter().any(|capability| is_open(&capability))),
            LeafForm::Allow => self.needs.iter().filter(is_open).map(|capability| capability.name.as_str()).collect(),
            LeafForm::Deny(rule) => {
                let entries: Vec<String> =
                    self.needs.iter().filter(|need| held.contains(need)).map(|need| rule.entry(need)).list();
                if entries.is_empty() && rule.drop_empty {
                    return None;
                }
                Value::texts(&entries)
            }
            LeafForm::Level(_) => {
                let strongest =
                    self.needs.iter().filter(is_open).filter_map(|need| approval_strength(&need.name)).max();
                Value::from(
                    strongest.and_then(|strength| APPROVAL_MODES.get(strength)).copied().unwrap_or(APPROVAL_MODES[0]),
                )
            }
            LeafForm::Switch(switch) if self.holds(held) => switch.held.clone(),
            LeafForm::Switch(switch) => return switch.open.clone(),
        })
    }
}

impl Leaf<'_> {
    /// What stands here while something that needs it is held. Garnish only holds: where the learner is stricter,
    /// theirs stands.
    pub fn held_value(&self, gate: &Gate, theirs: Option<&Value>) -> Value {
        let said = self.rendered(&gate.open, &gate.held).unwrap_or(Value::Null);
        let strength = |value: &Value| value.as_str().and_then(approval_strength);
        match (&self.form, theirs) {
            (LeafForm::Any, Some(Value::Bool(false))) => Value::Bool(false),
            (LeafForm::Level(_), Some(theirs)) if strength(theirs).is_some() && strength(theirs) < strength(&said) => {
                theirs.clone()
            }
            _ => said,
        }
    }
}

/// What an unlock set opens and leaves held.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gate {
    /// What the unlocked features name.
    pub open: Capabilities,
    /// What is in force: those, and what they cover. The approval mode that asks always is in force from the start.
    pub enabled: Capabilities,
    /// The catalog's rest.
    pub held: Capabilities,
}

impl Gate {
    /// The gate of the features that are unlocked.
    pub fn new(is_unlocked: &dyn Fn(&str) -> bool, catalog: &Catalog) -> Self {
        let named = catalog
            .capabilities()
            .iter()
            .filter(|(_, features)| features.iter().any(|feature| is_unlocked(feature.as_str())));
        let open = Set::from_iter(named.map(|(capability, _)| capability.clone()));
        // Only a skill glob `*` and an approval mode cover others, so nothing else needs the walk.
        let covering: Vec<&Capability> =
            open.iter().filter(|capability| matches!(capability.kind, Kind::Skill | Kind::ApprovalMode)).list();
        let is_enabled = |capability: &Capability| {
            open.contains(capability)
                || matches!(capability.kind, Kind::Skill | Kind::ApprovalMode)
                    && (covering.iter().any(|other| other.covers(capability)) || is_always_on(capability))
        };
        let (mut enabled, mut held) = (Set::new(), Set::new());
        for capability in catalog.capabilities().keys() {
            let side = if is_enabled(capability) { &mut enabled } else { &mut held };
            side.insert(capability.clone());
        }
        Self { open, enabled, held }
    }

    /// The gate of everything unlocked.
    pub fn stock(catalog: &Catalog) -> Self {
        Self::new(&|_| true, catalog)
    }
}

/// The harness always asks; no gate can take that away.
fn is_always_on(capability: &Capability) -> bool {
    capability.kind == Kind::ApprovalMode && capability.name == APPROVAL_MODES[0]
}

/// Sorted spelled capabilities.
pub fn spelled(capabilities: &Capabilities) -> Vec<String> {
    capabilities.iter().map(ToString::to_string).list()
}

/// The marker that a file carries: every held capability, and the keys of this file whose value is garnish's now.
pub fn marker(held: &Capabilities, leaves: &[String]) -> Value {
    let (held, leaves) = (Value::texts(&spelled(held)), Value::texts(leaves));
    value::map([("held", Some(held)), ("leaves", Some(leaves))])
}

/// The held capabilities that a file's marker names; none: no marker.
pub fn marked_held(file: &Value) -> Option<Capabilities> {
    let held = file.at(&[MARKER, "held"])?.as_list()?;
    Some(Set::from_iter(held.iter().filter_map(|item| Capability::parse(item.as_str()?))))
}

/// The canonical values of every file of the profile.
pub fn rendered(gate: &Gate, catalog: &Catalog, profile: &Profile) -> Vec<Value> {
    let leaves = leaves(catalog, profile);
    let mut files: Vec<Value> = Vec::new();
    for (index, file) in profile.files.iter().enumerate() {
        let mut value = Value::Map(Mapping::new());
        let mut owned = Vec::new();
        for leaf in leaves.iter().filter(|leaf| leaf.file == index) {
            if let Some(said) = leaf.rendered(&gate.open, &gate.held) {
                insert(&mut value, &leaf.path, said);
            }
            if leaf.holds(&gate.held) {
                owned.push(leaf.dotted());
            }
        }
        if let Some(schema) = &file.schema {
            insert(&mut value, &[SCHEMA.to_string()], Value::from(schema.as_str()));
        }
        insert(&mut value, &[MARKER.to_string()], marker(&gate.held, &owned));
        files.push(value);
    }
    files
}

/// Sets the value at a path, making mappings on the way; what stood in the way goes.
pub fn insert(target: &mut Value, path: &[String], value: Value) {
    let Some((key, rest)) = path.split_first() else {
        *target = value;
        return;
    };
    if !matches!(target, Value::Map(_)) {
        *target = Value::Map(Mapping::new());
    }
    if let Value::Map(map) = target {
        insert(map.or_insert(key.clone(), Value::Null), rest, value);
    }
}

/// The catalog's capabilities that garnish's own record in rendered files says are open. `files` are by index of
/// [`Profile::files`]; a missing one opens nothing.
pub fn enabled(files: &[Option<Value>], catalog: &Catalog, profile: &Profile) -> Capabilities {
    let marked = files.iter().flatten().find_map(marked_held);
    let is_open = |capability: &&Capability| {
        let rules = profile.rules(capability);
        if rules.is_empty() {
            return marked.as_ref().is_some_and(|held| !held.contains(*capability));
        }
        rules.iter().all(|rule| {
            let file = profile.file_index(&rule.file).and_then(|index| files.get(index)?.as_ref());
            let value = file.and_then(|file| file.at(&rule.path(capability)));
            match (rule.form, value) {
                (Form::Toggle | Form::Any, value) => value.is_some_and(Value::is_true),
                (Form::Allow, value) => value.is_some_and(|list| lists(list, "*") || lists(list, &capability.name)),
                (Form::Deny, None) => rule.drop_empty && file.is_some_and(|file| file.at(&[MARKER]).is_some()),
                (Form::Deny, Some(list)) => list.as_list().is_some() && !lists(list, &rule.entry(capability)),
                (Form::Level, value) => {
                    let strength = value.and_then(Value::as_str).and_then(approval_strength);
                    strength.is_some() && strength >= approval_strength(&capability.name)
                }
            }
        })
    };
    Set::from_iter(catalog.capabilities().keys().filter(is_open).cloned())
}

fn lists(list: &Value, name: &str) -> bool {
    list.as_list().is_some_and(|items| items.iter().any(|item| item.as_str() == Some(name)))
}

/// The catalog's capabilities that the harness has open when it starts on these files: an absent key means its default.
pub fn loaded(files: &[Option<Value>], catalog: &Catalog, profile: &Profile) -> Capabilities {
    let value_at = |file: &str, path: &[String]| {
        profile.file_index(file).and_then(|index| files.get(index)?.as_ref()).and_then(|file| file.at(path))
    };
    let is_open = |capability: &&Capability| match capability.kind {
        Kind::Tool => is_loaded_tool(capability, profile, &value_at),
        _ => profile.rules(capability).iter().all(|rule| {
            let value = value_at(&rule.file, &rule.path(capability));
            match rule.form {
                Form::Toggle | Form::Any => value != Some(&Value::Bool(false)),
                Form::Allow => {
                    let all = value.and_then(Value::as_list).is_none_or(<[Value]>::is_empty);
                    all || value.is_some_and(|list| lists(list, "*") || lists(list, &capability.name))
                }
                Form::Deny => value.is_none_or(|list| !lists(list, &rule.entry(capability))),
                Form::Level => {
                    let default = rule.absent.as_deref().and_then(approval_strength);
                    let strength = value.and_then(Value::as_str).and_then(approval_strength).or(default);
                    strength >= approval_strength(&capability.name)
                }
            }
        }),
    };
    Set::from_iter(catalog.capabilities().keys().filter(is_open).cloned())
}

fn is_loaded_tool<'v>(
    tool: &Capability,
    profile: &Profile,
    value_at: &dyn Fn(&str, &[String]) -> Option<&'v Value>,
) -> bool {
    let mut switches = profile.switches.iter().filter(|switch| switch.tools.contains(&tool.name)).peekable();
    let off = |switch: &Switch| match value_at(&switch.file, &split(&switch.key)) {
        Some(value) => *value == switch.held,
        None => profile.off_by_default.contains(&tool.name),
    };
    // A tool with several switches is gone when all of them are off.
    if switches.peek().is_some() && switches.all(off) {
        return false;
    }
    profile.rules(tool).iter().all(|rule| {
        let value = value_at(&rule.file, &rule.path(tool));
        match rule.form {
            Form::Deny => value.is_none_or(|list| !lists(list, &rule.entry(tool))),
            _ if profile.untoggled.contains(&tool.name) => true,
            _ => match value {
                Some(value) => *value != Value::Bool(false),
                None => !profile.off_by_default.contains(&tool.name),
            },
        }
    })
}

/// A capability that one gate config enabled and the next one does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Index of the config that had it.
    pub from: usize,
    /// What was lost.
    pub capability: Capability,
}

/// Each step of a sequence of enabled sets that loses something.
pub fn violations(sequence: &[Capabilities]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (from, pair) in sequence.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        for capability in before.difference(after) {
            violations.push(Violation { from, capability: capability.clone() });
        }
    }
    violations
}
