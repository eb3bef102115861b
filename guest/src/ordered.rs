//! Sets and maps in order, for any number of things in any order.
//!
//! The standard library's bring 5 KB of code into the component for every type that they are used with; here all types
//! share the code of [`crate::order`].

use alloc::{
    boxed::Box,
    vec::{self, Vec},
};
use core::{borrow::Borrow, fmt, iter, mem};

use crate::order::{Order, Places, Spot, arrange};

/// Keys as they were added, and their order.
#[derive(Clone)]
struct Keys<K> {
    list: Vec<K>,
    order: Order,
}

impl<K> Default for Keys<K> {
    fn default() -> Self {
        Self { list: Vec::new(), order: Order::new() }
    }
}

impl<K: Ord> Keys<K> {
    /// Where a key is, or where it would be.
    fn spot<Q: Ord + ?Sized>(&self, key: &Q) -> Result<(usize, Spot), Spot>
    where
        K: Borrow<Q>,
    {
        self.order.find(&mut |place| self.list[place].borrow().cmp(key))
    }

    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.spot(key).ok().map(|(place, _)| place)
    }

    /// Adds a key; if there is one, it stays, and its place is answered.
    fn enter(&mut self, key: K) -> Option<usize> {
        match self.spot(&key) {
            Ok((place, _)) => Some(place),
            Err(spot) => {
                self.order.insert(spot, self.list.len());
                self.list.push(key);
                None
            }
        }
    }

    /// Takes a key out; answers the place that it had. The last key takes that place.
    fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        let (place, spot) = self.spot(key).ok()?;
        if let Ok((_, last)) = self.spot(self.list.last()?.borrow()) {
            self.order.set(last, place);
        }
        self.order.remove(spot);
        self.list.swap_remove(place);
        Some(place)
    }
}

/// A map in the order of its keys. Its entries live elsewhere, so that it is small itself.
#[derive(Clone)]
pub struct Map<K, V>(Option<Box<Entries<K, V>>>);

#[derive(Clone)]
struct Entries<K, V> {
    keys: Keys<K>,
    values: Vec<V>,
}

impl<K, V> Default for Entries<K, V> {
    fn default() -> Self {
        Self { keys: Keys::default(), values: Vec::new() }
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> Map<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        Self(None)
    }

    /// The entries, to be added to. Never inlined: it is the same code for all types.
    #[inline(never)]
    fn filling(&mut self) -> &mut Entries<K, V> {
        self.0.get_or_insert_default()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |entries| entries.values.len())
    }

    /// In order.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter(self.0.as_deref().map(|entries| (entries, entries.keys.order.places())))
    }

    /// As they were added; only if none was ever taken out.
    pub fn as_added(&self) -> impl Iterator<Item = (&K, &V)> {
        let (keys, values): (&[K], &[V]) = match &self.0 {
            Some(entries) => (&entries.keys.list, &entries.values),
            None => (&[], &[]),
        };
        keys.iter().zip(values)
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
    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let entries = self.0.as_ref()?;
        entries.keys.find(key).map(|place| &entries.values[place])
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let entries = self.0.as_mut()?;
        entries.keys.find(key).map(|place| &mut entries.values[place])
    }

    /// Whether it has a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    /// Sets the value of a key; answers the value that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let entries = self.filling();
        let Some(place) = entries.keys.enter(key) else {
            entries.values.push(value);
            return None;
        };
        Some(mem::replace(&mut entries.values[place], value))
    }

    /// The entry of a key, to be filled.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }

    /// The value of a key, set to this one if there was none.
    pub fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let entries = self.filling();
        let place = entries.keys.enter(key).unwrap_or_else(|| {
            entries.values.push(value);
            entries.values.len() - 1
        });
        &mut entries.values[place]
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
        let entries = self.0.as_mut()?;
        entries.keys.remove(key).map(|place| entries.values.swap_remove(place))
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
pub struct Iter<'m, K, V>(Option<(&'m Entries<K, V>, Places<'m>)>);

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'m, K, V> Iterator for Iter<'m, K, V> {
    type Item = (&'m K, &'m V);

    fn next(&mut self) -> Option<Self::Item> {
        let (entries, places) = self.0.as_mut()?;
        let place = places.next()?;
        Some((entries.keys.list.get(place)?, entries.values.get(place)?))
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
    type IntoIter = iter::Zip<vec::IntoIter<K>, vec::IntoIter<V>>;

    fn into_iter(self) -> Self::IntoIter {
        let Entries { keys: Keys { mut list, order }, mut values } = self.0.map(|entries| *entries).unwrap_or_default();
        arrange(order.all(), &mut |a, b| {
            list.swap(a, b);
            values.swap(a, b);
        });
        list.into_iter().zip(values)
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

/// A set in order. Its items live elsewhere, so that it is small itself.
#[derive(Clone)]
pub struct Set<T>(Option<Box<Keys<T>>>);

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Set<T> {
    /// An empty set.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items it has.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |keys| keys.list.len())
    }

    /// In order.
    pub fn iter(&self) -> Items<'_, T> {
        Items(self.0.as_deref().map(|keys| (keys, keys.order.places())))
    }
}

impl<T: Ord> Set<T> {
    /// Whether it has an item.
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.as_ref().is_some_and(|keys| keys.find(item).is_some())
    }

    /// Adds an item; answers whether it is new.
    pub fn insert(&mut self, item: T) -> bool {
        self.0.get_or_insert_default().enter(item).is_none()
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

/// The items of a set in order.
pub struct Items<'s, T>(Option<(&'s Keys<T>, Places<'s>)>);

impl<T> Clone for Items<'_, T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'s, T> Iterator for Items<'s, T> {
    type Item = &'s T;

    fn next(&mut self) -> Option<Self::Item> {
        let (keys, places) = self.0.as_mut()?;
        keys.list.get(places.next()?)
    }
}

impl<T: PartialEq> PartialEq for Set<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<T: Eq> Eq for Set<T> {}

impl<T: fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self).finish()
    }
}

impl<'s, T> IntoIterator for &'s Set<T> {
    type Item = &'s T;
    type IntoIter = Items<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        let Keys { mut list, order } = self.0.map(|keys| *keys).unwrap_or_default();
        arrange(order.all(), &mut |a, b| list.swap(a, b));
        list.into_iter()
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
    use core::{cell::Cell, cmp::Ordering};
    use proptest::prelude::*;

    std::thread_local! {
        static COMPARED: Cell<usize> = const { Cell::new(0) };
    }

    /// A key that counts how often it is compared.
    #[derive(PartialEq, Eq)]
    struct Counted(u32);

    impl PartialOrd for Counted {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for Counted {
        fn cmp(&self, other: &Self) -> Ordering {
            COMPARED.set(COMPARED.get() + 1);
            self.0.cmp(&other.0)
        }
    }

    #[test]
    fn filling_and_asking_a_large_map_takes_few_comparisons_in_any_order_of_keys() {
        const KEYS: u32 = 1 << 16;
        // An odd factor: each key once. What 1 gives comes in order, the last the other way round.
        for factor in [1, 40_503, KEYS - 1] {
            COMPARED.set(0);
            let mut map = Map::new();
            for key in 0..KEYS {
                map.insert(Counted(key * factor % KEYS), key);
            }
            for key in 0..KEYS {
                assert_eq!(map.get(&Counted(key * factor % KEYS)), Some(&key));
            }
            // Twice, a few more than the 16 that halving takes.
            assert!(COMPARED.get() <= 2 * 20 * KEYS as usize, "{} comparisons", COMPARED.get());
        }
    }

    proptest! {
        #[test]
        fn a_map_does_what_the_standard_librarys_does(
            steps in prop::collection::vec((0..4_u8, 0..700_u16, any::<u8>()), 0..2000),
        ) {
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
