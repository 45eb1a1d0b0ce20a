//! The bytes of a hook's message as JSON, read as the agent's own parser reads them.

use serde_json::Value;

use super::MessageError;
use crate::base::surrogates;

/// Bytes of a message at most.
pub(super) const LONGEST: usize = 64 << 20;

/// Reads a message. An unpaired surrogate becomes U+FFFD, and of two members of one name the last counts, as in JavaScript.
///
/// # Errors
/// The problem with it.
pub(super) fn read_json(bytes: &[u8]) -> Result<Value, MessageError> {
    if bytes.len() > LONGEST {
        return Err(MessageError::Long(LONGEST));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| MessageError::Encoding)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).or_else(|error| match surrogates::replace_halves(text) {
        Some(whole) => serde_json::from_str(&whole).map_err(MessageError::Json),
        None => Err(MessageError::Json(error)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_javascript_reads_is_read() {
        let read = |text: &str| read_json(text.as_bytes()).unwrap();
        assert_eq!(read(r#"{"a":"smile \ud83d cut"}"#)["a"], "smile \u{fffd} cut");
        assert_eq!(read(r#"{"a":1,"a":2}"#)["a"], 2);
        assert_eq!(read("\u{feff}{\"a\":1}")["a"], 1);
    }

    #[test]
    fn what_nobody_reads_for_sure_is_an_error() {
        let deep = format!("{}1{}", "[".repeat(129), "]".repeat(129));
        for text in ["", "{", "{\"a\":NaN}", "{\"a\":1e999}", deep.as_str(), "{} {}", "{\"a\":\"\t\"}"] {
            assert!(matches!(read_json(text.as_bytes()), Err(MessageError::Json(_))), "{text}");
        }
        assert!(matches!(read_json(b"{\"a\":\"\xff\"}"), Err(MessageError::Encoding)));
        assert!(matches!(read_json(&vec![b' '; LONGEST + 1]), Err(MessageError::Long(_))));
    }
}
