//! Where things stand in order: the one copy of the code that maps, sets and sorting share.
//!
//! The standard library's is made anew for every type that is sorted, 6 KB each. Here things stay where they are, and a
//! list says in which order to take them.

use alloc::vec::Vec;
use core::{cmp::Ordering, mem, slice};

/// Longest run of [`Order`]. Longer ones make an insertion slower, shorter ones the search.
const MAX_RUN: usize = 256;

/// The places of things in a list, in the order of the things. Cut into runs, so that an insertion in front does not
/// move all that stands behind.
#[derive(Clone, Default)]
pub struct Order(Vec<Vec<u32>>);

/// A place in an [`Order`]: which run, and where in it.
pub type Spot = (usize, usize);

impl Order {
    /// The order of nothing.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Where something is, by how what stands at a place compares to it; else where it would be, behind all smaller.
    pub fn find(&self, compare: &mut dyn FnMut(usize) -> Ordering) -> Result<(usize, Spot), Spot> {
        let mut compare = |place: &u32| compare(*place as usize);
        // What comes in order stands behind the last one.
        let last_run = self.0.len().saturating_sub(1);
        let Some(last) = self.0.get(last_run).and_then(|run| run.last()) else { return Err((0, 0)) };
        let run = match compare(last) {
            Ordering::Less => return Err((last_run, self.0[last_run].len())),
            _ => self.0.partition_point(|run| run.last().is_some_and(|last| compare(last) == Ordering::Less)),
        };
        match self.0[run].binary_search_by(compare) {
            Ok(at) => Ok((self.0[run][at] as usize, (run, at))),
            Err(at) => Err((run, at)),
        }
    }

    /// Puts a place where [`Order::find`] said that what stands there would be.
    pub fn insert(&mut self, (run, at): Spot, place: usize) {
        if self.0.is_empty() {
            self.0.push(Vec::new());
        }
        let full = &mut self.0[run];
        full.insert(at, place as u32);
        if full.len() > MAX_RUN {
            let rest = full.split_off(MAX_RUN / 2);
            self.0.insert(run + 1, rest);
        }
    }

    /// Writes another place there.
    pub fn set(&mut self, (run, at): Spot, place: usize) {
        self.0[run][at] = place as u32;
    }

    /// Takes the place there out.
    pub fn remove(&mut self, (run, at): Spot) {
        self.0[run].remove(at);
        if self.0[run].is_empty() {
            self.0.remove(run);
        }
    }

    /// All places.
    pub fn places(&self) -> Places<'_> {
        Places { runs: self.0.iter(), run: [].iter() }
    }

    /// All places.
    pub fn all(&self) -> Vec<usize> {
        let mut all = Vec::new();
        all.extend(self.places());
        all
    }
}

/// Places in order.
#[derive(Clone)]
pub struct Places<'o> {
    runs: slice::Iter<'o, Vec<u32>>,
    run: slice::Iter<'o, u32>,
}

impl Iterator for Places<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            if let Some(place) = self.run.next() {
                return Some(*place as usize);
            }
            self.run = self.runs.next()?.iter();
        }
    }
}

/// The numbers below `count`, sorted by what they stand for; of equals the lower first.
pub fn sorted(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order = Order::new();
    for new in 0..count {
        if let Err(spot) = order.find(&mut |old| compare(old, new).then(Ordering::Less)) {
            order.insert(spot, new);
        }
    }
    order.all()
}

/// Sorts a list; what is equal stays as it stands.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, T::cmp);
}

/// Sorts a list by a comparison; what is equal stays as it stands.
pub fn sort_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let places = sorted(list.len(), &mut |a, b| compare(&list[a], &list[b]));
    arrange(places, &mut |a, b| list.swap(a, b));
}

/// Swaps things until each stands where `places` says: first the one that stands at `places[0]`, and so on.
pub fn arrange(mut places: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..places.len() {
        let mut at = first;
        loop {
            let from = mem::replace(&mut places[at], at);
            if from == first || from == at {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_list_is_sorted_and_equals_stay_as_they_stand(
            mut list in prop::collection::vec((0..50_u8, any::<u8>()), 0..1000),
        ) {
            let places = sorted(list.len(), &mut |a, b| list[a].0.cmp(&list[b].0));
            let mut stable: Vec<usize> = (0..list.len()).collect();
            stable.sort_by_key(|at| list[*at].0);
            prop_assert_eq!(places, stable);
            let mut theirs = list.clone();
            theirs.sort();
            sort(&mut list);
            prop_assert_eq!(list, theirs);
        }
    }
}
