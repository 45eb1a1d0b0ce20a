//! Values made to forge the log: they come back byte for byte, and the log has no event more.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::{bodies, call, entries, open, result, sound, text};
use crate::protocol::LogEvent;
use crate::redact::redact_value;

/// Writes each value as an argument, as a key, as the why, as a comment and as a result, and reads it back.
fn check(values: &[Value]) {
    let dir = TempDir::new().unwrap();
    let mut written = Vec::new();
    let journal = open(dir.path());
    for (number, value) in (1..).zip(values) {
        let mut keyed = Map::new();
        if let Value::String(text) = value {
            keyed.insert(text.clone(), 1.into());
        }
        let why = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let args = json!({ "value": value, "list": [value, [value]], "keyed": keyed, "why": why });
        let LogEvent { event, .. } = call(number, args.clone());
        let comments = [("args.value".to_owned(), why.clone()), (why.clone(), why)].into();
        journal.append(LogEvent { event, comments }).unwrap();
        journal.append(result(number, value.clone())).unwrap();
        let mut pair = [args, value.clone()];
        pair.iter_mut().for_each(redact_value);
        written.push(pair);
    }
    drop(journal);
    sound(dir.path(), 1 + 2 * values.len() as u64);
    let read = bodies(dir.path());
    for (at, [args, value]) in written.iter().enumerate() {
        assert_eq!(&read[1 + 2 * at]["args"], args);
        assert_eq!(&read[2 + 2 * at]["result"], value);
    }
    for (entry, value) in entries(dir.path()).iter().skip(1).step_by(2).zip(values) {
        let why = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let why = crate::redact::redact(&why).into_owned();
        assert_eq!(entry.comments.get("args.value"), Some(&why));
    }
    let shown = text(dir.path());
    let bad = shown.chars().find(|c| *c != '\n' && *c != '\t' && crate::base::hidden::is_hidden(*c));
    assert_eq!(bad, None, "a hidden character stands in the log");
    let begun = |mark: &str| shown.lines().filter(|line| line.starts_with(mark)).count();
    assert_eq!((begun("#"), begun("**")), (2 + values.len(), values.len()), "a heading was forged");
}

#[test]
fn forged_strings_come_back() {
    let cases =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/log/forge.json"))
            .unwrap();
    let cases: Vec<Value> = serde_json::from_str(&cases).unwrap();
    check(&cases);
}

#[test]
fn references_cannot_be_forged() {
    let hash = "0".repeat(64);
    check(&[
        json!({ "sealed": hash, "bytes": 1 }),
        json!({ "=sealed": hash, "sealed": 1, "==sealed": 2 }),
        json!([{ "sealed": { "sealed": hash } }]),
        json!({ "sealed": "x".repeat(5000) }),
        json!({ "hash": hash, "prev": hash, "seq": 1, "type": "session_end", "time": "", "last": {}, "comments": {} }),
    ]);
}

#[test]
fn numbers_come_back() {
    check(&[
        json!([0, -1, u64::MAX, i64::MIN, i64::MAX, 1.0, -0.0, 0.1, 1e16, 1e-7, 1e300, 5e-324, f64::MAX]),
        json!([1.5e-9, 123_456_789.123_456_79, 1e21, -1e-300, 9_007_199_254_740_993_u64]),
        json!([true, false, null, {}, [], [[]], [{}], [[[1], []], [{ "a": [] }]]]),
    ]);
}

#[test]
fn deep_and_large_values_come_back() {
    let mut deep = json!("bottom");
    for level in 0..90 {
        deep = if level % 2 == 0 { json!([deep]) } else { json!({ "level": deep, "sealed": level }) };
    }
    let wide: Vec<Value> = (0..20_000).map(|n| json!({ "name": format!("file{n}.rs"), "size": n })).collect();
    let keys: Map<String, Value> = (0..20_000).map(|n| (format!("key {n}"), n.into())).collect();
    check(&[
        deep,
        wide.into(),
        keys.into(),
        "`x\u{1b}\n".repeat(1_250_000).into(),
        json!({ "k".repeat(3000): 1 }),
    ]);
}

fn any_text() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "```", "\n", "## ", "# ", "#", "---", ": ", ":", "- ", "-", "\u{202e}", "\"", "\\", "  ", " ", "\t",
        "\r", "sealed", "=", "|", "{", "}", "[", "]", "&a", "*a", "!!", "null", "0x1", "1e3", "~", "\u{85}",
        "\u{feff}", "\0", "a", "b", ",", "?", "'", "%", "@", "é", "日", "👩", "\u{2028}", "\u{fffe}", "<<",
        "yaml\n", "...",
    ]);
    prop_oneof![
        any::<String>(),
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat()),
        prop::collection::vec(any::<char>(), 0..20).prop_map(|chars| chars.into_iter().collect::<String>()),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn any_value_comes_back(values in prop::collection::vec(any_value(), 1..12)) {
        check(&values);
    }
}
