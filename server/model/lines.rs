//! The stream of an answer, cut into lines and events.

use std::time::{Duration, Instant};

use reqwest::Response;

use crate::answer::bad_answer;
use crate::bounds::AnswerBounds;
use crate::embed::http;
use crate::{ModelError, ModelErrorKind};

/// Lines of a body, as they come. A line ends with LF, CR or both.
pub(crate) struct AnswerLines {
    response: Response,
    bounds: AnswerBounds,
    buffer: Vec<u8>,
    /// The length of the part of the buffer that holds no end of a line.
    looked: usize,
    total: usize,
    after_cr: bool,
    over: bool,
    /// When a piece of the answer came last, and how many there were then.
    progress: (Instant, u64),
}

/// A line, and whether bytes of it were replaced, since they were no UTF-8.
pub(crate) type Line = (String, bool);

impl AnswerLines {
    pub(crate) fn new(response: Response, bounds: AnswerBounds) -> Self {
        let progress = (Instant::now(), 0);
        Self {
            response,
            bounds,
            buffer: Vec::new(),
            looked: 0,
            total: 0,
            after_cr: false,
            over: false,
            progress,
        }
    }

    /// Notes how many pieces of the answer came so far: without a further one the stream is not read for ever.
    pub(crate) fn note_progress(&mut self, pieces: u64) {
        if pieces != self.progress.1 {
            self.progress = (Instant::now(), pieces);
        }
    }

    /// The next line; none at the end.
    pub(crate) async fn next_line(&mut self) -> Result<Option<Line>, ModelError> {
        loop {
            if let Some(line) = self.cut_line() {
                return Ok(Some(decode_line(line)));
            }
            if self.over {
                let rest = std::mem::take(&mut self.buffer);
                return Ok((!rest.is_empty()).then(|| decode_line(rest)));
            }
            if self.buffer.len() > self.bounds.line {
                return Err(too_large("a line", self.bounds.line));
            }
            match self.next_chunk().await? {
                Some(chunk) => self.take_chunk(&chunk),
                None => self.over = true,
            }
        }
    }

    /// Reads all the rest, as one text.
    pub(crate) async fn read_rest(mut self) -> Result<Line, ModelError> {
        while let Some(chunk) = self.next_chunk().await? {
            let says = chunk.iter().any(|byte| !byte.is_ascii_whitespace());
            self.note_progress(self.progress.1 + u64::from(says));
            self.buffer.extend_from_slice(&chunk);
        }
        Ok(decode_line(self.buffer))
    }

    async fn next_chunk(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let lively = self.bounds.idle * self.bounds.lively;
        let left = lively.saturating_sub(self.progress.0.elapsed());
        if left.is_zero() {
            return Err(lively_only(lively));
        }
        let chunk = match tokio::time::timeout(self.bounds.idle.min(left), self.response.chunk()).await {
            Err(_) if left < self.bounds.idle => return Err(lively_only(lively)),
            Err(_) => return Err(silent_error(self.bounds)),
            Ok(Err(error)) => {
                return Err(bad_answer(&format!("its answer broke off: {}", http::failure_reason(&error))));
            }
            Ok(Ok(chunk)) => chunk,
        };
        self.total += chunk.as_ref().map_or(0, |chunk| chunk.len());
        match self.total > self.bounds.stream {
            true => Err(too_large("an answer", self.bounds.stream)),
            false => Ok(chunk.map(|chunk| chunk.to_vec())),
        }
    }

    fn take_chunk(&mut self, chunk: &[u8]) {
        let skip = usize::from(self.after_cr && chunk.first() == Some(&b'\n'));
        if !chunk.is_empty() {
            self.after_cr = false;
        }
        self.buffer.extend_from_slice(&chunk[skip..]);
    }

    fn cut_line(&mut self) -> Option<Vec<u8>> {
        let unseen = self.buffer.get(self.looked..).unwrap_or_default();
        let Some(found) = unseen.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            self.looked = self.buffer.len();
            return None;
        };
        let end = self.looked + found;
        let mut next = end + 1;
        if self.buffer[end] == b'\r' {
            match self.buffer.get(next) {
                Some(b'\n') => next += 1,
                Some(_) => {}
                None => self.after_cr = true,
            }
        }
        let rest = self.buffer.split_off(next);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.truncate(end);
        self.looked = 0;
        Some(line)
    }
}

/// An event of a stream of server-sent events: its type, and its data.
#[derive(Debug, Default)]
pub(crate) struct ServerEvent {
    pub(crate) name: String,
    pub(crate) data: String,
    pub(crate) replaced: bool,
}

/// The next event; none at the end. What is left of one that broke off is an event too, since some servers end their last
/// one without an empty line.
pub(crate) async fn next_event(lines: &mut AnswerLines) -> Result<Option<ServerEvent>, ModelError> {
    let mut event = ServerEvent::default();
    let mut has_data = false;
    while let Some((line, replaced)) = lines.next_line().await? {
        if line.is_empty() {
            if has_data {
                return Ok(Some(event));
            }
            event = ServerEvent::default();
            continue;
        }
        event.replaced |= replaced;
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut event.name),
            "data" => {
                if has_data {
                    event.data.push('\n');
                }
                has_data = true;
                event.data.push_str(value);
                if event.data.len() > lines.bounds.line {
                    return Err(too_large("an event", lines.bounds.line));
                }
            }
            // A comment, an id, or a field that is not known.
            _ => {}
        }
    }
    Ok(has_data.then_some(event))
}

fn decode_line(line: Vec<u8>) -> Line {
    match String::from_utf8(line) {
        Ok(line) => (line, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    }
}

fn too_large(what: &str, most: usize) -> ModelError {
    let message = format!("it sent {what} of more than {most} bytes");
    ModelError::new(ModelErrorKind::TooLarge, message, "ask for less at a time")
}

fn lively_only(lively: Duration) -> ModelError {
    let message = format!("nothing but signs of life came from it for {} seconds", lively.as_secs_f32());
    let advice = "look whether that server works, or set a larger `idle_s` in [model]";
    ModelError::new(ModelErrorKind::Timeout, message, advice)
}

pub(crate) fn silent_error(bounds: AnswerBounds) -> ModelError {
    let message = format!("nothing came from it for {} seconds", bounds.idle.as_secs_f32());
    let advice = "look whether that server works, or set a larger `idle_s` in [model]";
    ModelError::new(ModelErrorKind::Timeout, message, advice)
}
