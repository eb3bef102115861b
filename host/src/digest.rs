//! A 64-bit digest that tells versions of a file apart. It never protects against somebody who wants two files to
//! look alike: whoever can write the learner's files needs no such trick.

use std::hash::{DefaultHasher, Hasher};

/// The same for the same bytes within one build of garnish, and different for different ones for all practical ends.
pub fn of(bytes: &[u8]) -> u64 {
    // `DefaultHasher::new` has fixed keys, unlike the hasher of a `HashMap`.
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
