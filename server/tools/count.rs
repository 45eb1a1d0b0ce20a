//! Whole numbers among the arguments.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A whole number that is not negative. `2.0` is one, by JSON Schema; a number past the largest counts as the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count(pub u64);

impl Count {
    /// The same, as a length.
    pub(super) fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountVisitor)
    }
}

struct CountVisitor;

impl Visitor<'_> for CountVisitor {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number that is not negative")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
        Ok(Count(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Count, E> {
        if number < 0.0 || number.fract() != 0.0 {
            return Err(E::invalid_value(serde::de::Unexpected::Float(number), &self));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        Ok(Count(number as u64))
    }
}

impl JsonSchema for Count {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Count".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 0 })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_are_read_as_a_schema_reads_them() {
        let read = |value: serde_json::Value| Count::deserialize(&value).ok().map(|count| count.0);
        assert_eq!(read(json!(2)), Some(2));
        assert_eq!(read(json!(2.0)), Some(2));
        assert_eq!(read(json!(1e30)), Some(u64::MAX));
        for none in [json!(-1), json!(2.5), json!(-2.0), json!("2"), json!(null)] {
            assert_eq!(read(none.clone()), None, "{none}");
        }
    }
}
