//! Finds blocks in a stream of lines, which may contain other text.

use super::block::{CLOSE, MAX_BLOCK_BYTES, OPEN};

/// The first bytes of every block, after a line feed: of a heading, or of the line of an event that belongs to a call.
pub(super) const STARTS: [&[u8]; 2] = [b"\n## ", b"\n**"];
/// The most lines between a block's first line and its fence or comment.
const ABOVE: u8 = 4;

/// The effect of a line on the search for blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fed {
    /// It belongs to a block that is not complete yet.
    More,
    /// It ends a block of this many bytes.
    Block(usize),
    /// It is outside of any block.
    Other,
    /// It does not continue the block whose first lines have this many bytes; feed it again.
    Broken(usize),
}

/// Finds blocks in a stream of lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Splitter {
    expect: Expect,
    length: usize,
}

#[derive(Clone, Copy, Debug, Default)]
enum Expect {
    #[default]
    Start,
    /// The number of lines since the first one.
    Above(u8),
    Body(usize),
    /// A comment, or the blank line of an earlier version's block.
    Comment,
    Blank,
}

impl Splitter {
    /// Takes the next line, with its line feed.
    pub(super) fn feed(&mut self, line: &[u8]) -> Fed {
        let next = match self.expect {
            Expect::Start if begins(line) && line.ends_with(b"\n") => Expect::Above(0),
            Expect::Start => return Fed::Other,
            Expect::Above(_) if fence(line).is_some() => Expect::Body(fence(line).unwrap_or_default()),
            Expect::Above(_) if is_comment(line) => Expect::Blank,
            Expect::Above(count) if count < ABOVE && !begins(line) && !line.starts_with(b"#") => {
                Expect::Above(count + 1)
            }
            Expect::Body(ticks) if is_close(line, ticks) => Expect::Comment,
            Expect::Body(ticks) if !begins(line) && self.length + line.len() <= MAX_BLOCK_BYTES => {
                Expect::Body(ticks)
            }
            Expect::Comment if is_comment(line) => Expect::Blank,
            Expect::Comment | Expect::Blank if line == b"\n" => {
                let length = self.length + 1;
                *self = Self::default();
                return Fed::Block(length);
            }
            _ => {
                let length = self.length;
                *self = Self::default();
                return Fed::Broken(length);
            }
        };
        self.expect = next;
        self.length += line.len();
        Fed::More
    }
}

/// Returns whether a block may begin with this line.
fn begins(line: &[u8]) -> bool {
    STARTS.iter().any(|start| line.starts_with(&start[1..]))
}

/// Returns the number of backticks of a line that opens a YAML block.
fn fence(line: &[u8]) -> Option<usize> {
    let ticks = line.iter().take_while(|b| **b == b'`').count();
    (ticks >= 3 && &line[ticks..] == b"yaml\n").then_some(ticks)
}

fn is_close(line: &[u8], ticks: usize) -> bool {
    line.len() == ticks + 1 && line[..ticks].iter().all(|b| *b == b'`') && line[ticks] == b'\n'
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(OPEN.as_bytes()) && line.ends_with(CLOSE.as_bytes())
}
