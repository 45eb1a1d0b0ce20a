//! Tests of the package: each format by cases, all by properties.

mod codes;
mod json;
mod markdown;
mod properties;
mod table;
mod toml;
mod yaml;

use serde_json::Value;

use crate::{PartAddress, PartChange, StructureError, StructureErrorCode, change_part, find_part};

fn key(address: &str) -> PartAddress {
    PartAddress::Key(address.to_owned())
}

/// Sets a key.
fn set(path: &str, text: &str, address: &str, value: Value) -> Result<String, StructureError> {
    change_part(path, text, &key(address), &PartChange::Value(value))
}

fn remove(path: &str, text: &str, address: &str) -> Result<String, StructureError> {
    change_part(path, text, &key(address), &PartChange::Remove)
}

/// Checks cases of a text, an address, a value and the text after it; no value takes the key away.
#[track_caller]
fn check_cases(path: &str, cases: &[(&str, &str, Option<Value>, &str)]) {
    let mut wrong = Vec::new();
    for (before, address, value, expected) in cases {
        let after = match value {
            Some(value) => set(path, before, address, value.clone()),
            None => remove(path, before, address),
        };
        let after = after.unwrap_or_else(|error| format!("{:?}: {error} {:?}", error.code, error.hints));
        if after != *expected {
            wrong.push(format!(
                "--- {address} = {value:?} in\n{before}\n--- is\n{after}\n--- not\n{expected}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[track_caller]
fn code_of<T: std::fmt::Debug>(result: Result<T, StructureError>) -> StructureErrorCode {
    result.unwrap_err().code
}

#[test]
fn an_address_for_another_kind_of_file_is_refused() {
    let symbol = PartAddress::Symbol("a".to_owned());
    assert_eq!(code_of(find_part("a.yaml", "a: 1\n", &symbol)), StructureErrorCode::BadAddress);
    assert_eq!(code_of(find_part("a.zig", "a: 1\n", &symbol)), StructureErrorCode::BadAddress);
    assert_eq!(code_of(find_part("a.rs", "fn a() {}\n", &key("a"))), StructureErrorCode::BadAddress);
}

#[test]
fn a_byte_order_mark_and_line_ends_are_kept() {
    let after = set("a.yaml", "\u{feff}a: 1\r\nb: 2\r\n", "b", serde_json::json!({ "c": [1] })).unwrap();
    assert_eq!(after, "\u{feff}a: 1\r\nb:\r\n  c:\r\n    - 1\r\n");
    let after = set("a.json", "\u{feff}{\r\n  \"a\": 1\r\n}\r\n", "b", serde_json::json!([1])).unwrap();
    assert_eq!(after, "\u{feff}{\r\n  \"a\": 1,\r\n  \"b\": [\r\n    1\r\n  ]\r\n}\r\n");
    let after = set("a.toml", "[a]\r\nb = 1\r\n", "a.c", serde_json::json!("x\ny")).unwrap();
    assert_eq!(after, "[a]\r\nb = 1\r\nc = \"x\\ny\"\r\n");
}
