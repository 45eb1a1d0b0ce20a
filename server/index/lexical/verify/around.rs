//! The lines around hits in a text that was not searched in one piece: it is read once more.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};

use crate::lexical::hit::{LineHit, shown_line};
use crate::lexical::text::decoding_reader;

/// Bytes of a line that are looked at; more are never shown.
const LOOKED_AT: usize = 1 << 12;

/// Gives each hit the `context` lines before and after it.
///
/// # Errors
/// Fails if the text cannot be read again.
pub(super) fn fill_context<R: Read>(text: R, context: usize, hits: &mut [LineHit]) -> io::Result<()> {
    let Some(last) = hits.last().filter(|_| context > 0).map(|hit| hit.line) else { return Ok(()) };
    let reach = context as u64;
    let mut text = BufReader::with_capacity(1 << 16, decoding_reader(text));
    let mut before = VecDeque::with_capacity(context + 1);
    // Hits before this one have all their lines.
    let mut open = 0;
    for number in 1..=last.saturating_add(reach) {
        let Some(line) = next_line(&mut text)? else { break };
        while hits.get(open).is_some_and(|hit| hit.line + reach < number) {
            open += 1;
        }
        for hit in hits.iter_mut().skip(open).take_while(|hit| hit.line <= number) {
            if hit.line == number {
                hit.before = before.iter().cloned().collect();
            } else {
                hit.after.push(line.clone());
            }
        }
        before.push_back(line);
        if before.len() > context {
            before.pop_front();
        }
    }
    Ok(())
}

/// The next line as it is shown.
fn next_line(text: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if text.by_ref().take(LOOKED_AT as u64).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() == LOOKED_AT && !line.ends_with(b"\n") {
        text.skip_until(b'\n')?;
    }
    Ok(Some(shown_line(&line, || 0..0)))
}
