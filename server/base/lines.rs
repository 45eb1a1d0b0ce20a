//! Splits a stream into lines, each a message. Lines are bounded; an oversized line is skipped while its id is looked
//! for.

use std::io;

use tokio_util::bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::Decoder;

use super::envelope::MessageEnvelope;

/// A line of a stream.
#[derive(Clone, Debug)]
pub enum StreamLine {
    /// A line, without its end.
    Whole(Bytes),
    /// A line beyond the limit, up to its end.
    TooLong(MessageEnvelope),
}

/// Cuts a stream into lines.
#[derive(Debug)]
pub struct LineDecoder {
    limit: usize,
    /// The number of buffered bytes that were searched for a line end.
    searched: usize,
    oversized: Option<MessageEnvelope>,
}

impl LineDecoder {
    /// Lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, searched: 0, oversized: None }
    }
}

impl Decoder for LineDecoder {
    type Item = StreamLine;
    type Error = io::Error;

    fn decode(&mut self, from: &mut BytesMut) -> io::Result<Option<StreamLine>> {
        let end = memchr::memchr(b'\n', &from[self.searched..]).map(|at| self.searched + at);
        let length = end.unwrap_or(from.len());
        if self.oversized.is_some() || length > self.limit {
            let passing = self.oversized.get_or_insert_default();
            passing.feed(&from[..length]);
            from.advance(length);
            self.searched = 0;
            if end.is_none() {
                return Ok(None);
            }
            from.advance(1);
            return Ok(self.oversized.take().map(StreamLine::TooLong));
        }
        self.searched = if end.is_some() { 0 } else { length };
        Ok(end.map(|_| {
            let line = from.split_to(length).freeze();
            from.advance(1);
            StreamLine::Whole(line)
        }))
    }

    fn decode_eof(&mut self, from: &mut BytesMut) -> io::Result<Option<StreamLine>> {
        if let Some(line) = self.decode(from)? {
            return Ok(Some(line));
        }
        self.searched = 0;
        let rest = from.split().freeze();
        Ok(match self.oversized.take() {
            Some(passing) => Some(StreamLine::TooLong(passing)),
            None => (!rest.is_empty()).then_some(StreamLine::Whole(rest)),
        })
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;
    use tokio_util::codec::FramedRead;

    use super::*;

    #[tokio::test]
    async fn a_line_beyond_the_limit_ends_nothing() {
        let long = format!("{{\"id\":1,\"method\":\"m\",\"params\":\"{}\"}}", "x".repeat(100_000));
        let input = format!("one\n{long}\n\ntwo\r\n{long}");
        let mut lines = FramedRead::new(input.as_bytes(), LineDecoder::new(50));
        let mut found = Vec::new();
        while let Some(line) = lines.next().await {
            found.push(match line.unwrap() {
                StreamLine::Whole(line) => String::from_utf8(line.to_vec()).unwrap(),
                StreamLine::TooLong(envelope) => format!("!{}", envelope.request_id().unwrap()),
            });
        }
        assert_eq!(found, ["one", "!1", "", "two\r", "!1"]);
    }
}
