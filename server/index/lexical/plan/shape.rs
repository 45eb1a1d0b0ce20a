//! What is known of the matches of a part of an expression.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use super::Plan;
use super::strings::{MOST, Strings};
use crate::lexical::trigrams::trigram;

/// Copies of a repeated part that are looked at.
const COPIES: u32 = 8;

/// Characters of a class whose bytes are asked for one by one.
const MOST_CHARACTERS: usize = 1024;

/// All matches of a part.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    text: ShapeText,
    /// What a text with a match must hold besides.
    plan: Plan,
}

#[derive(Clone, Debug)]
enum ShapeText {
    /// Every match is one of these.
    Exact(Strings),
    /// Every match begins with one of the first, and ends with one of the second.
    Ends(Strings, Strings),
}

impl Shape {
    /// What is known of the whole expression.
    pub(super) fn of(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty => Self::exact(Strings::empty()),
            // A match at a line's end is followed by the line end, or by that of the text, which counts as one.
            HirKind::Look(Look::EndLF) => Self::exact(Strings::one(b"\n")),
            HirKind::Look(_) => Self::exact(Strings::empty()),
            HirKind::Literal(literal) => Self::exact(Strings::one(&literal.0)),
            HirKind::Class(class) => match strings_of(class) {
                Some(strings) => Self::exact(strings),
                None => Self { plan: far_from_ascii(class), ..Self::anything() },
            },
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Repetition(repetition) => Self::repeated(repetition),
            HirKind::Concat(parts) => {
                parts.iter().map(Self::of).reduce(Self::then).unwrap_or_else(|| Self::exact(Strings::empty()))
            }
            HirKind::Alternation(parts) => Self::one_of(parts.iter().map(Self::of)),
        }
    }

    /// What a text with a match must hold.
    pub(super) fn into_plan(self) -> Plan {
        let ask = |pairs| match &self.text {
            ShapeText::Exact(strings) => strings.plan(pairs),
            ShapeText::Ends(begins, ends) => begins.plan(pairs).and(ends.plan(pairs)),
        };
        match self.plan.clone().and(ask(false)) {
            Plan::All => ask(true),
            plan => plan,
        }
    }

    fn exact(strings: Strings) -> Self {
        Self { text: ShapeText::Exact(strings), plan: Plan::All }
    }

    fn anything() -> Self {
        Self { text: ShapeText::Ends(Strings::empty(), Strings::empty()), plan: Plan::All }
    }

    fn repeated(repetition: &Repetition) -> Self {
        let Repetition { min, max, sub, .. } = repetition;
        match (*min, *max) {
            (0, Some(0)) => Self::exact(Strings::empty()),
            (0, Some(1)) => Self::one_of([Self::exact(Strings::empty()), Self::of(sub)].into_iter()),
            (0, _) => Self::anything(),
            (min, max) => {
                let one = Self::of(sub);
                let copies = (1..min.min(COPIES)).fold(one.clone(), |all, _| all.then(one.clone()));
                if max == Some(min) && min <= COPIES { copies } else { copies.loosened() }
            }
        }
    }

    /// The matches of one part followed by those of the next.
    fn then(self, next: Self) -> Self {
        if let (ShapeText::Exact(first), ShapeText::Exact(second)) = (&self.text, &next.text)
            && let Some(both) = first.cross(second)
        {
            return Self { text: ShapeText::Exact(both), plan: self.plan.and(next.plan) };
        }
        let (first, second) = (self.begins_and_ends(), next.begins_and_ends());
        let plan = self.asked().and(next.asked());
        // Where both sides are open, what stands where they meet is lost unless it is asked for now.
        let meeting = first.1.cross(&second.0).map_or(Plan::All, |both| both.plan(false));
        let begins = match &self.text {
            ShapeText::Exact(strings) => strings.cross(&second.0).unwrap_or(first.0),
            ShapeText::Ends(..) => first.0,
        };
        let ends = match &next.text {
            ShapeText::Exact(strings) => first.1.cross(strings).unwrap_or(second.1),
            ShapeText::Ends(..) => second.1,
        };
        let plan = plan.and(meeting).and(begins.plan(false)).and(ends.plan(false));
        Self { text: ShapeText::Ends(begins.begins(), ends.ends()), plan }
    }

    /// The matches of any of the parts.
    fn one_of(parts: impl Iterator<Item = Self>) -> Self {
        let parts: Vec<Self> = parts.collect();
        let exact =
            parts.iter().try_fold(None, |all: Option<Strings>, part| match (&part.text, &part.plan, all) {
                (ShapeText::Exact(strings), Plan::All, None) => Some(Some(strings.clone())),
                (ShapeText::Exact(strings), Plan::All, Some(all)) => all.union(strings).map(Some),
                _ => None,
            });
        if let Some(Some(strings)) = exact {
            return Self::exact(strings);
        }
        let plan = Plan::any(parts.iter().map(Self::asked));
        let mut sides = parts.iter().map(Self::begins_and_ends);
        let joined = sides.next().map(|first| {
            sides.fold(first, |(begins, ends), (more_begins, more_ends)| {
                let begins = begins.union(&more_begins).unwrap_or_else(Strings::empty);
                (begins, ends.union(&more_ends).unwrap_or_else(Strings::empty))
            })
        });
        let (begins, ends) = joined.unwrap_or_else(|| (Strings::empty(), Strings::empty()));
        Self { text: ShapeText::Ends(begins, ends), plan }
    }

    /// The same where more may stand in the middle.
    fn loosened(self) -> Self {
        let (begins, ends) = self.begins_and_ends();
        Self { plan: self.asked(), text: ShapeText::Ends(begins, ends) }
    }

    /// All that is asked for by itself.
    fn asked(&self) -> Plan {
        match &self.text {
            ShapeText::Exact(strings) => self.plan.clone().and(strings.plan(false)),
            ShapeText::Ends(..) => self.plan.clone(),
        }
    }

    fn begins_and_ends(&self) -> (Strings, Strings) {
        match &self.text {
            ShapeText::Exact(strings) => (strings.begins(), strings.ends()),
            ShapeText::Ends(begins, ends) => (begins.clone(), ends.clone()),
        }
    }
}

/// The characters of a class, where they are few.
fn strings_of(class: &Class) -> Option<Strings> {
    match class {
        Class::Unicode(class) => {
            let ranges = class.ranges();
            // Capitals and small letters may be twice as many before they are folded.
            let few = ranges.iter().map(|range| range.len()).sum::<usize>() <= 2 * MOST;
            let chars = ranges.iter().flat_map(|range| range.start()..=range.end());
            few.then(|| Strings::of(chars.map(|one| one.to_string().into_bytes())))?
        }
        Class::Bytes(class) => {
            let bytes = class.ranges().iter().flat_map(|range| range.start()..=range.end());
            Strings::of(bytes.map(|one| vec![one]))
        }
    }
}

/// What the first bytes of one of many characters ask for, where none of them is common.
fn far_from_ascii(class: &Class) -> Plan {
    let Class::Unicode(class) = class else { return Plan::All };
    let ranges = class.ranges();
    let many = ranges.iter().map(|range| range.len()).sum::<usize>() > MOST_CHARACTERS;
    if many || ranges.iter().any(|range| range.start().is_ascii()) {
        return Plan::All;
    }
    let chars = ranges.iter().flat_map(|range| range.start()..=range.end());
    Plan::any(chars.map(|one| match one.encode_utf8(&mut [0; 4]).as_bytes() {
        [first, second] => Plan::Pair(u16::from_be_bytes([*first, *second])),
        [first, second, third, ..] => Plan::Trigram(trigram([*first, *second, *third])),
        _ => Plan::All,
    }))
}
