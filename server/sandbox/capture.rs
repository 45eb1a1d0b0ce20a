//! The output of a command, bounded: its first and its last bytes, how much there was, and the hash of all of it.

use std::collections::VecDeque;

/// Takes a stream of any length in, and keeps a bounded part of it.
#[derive(Debug)]
pub struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    total: u64,
    hash: blake3::Hasher,
}

/// What was kept of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes, which come after the head and what was left out.
    pub tail: Vec<u8>,
    /// How many bytes were left out between the two.
    pub omitted: u64,
    /// How many bytes there were.
    pub total: u64,
    /// The BLAKE3 hash of all of them.
    pub hash: [u8; 32],
}

impl Capture {
    /// Keeps the first `head_limit` and the last `tail_limit` bytes.
    #[must_use]
    pub fn new(head_limit: usize, tail_limit: usize) -> Self {
        let (head, tail) = (Vec::new(), VecDeque::new());
        Self { head, tail, head_limit, tail_limit, total: 0, hash: blake3::Hasher::new() }
    }

    /// Takes the next bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        self.hash.update(bytes);
        let (first, rest) = bytes.split_at(bytes.len().min(self.head_limit - self.head.len()));
        self.head.extend_from_slice(first);
        let last = &rest[rest.len().saturating_sub(self.tail_limit)..];
        let surplus = (self.tail.len() + last.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..surplus);
        self.tail.extend(last);
    }

    /// How many bytes came so far.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What was kept.
    #[must_use]
    pub fn finish(self) -> Captured {
        let omitted = self.total - (self.head.len() + self.tail.len()) as u64;
        Captured {
            head: self.head,
            tail: self.tail.into(),
            omitted,
            total: self.total,
            hash: *self.hash.finalize().as_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Capture, Captured};

    fn captured(parts: &[&str]) -> Captured {
        let mut capture = Capture::new(4, 3);
        parts.iter().for_each(|part| capture.feed(part.as_bytes()));
        capture.finish()
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let kept = captured(&["ab", "cdef"]);
        assert_eq!((kept.head.as_slice(), kept.tail.as_slice(), kept.omitted), (&b"abcd"[..], &b"ef"[..], 0));
    }

    #[test]
    fn the_middle_of_a_long_stream_is_left_out_however_it_comes() {
        let kept = captured(&["abcdefghij"]);
        assert_eq!(
            (kept.head.as_slice(), kept.tail.as_slice(), kept.omitted),
            (&b"abcd"[..], &b"hij"[..], 3)
        );
        assert_eq!(captured(&["a", "bcde", "fg", "h", "ij"]), kept);
        assert_eq!(kept.hash, *blake3::hash(b"abcdefghij").as_bytes());
    }
}
