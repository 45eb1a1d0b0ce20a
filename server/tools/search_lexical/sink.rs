//! Matches as they come, with the lines around them.

use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkMatch};
use serde_json::{Value, json};

use crate::base::WorkspacePath;

/// Characters of a line that are shown; a longer one is cut.
const LONGEST: usize = 500;

#[derive(Debug)]
struct Match {
    path: String,
    line: u64,
    content: String,
    context: Vec<String>,
}

/// The matches of a search, up to a limit.
#[derive(Debug)]
pub struct Matches {
    path: String,
    found: Vec<Match>,
    /// Lines before the next match.
    before: Vec<String>,
    limit: usize,
    bytes_left: usize,
    full: bool,
}

impl Matches {
    /// At most `limit` matches of at most `bytes` bytes together.
    pub fn new(limit: usize, bytes: usize) -> Self {
        Self {
            path: String::new(),
            found: Vec::new(),
            before: Vec::new(),
            limit,
            bytes_left: bytes,
            full: false,
        }
    }

    /// What follows is found in `path`.
    pub fn enter(&mut self, path: &WorkspacePath) {
        self.path = path.as_str().to_owned();
        self.before.clear();
    }

    /// Whether there was more than the limits let through.
    pub fn full(&self) -> bool {
        self.full
    }

    /// Where a searcher reports to.
    pub fn sink(&mut self) -> impl Sink<Error = io::Error> + '_ {
        Collect(self)
    }

    /// The answer.
    pub fn into_value(self) -> Value {
        let shown = |found: Match| json!({ "path": found.path, "line": found.line, "content": found.content, "context": found.context });
        Value::Array(self.found.into_iter().map(shown).collect())
    }
}

struct Collect<'a>(&'a mut Matches);

impl Sink for Collect<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let matches = &mut *self.0;
        let content = shown(found.bytes());
        let size = content.len() + matches.before.iter().map(String::len).sum::<usize>();
        if matches.found.len() >= matches.limit || size > matches.bytes_left {
            matches.full = true;
            return Ok(false);
        }
        matches.bytes_left -= size;
        matches.found.push(Match {
            path: matches.path.clone(),
            line: found.line_number().unwrap_or(0),
            content,
            context: std::mem::take(&mut matches.before),
        });
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let (matches, line) = (&mut *self.0, shown(context.bytes()));
        match (context.kind(), matches.found.last_mut()) {
            (SinkContextKind::After, Some(last)) => {
                matches.bytes_left = matches.bytes_left.saturating_sub(line.len());
                last.context.push(line);
            }
            _ => matches.before.push(line),
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.0.before.clear();
        Ok(true)
    }
}

/// A line without its end, as text, cut where it is very long.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\r', '\n']);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… ({} bytes in all)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
