//! Lines out of a stream, each a message: bounded, and one that is too long is passed by while its id is looked for.

use std::io;

use tokio_util::bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::Decoder;

use super::envelope::Envelope;

/// What comes next.
#[derive(Clone, Debug)]
pub enum Line {
    /// A line, without its end.
    Whole(Bytes),
    /// One beyond the limit, which is over now.
    TooLong(Envelope),
}

/// Cuts a stream into lines.
#[derive(Debug)]
pub struct Lines {
    limit: usize,
    /// How much of what is there was searched for an end.
    searched: usize,
    passing: Option<Envelope>,
}

impl Lines {
    /// Lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, searched: 0, passing: None }
    }
}

impl Decoder for Lines {
    type Item = Line;
    type Error = io::Error;

    fn decode(&mut self, from: &mut BytesMut) -> io::Result<Option<Line>> {
        let end = memchr::memchr(b'\n', &from[self.searched..]).map(|at| self.searched + at);
        let length = end.unwrap_or(from.len());
        if self.passing.is_some() || length > self.limit {
            let passing = self.passing.get_or_insert_default();
            passing.feed(&from[..length]);
            from.advance(length);
            self.searched = 0;
            if end.is_none() {
                return Ok(None);
            }
            from.advance(1);
            return Ok(self.passing.take().map(Line::TooLong));
        }
        self.searched = if end.is_some() { 0 } else { length };
        Ok(end.map(|_| {
            let line = from.split_to(length).freeze();
            from.advance(1);
            Line::Whole(line)
        }))
    }

    fn decode_eof(&mut self, from: &mut BytesMut) -> io::Result<Option<Line>> {
        if let Some(line) = self.decode(from)? {
            return Ok(Some(line));
        }
        self.searched = 0;
        let rest = from.split().freeze();
        Ok(match self.passing.take() {
            Some(passing) => Some(Line::TooLong(passing)),
            None => (!rest.is_empty()).then_some(Line::Whole(rest)),
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
        let mut lines = FramedRead::new(input.as_bytes(), Lines::new(50));
        let mut found = Vec::new();
        while let Some(line) = lines.next().await {
            found.push(match line.unwrap() {
                Line::Whole(line) => String::from_utf8(line.to_vec()).unwrap(),
                Line::TooLong(envelope) => format!("!{}", envelope.request_id().unwrap()),
            });
        }
        assert_eq!(found, ["one", "!1", "", "two\r", "!1"]);
    }
}
