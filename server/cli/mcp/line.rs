//! What the pump has to know of a message that passes: its id, its method, and whether it cancels another.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The part of a message that is looked at.
#[derive(Debug, Default, Deserialize)]
pub struct Line<'a> {
    /// Its id, as it is written.
    #[serde(borrow, default)]
    pub id: Option<&'a RawValue>,
    /// Its params, as they are written.
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    /// Its method; an answer has none.
    #[serde(borrow, default)]
    pub method: Option<std::borrow::Cow<'a, str>>,
}

impl<'a> Line<'a> {
    /// Reads a line; one that is no message has neither.
    pub fn read(line: &'a [u8]) -> Self {
        serde_json::from_slice(line).unwrap_or_default()
    }

    /// The id of a request: what has a method too.
    pub fn request(&self) -> Option<&'a str> {
        self.method.as_ref().and(self.id).map(RawValue::get)
    }

    /// The id of a request that the agent wants no answer to any more.
    pub fn cancelled(&self) -> Option<&'a str> {
        #[derive(Deserialize)]
        struct Cancelled<'a> {
            #[serde(borrow, rename = "requestId")]
            request_id: &'a RawValue,
        }
        let params = self.params.filter(|_| self.method.as_deref() == Some("notifications/cancelled"))?;
        serde_json::from_str::<Cancelled<'_>>(params.get()).ok().map(|cancelled| cancelled.request_id.get())
    }

    /// The id that an answer is for.
    pub fn answered(&self) -> Option<&'a str> {
        match self.method {
            None => self.id.map(RawValue::get),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn requests_answers_and_what_is_neither() {
        let ids = |line: &'static str| {
            let line = Line::read(line.as_bytes());
            (line.request().map(str::to_owned), line.answered().map(str::to_owned))
        };
        let some = |id: &str| Some(id.to_owned());
        assert_eq!(ids(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), (some("1"), None));
        assert_eq!(ids(r#"{"id":"a b","result":{"id":2}}"#), (None, some("\"a b\"")));
        assert_eq!(ids(r#"{"method":"notifications/initialized"}"#), (None, None));
        assert_eq!(ids("not JSON"), (None, None));
        let cancelled = br#"{"method":"notifications/cancelled","params":{"requestId":"a"}}"#;
        assert_eq!(Line::read(cancelled).cancelled(), Some("\"a\""));
        assert_eq!(Line::read(br#"{"method":"notifications/cancelled"}"#).cancelled(), None);
    }
}
