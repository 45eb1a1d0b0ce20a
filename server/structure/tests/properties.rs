//! Properties of every value and every place, each result read by a parser that this package does not read with.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use crate::{PartAddress, PartChange, RowAddress, change_part, find_part};

/// Texts that a format could take for something else.
const TEXTS: [&str; 30] = [
    "",
    "a",
    "yes",
    "null",
    "~",
    "1",
    "1.0",
    "0x1",
    "-",
    "- a",
    "a: b",
    "a #b",
    "#",
    "'",
    "\"",
    "a\nb",
    "a\n",
    "a\n\nb\n",
    " a",
    "a ",
    "\t",
    "{",
    "[",
    "é…",
    "\\",
    "a, b",
    "2020-01-01",
    "<<",
    "'''",
    "x\"\"\"y",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => select(&TEXTS[..]).prop_map(str::to_owned), 1 => "[ -~\n]{0,12}"]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-e]", 1 => select(&["a.b", "x y", "1", "on", "a[0]", "é"][..]).prop_map(str::to_owned)]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        (-1000_i32..1000).prop_map(|number| json!(f64::from(number) / 8.0)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(name(), inner, 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn document() -> impl Strategy<Value = Map<String, Value>> {
    btree_map(name(), value(), 1..5).prop_map(|members| members.into_iter().collect())
}

/// The text of a document: its keys added one by one, with comments between them.
fn write_document(path: &str, document: &Map<String, Value>) -> String {
    let mut text = if path.ends_with("json") { "{\n}\n".to_owned() } else { "# first\n".to_owned() };
    for (key, value) in document {
        let address = PartAddress::Key(format!("{}", Value::from(key.as_str())));
        text = change_part(path, &text, &address, &PartChange::Value(value.clone())).unwrap();
    }
    text
}

fn read_document(path: &str, text: &str) -> Value {
    match path {
        "d.json" => serde_json::from_str(text).unwrap(),
        "d.toml" => serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap(),
        _ => serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")),
    }
}

/// Every address of a value, with its JSON pointer.
fn addresses(value: &Value, address: &str, pointer: &str, all: &mut Vec<(String, String)>) {
    let children: Vec<(String, String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| {
                let dot = if address.is_empty() { "" } else { "." };
                let escaped = key.replace('~', "~0").replace('/', "~1");
                (
                    format!("{address}{dot}{}", Value::from(key.as_str())),
                    format!("{pointer}/{escaped}"),
                    value,
                )
            })
            .collect(),
        Value::Array(elements) => {
            let element = |(at, value)| (format!("{address}[{at}]"), format!("{pointer}/{at}"), value);
            elements.iter().enumerate().map(element).collect()
        }
        _ => Vec::new(),
    };
    for (address, pointer, value) in children {
        all.push((address.clone(), pointer.clone()));
        addresses(value, &address, &pointer, all);
    }
}

/// A number has one value, however it is written.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(elements) => elements.iter().map(plain).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(key, value)| (key.clone(), plain(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().collect())
        }
        other => other.clone(),
    }
}

const PATHS: [&str; 3] = ["d.yaml", "d.json", "d.toml"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_value_that_was_set_is_read_again(document in document(), at in any::<Index>(), new in value(), path in select(&PATHS[..])) {
        let text = write_document(path, &document);
        let mut wanted = Value::Object(document);
        prop_assert_eq!(plain(&read_document(path, &text)), plain(&wanted), "{}", text);
        let mut all = Vec::new();
        addresses(&wanted, "", "", &mut all);
        let (address, pointer) = at.get(&all);
        let change = PartChange::Value(new.clone());
        let after = match change_part(path, &text, &PartAddress::Key(address.clone()), &change) {
            Ok(after) => after,
            // A table under a header takes another table alone.
            Err(error) if path == "d.toml" => {
                prop_assert!(wanted.pointer(pointer).is_some_and(|old| old.is_array() || (old.is_object() && !new.is_object())), "{error}: {address} in {text}");
                return Ok(());
            }
            Err(error) => panic!("{error}: {address} = {new} in {text}"),
        };
        *wanted.pointer_mut(pointer).unwrap() = new;
        prop_assert_eq!(plain(&read_document(path, &after)), plain(&wanted), "{} in {}", address, text);
    }

    #[test]
    fn outside_of_a_set_value_every_byte_stays(document in document(), at in any::<Index>(), new in value(), path in select(&PATHS[..])) {
        let text = write_document(path, &document).replacen('\n', "\n# between\n", 1).replace("# between\n", if path == "d.json" { "" } else { "# between\n" });
        let mut all = Vec::new();
        addresses(&Value::Object(document), "", "", &mut all);
        let (address, _) = at.get(&all);
        let address = PartAddress::Key(address.clone());
        let Ok(after) = change_part(path, &text, &address, &PartChange::Value(new)) else { return Ok(()) };
        let (Ok(old), Ok(new)) = (find_part(path, &text, &address), find_part(path, &after, &address)) else { return Ok(()) };
        prop_assert_eq!(&text[..old.start], &after[..new.start], "{} in {}", after, text);
        prop_assert_eq!(text[old.end..].trim_start_matches('\n'), after[new.end..].trim_start_matches('\n'), "{} from {}", after, text);
    }

    #[test]
    fn new_lines_end_as_the_others_do(document in document(), at in any::<Index>(), new in value(), path in select(&PATHS[..])) {
        let text = write_document(path, &document).replace('\n', "\r\n");
        // Line ends in a text over several lines would be its own.
        prop_assume!(path != "d.toml" || !text.contains("\"\"\"") && !text.contains("'''"));
        let mut wanted = Value::Object(document);
        let mut all = Vec::new();
        addresses(&wanted, "", "", &mut all);
        let (address, pointer) = at.get(&all);
        let change = PartChange::Value(new.clone());
        let Ok(after) = change_part(path, &text, &PartAddress::Key(address.clone()), &change) else {
            prop_assert!(path == "d.toml", "{address} = {new} in {text}");
            return Ok(());
        };
        prop_assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{:?}", after);
        *wanted.pointer_mut(pointer).unwrap() = new;
        prop_assert_eq!(plain(&read_document(path, &after)), plain(&wanted), "{} in {}", address, text);
    }

    #[test]
    fn a_removed_entry_leaves_the_others_as_they_were(document in document(), at in any::<Index>(), path in select(&PATHS[..])) {
        let text = write_document(path, &document);
        let mut wanted = Value::Object(document);
        let mut all = Vec::new();
        addresses(&wanted, "", "", &mut all);
        let (address, pointer) = at.get(&all);
        let after = match change_part(path, &text, &PartAddress::Key(address.clone()), &PartChange::Remove) {
            Ok(after) => after,
            Err(error) => panic!("{error}: {address} in {text}"),
        };
        let (parent, last) = pointer.rsplit_once('/').unwrap();
        match wanted.pointer_mut(parent).unwrap() {
            Value::Object(members) => drop(members.shift_remove(&last.replace("~1", "/").replace("~0", "~"))),
            Value::Array(elements) => drop(elements.remove(last.parse().unwrap())),
            _ => {}
        }
        if path == "d.toml" && read_document(path, &after).pointer(parent).is_none() {
            // A list of tables is there as long as one of its tables is.
            prop_assert_eq!(wanted.pointer(parent), Some(&json!([])));
            return Ok(());
        }
        prop_assert_eq!(plain(&read_document(path, &after)), plain(&wanted), "{} in {}", address, text);
    }
}

proptest! {
    // Each case is hundreds of calls.
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn any_text_and_any_address_are_answered(
        text in "(?s)[-a-c:#\\[\\]{}'\"|>&*!?,=\n\r \té`~.]{0,60}",
        address in "[-a-c.\\[\\]0+=\"' >#:<]{0,12}",
        new in "(?s)[-a-c:#\\[\\]{}'\"|\n\r `,=]{0,20}",
    ) {
        let paths = ["a.yaml", "a.json", "a.json5", "a.toml", "a.md", "a.csv", "a.rs", "a.py", "a.ts", "a.js", "a.go", "a.java", "a.c"];
        let row = RowAddress::Named(address.clone());
        let all = [
            PartAddress::Key(address.clone()),
            PartAddress::Heading(address.clone()),
            PartAddress::Symbol(address.clone()),
            PartAddress::Cell { row: row.clone(), column: None },
            PartAddress::Cell { row: RowAddress::Number(1), column: Some("1".to_owned()) },
            PartAddress::Key("a".to_owned()),
            PartAddress::Key("[0]".to_owned()),
        ];
        for path in paths {
            for at in &all {
                let _ = find_part(path, &text, at);
                for change in [PartChange::Remove, PartChange::Text(new.clone()), PartChange::Verbatim(new.clone()), PartChange::Value(json!({ "a": [new.clone()] })), PartChange::Value(json!(new.clone()))] {
                    let _ = change_part(path, &text, at, &change);
                }
            }
        }
    }
}
