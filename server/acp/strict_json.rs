//! JSON that every reader takes for the same: no name occurs twice in an object.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A value whose objects have each name once.
struct UnambiguousJson(Value);

/// Reads a text.
///
/// # Errors
/// An error where it is no JSON, is nested too deep, or has a name twice in an object.
pub(super) fn read_unambiguous(text: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice::<UnambiguousJson>(text).map(|json| json.0)
}

impl<'de> Deserialize<'de> for UnambiguousJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor).map(Self)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is too large"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(UnambiguousJson(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let UnambiguousJson(value) = members.next_value()?;
            if map.insert(name.clone(), value).is_some() {
                return Err(A::Error::custom(format!("{name:?} stands twice in an object")));
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_is_and_a_name_that_stands_twice_is_an_error() {
        let text = r#"{"a":[1,-2,3.5,"x",null,true,{"b":{}}],"c":""}"#;
        assert_eq!(read_unambiguous(text.as_bytes()).unwrap().to_string(), text);
        let deep = "[".repeat(200) + &"]".repeat(200);
        for wrong in [r#"{"a":1,"a":2}"#, r#"{"x":[{"a":1,"\u0061":2}]}"#, "{", r#"{"a":NaN}"#, &deep] {
            assert!(read_unambiguous(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
