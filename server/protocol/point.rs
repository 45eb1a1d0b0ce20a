//! A point in the session log.

use std::fmt;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::Proposal;

/// A point in the session log: a call, as `c-0007` or `SESSION/c-0007`, or a time of RFC 3339.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Point {
    /// A call: its session, the one that is open if none is named, and its number.
    Call(Option<String>, u64),
    /// A time.
    Time(Timestamp),
}

impl Point {
    /// Returns whether a proposal was made after it; `open` is the session that is open.
    pub fn is_before(&self, proposal: &Proposal, open: &str) -> bool {
        match self {
            Self::Call(session, number) => {
                session.as_deref().unwrap_or(open) == proposal.session
                    && number_of(&proposal.call_id).is_some_and(|made| made > *number)
            }
            Self::Time(time) => proposal.created.parse::<Timestamp>().is_ok_and(|made| made > *time),
        }
    }
}

fn number_of(call: &str) -> Option<u64> {
    call.strip_prefix("c-")?.parse().ok()
}

impl TryFrom<String> for Point {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (session, call) = match text.rsplit_once('/') {
            Some((session, call)) => (Some(session.to_owned()), call),
            None => (None, text.as_str()),
        };
        if let Some(number) = number_of(call) {
            return Ok(Self::Call(session, number));
        }
        text.parse().map(Self::Time).map_err(|_| {
            format!(
                "{text:?} is no point in the log: name a call, as c-0007, or a time, as 2026-01-31T12:00:00Z"
            )
        })
    }
}

impl From<Point> for String {
    fn from(point: Point) -> Self {
        point.to_string()
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(None, number) => write!(f, "c-{number:04}"),
            Self::Call(Some(session), number) => write!(f, "{session}/c-{number:04}"),
            Self::Time(time) => time.fmt(f),
        }
    }
}

impl JsonSchema for Point {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Point".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A point in the session log: a call, as `c-0007` or `SESSION/c-0007`, or a time of RFC 3339.",
            "type": "string",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Point;

    #[test]
    fn points_are_read_and_written() {
        for text in ["c-0007", "s-1/c-12345", "2026-01-31T12:00:00Z"] {
            assert_eq!(Point::try_from(text.to_owned()).unwrap().to_string(), text);
        }
        for text in ["", "c-", "c-x", "yesterday", "s-1/"] {
            assert!(Point::try_from(text.to_owned()).unwrap_err().contains("no point"), "{text}");
        }
    }
}
