//! The text of an open document: edited in place, and made whole when somebody reads it.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use ropey::{Rope, RopeSlice};

use crate::base::position::{Encoding, Position};

/// A text at one version. Cheap to clone; whoever reads it whole shares one copy with all others.
#[derive(Clone)]
pub struct DocumentText(Arc<Forms>);

/// The two forms of a text. One of them is there from the start, the other is made when it is needed first.
#[derive(Default)]
struct Forms {
    rope: OnceLock<Rope>,
    whole: OnceLock<Arc<str>>,
}

/// What an editor did to a text, in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edits {
    /// The changes; each counts its positions in the text that the one before leaves.
    pub changes: Vec<TextChange>,
    /// What positions count.
    pub encoding: Encoding,
}

/// The lines that one change touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineChange {
    /// The first of them.
    pub first: usize,
    /// What they held, without the break after the last.
    pub old: String,
    /// The bytes of that which the change replaces.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

/// One change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextChange {
    /// Where the text that it replaces starts and ends; the whole text where there is none.
    pub range: Option<(Position, Position)>,
    /// What stands there afterwards.
    pub text: String,
}

impl Edits {
    /// The text becomes `text`.
    pub fn whole(text: impl Into<String>) -> Self {
        Self { changes: vec![TextChange { range: None, text: text.into() }], encoding: Encoding::default() }
    }
}

impl DocumentText {
    /// Its bytes. Nothing is made whole for that.
    pub fn len(&self) -> usize {
        match self.0.whole.get() {
            Some(whole) => whole.len(),
            None => self.rope().len_bytes(),
        }
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The whole text. Of one version it is always the same one.
    pub fn shared(&self) -> &Arc<str> {
        self.0.whole.get_or_init(|| self.rope().to_string().into())
    }

    /// The text as these edits leave it. It costs what they hold, and not what the text does.
    #[must_use]
    pub fn edited(&self, edits: Edits) -> Self {
        let Edits { mut changes, encoding } = edits;
        // What stands before the last full text does not matter.
        let whole = changes.iter().rposition(|change| change.range.is_none());
        let later = changes.split_off(whole.map_or(0, |at| at + 1));
        let text = changes.pop().map_or_else(|| self.clone(), |change| Self::from(change.text));
        if later.is_empty() {
            return text;
        }
        let mut rope = text.rope().clone();
        for TextChange { range, text } in &later {
            if let Some((start, end)) = range {
                replace(&mut rope, (*start, *end), encoding, text);
            }
        }
        Self(Arc::new(Forms { rope: OnceLock::from(rope), whole: OnceLock::new() }))
    }

    /// The lines that each of these edits touches, in turn. None where the text became another as a whole, or where lines
    /// end with a `\r` alone.
    pub(crate) fn line_changes(&self, edits: &Edits) -> Option<Vec<LineChange>> {
        let is_odd = |text: &str| {
            text.bytes().zip(text.bytes().skip(1).chain([0])).any(|two| two.0 == b'\r' && two.1 != b'\n')
        };
        let mut rope = self.rope().clone();
        let mut changes = Vec::new();
        for TextChange { range, text } in &edits.changes {
            let (start, end) = (*range)?;
            let (start, end) = (char_at(&rope, start, edits.encoding), char_at(&rope, end, edits.encoding));
            let (from, to) = (start.min(end), start.max(end));
            let (first, last) = (rope.char_to_line(from), rope.char_to_line(to));
            let lines =
                rope.line_to_char(first)..rope.line_to_char(last) + length_without_break(rope.line(last));
            let (base, old) = (rope.char_to_byte(lines.start), rope.slice(lines).to_string());
            if is_odd(text) || is_odd(&old) {
                return None;
            }
            let range = rope.char_to_byte(from) - base..rope.char_to_byte(to) - base;
            changes.push(LineChange { first, old, range, text: text.clone() });
            rope.remove(from..to);
            rope.insert(from, text);
        }
        Some(changes)
    }

    /// Whether both are the same version of a text.
    pub(crate) fn is_version(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn rope(&self) -> &Rope {
        self.0.rope.get_or_init(|| Rope::from_str(self.0.whole.get().map_or("", |whole| whole)))
    }
}

/// As [`crate::base::position::replace`].
fn replace(rope: &mut Rope, (start, end): (Position, Position), encoding: Encoding, new: &str) {
    let (start, end) = (char_at(rope, start, encoding), char_at(rope, end, encoding));
    let (from, to) = (start.min(end), start.max(end));
    rope.remove(from..to);
    rope.insert(from, new);
}

/// The index of the character at a position, by the rules of [`crate::base::position::offset_at`].
fn char_at(rope: &Rope, position: Position, encoding: Encoding) -> usize {
    let number = position.line as usize;
    let Some(line) = rope.get_line(number) else { return rope.len_chars() };
    let (length, units) = (length_without_break(line), position.character as usize);
    let inside = match encoding {
        Encoding::Utf8 => line.byte_to_char(units.min(line.char_to_byte(length))),
        Encoding::Utf16 => line.utf16_cu_to_char(units.min(line.char_to_utf16_cu(length))),
        Encoding::Utf32 => units.min(length),
    };
    rope.line_to_char(number) + inside
}

/// The characters of a line before its break.
fn length_without_break(line: RopeSlice<'_>) -> usize {
    let length = line.len_chars();
    let from_end = |back: usize| length.checked_sub(back).map(|at| line.char(at));
    match (from_end(2), from_end(1)) {
        (Some('\r'), Some('\n')) => length - 2,
        (_, Some('\n' | '\r')) => length - 1,
        _ => length,
    }
}

impl<T: Into<Arc<str>>> From<T> for DocumentText {
    fn from(text: T) -> Self {
        Self(Arc::new(Forms { rope: OnceLock::new(), whole: OnceLock::from(text.into()) }))
    }
}

impl Deref for DocumentText {
    type Target = str;

    fn deref(&self) -> &str {
        self.shared()
    }
}

impl PartialEq for DocumentText {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl Eq for DocumentText {}

impl fmt::Debug for DocumentText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::position;

    fn change(range: Option<[u32; 4]>, text: &str) -> TextChange {
        let at = |line, character| Position { line, character };
        TextChange { range: range.map(|[a, b, c, d]| (at(a, b), at(c, d))), text: text.to_owned() }
    }

    fn edited(text: &str, changes: Vec<TextChange>) -> DocumentText {
        DocumentText::from(text).edited(Edits { changes, encoding: Encoding::Utf16 })
    }

    #[test]
    fn edits_apply_in_turn() {
        let changes = vec![
            change(Some([0, 1, 0, 3]), "b"),
            change(Some([1, 0, 1, 1]), ""),
            change(Some([9, 0, 9, 0]), "z"),
        ];
        assert_eq!(&*edited("a😀c\nx\n", changes), "abc\n\nz");
        let changes =
            vec![change(Some([0, 0, 9, 0]), "lost"), change(None, "new"), change(Some([0, 3, 0, 3]), "er")];
        assert_eq!(&*edited("abc\n\nz", changes), "newer");
    }

    #[test]
    fn a_version_stays_as_it_was_and_is_made_whole_once() {
        let one = edited("one\n", vec![change(Some([0, 3, 0, 3]), "!")]);
        let two =
            one.edited(Edits { changes: vec![change(Some([0, 0, 0, 1]), "O")], encoding: Encoding::Utf8 });
        assert_eq!((two.len(), one.len(), one.is_empty()), (5, 5, false));
        assert_eq!((&*two, &*one), ("One!\n", "one!\n"));
        assert!(Arc::ptr_eq(two.shared(), two.clone().shared()));
    }

    fn text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a",
            "é",
            "😀",
            "\n",
            "\r\n",
            "\r",
            "\u{2028}",
            "\u{b}",
            "\u{85}",
            "long words ",
        ]);
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn positions_count_as_in_a_whole_text(
            before in text(),
            edits in prop::collection::vec((0_u32..9, 0_u32..30, 0_u32..9, 0_u32..30, text()), 1..5),
            name in prop::sample::select(vec!["utf-8", "utf-16", "utf-32"]),
        ) {
            let encoding = Encoding::named(name).unwrap();
            let mut expected = before.clone();
            let mut changes = Vec::new();
            for (a, b, c, d, new) in &edits {
                let (start, end) = (Position { line: *a, character: *b }, Position { line: *c, character: *d });
                position::replace(&mut expected, start, end, encoding, new);
                changes.push(change(Some([*a, *b, *c, *d]), new));
            }
            prop_assert_eq!(&*DocumentText::from(before).edited(Edits { changes, encoding }), expected);
        }
    }
}
