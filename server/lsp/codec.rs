//! Frames of the base protocol, read from a stream that may hold anything: with limits, and in step again at the next header.

use std::io;
use std::ops::Range;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use crate::base::envelope::MessageEnvelope;

/// Bytes of the largest message that is read.
pub(crate) const BODY_LIMIT: u64 = 64 << 20;
const HEADER_LIMIT: usize = 8 << 10;
/// Bytes of the longest header line that is looked for inside a body.
const HEADER_LINE: usize = 64;
/// The time without further bytes after which an oversized message is reported.
const STALLED: Duration = Duration::from_secs(1);
const FOREVER: Duration = Duration::from_secs(u32::MAX as u64);
const READ: usize = 64 << 10;
const KEEP: usize = 1 << 20;
const LENGTH: &[u8] = b"content-length:";
const TYPE: &[u8] = b"content-type:";

/// The next item of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LspFrame {
    /// A whole message: its bytes are [`FrameReader::last_body`].
    Body,
    /// Bytes that are no frame; reading goes on at the next header.
    Broken {
        /// The id of the request, if it could be read.
        id: Option<Value>,
        /// The problem.
        what: String,
    },
}

/// Reads frames.
#[derive(Debug)]
pub(crate) struct FrameReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// The start of the unread part of the buffer.
    at: usize,
    /// The number of bytes after `at` in which an unfinished body was searched for a header.
    searched: usize,
    body: Range<usize>,
    /// True if the bytes that are being skipped were reported.
    is_reported: bool,
    oversized: Option<OversizedMessage>,
}

/// A message that is too long: its bytes are skipped.
#[derive(Debug)]
struct OversizedMessage {
    /// Bytes of it that are still to come.
    left: u64,
    /// The part in which its id is looked for; none after it was reported.
    envelope: Option<MessageEnvelope>,
    what: String,
}

enum DecodeStep {
    Need(usize),
    Body,
    Broken(Option<Value>, String),
    Again,
}

enum HeaderParse {
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

impl<R: AsyncRead + Unpin> FrameReader<R> {
    /// Frames out of `input`.
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            at: 0,
            searched: 0,
            body: 0..0,
            is_reported: false,
            oversized: None,
        }
    }

    /// The next frame; nothing at the end of the stream. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The errors of the stream.
    pub(crate) async fn next_frame(&mut self) -> io::Result<Option<LspFrame>> {
        loop {
            match self.decode_step() {
                DecodeStep::Again => {}
                DecodeStep::Body => return Ok(Some(LspFrame::Body)),
                DecodeStep::Broken(id, what) => return Ok(Some(LspFrame::Broken { id, what })),
                DecodeStep::Need(bytes) => {
                    self.make_room(bytes);
                    let wait = match self.oversized.as_ref().is_some_and(|passing| passing.envelope.is_some())
                    {
                        true => STALLED,
                        false => FOREVER,
                    };
                    match timeout(wait, self.input.read_buf(&mut self.buffer)).await {
                        Ok(Ok(0)) => return Ok(self.finish_stream()),
                        Ok(read) => drop(read?),
                        Err(_) => return Ok(self.report_oversized()),
                    }
                }
            }
        }
    }

    /// The message of the last [`LspFrame::Body`].
    pub(crate) fn last_body(&self) -> &[u8] {
        self.buffer.get(self.body.clone()).unwrap_or_default()
    }

    /// Rejects the last body, which was no JSON: its length may have been wrong, so the next header is searched from its start.
    pub(crate) fn reject_body(&mut self) {
        self.at = self.body.start;
        self.searched = 0;
        self.is_reported = true;
    }

    fn decode_step(&mut self) -> DecodeStep {
        if self.oversized.is_some() {
            return self.skip_oversized();
        }
        let blank = self.unread_bytes().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += blank;
        if self.is_reported || !may_begin(self.unread_bytes()) {
            return self.skip_to_header();
        }
        if self.unread_bytes().len() < LENGTH.len() {
            return DecodeStep::Need(READ);
        }
        match parse_header(self.unread_bytes()) {
            HeaderParse::Unfinished => DecodeStep::Need(READ),
            HeaderParse::Bad { skip, what } => self.report_broken(skip, what),
            HeaderParse::Good { end, length } if length > BODY_LIMIT => {
                let what = format!("a message of {length} bytes; {BODY_LIMIT} are read at most");
                self.at += end;
                self.searched = 0;
                self.oversized =
                    Some(OversizedMessage { left: length, envelope: Some(MessageEnvelope::default()), what });
                DecodeStep::Again
            }
            HeaderParse::Good { end, length } => {
                self.take_body(end, usize::try_from(length).unwrap_or(usize::MAX))
            }
        }
    }

    /// Takes the body from `start` on, counted from `at`, if it is complete.
    fn take_body(&mut self, start: usize, length: usize) -> DecodeStep {
        if self.unread_bytes().len() - start >= length {
            self.body = self.at + start..self.at + start + length;
            self.at = self.body.end;
            self.searched = 0;
            return DecodeStep::Body;
        }
        // No serialiser writes a bare header line into a body, so one there means that the length is wrong.
        let from = self.searched.max(start);
        if let Some(header) = header_line(self.unread_bytes(), start, from) {
            return self.report_broken(header, "a message shorter than its Content-Length".to_owned());
        }
        self.searched = self.unread_bytes().len();
        DecodeStep::Need(length - (self.unread_bytes().len() - start))
    }

    /// Skips the bytes of an oversized message, up to its end or to the point where its length proves wrong. It is
    /// reported as soon as its id is known.
    fn skip_oversized(&mut self) -> DecodeStep {
        let Some(passing) = &mut self.oversized else { return DecodeStep::Again };
        let rest = &self.buffer[self.at..];
        let whole = rest.len() as u64 >= passing.left;
        let next = header_line(rest, 0, 0);
        // An incomplete header may begin in the last bytes.
        let known = if whole { rest.len() } else { rest.len().saturating_sub(HEADER_LINE) };
        let take = next.unwrap_or(known).min(usize::try_from(passing.left).unwrap_or(usize::MAX));
        if let Some(envelope) = &mut passing.envelope {
            envelope.feed(&rest[..take]);
        }
        self.at += take;
        passing.left -= take as u64;
        let over = passing.left == 0 || next.is_some();
        let id = passing.envelope.as_ref().and_then(MessageEnvelope::request_id);
        if over || id.is_some() {
            let told = passing.envelope.take().is_none();
            let what = passing.what.clone();
            if over {
                self.oversized = None;
            }
            return if told { DecodeStep::Again } else { DecodeStep::Broken(id, what) };
        }
        match take {
            0 => DecodeStep::Need(READ),
            _ => DecodeStep::Again,
        }
    }

    /// Reports an oversized message of which no further bytes come.
    fn report_oversized(&mut self) -> Option<LspFrame> {
        let passing = self.oversized.as_mut()?;
        let id = passing.envelope.take()?.request_id();
        Some(LspFrame::Broken { id, what: passing.what.clone() })
    }

    fn report_broken(&mut self, skip: usize, what: String) -> DecodeStep {
        self.at += skip;
        self.searched = 0;
        self.is_reported = true;
        DecodeStep::Broken(None, what)
    }

    /// Drops bytes that are no header. They are reported once per frame.
    fn skip_to_header(&mut self) -> DecodeStep {
        if self.unread_bytes().is_empty() {
            return DecodeStep::Need(READ);
        }
        let (offset, whole) = next_header(self.unread_bytes());
        self.at += offset;
        if offset > 0 && !self.is_reported {
            self.is_reported = true;
            return DecodeStep::Broken(None, "bytes between messages that are no header".to_owned());
        }
        if !whole {
            return DecodeStep::Need(READ);
        }
        self.is_reported = false;
        DecodeStep::Again
    }

    fn finish_stream(&mut self) -> Option<LspFrame> {
        if let Some(OversizedMessage { envelope, what, .. }) = self.oversized.take() {
            let mut envelope = envelope?;
            envelope.feed(self.unread_bytes());
            self.at = self.buffer.len();
            return Some(LspFrame::Broken { id: envelope.request_id(), what });
        }
        let left = !self.unread_bytes().is_empty() && !self.is_reported;
        self.at = self.buffer.len();
        let what = "the stream ended inside a message".to_owned();
        left.then_some(LspFrame::Broken { id: None, what })
    }

    fn unread_bytes(&self) -> &[u8] {
        &self.buffer[self.at..]
    }

    fn make_room(&mut self, bytes: usize) {
        if self.at == self.buffer.len() && self.buffer.capacity() > KEEP {
            self.buffer = Vec::new();
        } else {
            self.buffer.drain(..self.at);
        }
        (self.at, self.body) = (0, 0..0);
        // At most the claimed length, in limited steps: a large claim costs nothing.
        self.buffer.reserve(bytes.clamp(READ, KEEP));
    }
}

fn begins_with(bytes: &[u8], name: &[u8]) -> bool {
    let length = bytes.len().min(name.len());
    bytes[..length].eq_ignore_ascii_case(&name[..length])
}

fn may_begin(bytes: &[u8]) -> bool {
    begins_with(bytes, LENGTH) || begins_with(bytes, TYPE)
}

/// The offset of a `Content-Length:`, and whether it is complete; without one, the number of bytes to drop.
fn next_header(bytes: &[u8]) -> (usize, bool) {
    let mut at = 0;
    while let Some(step) = bytes[at..].iter().position(|byte| byte.eq_ignore_ascii_case(&b'c')) {
        at += step;
        if begins_with(&bytes[at..], LENGTH) {
            return (at, bytes.len() - at >= LENGTH.len());
        }
        at += 1;
    }
    (bytes.len(), false)
}

/// The offset of a bare `Content-Length: N` line that ends after `from`; none before `start`.
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
fn parse_header(bytes: &[u8]) -> HeaderParse {
    let bad = |skip, what: &str| HeaderParse::Bad { skip, what: what.to_owned() };
    let (mut at, mut length) = (0, None);
    loop {
        let Some(step) = bytes[at..].iter().take(HEADER_LIMIT).position(|byte| *byte == b'\n') else {
            return match bytes.len() - at > HEADER_LIMIT {
                true => bad(at.max(1), "a header line without an end"),
                false => HeaderParse::Unfinished,
            };
        };
        let line = bytes[at..at + step].trim_ascii_end();
        let end = at + step + 1;
        if line.is_empty() {
            return match length {
                Some(length) => HeaderParse::Good { end, length },
                None => bad(end, "a header without Content-Length"),
            };
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let name = &line[..colon.unwrap_or(0)];
        if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
            return bad(at.max(1), "a header line that is none");
        }
        if begins_with(line, LENGTH) && line.len() >= LENGTH.len() {
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
