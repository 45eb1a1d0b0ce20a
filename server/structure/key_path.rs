//! Addresses of keys, as `services.web.ports[0]`, read and written.

use crate::error::{StructureError, StructureErrorCode};

/// One step of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyStep {
    /// The member of a mapping; of a list, where it is a number.
    Member(String),
    /// The element of a list, from 0; below 0 from its end.
    Element(i64),
    /// The element in which a member has a value.
    Where(String, String),
    /// A new element at the end.
    Append,
}

/// Reads an address of a key.
pub(crate) fn read_key_path(address: &str) -> Result<Vec<KeyStep>, StructureError> {
    let mut reader = PathReader { address, rest: address.trim() };
    let mut steps = Vec::new();
    if let Some(rest) = reader.rest.strip_prefix('$').filter(|rest| rest.starts_with(['.', '['])) {
        reader.rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    if reader.rest.is_empty() {
        return Err(reader.refuse("it is empty"));
    }
    loop {
        if reader.rest.starts_with('[') {
            steps.push(reader.read_bracket()?);
        } else {
            steps.push(KeyStep::Member(reader.read_member()?));
        }
        match reader.rest.chars().next() {
            None => return Ok(steps),
            Some('.') => reader.rest = &reader.rest[1..],
            Some('[') => {}
            Some(other) => {
                return Err(reader.refuse(&format!("`{other}` stands where `.` or `[` is expected")));
            }
        }
    }
}

struct PathReader<'a> {
    address: &'a str,
    rest: &'a str,
}

impl<'a> PathReader<'a> {
    fn refuse(&self, reason: &str) -> StructureError {
        StructureError::new(
            StructureErrorCode::BadAddress,
            format!("`{}` is no address of a key: {reason}", self.address),
            "write it as services.web.ports[0]; a key with a dot or a bracket is quoted: a.\"b.c\"",
        )
    }

    fn read_member(&mut self) -> Result<String, StructureError> {
        if self.rest.starts_with(['"', '\'']) {
            return self.read_quoted();
        }
        let end = self.rest.find(['.', '[']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() || name.contains([']', '"']) {
            return Err(self.refuse("a key is empty, or holds a bracket or a quote without being quoted"));
        }
        self.rest = rest;
        Ok(name.to_owned())
    }

    fn read_quoted(&mut self) -> Result<String, StructureError> {
        let quote = self.rest.as_bytes()[0];
        let mut at = 1;
        let bytes = self.rest.as_bytes();
        while at < bytes.len() && bytes[at] != quote {
            at += if bytes[at] == b'\\' && quote == b'"' { 2 } else { 1 };
        }
        if at >= bytes.len() {
            return Err(self.refuse("a quote is not closed"));
        }
        let (quoted, rest) = self.rest.split_at(at + 1);
        self.rest = rest;
        match quote {
            b'"' => serde_json::from_str(quoted)
                .map_err(|_| self.refuse("a quoted key has an escape that is none of JSON's")),
            _ => Ok(quoted[1..at].to_owned()),
        }
    }

    fn read_bracket(&mut self) -> Result<KeyStep, StructureError> {
        self.rest = &self.rest[1..];
        let step = if self.rest.starts_with(['"', '\'']) {
            KeyStep::Member(self.read_quoted()?)
        } else {
            let end = self.rest.find([']', '=']).ok_or_else(|| self.refuse("a bracket is not closed"))?;
            let (word, rest) = self.rest.split_at(end);
            self.rest = rest;
            match rest.strip_prefix('=') {
                Some(value) => {
                    self.rest = value;
                    let value = match value.starts_with(['"', '\'']) {
                        true => self.read_quoted()?,
                        false => {
                            let end =
                                value.find(']').ok_or_else(|| self.refuse("a bracket is not closed"))?;
                            self.rest = &value[end..];
                            value[..end].to_owned()
                        }
                    };
                    KeyStep::Where(word.trim().to_owned(), value)
                }
                None if word.trim() == "+" => KeyStep::Append,
                None => KeyStep::Element(
                    word.trim()
                        .parse()
                        .map_err(|_| self.refuse("a bracket holds a number, `+`, or `name=value`"))?,
                ),
            }
        };
        self.rest = self.rest.strip_prefix(']').ok_or_else(|| self.refuse("a bracket is not closed"))?;
        Ok(step)
    }
}

/// Adds a member to an address.
pub(crate) fn member_address(parent: &str, key: &str) -> String {
    let dot = if parent.is_empty() { "" } else { "." };
    let odd = key.is_empty() || key.contains(['.', '[', ']', '"', '\'']) || key.trim() != key;
    match odd {
        true => format!("{parent}{dot}{}", serde_json::Value::from(key)),
        false => format!("{parent}{dot}{key}"),
    }
}
