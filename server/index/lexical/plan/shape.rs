//! The known texts of the matches of a part of an expression.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use super::TrigramPlan;
use super::strings::{MOST, StringSet};
use crate::lexical::trigrams::pack_trigram;

/// Copies of a repeated part that are looked at.
const COPIES: u32 = 8;

/// Characters of a class whose bytes are asked for one by one.
const MOST_CHARACTERS: usize = 1024;

/// All matches of a part.
#[derive(Clone, Debug)]
pub(super) struct MatchShape {
    text: ShapeText,
    /// Further conditions on a text with a match.
    plan: TrigramPlan,
}

#[derive(Clone, Debug)]
enum ShapeText {
    /// Every match is one of these.
    Exact(StringSet),
    /// Every match begins with one of the first, and ends with one of the second.
    Ends(StringSet, StringSet),
}

impl MatchShape {
    /// Returns the shape of the whole expression.
    pub(super) fn from_expression(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty => Self::exact(StringSet::empty()),
            // A match at a line's end is followed by the line end, or by that of the text, which counts as one.
            HirKind::Look(Look::EndLF) => Self::exact(StringSet::one(b"\n")),
            HirKind::Look(_) => Self::exact(StringSet::empty()),
            HirKind::Literal(literal) => Self::exact(StringSet::one(&literal.0)),
            HirKind::Class(class) => match strings_of(class) {
                Some(strings) => Self::exact(strings),
                None => Self { plan: far_from_ascii(class), ..Self::anything() },
            },
            HirKind::Capture(capture) => Self::from_expression(&capture.sub),
            HirKind::Repetition(repetition) => Self::from_repetition(repetition),
            HirKind::Concat(parts) => parts
                .iter()
                .map(Self::from_expression)
                .reduce(Self::followed_by)
                .unwrap_or_else(|| Self::exact(StringSet::empty())),
            HirKind::Alternation(parts) => Self::one_of(parts.iter().map(Self::from_expression)),
        }
    }

    /// Returns the conditions on a text with a match.
    pub(super) fn into_plan(self) -> TrigramPlan {
        let ask = |pairs| match &self.text {
            ShapeText::Exact(strings) => strings.to_plan(pairs),
            ShapeText::Ends(begins, ends) => begins.to_plan(pairs).with_both(ends.to_plan(pairs)),
        };
        match self.plan.clone().with_both(ask(false)) {
            TrigramPlan::All => ask(true),
            plan => plan,
        }
    }

    fn exact(strings: StringSet) -> Self {
        Self { text: ShapeText::Exact(strings), plan: TrigramPlan::All }
    }

    fn anything() -> Self {
        Self { text: ShapeText::Ends(StringSet::empty(), StringSet::empty()), plan: TrigramPlan::All }
    }

    fn from_repetition(repetition: &Repetition) -> Self {
        let Repetition { min, max, sub, .. } = repetition;
        match (*min, *max) {
            (0, Some(0)) => Self::exact(StringSet::empty()),
            (0, Some(1)) => {
                Self::one_of([Self::exact(StringSet::empty()), Self::from_expression(sub)].into_iter())
            }
            (0, _) => Self::anything(),
            (min, max) => {
                let one = Self::from_expression(sub);
                let copies = (1..min.min(COPIES)).fold(one.clone(), |all, _| all.followed_by(one.clone()));
                if max == Some(min) && min <= COPIES { copies } else { copies.with_open_middle() }
            }
        }
    }

    /// The matches of one part followed by those of the next.
    fn followed_by(self, next: Self) -> Self {
        if let (ShapeText::Exact(first), ShapeText::Exact(second)) = (&self.text, &next.text)
            && let Some(both) = first.cross_with(second)
        {
            return Self { text: ShapeText::Exact(both), plan: self.plan.with_both(next.plan) };
        }
        let (first, second) = (self.begins_and_ends(), next.begins_and_ends());
        let plan = self.own_plan().with_both(next.own_plan());
        // If both sides are open, the text where they meet is lost unless it is added to the plan now.
        let meeting = first.1.cross_with(&second.0).map_or(TrigramPlan::All, |both| both.to_plan(false));
        let begins = match &self.text {
            ShapeText::Exact(strings) => strings.cross_with(&second.0).unwrap_or(first.0),
            ShapeText::Ends(..) => first.0,
        };
        let ends = match &next.text {
            ShapeText::Exact(strings) => first.1.cross_with(strings).unwrap_or(second.1),
            ShapeText::Ends(..) => second.1,
        };
        let plan = plan.with_both(meeting).with_both(begins.to_plan(false)).with_both(ends.to_plan(false));
        Self { text: ShapeText::Ends(begins.beginnings(), ends.endings()), plan }
    }

    /// The matches of any of the parts.
    fn one_of(parts: impl Iterator<Item = Self>) -> Self {
        let parts: Vec<Self> = parts.collect();
        let exact =
            parts.iter().try_fold(None, |all: Option<StringSet>, part| match (&part.text, &part.plan, all) {
                (ShapeText::Exact(strings), TrigramPlan::All, None) => Some(Some(strings.clone())),
                (ShapeText::Exact(strings), TrigramPlan::All, Some(all)) => all.union(strings).map(Some),
                _ => None,
            });
        if let Some(Some(strings)) = exact {
            return Self::exact(strings);
        }
        let plan = TrigramPlan::any_of(parts.iter().map(Self::own_plan));
        let mut sides = parts.iter().map(Self::begins_and_ends);
        let joined = sides.next().map(|first| {
            sides.fold(first, |(begins, ends), (more_begins, more_ends)| {
                let begins = begins.union(&more_begins).unwrap_or_else(StringSet::empty);
                (begins, ends.union(&more_ends).unwrap_or_else(StringSet::empty))
            })
        });
        let (begins, ends) = joined.unwrap_or_else(|| (StringSet::empty(), StringSet::empty()));
        Self { text: ShapeText::Ends(begins, ends), plan }
    }

    /// Returns the shape with more text allowed in the middle.
    fn with_open_middle(self) -> Self {
        let (begins, ends) = self.begins_and_ends();
        Self { plan: self.own_plan(), text: ShapeText::Ends(begins, ends) }
    }

    /// Returns the plan of the shape's own conditions.
    fn own_plan(&self) -> TrigramPlan {
        match &self.text {
            ShapeText::Exact(strings) => self.plan.clone().with_both(strings.to_plan(false)),
            ShapeText::Ends(..) => self.plan.clone(),
        }
    }

    fn begins_and_ends(&self) -> (StringSet, StringSet) {
        match &self.text {
            ShapeText::Exact(strings) => (strings.beginnings(), strings.endings()),
            ShapeText::Ends(begins, ends) => (begins.clone(), ends.clone()),
        }
    }
}

/// The characters of a class, if they are few.
fn strings_of(class: &Class) -> Option<StringSet> {
    match class {
        Class::Unicode(class) => {
            let ranges = class.ranges();
            // Capitals and small letters may be twice as many before they are folded.
            let few = ranges.iter().map(|range| range.len()).sum::<usize>() <= 2 * MOST;
            let chars = ranges.iter().flat_map(|range| range.start()..=range.end());
            few.then(|| StringSet::from_strings(chars.map(|one| one.to_string().into_bytes())))?
        }
        Class::Bytes(class) => {
            let bytes = class.ranges().iter().flat_map(|range| range.start()..=range.end());
            StringSet::from_strings(bytes.map(|one| vec![one]))
        }
    }
}

/// Returns the plan for the first bytes of any of many characters, if none of them is common.
fn far_from_ascii(class: &Class) -> TrigramPlan {
    let Class::Unicode(class) = class else { return TrigramPlan::All };
    let ranges = class.ranges();
    let many = ranges.iter().map(|range| range.len()).sum::<usize>() > MOST_CHARACTERS;
    if many || ranges.iter().any(|range| range.start().is_ascii()) {
        return TrigramPlan::All;
    }
    let chars = ranges.iter().flat_map(|range| range.start()..=range.end());
    TrigramPlan::any_of(chars.map(|one| match one.encode_utf8(&mut [0; 4]).as_bytes() {
        [first, second] => TrigramPlan::Pair(u16::from_be_bytes([*first, *second])),
        [first, second, third, ..] => TrigramPlan::Trigram(pack_trigram([*first, *second, *third])),
        _ => TrigramPlan::All,
    }))
}
