//! What the pump has to know of a message that passes: its id, its method, and whether it cancels another.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The part of a message that is looked at.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Line<'a> {
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
    pub(super) fn read(line: &'a [u8]) -> Self {
        serde_json::from_slice(line).unwrap_or_default()
    }

    /// The id of a request: what has a method too.
    pub(super) fn request(&self) -> Option<&'a str> {
        self.method.as_ref().and(self.id).map(RawValue::get)
    }

    /// The id of a request that the agent wants no answer to any more.
    pub(super) fn cancelled(&self) -> Option<&'a str> {
        #[derive(Deserialize)]
        struct Cancelled<'a> {
            #[serde(borrow, rename = "requestId")]
            request_id: &'a RawValue,
        }
        let params = self.params.filter(|_| self.method.as_deref() == Some("notifications/cancelled"))?;
        serde_json::from_str::<Cancelled<'_>>(params.get()).ok().map(|cancelled| cancelled.request_id.get())
    }
}

/// The id that an answer is for; nothing where the line is no answer. Answers can be long, so one whose id stands
/// before its result, as servers write it, is read no further than to there.
pub(super) fn answered(line: &[u8]) -> Option<&str> {
    let mut head = Head::default();
    // An error only ends the reading: what the head holds by then counts.
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(&mut head);
    head.id.filter(|_| head.answers && !head.asks).map(RawValue::get)
}

/// What was seen of a line.
#[derive(Default)]
struct Head<'a> {
    id: Option<&'a RawValue>,
    asks: bool,
    answers: bool,
}

impl<'a> Visitor<'a> for &mut Head<'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a message")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<std::borrow::Cow<'a, str>>()? {
            match &*name {
                "id" => self.id = Some(members.next_value()?),
                "method" => {
                    self.asks = true;
                    return Ok(());
                }
                "result" | "error" => {
                    self.answers = true;
                    if self.id.is_some() {
                        return Ok(());
                    }
                    members.next_value::<IgnoredAny>()?;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, answered};

    #[test]
    fn requests_answers_and_what_is_neither() {
        let ids = |line: &'static str| {
            let line = line.as_bytes();
            (Line::read(line).request().map(str::to_owned), answered(line).map(str::to_owned))
        };
        let some = |id: &str| Some(id.to_owned());
        assert_eq!(ids(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), (some("1"), None));
        assert_eq!(ids(r#"{"id":"a b","result":{"id":2}}"#), (None, some("\"a b\"")));
        assert_eq!(ids(r#"{"result":{"id":2},"jsonrpc":"2.0","id":3}"#), (None, some("3")));
        assert_eq!(ids(r#"{"error":{"code":-1},"id":null}"#), (None, some("null")));
        assert_eq!(ids(r#"{"id":4,"params":{},"method":"ping"}"#), (some("4"), None));
        assert_eq!(ids(r#"{"method":"notifications/initialized"}"#), (None, None));
        assert_eq!(ids("not JSON"), (None, None));
        let cancelled = br#"{"method":"notifications/cancelled","params":{"requestId":"a"}}"#;
        assert_eq!(Line::read(cancelled).cancelled(), Some("\"a\""));
        assert_eq!(Line::read(br#"{"method":"notifications/cancelled"}"#).cancelled(), None);
    }
}
