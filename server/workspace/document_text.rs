//! The text of an open document: edited in place, and made whole when somebody reads it.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use ropey::{Rope, RopeSlice};

use crate::base::position::{PositionEncoding, TextPosition};

/// A text at one version. Cheap to clone; all readers of the whole text share one copy.
#[derive(Clone)]
pub struct DocumentText(Arc<TextForms>);

/// The two forms of a text. One of them is there from the start, the other is made when it is needed first.
#[derive(Default)]
struct TextForms {
    rope: OnceLock<Rope>,
    whole: OnceLock<Arc<str>>,
}

/// The edits of a text by an editor, in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdits {
    /// The changes; each counts its positions in the text that the one before leaves.
    pub changes: Vec<TextChange>,
    /// The unit in which positions count.
    pub encoding: PositionEncoding,
}

/// The lines that one change touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineChange {
    /// The first of them.
    pub first: usize,
    /// The text of the lines, without the break after the last.
    pub old: String,
    /// The bytes of that which the change replaces.
    pub range: Range<usize>,
    /// The text of the lines afterwards.
    pub text: String,
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextChange {
    /// The range that is replaced; the whole text where there is none.
    pub range: Option<(TextPosition, TextPosition)>,
    /// The new text.
    pub text: String,
}

impl TextEdits {
    /// The text becomes `text`.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self {
            changes: vec![TextChange { range: None, text: text.into() }],
            encoding: PositionEncoding::default(),
        }
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

    /// Returns whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The whole text. Of one version it is always the same one.
    pub fn shared_text(&self) -> &Arc<str> {
        self.0.whole.get_or_init(|| self.rope().to_string().into())
    }

    /// The text as these edits leave it. It costs what they hold, and not what the text does.
    #[must_use]
    pub fn with_edits(&self, edits: TextEdits) -> Self {
        let TextEdits { mut changes, encoding } = edits;
        // Edits before the last full text do not matter.
        let whole = changes.iter().rposition(|change| change.range.is_none());
        let later = changes.split_off(whole.map_or(0, |at| at + 1));
        let text = changes.pop().map_or_else(|| self.clone(), |change| Self::from(change.text));
        if later.is_empty() {
            return text;
        }
        let mut rope = text.rope().clone();
        for TextChange { range, text } in &later {
            if let Some((start, end)) = range {
                replace_range(&mut rope, (*start, *end), encoding, text);
            }
        }
        Self(Arc::new(TextForms { rope: OnceLock::from(rope), whole: OnceLock::new() }))
    }

    /// The lines that each of these edits touches, in turn. None where the text became another as a whole, or where lines
    /// end with a `\r` alone.
    pub(crate) fn line_changes(&self, edits: &TextEdits) -> Option<Vec<LineChange>> {
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

    /// Returns whether both are the same version of a text.
    pub(crate) fn is_version(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn rope(&self) -> &Rope {
        self.0.rope.get_or_init(|| Rope::from_str(self.0.whole.get().map_or("", |whole| whole)))
    }
}

/// Replaces a range of a rope as [`crate::base::position::replace_range`] does of a text.
fn replace_range(
    rope: &mut Rope,
    (start, end): (TextPosition, TextPosition),
    encoding: PositionEncoding,
    new: &str,
) {
    let (start, end) = (char_at(rope, start, encoding), char_at(rope, end, encoding));
    let (from, to) = (start.min(end), start.max(end));
    rope.remove(from..to);
    rope.insert(from, new);
}

/// The index of the character at a position, by the rules of [`crate::base::position::offset_at`].
fn char_at(rope: &Rope, position: TextPosition, encoding: PositionEncoding) -> usize {
    let number = position.line as usize;
    let Some(line) = rope.get_line(number) else { return rope.len_chars() };
    let (length, units) = (length_without_break(line), position.character as usize);
    let inside = match encoding {
        PositionEncoding::Utf8 => line.byte_to_char(units.min(line.char_to_byte(length))),
        PositionEncoding::Utf16 => line.utf16_cu_to_char(units.min(line.char_to_utf16_cu(length))),
        PositionEncoding::Utf32 => units.min(length),
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
        Self(Arc::new(TextForms { rope: OnceLock::new(), whole: OnceLock::from(text.into()) }))
    }
}

impl Deref for DocumentText {
    type Target = str;

    fn deref(&self) -> &str {
        self.shared_text()
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
        let at = |line, character| TextPosition { line, character };
        TextChange { range: range.map(|[a, b, c, d]| (at(a, b), at(c, d))), text: text.to_owned() }
    }

    fn edited(text: &str, changes: Vec<TextChange>) -> DocumentText {
        DocumentText::from(text).with_edits(TextEdits { changes, encoding: PositionEncoding::Utf16 })
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
        let two = one.with_edits(TextEdits {
            changes: vec![change(Some([0, 0, 0, 1]), "O")],
            encoding: PositionEncoding::Utf8,
        });
        assert_eq!((two.len(), one.len(), one.is_empty()), (5, 5, false));
        assert_eq!((&*two, &*one), ("One!\n", "one!\n"));
        assert!(Arc::ptr_eq(two.shared_text(), two.clone().shared_text()));
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
            let encoding = PositionEncoding::from_name(name).unwrap();
            let mut expected = before.clone();
            let mut changes = Vec::new();
            for (a, b, c, d, new) in &edits {
                let (start, end) = (TextPosition { line: *a, character: *b }, TextPosition { line: *c, character: *d });
                position::replace_range(&mut expected, start, end, encoding, new);
                changes.push(change(Some([*a, *b, *c, *d]), new));
            }
            prop_assert_eq!(&*DocumentText::from(before).with_edits(TextEdits { changes, encoding }), expected);
        }
    }
}
