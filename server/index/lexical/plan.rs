//! The conditions on a text in which a regular expression can match a line.

mod shape;
mod strings;

use regex_syntax::hir::Hir;

use super::trigrams::Trigram;

/// Leaves that a plan may have; one with more asks for nothing.
const MOST_LEAVES: usize = 4096;

/// A condition on the trigrams of a text. It holds for every text with a match, and for some others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrigramPlan {
    /// Any text.
    All,
    /// A text with this trigram.
    Trigram(Trigram),
    /// A text with a trigram that begins with these two bytes.
    Pair(u16),
    /// A text that fulfils all of these.
    And(Vec<TrigramPlan>),
    /// A text that fulfils one of these; none if there are none.
    Or(Vec<TrigramPlan>),
}

impl TrigramPlan {
    /// Returns the plan for an expression.
    pub fn from_expression(hir: &Hir) -> Self {
        let plan = shape::MatchShape::from_expression(hir).into_plan();
        if plan.leaf_count() > MOST_LEAVES { Self::All } else { plan }
    }

    /// Both.
    fn with_both(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, plan) | (plan, Self::All) => plan,
            (left, right) => {
                let mut parts = left.into_parts(true);
                parts.extend(right.into_parts(true));
                parts.sort_unstable();
                parts.dedup();
                Self::one_or(parts, Self::And)
            }
        }
    }

    /// Returns a plan for any of the plans.
    fn any_of(plans: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        for plan in plans {
            if plan == Self::All {
                return Self::All;
            }
            parts.extend(plan.into_parts(false));
        }
        parts.sort_unstable();
        parts.dedup();
        Self::one_or(parts, Self::Or)
    }

    fn into_parts(self, and: bool) -> Vec<Self> {
        match self {
            Self::And(parts) if and => parts,
            Self::Or(parts) if !and => parts,
            plan => vec![plan],
        }
    }

    fn one_or(mut parts: Vec<Self>, many: impl Fn(Vec<Self>) -> Self) -> Self {
        match parts.pop() {
            Some(only) if parts.is_empty() => only,
            Some(last) => {
                parts.push(last);
                many(parts)
            }
            None => many(parts),
        }
    }

    fn leaf_count(&self) -> usize {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::leaf_count).sum(),
            Self::All | Self::Trigram(_) | Self::Pair(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests;
