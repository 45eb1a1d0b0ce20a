//! The offers at a place of a definition, and the schema that they come from.

use super::*;
use crate::tools::DEFINITIONS;

/// The labels of what is offered at `|`.
fn at(text: &str) -> Vec<String> {
    let place = text.find('|').unwrap();
    let text = text.replacen('|', "", 1);
    completion_offers(&text, place).into_iter().map(|offer| offer.label).collect()
}

#[test]
fn keys_are_offered_where_they_belong() {
    assert_eq!(at("|"), ["tool", "custom_tools", "function"]);
    assert_eq!(
        at("tool:\n  name: a\n  sandbox:\n    |"),
        ["network", "filesystem", "timeout_ms", "hosts", "effects"]
    );
    assert_eq!(
        at("tool:\n  sandbox:\n    ne|\n    network: true\n  risk: read\n"),
        ["filesystem", "timeout_ms", "hosts", "effects"]
    );
    assert_eq!(at("tool:\n  examples:\n    - input: {}\n    - why: x\n      |\n"), ["input", "output"]);
    assert_eq!(at("tool:\n  examples:\n  - |"), ["input", "output", "why"]);
    assert_eq!(
        at("custom_tools:\n  - name: a\n    sandbox: {}\n  - name: b\n    san|"),
        at("tool:\n  name: b\n  san|")
    );
    let inner = at("tool:\n  input_schema:\n    properties:\n      path:\n        type: string\n        |");
    assert!(inner.contains(&"description".to_owned()) && !inner.contains(&"type".to_owned()), "{inner:?}");
    assert_eq!(
        at("tool:\r\n  sandbox:\r\n    |\r\n"),
        ["network", "filesystem", "timeout_ms", "hosts", "effects"]
    );
}

#[test]
fn values_are_offered_behind_their_key() {
    assert_eq!(at("tool:\n  risk: |"), ["read", "write", "execute", "network"]);
    assert_eq!(at("tool:\n  risk: wr|"), ["read", "write", "execute", "network"]);
    assert_eq!(at("tool:\n  sandbox:\n    network: |\n"), ["true", "false"]);
    for nothing in [
        "tool:\n  name: |",
        "tool:\n  description: >\n    some |",
        "tool:\n  # |",
        "tool:\n  x:\n    |",
        "tool:\n  risk:|",
    ] {
        assert_eq!(at(nothing), [""; 0], "{nothing}");
    }
}

#[test]
fn built_in_definitions_hold_to_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (path, text) in DEFINITIONS {
        let value: Value = serde_saphyr::from_str(text).unwrap();
        let wrong: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{path}: {wrong:#?}");
    }
    assert!(!validator.is_valid(&serde_json::json!({ "tool": { "name": "a", "nmae": 1 } })));
}

#[test]
fn the_schema_knows_the_keys_that_the_reader_takes() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let known: Vec<&String> = schema["$defs"]["tool"]["properties"].as_object().unwrap().keys().collect();
    let mut taken = super::super::check::KEYS.to_vec();
    let mut known: Vec<&str> = known.into_iter().map(String::as_str).collect();
    taken.sort_unstable();
    known.sort_unstable();
    assert_eq!(known, taken);
}

proptest::proptest! {
    #[test]
    fn any_text_is_looked_at(text in "[-a:\\n #|\u{e4}]{0,40}", at in 0..60_usize) {
        completion_offers(&text, at);
    }
}
