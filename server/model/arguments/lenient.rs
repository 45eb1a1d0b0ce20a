//! JSON as models write it: with comments, other quotes, commas too many. What has two readings is refused.

use serde_json::{Map, Value};

use super::token::{self, Token};
use super::{Repair, Repairs, Unreadable};

/// How deep values may nest.
const DEPTH: usize = 100;

/// What was read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) value: Value,
    pub(super) repairs: Repairs,
    /// Whether brackets were missing at the end.
    pub(super) was_open: bool,
}

/// Reads one value that is the whole text.
pub(super) fn parse(text: &str) -> Result<Read, Unreadable> {
    let mut reader = Reader::new(text);
    let value = reader.value(0)?;
    reader.space()?;
    let rest = &text[reader.at..];
    if !rest.is_empty() {
        let is_closed = rest.chars().all(|c| matches!(c, '}' | ']') || c.is_whitespace());
        if !is_closed || reader.was_open || !(value.is_object() || value.is_array()) {
            return Err(reader.wrong("something follows the value"));
        }
        reader.repairs.insert(Repair::ExtraBracket);
    }
    Ok(Read { value, repairs: reader.repairs, was_open: reader.was_open })
}

/// Reads the value that the text begins with. The value, and where it ends; nothing where brackets are missing.
pub(super) fn first(text: &str) -> Result<(Read, usize), Unreadable> {
    let mut reader = Reader::new(text);
    let value = reader.value(0)?;
    let (repairs, was_open) = (reader.repairs, reader.was_open);
    Ok((Read { value, repairs, was_open }, reader.at))
}

/// Reads a text from its beginning.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) repairs: Repairs,
    pub(super) was_open: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, repairs: Repairs::new(), was_open: false }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn wrong(&self, reason: impl Into<String>) -> Unreadable {
        Unreadable::new(reason, self.at)
    }

    /// Skips space and comments.
    pub(super) fn space(&mut self) -> Result<(), Unreadable> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let length = if trimmed.starts_with("//") || trimmed.starts_with('#') {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").ok_or_else(|| self.wrong("a comment does not end"))? + 2
            } else {
                return Ok(());
            };
            self.repairs.insert(Repair::Comment);
            self.at += length;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Unreadable> {
        if depth > DEPTH {
            return Err(self.wrong(format!("they nest deeper than {DEPTH}")));
        }
        self.space()?;
        match self.peek() {
            None => Err(self.wrong("they were cut off where a value is due")),
            Some('{') => self.object(depth),
            Some('[') => self.list(depth),
            Some(c) if token::opens(c) => token::string(self).map(Value::String),
            Some(_) => token::word(self),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Unreadable> {
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.space()?;
            match self.peek() {
                Some('}') => {
                    self.at += 1;
                    return Ok(Value::Object(map));
                }
                None => return Err(self.wrong("they were cut off where a name is due")),
                Some(_) => {}
            }
            let name = token::name(self)?;
            self.space()?;
            match self.peek() {
                Some(':') => self.at += 1,
                None => return Err(self.wrong("they were cut off behind a name")),
                Some(_) => return Err(self.wrong("no colon follows a name")),
            }
            let value = self.value(depth + 1)?;
            if let Some(before) = map.get(&name) {
                if *before != value {
                    return Err(self.wrong(format!("`{name}` stands twice, with two values")));
                }
                self.repairs.insert(Repair::SameTwice);
            }
            map.insert(name, value);
            if self.separated('}')? {
                return Ok(Value::Object(map));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Unreadable> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.space()?;
            match self.peek() {
                Some(']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                None => return Err(self.wrong("they were cut off in a list")),
                Some(_) => {}
            }
            items.push(self.value(depth + 1)?);
            if self.separated(']')? {
                return Ok(Value::Array(items));
            }
        }
    }

    /// What follows a member: a comma, or the closing bracket. Whether the object or list is over.
    fn separated(&mut self, close: char) -> Result<bool, Unreadable> {
        let ended = Token::before(self.text, self.at);
        self.space()?;
        match self.peek() {
            Some(',') => {
                self.at += 1;
                self.space()?;
                if self.peek() == Some(close) {
                    self.repairs.insert(Repair::TrailingComma);
                    self.at += 1;
                    return Ok(true);
                }
                match self.peek() {
                    None => Err(self.wrong("they were cut off behind a comma")),
                    Some(_) => Ok(false),
                }
            }
            Some(c) if c == close => {
                self.at += 1;
                Ok(true)
            }
            // A list may go on, and a number too: only what is closed by itself is known to be whole.
            None if self.was_open
                || (close == '}' && ended.is_whole())
                || (close == ']' && ended == Token::Bracket) =>
            {
                self.was_open = true;
                self.repairs.insert(Repair::MissingBracket);
                Ok(true)
            }
            None => Err(self.wrong("they were cut off in a value")),
            // Behind a string it could be a quote that was not escaped.
            Some('"') if close == '}' && ended != Token::Text && token::is_named(self.rest()) => {
                self.repairs.insert(Repair::MissingComma);
                Ok(false)
            }
            Some(c) => Err(self.wrong(format!("`{c}` stands where a comma or `{close}` is due"))),
        }
    }
}
