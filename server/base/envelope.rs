//! The envelope of a JSON-RPC message, read from bytes that may be too many, nested too deep or no JSON: it has the id of the
//! message, and a mark of requests. Nothing else of the message is kept.

use serde_json::Value;

/// Levels of nesting that a message may have: what the JSON reader takes.
pub const MAX_NESTING: usize = 127;

/// Bytes of the longest name or id that is looked at.
const MAX_WORD_BYTES: usize = 1 << 10;

/// The part of a message that was fed so far.
#[derive(Clone, Debug, Default)]
pub struct MessageEnvelope {
    depth: usize,
    deepest: usize,
    in_string: bool,
    escaped: bool,
    place: EnvelopePosition,
    /// The name or the value that is being read at the outermost level.
    word: Vec<u8>,
    name: Vec<u8>,
    id: Option<Vec<u8>>,
    is_request: bool,
    /// It answers, names two ids, or is no object.
    is_other: bool,
}

/// The reader's position in the outermost object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum EnvelopePosition {
    #[default]
    Before,
    Name,
    Value,
    After,
}

impl MessageEnvelope {
    /// Reads the envelope of a whole text.
    pub fn from_text(text: &[u8]) -> Self {
        let mut envelope = Self::default();
        envelope.feed(text);
        envelope
    }

    /// Reads further bytes of the message.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((first, rest)) = bytes.split_first() {
            if self.in_string && !self.escaped {
                // Most bytes of a large message are inside strings.
                let end = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
                self.keep_bytes(&bytes[..end]);
                bytes = &bytes[end..];
                let Some((sign, after)) = bytes.split_first() else { return };
                self.keep_bytes(&[*sign]);
                self.escaped = *sign == b'\\';
                self.in_string = self.escaped;
                bytes = after;
                continue;
            }
            if self.escaped {
                self.keep_bytes(&[*first]);
                self.escaped = false;
            } else {
                self.read_byte(*first);
            }
            bytes = rest;
        }
    }

    /// The id of a request; nothing for another message, or where it was not seen yet.
    pub fn request_id(&self) -> Option<Value> {
        if self.is_other || !self.is_request {
            return None;
        }
        let id: Value = serde_json::from_slice(self.id.as_ref()?).ok()?;
        (id.is_string() || id.is_i64() || id.is_u64()).then_some(id)
    }

    /// Returns whether the message is nested deeper than the JSON reader accepts.
    pub fn is_too_deep(&self) -> bool {
        self.deepest > MAX_NESTING
    }

    fn read_byte(&mut self, sign: u8) {
        let outermost = self.depth == 1;
        match sign {
            b'"' => {
                self.in_string = true;
                self.keep_bytes(b"\"");
            }
            b'{' | b'[' => {
                if self.depth == 0 {
                    self.is_other |= sign == b'[' || self.place != EnvelopePosition::Before;
                    self.place = EnvelopePosition::Name;
                } else {
                    self.keep_bytes(&[sign]);
                }
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
            }
            b'}' | b']' => {
                if outermost {
                    self.end_member();
                    self.place = EnvelopePosition::After;
                }
                self.depth = self.depth.saturating_sub(1);
                self.keep_bytes(&[sign]);
            }
            b':' if outermost && self.place == EnvelopePosition::Name => self.end_name(),
            b',' if outermost => self.end_member(),
            sign if sign.is_ascii_whitespace() => {}
            sign => {
                // A byte order mark may precede it.
                self.is_other |= self.depth == 0 && !matches!(sign, 0xef | 0xbb | 0xbf);
                self.keep_bytes(&[sign]);
            }
        }
    }

    fn end_name(&mut self) {
        self.name = std::mem::take(&mut self.word);
        self.place = EnvelopePosition::Value;
        match self.name.as_slice() {
            b"\"method\"" => self.is_request = true,
            b"\"result\"" | b"\"error\"" => self.is_other = true,
            _ => {}
        }
    }

    fn end_member(&mut self) {
        let word = std::mem::take(&mut self.word);
        if self.place == EnvelopePosition::Value && self.name == b"\"id\"" {
            self.is_other |= self.id.replace(word).is_some();
        }
        self.place = EnvelopePosition::Name;
    }

    /// Keeps bytes of a name or a value at the outermost level; of what is too long, and so no id, as much as shows that.
    fn keep_bytes(&mut self, bytes: &[u8]) {
        let wanted = self.place == EnvelopePosition::Name
            || (self.place == EnvelopePosition::Value && self.name == b"\"id\"");
        if wanted && self.word.len() <= MAX_WORD_BYTES {
            self.word.extend_from_slice(&bytes[..bytes.len().min(MAX_WORD_BYTES)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_id_of_a_request_is_found_wherever_it_stands() {
        let deep = "[".repeat(100_000);
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":01}}"#.to_owned(), json!(1)),
            (
                r#" { "params" : {"id":2,"b":"}\",\\"} , "method" : "m" , "id" : "x\"y" } "#.to_owned(),
                json!("x\"y"),
            ),
            ("\u{feff}{\"id\":7,\"method\":\"m\"}".to_owned(), json!(7)),
            (format!(r#"{{"id":3,"method":"m","params":{deep}"#), json!(3)),
            (format!(r#"{{"method":"m","params":{deep}{},"id":4}}"#, "]".repeat(100_000)), json!(4)),
            (r#"{"id":5,"method":"m","params":{"text":"torn"#.to_owned(), json!(5)),
            (r#"{"id":5,"method":"m","result":{}}"#.to_owned(), Value::Null),
            (r#"{"id":5,"error":{}}"#.to_owned(), Value::Null),
            (r#"{"method":"m"}"#.to_owned(), Value::Null),
            (r#"{"id":1,"id":2,"method":"m"}"#.to_owned(), Value::Null),
            (r#"{"id":{"a":1},"method":"m"}"#.to_owned(), Value::Null),
            (r#"{"id":1.5,"method":"m"}"#.to_owned(), Value::Null),
            (r#"{"id":12"#.to_owned(), Value::Null),
            (format!(r#"{{"id":"{}","method":"m"}}"#, "x".repeat(5000)), Value::Null),
            (r#"[{"id":1,"method":"m"}]"#.to_owned(), Value::Null),
            (r#"x{"id":1,"method":"m"}"#.to_owned(), Value::Null),
            ("not JSON".to_owned(), Value::Null),
        ] {
            let whole = MessageEnvelope::from_text(text.as_bytes());
            let shown = &text[..text.len().min(60)];
            assert_eq!(whole.request_id().unwrap_or_default(), id, "{shown}");
            let mut parts = MessageEnvelope::default();
            text.bytes().for_each(|byte| parts.feed(&[byte]));
            assert_eq!(parts.request_id(), whole.request_id(), "byte by byte: {shown}");
            assert_eq!(whole.is_too_deep(), text.contains(&deep), "{shown}");
        }
    }

    #[test]
    fn the_limit_is_that_of_the_reader() {
        for depth in [MAX_NESTING - 1, MAX_NESTING, MAX_NESTING + 1] {
            let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let read = serde_json::from_str::<Value>(&text).is_ok();
            assert_eq!(MessageEnvelope::from_text(text.as_bytes()).is_too_deep(), !read, "{depth}");
        }
    }
}
