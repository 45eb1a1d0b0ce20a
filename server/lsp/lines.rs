//! Whole lines of a text as the protocol's ranges.

use tower_lsp::ls_types::{Position, Range};

use crate::base::position::{self, PositionEncoding};

/// The range of whole lines, where only `\n` ends a line: as patches count, unlike editors. Without the text both are
/// assumed to be the same.
pub(crate) fn line_range(text: Option<&str>, start: u32, count: u32, encoding: PositionEncoding) -> Range {
    let Some(text) = text else {
        return Range::new(Position::new(start, 0), Position::new(start.saturating_add(count), 0));
    };
    let (from, to) = (line_offset(text, start), line_offset(text, start.saturating_add(count)));
    Range::new(
        to_lsp_position(position::position_at(text, from, encoding)),
        to_lsp_position(position::position_at(text, to, encoding)),
    )
}

fn line_offset(text: &str, line: u32) -> usize {
    match line.checked_sub(1) {
        None => 0,
        Some(before) => text.match_indices('\n').nth(before as usize).map_or(text.len(), |(at, _)| at + 1),
    }
}

fn to_lsp_position(position: position::TextPosition) -> Position {
    Position::new(position.line, position.character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines() {
        let check = |start, count, expected: [u32; 4]| {
            let range = line_range(Some("a\rb\nc\r\nlast"), start, count, PositionEncoding::Utf16);
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
