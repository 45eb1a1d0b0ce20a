//! Secrets in base64: a run of it that holds plain text with a secret goes as a whole.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::FoundSecret;

/// The lengths of the runs that are looked into.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=16_384;
/// Characters that are looked at first: those of a picture are no text from the start.
const FIRST: usize = 24;

/// Adds the runs whose plain text `holds` a secret.
pub(super) fn find_runs(text: &[u8], holds: impl Fn(&[u8]) -> bool, found: &mut Vec<FoundSecret>) {
    let mut at = 0;
    while at + *LENGTHS.start() <= text.len() {
        // If the last byte of the shortest run is not part of it, no run begins before that byte.
        let last = at + LENGTHS.start() - 1;
        let Some(back) = text[at..=last].iter().rposition(|b| !is_body(*b)) else {
            let length = text[at..].iter().take_while(|b| is_body(**b)).count();
            if LENGTHS.contains(&length)
                && decode_run(&text[at..at + length]).is_some_and(|plain| holds(&plain))
            {
                found.push(FoundSecret { kind: "base64", start: at, end: at + length });
            }
            at += length + 1;
            continue;
        };
        at += back + 1;
    }
}

/// Returns the decoded text of a run, if it is text.
fn decode_run(run: &[u8]) -> Option<Vec<u8>> {
    let decode = |part: &[u8]| STANDARD_NO_PAD.decode(part).or_else(|_| URL_SAFE_NO_PAD.decode(part)).ok();
    let is_text = |plain: &[u8]| plain.iter().all(|b| (b' '..0x7f).contains(b) || b.is_ascii_whitespace());
    decode(&run[..FIRST]).filter(|first| is_text(first))?;
    decode(run).filter(|plain| is_text(plain))
}

fn is_body(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_')
}
