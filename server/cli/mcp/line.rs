//! The members of a message that the pump needs: its id, its method, and the id of a request that it cancels.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The part of a message that is read.
#[derive(Debug, Default, Deserialize)]
pub(super) struct MessageLine<'a> {
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

impl<'a> MessageLine<'a> {
    /// Reads a line; a malformed one has no members.
    pub(super) fn read(line: &'a [u8]) -> Self {
        serde_json::from_slice(line).unwrap_or_default()
    }

    /// The id of a request; none if the line has no method.
    pub(super) fn request_id(&self) -> Option<&'a str> {
        self.method.as_ref().and(self.id).map(RawValue::get)
    }

    /// The id of a request that the agent cancels.
    pub(super) fn cancelled_id(&self) -> Option<&'a str> {
        #[derive(Deserialize)]
        struct Cancelled<'a> {
            #[serde(borrow, rename = "requestId")]
            request_id: &'a RawValue,
        }
        let params = self.params.filter(|_| self.method.as_deref() == Some("notifications/cancelled"))?;
        serde_json::from_str::<Cancelled<'_>>(params.get()).ok().map(|cancelled| cancelled.request_id.get())
    }
}

/// The id that an answer is for; none if the line is no answer. Answers can be long, so reading stops after the id if
/// it is before the result, as servers write it.
pub(super) fn answered_id(line: &[u8]) -> Option<&str> {
    let mut head = AnswerHead::default();
    // An error only ends the reading: the members read so far count.
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(&mut head);
    head.id.filter(|_| head.answers && !head.asks).map(RawValue::get)
}

/// The members of a line that were read.
#[derive(Default)]
struct AnswerHead<'a> {
    id: Option<&'a RawValue>,
    asks: bool,
    answers: bool,
}

impl<'a> Visitor<'a> for &mut AnswerHead<'a> {
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
    use super::{MessageLine, answered_id};

    #[test]
    fn requests_answers_and_what_is_neither() {
        let ids = |line: &'static str| {
            let line = line.as_bytes();
            (MessageLine::read(line).request_id().map(str::to_owned), answered_id(line).map(str::to_owned))
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
        assert_eq!(MessageLine::read(cancelled).cancelled_id(), Some("\"a\""));
        assert_eq!(MessageLine::read(br#"{"method":"notifications/cancelled"}"#).cancelled_id(), None);
    }
}
