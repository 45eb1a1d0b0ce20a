//! Signs written as HTML entities.

use super::super::hunk::DiffHunk;
use super::super::index::LineIndex;

const ENTITIES: [(&str, &str); 9] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", " "),
    // Last, so that its result is not decoded again.
    ("&amp;", "&"),
];

pub(super) fn undo_entities<'d>(hunk: &DiffHunk<'d>, _: &LineIndex) -> Option<DiffHunk<'d>> {
    super::change_lines(hunk, |line| {
        line.raw.contains('&').then(|| {
            ENTITIES.iter().fold(line.raw.to_string(), |text, (entity, sign)| text.replace(entity, sign))
        })
    })
}
