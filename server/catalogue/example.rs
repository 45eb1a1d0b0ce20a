//! Compares an example's output with a real one.

use serde_json::Value;

/// Returns whether `actual` is what an example promises: an object has at least the members that `expected` names, an
/// array has as many items and each one matches, anything else is equal. What differs from run to run (times, hashes)
/// is left out of examples.
pub fn matches_example(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            let member = |(name, value): (&String, &Value)| {
                actual.get(name).is_some_and(|other| matches_example(value, other))
            };
            expected.iter().all(member)
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len()
                && expected.iter().zip(actual).all(|(expected, actual)| matches_example(expected, actual))
        }
        _ => expected == actual,
    }
}
