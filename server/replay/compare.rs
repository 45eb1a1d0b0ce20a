//! Where two results differ, apart from what differs each time: times, ids, the place of the copy.

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
/// Differences of one call that are told.
const TOLD: usize = 20;
/// Characters of a value that are told.
const SHOWN: usize = 200;

/// One place where two results differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The place, as a JSON pointer.
    pub at: String,
    /// What stood there then; nothing where there was nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// What stands there now; nothing where there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// Where `then` and `now` differ; the paths of `now` are read as if they stood below the root of `then`.
pub(super) fn differences(then: &Value, now: &Value, roots: (&str, &str)) -> Vec<Difference> {
    let mut found = Vec::new();
    walk(then, now, roots, "", &mut found);
    found
}

fn walk(then: &Value, now: &Value, roots: (&str, &str), at: &str, found: &mut Vec<Difference>) {
    if found.len() >= TOLD {
        return;
    }
    match (then, now) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys.into_iter().filter(|key| !VOLATILE.contains(&key.as_str())) {
                let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => walk(a, b, roots, &place, found),
                    (a, b) => found.push(difference(place, a, b)),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                walk(a, b, roots, &format!("{at}/{index}"), found);
            }
        }
        (Value::String(a), Value::String(b)) => {
            let (then_root, now_root) = roots;
            if *a != b.replace(now_root, then_root) {
                found.push(difference(at.to_owned(), Some(then), Some(now)));
            }
        }
        _ if then == now => {}
        _ => found.push(difference(at.to_owned(), Some(then), Some(now))),
    }
}

fn difference(at: String, then: Option<&Value>, now: Option<&Value>) -> Difference {
    // Of two long texts what is told is where they part.
    let parts = match (then.and_then(Value::as_str), now.and_then(Value::as_str)) {
        (Some(a), Some(b)) => a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    let shown = |value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let skip = if parts > SHOWN / 2 { parts - SHOWN / 4 } else { 0 };
        let cut: String = text.chars().skip(skip).take(SHOWN).collect();
        let before = if skip > 0 { "…" } else { "" };
        let after = if text.chars().count() > skip + SHOWN { "…" } else { "" };
        format!("{before}{cut}{after}")
    };
    Difference { at, then: then.map(shown), now: now.map(shown) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(then: &Value, now: &Value) -> Vec<String> {
        differences(then, now, ("/a/ws", "/tmp/x/ws")).into_iter().map(|found| found.at).collect()
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
        let found = differences(&text("one"), &text("two"), ("", "/tmp"));
        assert!(
            found[0].then.as_ref().unwrap().ends_with("xxone") && found[0].now.as_ref().unwrap().len() < 300
        );
    }
}
