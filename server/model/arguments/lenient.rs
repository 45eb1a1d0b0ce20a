//! JSON as models write it: with comments, other quotes, commas too many. What has two readings is refused.

use serde_json::{Map, Value};

use super::token::{self, ValueEnd};
use super::{ArgumentRepair, Repairs, UnreadableArguments};

/// The deepest nesting of values.
const DEPTH: usize = 100;

/// A value that was read.
#[derive(Debug)]
pub(super) struct LenientValue {
    pub(super) value: Value,
    pub(super) repairs: Repairs,
    /// True if brackets were missing at the end.
    pub(super) was_open: bool,
}

/// Reads one value that is the whole text.
pub(super) fn parse_lenient(text: &str) -> Result<LenientValue, UnreadableArguments> {
    let mut reader = LenientReader::new(text);
    let value = reader.read_value(0)?;
    reader.skip_space_and_comments()?;
    let rest = &text[reader.at..];
    if !rest.is_empty() {
        let is_closed = rest.chars().all(|c| matches!(c, '}' | ']') || c.is_whitespace());
        if !is_closed || reader.was_open || !(value.is_object() || value.is_array()) {
            return Err(reader.error_here("something follows the value"));
        }
        reader.repairs.insert(ArgumentRepair::ExtraBracket);
    }
    Ok(LenientValue { value, repairs: reader.repairs, was_open: reader.was_open })
}

/// Reads the value that the text begins with. The value, and where it ends; nothing if brackets are missing.
pub(super) fn parse_first(text: &str) -> Result<(LenientValue, usize), UnreadableArguments> {
    let mut reader = LenientReader::new(text);
    let value = reader.read_value(0)?;
    let (repairs, was_open) = (reader.repairs, reader.was_open);
    Ok((LenientValue { value, repairs, was_open }, reader.at))
}

/// Reads a text from its beginning.
pub(super) struct LenientReader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) repairs: Repairs,
    pub(super) was_open: bool,
}

impl<'a> LenientReader<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, repairs: Repairs::new(), was_open: false }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn error_here(&self, reason: impl Into<String>) -> UnreadableArguments {
        UnreadableArguments::new(reason, self.at)
    }

    /// Skips whitespace, byte order marks and comments (`//`, `#`, `/* */`), and notes a comment as a repair.
    ///
    /// # Errors
    /// A comment that does not end.
    pub(super) fn skip_space_and_comments(&mut self) -> Result<(), UnreadableArguments> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let length = if trimmed.starts_with("//") || trimmed.starts_with('#') {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").ok_or_else(|| self.error_here("a comment does not end"))? + 2
            } else {
                return Ok(());
            };
            self.repairs.insert(ArgumentRepair::Comment);
            self.at += length;
        }
    }

    fn read_value(&mut self, depth: usize) -> Result<Value, UnreadableArguments> {
        if depth > DEPTH {
            return Err(self.error_here(format!("they nest deeper than {DEPTH}")));
        }
        self.skip_space_and_comments()?;
        match self.peek() {
            None => Err(self.error_here("they were cut off where a value is due")),
            Some('{') => self.read_object(depth),
            Some('[') => self.read_list(depth),
            Some(c) if token::opens_string(c) => token::read_string(self).map(Value::String),
            Some(_) => token::read_word(self),
        }
    }

    fn read_object(&mut self, depth: usize) -> Result<Value, UnreadableArguments> {
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.skip_space_and_comments()?;
            match self.peek() {
                Some('}') => {
                    self.at += 1;
                    return Ok(Value::Object(map));
                }
                None => return Err(self.error_here("they were cut off where a name is due")),
                Some(_) => {}
            }
            let name = token::read_name(self)?;
            self.skip_space_and_comments()?;
            match self.peek() {
                Some(':') => self.at += 1,
                None => return Err(self.error_here("they were cut off behind a name")),
                Some(_) => return Err(self.error_here("no colon follows a name")),
            }
            let value = self.read_value(depth + 1)?;
            if let Some(before) = map.get(&name) {
                if *before != value {
                    return Err(self.error_here(format!("`{name}` stands twice, with two values")));
                }
                self.repairs.insert(ArgumentRepair::SameTwice);
            }
            map.insert(name, value);
            if self.read_separator('}')? {
                return Ok(Value::Object(map));
            }
        }
    }

    fn read_list(&mut self, depth: usize) -> Result<Value, UnreadableArguments> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space_and_comments()?;
            match self.peek() {
                Some(']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                None => return Err(self.error_here("they were cut off in a list")),
                Some(_) => {}
            }
            items.push(self.read_value(depth + 1)?);
            if self.read_separator(']')? {
                return Ok(Value::Array(items));
            }
        }
    }

    /// Reads the end of a member: a comma, or the closing bracket. Returns whether the object or list is over.
    fn read_separator(&mut self, close: char) -> Result<bool, UnreadableArguments> {
        let ended = ValueEnd::read_before(self.text, self.at);
        self.skip_space_and_comments()?;
        match self.peek() {
            Some(',') => {
                self.at += 1;
                self.skip_space_and_comments()?;
                if self.peek() == Some(close) {
                    self.repairs.insert(ArgumentRepair::TrailingComma);
                    self.at += 1;
                    return Ok(true);
                }
                match self.peek() {
                    None => Err(self.error_here("they were cut off behind a comma")),
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
                || (close == ']' && ended == ValueEnd::Bracket) =>
            {
                self.was_open = true;
                self.repairs.insert(ArgumentRepair::MissingBracket);
                Ok(true)
            }
            None => Err(self.error_here("they were cut off in a value")),
            // Behind a string it could be a quote that was not escaped.
            Some('"') if close == '}' && ended != ValueEnd::Text && token::is_named(self.rest()) => {
                self.repairs.insert(ArgumentRepair::MissingComma);
                Ok(false)
            }
            Some(c) => Err(self.error_here(format!("`{c}` stands where a comma or `{close}` is due"))),
        }
    }
}
