//! What a JSON-RPC message says of itself, read from bytes that may be too many, nested too deep or no JSON: whether it is
//! a request, and by which id. Nothing of the message is kept but that.

use serde_json::Value;

/// Levels of nesting that a message may have: what the JSON reader takes.
pub const DEEPEST: usize = 127;

/// Bytes of the longest name or id that is looked at.
const WORD: usize = 1 << 10;

/// The part of a message that was fed so far.
#[derive(Clone, Debug, Default)]
pub struct Envelope {
    depth: usize,
    deepest: usize,
    in_string: bool,
    escaped: bool,
    place: Place,
    /// The name or the value that is being read at the outermost level.
    word: Vec<u8>,
    name: Vec<u8>,
    id: Option<Vec<u8>>,
    asks: bool,
    /// It answers, names two ids, or is no object.
    is_other: bool,
}

/// Where in the outermost object the reader stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Before,
    Name,
    Value,
    After,
}

impl Envelope {
    /// What a whole text says of itself.
    pub fn of(text: &[u8]) -> Self {
        let mut envelope = Self::default();
        envelope.feed(text);
        envelope
    }

    /// Reads further bytes of the message.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((first, rest)) = bytes.split_first() {
            if self.in_string && !self.escaped {
                // Most bytes of a large message stand in strings.
                let end = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
                self.keep(&bytes[..end]);
                bytes = &bytes[end..];
                let Some((sign, after)) = bytes.split_first() else { return };
                self.keep(&[*sign]);
                self.escaped = *sign == b'\\';
                self.in_string = self.escaped;
                bytes = after;
                continue;
            }
            if self.escaped {
                self.keep(&[*first]);
                self.escaped = false;
            } else {
                self.sign(*first);
            }
            bytes = rest;
        }
    }

    /// The id of a request; nothing for another message, or where it was not seen yet.
    pub fn request_id(&self) -> Option<Value> {
        if self.is_other || !self.asks {
            return None;
        }
        let id: Value = serde_json::from_slice(self.id.as_ref()?).ok()?;
        (id.is_string() || id.is_i64() || id.is_u64()).then_some(id)
    }

    /// Whether it is nested deeper than the JSON reader takes.
    pub fn is_too_deep(&self) -> bool {
        self.deepest > DEEPEST
    }

    fn sign(&mut self, sign: u8) {
        let outermost = self.depth == 1;
        match sign {
            b'"' => {
                self.in_string = true;
                self.keep(b"\"");
            }
            b'{' | b'[' => {
                if self.depth == 0 {
                    self.is_other |= sign == b'[' || self.place != Place::Before;
                    self.place = Place::Name;
                } else {
                    self.keep(&[sign]);
                }
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
            }
            b'}' | b']' => {
                if outermost {
                    self.member();
                    self.place = Place::After;
                }
                self.depth = self.depth.saturating_sub(1);
                self.keep(&[sign]);
            }
            b':' if outermost && self.place == Place::Name => self.named(),
            b',' if outermost => self.member(),
            sign if sign.is_ascii_whitespace() => {}
            sign => {
                // A mark of byte order may stand before it.
                self.is_other |= self.depth == 0 && !matches!(sign, 0xef | 0xbb | 0xbf);
                self.keep(&[sign]);
            }
        }
    }

    fn named(&mut self) {
        self.name = std::mem::take(&mut self.word);
        self.place = Place::Value;
        match self.name.as_slice() {
            b"\"method\"" => self.asks = true,
            b"\"result\"" | b"\"error\"" => self.is_other = true,
            _ => {}
        }
    }

    fn member(&mut self) {
        let word = std::mem::take(&mut self.word);
        if self.place == Place::Value && self.name == b"\"id\"" {
            self.is_other |= self.id.replace(word).is_some();
        }
        self.place = Place::Name;
    }

    /// Keeps bytes of a name or a value at the outermost level; of what is too long, and so no id, as much as shows that.
    fn keep(&mut self, bytes: &[u8]) {
        let wanted = self.place == Place::Name || (self.place == Place::Value && self.name == b"\"id\"");
        if wanted && self.word.len() <= WORD {
            self.word.extend_from_slice(&bytes[..bytes.len().min(WORD)]);
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
            let whole = Envelope::of(text.as_bytes());
            let shown = &text[..text.len().min(60)];
            assert_eq!(whole.request_id().unwrap_or_default(), id, "{shown}");
            let mut parts = Envelope::default();
            text.bytes().for_each(|byte| parts.feed(&[byte]));
            assert_eq!(parts.request_id(), whole.request_id(), "byte by byte: {shown}");
            assert_eq!(whole.is_too_deep(), text.contains(&deep), "{shown}");
        }
    }

    #[test]
    fn the_limit_is_that_of_the_reader() {
        for depth in [DEEPEST - 1, DEEPEST, DEEPEST + 1] {
            let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let read = serde_json::from_str::<Value>(&text).is_ok();
            assert_eq!(Envelope::of(text.as_bytes()).is_too_deep(), !read, "{depth}");
        }
    }
}
