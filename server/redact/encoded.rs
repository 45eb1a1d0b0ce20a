//! Secrets in base64: a run of it that holds plain text with a secret goes as a whole.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::Found;

/// The lengths of the runs that are looked into.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=16_384;
/// Characters that are looked at first: those of a picture are no text from the start.
const FIRST: usize = 24;

/// Adds the runs whose plain text `holds` a secret.
pub(super) fn runs(text: &[u8], holds: impl Fn(&[u8]) -> bool, found: &mut Vec<Found>) {
    let mut at = 0;
    while at + *LENGTHS.start() <= text.len() {
        // Where the last byte of the shortest run is none of it, no run begins before that byte.
        let last = at + LENGTHS.start() - 1;
        let Some(back) = text[at..=last].iter().rposition(|b| !is_body(*b)) else {
            let length = text[at..].iter().take_while(|b| is_body(**b)).count();
            if LENGTHS.contains(&length) && plain(&text[at..at + length]).is_some_and(|plain| holds(&plain)) {
                found.push(Found { kind: "base64", start: at, end: at + length });
            }
            at += length + 1;
            continue;
        };
        at += back + 1;
    }
}

/// The text that a run stands for, where that is text.
fn plain(run: &[u8]) -> Option<Vec<u8>> {
    let decode = |part: &[u8]| STANDARD_NO_PAD.decode(part).or_else(|_| URL_SAFE_NO_PAD.decode(part)).ok();
    let is_text = |plain: &[u8]| plain.iter().all(|b| (b' '..0x7f).contains(b) || b.is_ascii_whitespace());
    decode(&run[..FIRST]).filter(|first| is_text(first))?;
    decode(run).filter(|plain| is_text(plain))
}

fn is_body(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_')
}
