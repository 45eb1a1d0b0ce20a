//! Frames of the base protocol, out of a stream that may hold anything: bounded, and never out of step for
//! longer than to the next header.

use std::io;
use std::ops::Range;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use crate::base::envelope::Envelope;

/// Bytes of the largest message that is read.
pub(crate) const BODY_LIMIT: u64 = 64 << 20;
const HEADER_LIMIT: usize = 8 << 10;
/// Bytes of the longest header line that is looked for inside a body.
const HEADER_LINE: usize = 64;
/// How long nothing of a message that is too long may come before it is reported.
const STALLED: Duration = Duration::from_secs(1);
const FOREVER: Duration = Duration::from_secs(u32::MAX as u64);
const READ: usize = 64 << 10;
const KEEP: usize = 1 << 20;
const LENGTH: &[u8] = b"content-length:";
const TYPE: &[u8] = b"content-type:";

/// What comes next in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A whole message: its bytes are [`Frames::body`].
    Body,
    /// Something that is no frame; reading goes on at the next header.
    Broken {
        /// The id of the request that it was, where that could be read.
        id: Option<Value>,
        /// What is wrong.
        what: String,
    },
}

/// Reads frames.
#[derive(Debug)]
pub(crate) struct Frames<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where the unread part of the buffer begins.
    at: usize,
    /// How far beyond `at` an unfinished body was searched for a header.
    searched: usize,
    body: Range<usize>,
    /// Whether what is being skipped was reported.
    told: bool,
    passing: Option<Passing>,
}

/// A message that is too long: it passes by.
#[derive(Debug)]
struct Passing {
    /// Bytes of it that are still to come.
    left: u64,
    /// Where its id is looked for; nothing once it was reported.
    envelope: Option<Envelope>,
    what: String,
}

enum DecodeStep {
    Need(usize),
    Body,
    Broken(Option<Value>, String),
    Again,
}

enum Header {
    Unfinished,
    /// No good; the search for the next one begins this much further on.
    Bad {
        skip: usize,
        what: String,
    },
    Good {
        end: usize,
        length: u64,
    },
}

impl<R: AsyncRead + Unpin> Frames<R> {
    /// Frames out of `input`.
    pub(crate) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), at: 0, searched: 0, body: 0..0, told: false, passing: None }
    }

    /// The next frame; nothing at the end of the stream. Dropping the future loses nothing.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            match self.step() {
                DecodeStep::Again => {}
                DecodeStep::Body => return Ok(Some(Frame::Body)),
                DecodeStep::Broken(id, what) => return Ok(Some(Frame::Broken { id, what })),
                DecodeStep::Need(bytes) => {
                    self.make_room(bytes);
                    let wait = match self.passing.as_ref().is_some_and(|passing| passing.envelope.is_some()) {
                        true => STALLED,
                        false => FOREVER,
                    };
                    match timeout(wait, self.input.read_buf(&mut self.buffer)).await {
                        Ok(Ok(0)) => return Ok(self.end()),
                        Ok(read) => drop(read?),
                        Err(_) => return Ok(self.report()),
                    }
                }
            }
        }
    }

    /// The message of the last [`Frame::Body`].
    pub(crate) fn body(&self) -> &[u8] {
        self.buffer.get(self.body.clone()).unwrap_or_default()
    }

    /// The last body was no JSON: its length may have been wrong, so the next header is searched from where
    /// it began.
    pub(crate) fn reject(&mut self) {
        self.at = self.body.start;
        self.searched = 0;
        self.told = true;
    }

    fn step(&mut self) -> DecodeStep {
        if self.passing.is_some() {
            return self.pass();
        }
        let blank = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += blank;
        if self.told || !may_begin(self.rest()) {
            return self.skip_to_header();
        }
        if self.rest().len() < LENGTH.len() {
            return DecodeStep::Need(READ);
        }
        match header(self.rest()) {
            Header::Unfinished => DecodeStep::Need(READ),
            Header::Bad { skip, what } => self.broken(skip, what),
            Header::Good { end, length } if length > BODY_LIMIT => {
                let what = format!("a message of {length} bytes; {BODY_LIMIT} are read at most");
                self.at += end;
                self.searched = 0;
                self.passing = Some(Passing { left: length, envelope: Some(Envelope::default()), what });
                DecodeStep::Again
            }
            Header::Good { end, length } => self.take(end, usize::try_from(length).unwrap_or(usize::MAX)),
        }
    }

    /// The body from `start` on, counted from `at`, or what of it is there.
    fn take(&mut self, start: usize, length: usize) -> DecodeStep {
        if self.rest().len() - start >= length {
            self.body = self.at + start..self.at + start + length;
            self.at = self.body.end;
            self.searched = 0;
            return DecodeStep::Body;
        }
        // No serialiser writes a bare header line into a body, so one there means that the length is wrong.
        let from = self.searched.max(start);
        if let Some(header) = header_line(self.rest(), start, from) {
            return self.broken(header, "a message shorter than its Content-Length".to_owned());
        }
        self.searched = self.rest().len();
        DecodeStep::Need(length - (self.rest().len() - start))
    }

    /// Passes by what there is of a message that is too long, to its end or to where its length proves wrong. It is reported
    /// as soon as its id is known.
    fn pass(&mut self) -> DecodeStep {
        let Some(passing) = &mut self.passing else { return DecodeStep::Again };
        let rest = &self.buffer[self.at..];
        let whole = rest.len() as u64 >= passing.left;
        let next = header_line(rest, 0, 0);
        // A header that is not there as a whole yet may begin in the last bytes.
        let known = if whole { rest.len() } else { rest.len().saturating_sub(HEADER_LINE) };
        let take = next.unwrap_or(known).min(usize::try_from(passing.left).unwrap_or(usize::MAX));
        if let Some(envelope) = &mut passing.envelope {
            envelope.feed(&rest[..take]);
        }
        self.at += take;
        passing.left -= take as u64;
        let over = passing.left == 0 || next.is_some();
        let id = passing.envelope.as_ref().and_then(Envelope::request_id);
        if over || id.is_some() {
            let told = passing.envelope.take().is_none();
            let what = passing.what.clone();
            if over {
                self.passing = None;
            }
            return if told { DecodeStep::Again } else { DecodeStep::Broken(id, what) };
        }
        match take {
            0 => DecodeStep::Need(READ),
            _ => DecodeStep::Again,
        }
    }

    /// Reports a message that is too long and of which nothing more comes.
    fn report(&mut self) -> Option<Frame> {
        let passing = self.passing.as_mut()?;
        let id = passing.envelope.take()?.request_id();
        Some(Frame::Broken { id, what: passing.what.clone() })
    }

    fn broken(&mut self, skip: usize, what: String) -> DecodeStep {
        self.at += skip;
        self.searched = 0;
        self.told = true;
        DecodeStep::Broken(None, what)
    }

    /// Drops what is no header. The first time since the last frame it is reported.
    fn skip_to_header(&mut self) -> DecodeStep {
        if self.rest().is_empty() {
            return DecodeStep::Need(READ);
        }
        let (offset, whole) = next_header(self.rest());
        self.at += offset;
        if offset > 0 && !self.told {
            self.told = true;
            return DecodeStep::Broken(None, "bytes between messages that are no header".to_owned());
        }
        if !whole {
            return DecodeStep::Need(READ);
        }
        self.told = false;
        DecodeStep::Again
    }

    fn end(&mut self) -> Option<Frame> {
        if let Some(Passing { envelope, what, .. }) = self.passing.take() {
            let mut envelope = envelope?;
            envelope.feed(self.rest());
            self.at = self.buffer.len();
            return Some(Frame::Broken { id: envelope.request_id(), what });
        }
        let left = !self.rest().is_empty() && !self.told;
        self.at = self.buffer.len();
        let what = "the stream ended inside a message".to_owned();
        left.then_some(Frame::Broken { id: None, what })
    }

    fn rest(&self) -> &[u8] {
        &self.buffer[self.at..]
    }

    fn make_room(&mut self, bytes: usize) {
        if self.at == self.buffer.len() && self.buffer.capacity() > KEEP {
            self.buffer = Vec::new();
        } else {
            self.buffer.drain(..self.at);
        }
        (self.at, self.body) = (0, 0..0);
        // As much as is claimed, but no more at a time than this: a claim costs nothing.
        self.buffer.reserve(bytes.clamp(READ, KEEP));
    }
}

fn begins(bytes: &[u8], name: &[u8]) -> bool {
    let length = bytes.len().min(name.len());
    bytes[..length].eq_ignore_ascii_case(&name[..length])
}

fn may_begin(bytes: &[u8]) -> bool {
    begins(bytes, LENGTH) || begins(bytes, TYPE)
}

/// Where a `Content-Length:` begins, and whether all of it is there; where none does, how much can be dropped.
fn next_header(bytes: &[u8]) -> (usize, bool) {
    let mut at = 0;
    while let Some(step) = bytes[at..].iter().position(|byte| byte.eq_ignore_ascii_case(&b'c')) {
        at += step;
        if begins(&bytes[at..], LENGTH) {
            return (at, bytes.len() - at >= LENGTH.len());
        }
        at += 1;
    }
    (bytes.len(), false)
}

/// Where a bare `Content-Length: N` line begins that ends after `from`; not before `start`.
fn header_line(bytes: &[u8], start: usize, from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(step) = bytes[at..].iter().position(|byte| *byte == b'\n') {
        let end = at + step;
        let begin = end.saturating_sub(64).max(start);
        let line = &bytes[begin..end];
        if let Some(offset) = last_header(line)
            && length_of(&line[offset + LENGTH.len()..]).is_some()
        {
            return Some(begin + offset);
        }
        at = end + 1;
    }
    None
}

fn last_header(line: &[u8]) -> Option<usize> {
    line.windows(LENGTH.len()).rposition(|part| part.eq_ignore_ascii_case(LENGTH))
}

/// The number that a `Content-Length` holds: one past `u64` counts as the largest.
fn length_of(value: &[u8]) -> Option<u64> {
    let digits = value.trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digit = |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    Some(digits.iter().fold(0, digit))
}

/// Reads the header lines at the start of `bytes`.
fn header(bytes: &[u8]) -> Header {
    let bad = |skip, what: &str| Header::Bad { skip, what: what.to_owned() };
    let (mut at, mut length) = (0, None);
    loop {
        let Some(step) = bytes[at..].iter().take(HEADER_LIMIT).position(|byte| *byte == b'\n') else {
            return match bytes.len() - at > HEADER_LIMIT {
                true => bad(at.max(1), "a header line without an end"),
                false => Header::Unfinished,
            };
        };
        let line = bytes[at..at + step].trim_ascii_end();
        let end = at + step + 1;
        if line.is_empty() {
            return match length {
                Some(length) => Header::Good { end, length },
                None => bad(end, "a header without Content-Length"),
            };
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let name = &line[..colon.unwrap_or(0)];
        if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
            return bad(at.max(1), "a header line that is none");
        }
        if begins(line, LENGTH) && line.len() >= LENGTH.len() {
            let Some(value) = length_of(&line[LENGTH.len()..]) else {
                return bad(at + LENGTH.len(), "a Content-Length that is no number");
            };
            if length.is_some_and(|length| length != value) {
                return bad(at, "two headers that contradict each other");
            }
            length = Some(value);
        }
        at = end;
        if at > HEADER_LIMIT {
            return bad(LENGTH.len(), "a header that is too long");
        }
    }
}

#[cfg(test)]
mod tests;
