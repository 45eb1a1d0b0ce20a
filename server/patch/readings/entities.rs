//! Signs written as HTML entities.

use super::super::hunk::Hunk;
use super::super::index::Index;

const ENTITIES: [(&str, &str); 9] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", " "),
    // Last: what it leaves is not read again.
    ("&amp;", "&"),
];

pub(super) fn undo<'d>(hunk: &Hunk<'d>, _: &Index) -> Option<Hunk<'d>> {
    super::each(hunk, |line| {
        line.raw.contains('&').then(|| {
            ENTITIES.iter().fold(line.raw.to_string(), |text, (entity, sign)| text.replace(entity, sign))
        })
    })
}
