//! A line that matches, as it is shown.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

/// Characters of a line that are shown; a longer one is cut around its match.
const LONGEST: usize = 500;

/// Characters before the match in a line that is cut.
const LEAD: usize = 100;

/// A matching line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineHit {
    /// Its number, from 1.
    pub line: u64,
    /// Its text without the line end, cut around the match if it is very long.
    pub text: String,
    /// The lines before it, as many as were asked for and there are.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

impl LineHit {
    /// Bytes of text in it.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.before.iter().chain(&self.after).map(String::len).sum::<usize>()
    }
}

/// A place in the results, after which a further search goes on. As text: the line, `:`, the path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HitPlace {
    /// The file.
    pub path: Arc<str>,
    /// The line, from 1.
    pub line: u64,
}

impl fmt::Display for HitPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.path)
    }
}

/// The text names no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cursor is none that a search gave; leave it out to begin anew")]
pub struct NoPlace;

impl FromStr for HitPlace {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        let (line, path) = text.split_once(':').ok_or(NoPlace)?;
        let line = line.parse().map_err(|_| NoPlace)?;
        if path.is_empty() { Err(NoPlace) } else { Ok(Self { path: path.into(), line }) }
    }
}

/// A line as text, without its end. A very long one is cut to some characters around `seen`, where the match is.
pub fn shown_line(line: &[u8], seen: impl FnOnce() -> Range<usize>) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // No character takes more bytes than this, the marks of three that stand for bad ones included.
    if line.len() <= LONGEST {
        return String::from_utf8_lossy(line).into_owned();
    }
    let begin = seen().start.min(line.len());
    let window_begin = begin.saturating_sub(LEAD * 4);
    let window = line.get(window_begin..line.len().min(begin + LONGEST * 4)).unwrap_or_default();
    let lead = String::from_utf8_lossy(window.get(..begin - window_begin).unwrap_or_default()).into_owned();
    let rest = String::from_utf8_lossy(window.get(begin - window_begin..).unwrap_or_default()).into_owned();
    let skip = lead.chars().count().saturating_sub(LEAD);
    let kept: String = lead.chars().skip(skip).chain(rest.chars()).take(LONGEST).collect();
    let cut_before = if skip > 0 || window_begin > 0 { "…" } else { "" };
    let whole = cut_before.is_empty() && kept.len() >= line.len();
    if whole { kept } else { format!("{cut_before}{kept}… ({} bytes in all)", line.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_their_match() {
        let line = format!("{}needle{}\r\n", "é".repeat(5000), "x".repeat(5000));
        let cut = shown_line(line.as_bytes(), || 10_000..10_006);
        assert!(
            cut.starts_with("…é") && cut.contains("éneedlex") && cut.ends_with("(15006 bytes in all)"),
            "{cut}"
        );
        assert!(cut.chars().count() < 540);
        assert_eq!(shown_line(b"short\r\n", || 0..0), "short");
        assert_eq!(shown_line(&[b'a'; 501], || 0..1), format!("{}… (501 bytes in all)", "a".repeat(500)));
        assert_eq!(shown_line("é".repeat(400).as_bytes(), || 0..1), "é".repeat(400));
        assert_eq!(shown_line(b"\xff", || 0..0), "\u{fffd}");
        assert!(shown_line(&[0xff; 2000], || 1990..2000).starts_with('…'));
    }

    #[test]
    fn a_place_is_read_back() {
        let place = HitPlace { path: "a/b:3".into(), line: 12 };
        assert_eq!(place.to_string().parse(), Ok(place));
        for wrong in ["", "x", "3", "3:", ":a", "-1:a", "9999999999999999999999:a"] {
            assert_eq!(wrong.parse::<HitPlace>(), Err(NoPlace), "{wrong}");
        }
    }
}
