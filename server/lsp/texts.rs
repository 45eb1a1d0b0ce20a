//! The text of every document the client has open, as its edits leave it: what positions are counted in.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tower_lsp::ls_types::{Position, Range, TextDocumentContentChangeEvent};

use crate::base::position::{self, Encoding};
use crate::base::uri;

/// One open document.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// The absolute path, where it is a file.
    pub path: Option<String>,
    /// The client's count.
    pub version: i32,
    /// Its text.
    pub text: Arc<str>,
}

/// Every open document, by URI.
#[derive(Debug, Default)]
pub(crate) struct Texts(Mutex<HashMap<String, Text>>);

impl Texts {
    /// The client opened it.
    pub(crate) fn open(&self, uri: &str, version: i32, text: Arc<str>) {
        self.lock().insert(uri.to_owned(), Text { path: uri::path_of(uri), version, text });
    }

    /// The client changed it; its text afterwards, or nothing where it is not open.
    pub(crate) fn change(
        &self,
        uri: &str,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Option<Arc<str>> {
        let mut open = self.lock();
        let document = open.get_mut(uri)?;
        // What stands before the last full text does not matter.
        let whole = changes.iter().rposition(|change| change.range.is_none());
        let mut text = if whole.is_some() { String::new() } else { String::from(&*document.text) };
        for change in changes.into_iter().skip(whole.unwrap_or(0)) {
            match change.range {
                None => text = change.text,
                Some(Range { start, end }) => {
                    position::replace(&mut text, read(start), read(end), encoding, &change.text);
                }
            }
        }
        document.version = version;
        document.text = text.into();
        Some(document.text.clone())
    }

    /// The client closed it.
    pub(crate) fn close(&self, uri: &str) {
        self.lock().remove(uri);
    }

    /// The URIs of all that is open.
    pub(crate) fn uris(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// The document with this URI.
    pub(crate) fn get(&self, uri: &str) -> Option<Text> {
        self.lock().get(uri).cloned()
    }

    /// The file's document, with the URI that the client gave it.
    pub(crate) fn of_file(&self, path: &str) -> Option<(String, Text)> {
        let open = self.lock();
        let same = open.iter().find(|(_, text)| text.path.as_deref() == Some(path));
        same.map(|(uri, text)| (uri.clone(), text.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Text>> {
        self.0.lock()
    }
}

/// The range of whole lines, where a line ends with `\n` alone: as patches count, not as editors do. Without
/// the text the two are taken for the same.
pub(crate) fn line_range(text: Option<&str>, start: u32, count: u32, encoding: Encoding) -> Range {
    let Some(text) = text else {
        return Range::new(Position::new(start, 0), Position::new(start.saturating_add(count), 0));
    };
    let (from, to) = (line_offset(text, start), line_offset(text, start.saturating_add(count)));
    Range::new(
        write(position::position_at(text, from, encoding)),
        write(position::position_at(text, to, encoding)),
    )
}

fn line_offset(text: &str, line: u32) -> usize {
    match line.checked_sub(1) {
        None => 0,
        Some(before) => text.match_indices('\n').nth(before as usize).map_or(text.len(), |(at, _)| at + 1),
    }
}

fn read(position: Position) -> position::Position {
    position::Position { line: position.line, character: position.character }
}

fn write(position: position::Position) -> Position {
    Position::new(position.line, position.character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(range: Option<[u32; 4]>, text: &str) -> TextDocumentContentChangeEvent {
        let range = range.map(|[a, b, c, d]| Range::new(Position::new(a, b), Position::new(c, d)));
        TextDocumentContentChangeEvent { range, range_length: None, text: text.to_owned() }
    }

    #[test]
    fn edits_apply_in_turn() {
        let texts = Texts::default();
        texts.open("file:///a%20b", 1, "a😀c\nx\n".into());
        let changes = vec![
            change(Some([0, 1, 0, 3]), "b"),
            change(Some([1, 0, 1, 1]), ""),
            change(Some([9, 0, 9, 0]), "z"),
        ];
        let after = texts.change("file:///a%20b", 2, changes, Encoding::Utf16);
        assert_eq!(after.as_deref(), Some("abc\n\nz"));
        let changes =
            vec![change(Some([0, 0, 9, 0]), "lost"), change(None, "new"), change(Some([0, 3, 0, 3]), "er")];
        assert_eq!(texts.change("file:///a%20b", 3, changes, Encoding::Utf16).as_deref(), Some("newer"));
        let (uri, text) = texts.of_file("/a b").unwrap();
        assert_eq!((uri.as_str(), text.version), ("file:///a%20b", 3));
        texts.close("file:///a%20b");
        assert_eq!(texts.change("file:///a%20b", 4, Vec::new(), Encoding::Utf16), None);
    }

    #[test]
    fn whole_lines() {
        let check = |start, count, expected: [u32; 4]| {
            let range = line_range(Some("a\rb\nc\r\nlast"), start, count, Encoding::Utf16);
            assert_eq!(
                [range.start.line, range.start.character, range.end.line, range.end.character],
                expected
            );
        };
        check(0, 1, [0, 0, 2, 0]); // the lone \r ends a line for the editor
        check(1, 1, [2, 0, 3, 0]);
        check(2, 1, [3, 0, 3, 4]); // no break at the end
        check(3, 0, [3, 4, 3, 4]);
    }
}
