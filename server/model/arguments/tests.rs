//! Cases as data, and what holds for every text.

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{ArgumentRepair, calls_in_text, read_arguments, tool_name};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    case: String,
    raw: String,
    schema: Option<Value>,
    value: Option<Map<String, Value>>,
    #[serde(default)]
    repairs: Vec<ArgumentRepair>,
    refused: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InText {
    case: String,
    text: String,
    #[serde(default)]
    calls: Vec<Found>,
    broken: Option<String>,
    prose: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Found {
    name: String,
    arguments: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
    tool: Option<String>,
    #[serde(default)]
    exact: bool,
}

fn file(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/arguments");
    std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
}

fn schema() -> Value {
    serde_json::from_str(&file("schema.json")).unwrap()
}

fn resolve(name: &str) -> Option<String> {
    let tool = match name {
        "read_file" => "fs.read",
        "write_file" => "fs.write",
        "search_text" => "search.lexical",
        "run_command" | "shell" => "terminal.run",
        "fs.read" | "fs.write" | "search.lexical" | "terminal.run" | "a.b_c" | "a_b.c" => name,
        _ => return None,
    };
    Some(tool.to_owned())
}

#[test]
fn arguments_are_repaired_or_refused_as_the_table_says() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for name in ["sound.yaml", "refused.yaml"] {
        let cases: Vec<Case> = serde_saphyr::from_str(&file(name)).unwrap();
        for case in cases {
            count += 1;
            let read = read_arguments(&case.raw, &case.schema.unwrap_or_else(schema));
            let is_right = match (&read, &case.value, &case.refused) {
                (Ok(read), Some(value), None) => {
                    let (mut found, mut expected) = (read.repairs.clone(), case.repairs);
                    found.sort();
                    expected.sort();
                    read.value == *value && found == expected
                }
                (Err(error), None, Some(part)) => error.reason.contains(part),
                _ => false,
            };
            if !is_right {
                wrong.push(format!("{}: {read:?}", case.case));
            }
        }
    }
    assert!(wrong.is_empty() && count >= 60, "{count} cases\n{}", wrong.join("\n"));
}

#[test]
fn calls_in_words_are_found_or_left_alone_as_the_table_says() {
    let cases: Vec<InText> = serde_saphyr::from_str(&file("calls.yaml")).unwrap();
    let mut wrong = Vec::new();
    for case in cases {
        let found = calls_in_text(&case.text, &resolve);
        let read = |call: &super::TextCall| Found {
            name: call.name.clone(),
            arguments: read_arguments(&call.arguments, &json!({})).unwrap().value,
        };
        let calls: Vec<Found> = found.calls.iter().map(read).collect();
        let is_broken = match (&found.broken, &case.broken) {
            (Some(broken), Some(part)) => broken.reason.contains(part),
            (None, None) => true,
            _ => false,
        };
        let is_said = case.prose.is_none_or(|prose| prose == found.prose);
        let is_told = found.calls.iter().all(|call| !call.repairs.is_empty());
        if calls != case.calls || !is_broken || !is_said || !is_told {
            wrong.push(format!("{}: {found:?}", case.case));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_of_tools_are_found_or_not_as_the_table_says() {
    let cases: Vec<Named> = serde_saphyr::from_str(&file("names.yaml")).unwrap();
    for Named { name, tool, exact } in cases {
        let repair = (!exact).then_some(ArgumentRepair::ToolName);
        assert_eq!(tool_name(&name, &resolve), tool.map(|tool| (tool, repair)), "{name:?}");
    }
}

/// Any JSON value without a number that has a fraction, whose text is not always the same.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".*", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Pieces of what models write.
fn scraps() -> impl Strategy<Value = String> {
    let scrap = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just("\""),
        Just("'"),
        Just("\\"),
        Just("\\u"),
        Just("d83d"),
        Just(":"),
        Just(","),
        Just("```"),
        Just("`"),
        Just("<tool_call>"),
        Just("</tool_call>"),
        Just("<function=x>"),
        Just("</function>"),
        Just("<parameter=p>"),
        Just("</parameter>"),
        Just("[TOOL_CALLS]"),
        Just("<|channel|>commentary to=fs.read"),
        Just("<|message|>"),
        Just("<|call|>"),
        Just("<|tool_call_begin|>fs.read:0"),
        Just("<|tool_call_argument_begin|>"),
        Just("<｜tool▁call▁begin｜>"),
        Just("<｜tool▁sep｜>"),
        Just("<|python_tag|>"),
        Just("<think>"),
        Just("name"),
        Just("\"name\":\"fs.read\""),
        Just("\"arguments\":{}"),
        Just("\n"),
        Just(" "),
        Just("é"),
        Just("🦀"),
        Just("//"),
        Just("/*"),
        Just("1"),
        Just("_"),
        Just("."),
        Just("None"),
        Just("<arg_key>"),
        Just("</arg_key>"),
        Just("<invoke name=\"x\">"),
    ];
    prop::collection::vec(scrap, 0..24).prop_map(|scraps| scraps.concat())
}

proptest! {
    #[test]
    fn sound_json_is_never_changed(map in prop::collection::btree_map(".*", json_value(), 1..6), is_pretty: bool) {
        let value = Value::Object(map.into_iter().collect());
        let text = if is_pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let read = read_arguments(&text, &json!({ "type": "object" })).unwrap();
        prop_assert_eq!(Value::Object(read.value), expected);
        prop_assert_eq!(read.repairs, vec![]);
    }

    #[test]
    fn no_text_makes_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), scraps in scraps()) {
        for text in [String::from_utf8_lossy(&bytes).into_owned(), scraps] {
            let _ = read_arguments(&text, &schema());
            let found = calls_in_text(&text, &resolve);
            prop_assert!(found.prose.len() <= text.len());
            let _ = tool_name(&text, &resolve);
        }
    }
}

#[test]
fn large_and_deep_texts_are_read_in_time() {
    let began = std::time::Instant::now();
    let text = format!("{{\"path\": \"{}\"}}", "x".repeat(4 << 20));
    assert!(read_arguments(&text, &schema()).is_ok());
    for text in
        ["[".repeat(1 << 20), "{\"a\":".repeat(1 << 18), "<tool_call>".repeat(1 << 16), "`".repeat(1 << 20)]
    {
        let _ = read_arguments(&text, &schema());
        let _ = calls_in_text(&text, &resolve);
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}
