//! A part of a text by its bytes: what lines of any length are read with.

use super::{AskedBytes, FileText, NextBytes};
use crate::base::WorkspacePath;
use crate::base::text::LineEnding;
use crate::protocol::{Code, Fault};
use crate::registry::ActivityOutput;
use crate::session::{CallScope, TextSnapshot};

/// Reads the requested part of a text, up to the limit of an answer. It begins and ends between characters.
///
/// # Errors
/// NOT_FOUND if there is no such file, INVALID_ARGS for a part behind its end, and the fault of reading it.
pub(super) fn read(
    scope: &CallScope,
    path: &WorkspacePath,
    asked: AskedBytes,
) -> Result<ActivityOutput<FileText>, Fault> {
    let (text, encoding, hash, unsaved) = match scope.read_text(path)? {
        Some(TextSnapshot { text, encoding, hash, unsaved }) => (text, encoding, hash, unsaved),
        None => {
            return Err(Fault::new(Code::NotFound, format!("there is no file {path}"))
                .with_suggestion("list its folder to see what is there"));
        }
    };
    let start = asked.start.map_or(0, super::Count::as_usize);
    if start > text.len() {
        let message = format!("the text of {path} ends at byte {}, before byte {start}", text.len());
        return Err(Fault::new(Code::InvalidArgs, message).with_suggestion("give a smaller `start`"));
    }
    let wanted = asked.end.map_or(text.len(), super::Count::as_usize).clamp(start, text.len());
    let limit = scope.settings().limits.output_bytes;
    let start = text.floor_char_boundary(start);
    let end = text.floor_char_boundary(wanted.min(start.saturating_add(limit)));
    let content = &text[start..end];
    let first = line_at(&text, start);
    let truncated = end < text.floor_char_boundary(wanted);
    let answer = FileText {
        content: content.to_owned(),
        lines: text.lines().count() as u64,
        truncated,
        start: first,
        end: first + line_at(content.strip_suffix('\n').unwrap_or(content), usize::MAX) - 1,
        encoding: encoding.name(),
        eol: LineEnding::detect(&text),
        size: text.len() as u64,
        hash: Some(hash),
        next_range: None,
        next_bytes: (end < text.len()).then_some(NextBytes { start: end }),
        unsaved,
    };
    let rest = truncated.then(|| format!("read on with `bytes: {{ start: {end} }}`"));
    Ok(ActivityOutput { truncated, rest, ..ActivityOutput::from_value(answer) })
}

/// Returns the line, from 1, that contains a byte of a text.
fn line_at(text: &str, at: usize) -> u64 {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

/// Returns the place at which to read on after `content`, which begins at a line; none if the file is too large for that.
pub(super) fn offset_behind(
    scope: &CallScope,
    path: &WorkspacePath,
    line: u64,
    content: &str,
) -> Option<usize> {
    let text = scope.read_text(path).ok()??.text;
    let before = usize::try_from(line.saturating_sub(1)).ok()?;
    let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    text[start..].starts_with(content).then_some(start + content.len())
}
