//! A text cut into pieces of some 1,500 characters, where definitions begin.

use super::definitions::{DefinitionKind, find_definition};
use super::language::SourceLanguage;

/// The least size of a piece before a definition ends it, in bytes.
const LEAST: usize = 600;
/// The largest size of a piece, unless one line is longer.
const MOST: usize = 1_500;
/// The most pieces of one text.
pub(super) const COUNT: usize = 4_000;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextChunk {
    /// Its first line, from 1.
    pub(super) start: u32,
    /// Its last line.
    pub(super) end: u32,
    /// The position of its start in the text, in bytes.
    pub(super) from: usize,
    /// The position of its end.
    pub(super) to: usize,
}

/// A name that a text defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DefinedName<'a> {
    pub(super) name: &'a str,
    pub(super) kind: DefinitionKind,
    /// Its position in the text, in bytes.
    pub(super) at: usize,
}

/// Cuts a text into pieces, and returns the names that it defines. The pieces hold every line once, in order.
pub(super) fn cut_text(text: &str, language: SourceLanguage) -> (Vec<TextChunk>, Vec<DefinedName<'_>>) {
    let (mut chunks, mut defined) = (Vec::new(), Vec::new());
    let (mut number, mut offset) = (0, 0);
    let mut open = TextChunk { start: 1, end: 0, from: 0, to: 0 };
    // The start of the comments and attributes directly above a line: they go with it.
    let mut above: Option<(u32, usize)> = None;
    for line in text.split_inclusive('\n') {
        number += 1;
        let (from, to) = (offset, offset + line.len());
        offset = to;
        let bare = line.trim_end();
        let found = find_definition(bare, language);
        if let Some((name, kind)) = found {
            let at = from + (name.as_ptr() as usize - line.as_ptr() as usize);
            defined.push(DefinedName { name, kind, at });
        }
        let inner = bare.trim_start();
        let is_heading = language == SourceLanguage::Prose && inner.starts_with('#');
        let begins = is_heading
            || found
                .is_some_and(|(_, kind)| kind != DefinitionKind::Value && kind != DefinitionKind::Mention);
        let cut_at = above.filter(|_| begins).unwrap_or((number, from));
        let held = cut_at.1 - open.from;
        let is_full = to - open.from > MOST && from > open.from;
        if begins && (LEAST..=MOST).contains(&held) {
            chunks.push(TextChunk { end: cut_at.0 - 1, to: cut_at.1, ..open });
            open = TextChunk { start: cut_at.0, end: 0, from: cut_at.1, to: 0 };
        } else if is_full && chunks.len() + 1 < COUNT {
            chunks.push(TextChunk { end: number - 1, to: from, ..open });
            open = TextChunk { start: number, end: 0, from, to: 0 };
        }
        let goes_with_next =
            language.is_comment(inner) || inner.starts_with(['@', '[']) || inner.starts_with("#[");
        above = if goes_with_next { above.or(Some((number, from))) } else { None };
        above = above.filter(|(_, at)| *at >= open.from);
    }
    if offset > open.from {
        chunks.push(TextChunk { end: number, to: offset, ..open });
    }
    (chunks, defined)
}

#[cfg(test)]
mod tests;
