//! Lists made of iterators, with little code.
//!
//! `collect` brings an allocation of its own, with its failure, to each place where it stands; `extend` shares one. In
//! this component that is 14 KB.

use alloc::vec::Vec;

/// Iterators that end as lists.
pub trait IntoList: Iterator + Sized {
    /// All items.
    fn list(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        list.extend(self);
        list
    }
}

impl<I: Iterator> IntoList for I {}
