//! Small sets of strings, one of which a match is, begins with or ends with.

use std::collections::BTreeSet;

use super::TrigramPlan;
use crate::lexical::trigrams::pack_trigram;

/// Strings that a set may have.
pub(super) const MOST: usize = 32;

/// Bytes that are kept of a begin or an end: with one byte of what comes next they make a trigram.
const KEPT: usize = 2;

/// A set of strings, with ASCII's capitals as small letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StringSet(BTreeSet<Vec<u8>>);

impl StringSet {
    /// The set of one string.
    pub(super) fn one(string: &[u8]) -> Self {
        Self(BTreeSet::from([string.to_ascii_lowercase()]))
    }

    /// The set with the empty string, which every text begins and ends with.
    pub(super) fn empty() -> Self {
        Self::one(b"")
    }

    /// Makes the set of the strings, with the capitals of ASCII as small letters; none if there are more than [`MOST`].
    pub(super) fn from_strings(strings: impl IntoIterator<Item = Vec<u8>>) -> Option<Self> {
        let mut all = BTreeSet::new();
        for mut string in strings {
            string.make_ascii_lowercase();
            all.insert(string);
            if all.len() > MOST {
                return None;
            }
        }
        Some(Self(all))
    }

    /// Returns each of these followed by each of the others, if they are few.
    pub(super) fn cross_with(&self, others: &Self) -> Option<Self> {
        if self.0.len().saturating_mul(others.0.len()) > MOST {
            return None;
        }
        let followed = |begin: &Vec<u8>| {
            let begin = begin.clone();
            others.0.iter().map(move |end| [begin.as_slice(), end].concat())
        };
        Some(Self(self.0.iter().flat_map(followed).collect()))
    }

    /// Returns the strings of both sets, if they are few.
    pub(super) fn union(&self, others: &Self) -> Option<Self> {
        let all: BTreeSet<_> = self.0.union(&others.0).cloned().collect();
        (all.len() <= MOST).then_some(Self(all))
    }

    /// Returns only the beginnings of the strings.
    pub(super) fn beginnings(&self) -> Self {
        Self(self.0.iter().map(|string| string.iter().take(KEPT).copied().collect()).collect())
    }

    /// Returns only the ends of the strings.
    pub(super) fn endings(&self) -> Self {
        let end = |string: &Vec<u8>| string.get(string.len().saturating_sub(KEPT)..).map(<[u8]>::to_vec);
        Self(self.0.iter().filter_map(end).collect())
    }

    /// Returns the conditions on a text that holds one of them. With `pairs`, two bytes are worth a condition.
    pub(super) fn to_plan(&self, pairs: bool) -> TrigramPlan {
        TrigramPlan::any_of(self.0.iter().map(|string| {
            if let ([first, second], true) = (string.as_slice(), pairs)
                && *first != b'\n'
                && *second != b'\n'
            {
                return TrigramPlan::Pair(u16::from_be_bytes([*first, *second]));
            }
            string.windows(3).fold(TrigramPlan::All, |plan, window| match *window {
                // A line end can only be the last byte of a trigram.
                [first, second, third] if first != b'\n' && second != b'\n' => {
                    plan.with_both(TrigramPlan::Trigram(pack_trigram([first, second, third])))
                }
                _ => plan,
            })
        }))
    }
}
