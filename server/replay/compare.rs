//! Compares two results, apart from the parts that differ each time: times, ids, the place of the copy.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

/// Members that say when and as which number something ran, and not what came of it.
const VOLATILE: [&str; 12] = [
    "age_s",
    "created",
    "duration_ms",
    "elapsed_ms",
    "id",
    "modified",
    "peak_memory",
    "pid",
    "proposal",
    "sandbox",
    "score",
    "time",
];
/// Members that results have since a later version: a recording of before says nothing of them.
const ADDED: [&str; 4] = ["bytes", "exit_code", "next_action", "suggestion"];
/// The differences of one call that are reported.
const MOST_TOLD: usize = 20;
/// The characters of a value that are reported.
const SHOWN_CHARS: usize = 200;

/// A place where two results differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultDifference {
    /// The place, as a JSON pointer.
    pub at: String,
    /// The value then; nothing where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// The value now; nothing where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// Returns the differences of `then` and `now`; the paths of `now` are read as if they were below the root of `then`.
pub(super) fn find_differences(then: &Value, now: &Value, roots: (&str, &str)) -> Vec<ResultDifference> {
    let mut found = Vec::new();
    compare_values(then, now, roots, "", &mut found);
    found
}

fn compare_values(
    then: &Value,
    now: &Value,
    roots: (&str, &str),
    at: &str,
    found: &mut Vec<ResultDifference>,
) {
    if found.len() >= MOST_TOLD {
        return;
    }
    match (then, now) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys.into_iter().filter(|key| !VOLATILE.contains(&key.as_str())) {
                let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => compare_values(a, b, roots, &place, found),
                    (None, Some(_)) if ADDED.contains(&key.as_str()) => {}
                    (a, b) => found.push(new_difference(place, a, b)),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare_values(a, b, roots, &format!("{at}/{index}"), found);
            }
        }
        (Value::String(a), Value::String(b)) => {
            let (then_root, now_root) = roots;
            if *a != b.replace(now_root, then_root) {
                found.push(new_difference(at.to_owned(), Some(then), Some(now)));
            }
        }
        _ if then == now => {}
        _ => found.push(new_difference(at.to_owned(), Some(then), Some(now))),
    }
}

fn new_difference(at: String, then: Option<&Value>, now: Option<&Value>) -> ResultDifference {
    // Of two long texts the place where they part is shown.
    let parts = match (then.and_then(Value::as_str), now.and_then(Value::as_str)) {
        (Some(a), Some(b)) => a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    let shown = |value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let skip = if parts > SHOWN_CHARS / 2 { parts - SHOWN_CHARS / 4 } else { 0 };
        let cut: String = text.chars().skip(skip).take(SHOWN_CHARS).collect();
        let before = if skip > 0 { "…" } else { "" };
        let after = if text.chars().count() > skip + SHOWN_CHARS { "…" } else { "" };
        format!("{before}{cut}{after}")
    };
    ResultDifference { at, then: then.map(shown), now: now.map(shown) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(then: &Value, now: &Value) -> Vec<String> {
        find_differences(then, now, ("/a/ws", "/tmp/x/ws")).into_iter().map(|found| found.at).collect()
    }

    #[test]
    fn times_ids_and_the_place_of_the_copy_make_no_difference() {
        let then =
            json!({ "result": { "path": "/a/ws/f", "duration_ms": 1, "lines": [1, { "proposal": "p" }] } });
        let now = json!({ "result": { "path": "/tmp/x/ws/f", "duration_ms": 9, "lines": [1, { "proposal": "q" }] } });
        assert_eq!(places(&then, &now), Vec::<String>::new());
    }

    #[test]
    fn each_place_is_told_by_its_pointer() {
        let then =
            json!({ "result": { "a/b": 1, "text": "one", "list": [1, 2], "gone": true, "same": null } });
        let now = json!({ "result": { "a/b": 2, "text": "two", "list": [1], "new": 1, "same": null } });
        let expected = ["/result/a~1b", "/result/gone", "/result/list", "/result/new", "/result/text"];
        assert_eq!(places(&then, &now), expected);
        let failed = json!({ "error": { "code": "NOT_FOUND" } });
        assert_eq!(places(&then, &failed), ["/error", "/result"]);
    }

    #[test]
    fn of_long_texts_the_part_is_told_where_they_differ() {
        let text = |end: &str| json!(format!("{}{end}", "x".repeat(5000)));
        let found = find_differences(&text("one"), &text("two"), ("", "/tmp"));
        assert!(
            found[0].then.as_ref().unwrap().ends_with("xxone") && found[0].now.as_ref().unwrap().len() < 300
        );
    }
}
