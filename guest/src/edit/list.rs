//! Old list, new list → which items stay where they are.
//!
//! It never moves an item: what is not in the common order is removed and written anew.

use alloc::{string::String, vec, vec::Vec};

use super::write::Flow;
use crate::{list::IntoList, ordered::Map, value::Value};

/// For every new item the old item that stays and becomes it, if one does. The answers rise.
///
/// As many stay as is possible for items that differ from each other; time grows as n log n, whatever the lists.
pub(super) fn staying(old: &[Value], new: &[Value]) -> Vec<Option<usize>> {
    let name = |value: &Value| {
        let mut name = String::new();
        Flow::YAML.value(&mut name, value);
        name
    };
    let mut places: Map<String, Vec<usize>> = Map::new();
    for (i, value) in old.iter().enumerate().rev() {
        places.or_default(name(value)).push(i);
    }
    // Equal items are taken in the order of the file.
    let partner: Vec<Option<usize>> = new.iter().map(|value| places.get_mut(&name(value))?.pop()).list();
    // The longest rising run of partners, by patience sorting.
    let mut piles: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; new.len()];
    for (i, at) in partner.iter().enumerate() {
        let Some(at) = at else { continue };
        let pile = piles.partition_point(|top| partner[*top] < Some(*at));
        before[i] = pile.checked_sub(1).map(|left| piles[left]);
        match piles.get_mut(pile) {
            Some(top) => *top = i,
            None => piles.push(i),
        }
    }
    let mut stays = vec![None; new.len()];
    let mut next = piles.last().copied();
    while let Some(i) = next {
        stays[i] = partner[i];
        next = before[i];
    }
    stays
}
