//! Sets and maps in order, for any number of things in any order.
//!
//! The standard library's bring 5 KB of code into the component for every type that they are used with; here all types
//! share the code of [`crate::order`].

use alloc::vec::{self, Vec};
use core::{borrow::Borrow, fmt, iter, mem};

use crate::order::{Order, Places, Spot, arrange};

/// A map in the order of its keys.
#[derive(Clone)]
pub struct Map<K, V> {
    entries: Vec<(K, V)>,
    order: Order,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> Map<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), order: Order::new() }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// In order.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { entries: &self.entries, places: self.order.places() }
    }

    /// As they were added; only if none was ever taken out.
    pub fn as_added(&self) -> &[(K, V)] {
        &self.entries
    }

    /// In order.
    pub fn keys(&self) -> impl Iterator<Item = &K> + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// In the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// In the order of their keys.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V> Map<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(usize, Spot)>
    where
        K: Borrow<Q>,
    {
        self.order.find(&mut |place| self.entries[place].0.borrow().cmp(key)).ok()
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).map(|(place, _)| &self.entries[place].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).map(|(place, _)| &mut self.entries[place].1)
    }

    /// Whether it has a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_some()
    }

    /// The place of a key; none, and the order is ready for it at the end of the entries, if it is new.
    fn enter(&mut self, key: &K) -> Option<usize> {
        let entries = &self.entries;
        self.order.enter(entries.len(), &mut |place| entries[place].0.cmp(key))
    }

    /// Sets the value of a key; answers the value that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let Some(place) = self.enter(&key) else {
            self.entries.push((key, value));
            return None;
        };
        Some(mem::replace(&mut self.entries[place].1, value))
    }

    /// The entry of a key, to be filled.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }

    /// The value of a key, set to this one if there was none.
    pub fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let place = self.enter(&key).unwrap_or_else(|| {
            self.entries.push((key, value));
            self.entries.len() - 1
        });
        &mut self.entries[place].1
    }

    /// The value of a key, set to the default if there was none.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert(key, V::default())
    }

    /// Takes a key out; answers the value that it had.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (place, spot) = self.find(key)?;
        // The last entry takes its place.
        let (last, _) = self.entries.last()?;
        if let Some((_, last)) = self.find(last.borrow()) {
            self.order.set(last, place);
        }
        self.order.remove(spot);
        Some(self.entries.swap_remove(place).1)
    }
}

/// The entry of a key, there or not: [`Map::entry`].
pub struct Entry<'m, K, V> {
    map: &'m mut Map<K, V>,
    key: K,
}

impl<'m, K: Ord, V> Entry<'m, K, V> {
    /// Its value, set to this one if it was not there.
    pub fn or_insert(self, value: V) -> &'m mut V {
        self.map.or_insert(self.key, value)
    }

    /// Its value, set to the default if it was not there.
    pub fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.map.or_insert(self.key, V::default())
    }
}

/// The entries of a map in order.
pub struct Iter<'m, K, V> {
    entries: &'m [(K, V)],
    places: Places<'m>,
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self { entries: self.entries, places: self.places.clone() }
    }
}

impl<'m, K, V> Iterator for Iter<'m, K, V> {
    type Item = (&'m K, &'m V);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.entries.get(self.places.next()?)?;
        Some((key, value))
    }
}

impl<'m, K, V> IntoIterator for &'m Map<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = vec::IntoIter<(K, V)>;

    fn into_iter(mut self) -> Self::IntoIter {
        arrange(self.order.all(), &mut |a, b| self.entries.swap(a, b));
        self.entries.into_iter()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a == b)
    }
}

impl<K: Eq, V: Eq> Eq for Map<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self).finish()
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        Self::from_iter(entries)
    }
}

/// A set in order.
#[derive(Clone, PartialEq, Eq)]
pub struct Set<T>(Map<T, ()>);

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Set<T> {
    /// An empty set.
    pub const fn new() -> Self {
        Self(Map::new())
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many items it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.0.keys()
    }
}

impl<T: Ord> Set<T> {
    /// Whether it has an item.
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(item)
    }

    /// Adds an item; answers whether it is new.
    pub fn insert(&mut self, item: T) -> bool {
        self.0.insert(item, ()).is_none()
    }

    /// What the other does not have, in order.
    pub fn difference<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s T> {
        self.iter().filter(|item| !other.contains(*item))
    }

    /// What the other has too, in order.
    pub fn intersection<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s T> {
        self.iter().filter(|item| other.contains(*item))
    }
}

impl<T: fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

impl<'s, T> IntoIterator for &'s Set<T> {
    type Item = &'s T;
    type IntoIter = iter::Map<Iter<'s, T, ()>, fn((&'s T, &'s ())) -> &'s T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(item, ())| item)
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = iter::Map<vec::IntoIter<(T, ())>, fn((T, ())) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|(item, ())| item)
    }
}

impl<T: Ord> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_map_does_what_the_standard_librarys_does(steps in prop::collection::vec((0..4_u8, 0..700_u16, any::<u8>()), 0..2000)) {
            let (mut ours, mut theirs) = (Map::new(), BTreeMap::new());
            for (step, key, value) in steps {
                match step {
                    0 => prop_assert_eq!(ours.remove(&key), theirs.remove(&key)),
                    1 => prop_assert_eq!(ours.get(&key), theirs.get(&key)),
                    _ => prop_assert_eq!(ours.insert(key, value), theirs.insert(key, value)),
                }
            }
            prop_assert_eq!(ours.len(), theirs.len());
            prop_assert!(ours.iter().eq(&theirs));
            prop_assert!(ours.into_iter().eq(theirs));
        }
    }
}
