//! A text cut into pieces of some 1,500 characters, where definitions begin.

use super::definitions::{Kind, definition};
use super::language::Language;

/// What a piece holds at least before a definition ends it, in bytes.
const LEAST: usize = 600;
/// What a piece holds at most, unless one line is longer.
const MOST: usize = 1_500;
/// The most pieces of one text.
pub(super) const COUNT: usize = 4_000;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Its first line, from 1.
    pub(super) start: u32,
    /// Its last line.
    pub(super) end: u32,
    /// Where it begins in the text, in bytes.
    pub(super) from: usize,
    /// Where it ends.
    pub(super) to: usize,
}

/// A name that a text defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Defined<'a> {
    pub(super) name: &'a str,
    pub(super) kind: Kind,
    /// Where it stands in the text, in bytes.
    pub(super) at: usize,
}

/// Cuts a text, and tells what it defines. The pieces hold every line once, in order.
pub(super) fn cut(text: &str, language: Language) -> (Vec<Chunk>, Vec<Defined<'_>>) {
    let (mut chunks, mut defined) = (Vec::new(), Vec::new());
    let (mut number, mut offset) = (0, 0);
    let mut open = Chunk { start: 1, end: 0, from: 0, to: 0 };
    // Where the comments and attributes begin that stand directly above: they go with what follows them.
    let mut above: Option<(u32, usize)> = None;
    for line in text.split_inclusive('\n') {
        number += 1;
        let (from, to) = (offset, offset + line.len());
        offset = to;
        let bare = line.trim_end();
        let found = definition(bare, language);
        if let Some((name, kind)) = found {
            let at = from + (name.as_ptr() as usize - line.as_ptr() as usize);
            defined.push(Defined { name, kind, at });
        }
        let inner = bare.trim_start();
        let is_heading = language == Language::Prose && inner.starts_with('#');
        let begins =
            is_heading || found.is_some_and(|(_, kind)| kind != Kind::Value && kind != Kind::Mention);
        let cut_at = above.filter(|_| begins).unwrap_or((number, from));
        let held = cut_at.1 - open.from;
        let is_full = to - open.from > MOST && from > open.from;
        if begins && (LEAST..=MOST).contains(&held) {
            chunks.push(Chunk { end: cut_at.0 - 1, to: cut_at.1, ..open });
            open = Chunk { start: cut_at.0, end: 0, from: cut_at.1, to: 0 };
        } else if is_full && chunks.len() + 1 < COUNT {
            chunks.push(Chunk { end: number - 1, to: from, ..open });
            open = Chunk { start: number, end: 0, from, to: 0 };
        }
        let goes_with_next =
            language.is_comment(inner) || inner.starts_with(['@', '[']) || inner.starts_with("#[");
        above = if goes_with_next { above.or(Some((number, from))) } else { None };
        above = above.filter(|(_, at)| *at >= open.from);
    }
    if offset > open.from {
        chunks.push(Chunk { end: number, to: offset, ..open });
    }
    (chunks, defined)
}

#[cfg(test)]
mod tests;
