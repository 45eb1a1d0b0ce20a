//! JSON and JSON with comments.

use serde_json::json;

use super::{check_cases, code_of, key, set};
use crate::StructureErrorCode::{Ambiguous, NotThere, Unreadable};
use crate::find_part;

#[test]
fn values_take_the_form_of_the_file() {
    check_cases(
        "a.json",
        &[
            ("{\n  \"a\": 1\n}\n", "a", Some(json!("x")), "{\n  \"a\": \"x\"\n}\n"),
            (
                "{\n\t\"a\": 1, // c\n\t\"b\": 2,\n}\n",
                "a",
                Some(json!({"k": [1]})),
                "{\n\t\"a\": {\n\t\t\"k\": [\n\t\t\t1\n\t\t]\n\t}, // c\n\t\"b\": 2,\n}\n",
            ),
            ("{\"a\":1}", "a", Some(json!([1, 2])), "{\"a\":[1,2]}"),
            ("{\"a\": 1}", "b", Some(json!({"c": 2})), "{\"a\": 1, \"b\": {\"c\": 2}}"),
            ("{\n  \"f\": [\"a\", \"b\"]\n}\n", "f", Some(json!(["c"])), "{\n  \"f\": [\"c\"]\n}\n"),
            (
                "{\n  \"f\": [\"a\", \"b\"]\n}\n",
                "f[+]",
                Some(json!("c")),
                "{\n  \"f\": [\"a\", \"b\", \"c\"]\n}\n",
            ),
            ("{\n  \"a\": 1\n}\n", "b", Some(json!(2)), "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
            ("{\n  \"a\": 1 // c\n}\n", "b", Some(json!(2)), "{\n  \"a\": 1, // c\n  \"b\": 2\n}\n"),
            ("{\n  \"a\": 1,\n}\n", "b", Some(json!(2)), "{\n  \"a\": 1,\n  \"b\": 2,\n}\n"),
            ("{\n  \"a\": {}\n}\n", "a.b", Some(json!(2)), "{\n  \"a\": {\n    \"b\": 2\n  }\n}\n"),
            (
                "[\n  { \"id\": 1 }\n]\n",
                "[+]",
                Some(json!({"id": 2})),
                "[\n  { \"id\": 1 },\n  { \"id\": 2 }\n]\n",
            ),
            ("{}\n", "a", Some(json!(2)), "{\n  \"a\": 2\n}\n"),
            ("{\n  // none\n}\n", "a", Some(json!(2)), "{\n  // none\n  \"a\": 2\n}\n"),
            ("{\n  \"a\": null\n}\n", "a.b", Some(json!(2)), "{\n  \"a\": {\n    \"b\": 2\n  }\n}\n"),
            (
                "[\n  {\"id\": 1},\n  {\"id\": 2}\n]\n",
                "[id=2].id",
                Some(json!(3)),
                "[\n  {\"id\": 1},\n  {\"id\": 3}\n]\n",
            ),
        ],
    );
}

#[test]
fn an_entry_goes_with_its_comma() {
    check_cases(
        "a.jsonc",
        &[
            ("{\n  \"a\": 1, // c\n  \"b\": 2\n}\n", "a", None, "{\n  \"b\": 2\n}\n"),
            ("{\n  \"a\": 1, // c\n  \"b\": 2\n}\n", "b", None, "{\n  \"a\": 1 // c\n}\n"),
            ("{\n  \"a\": 1,\n  \"b\": 2,\n}\n", "b", None, "{\n  \"a\": 1,\n}\n"),
            ("{\"a\": 1, \"b\": 2}", "b", None, "{\"a\": 1}"),
            ("{\"a\": 1, \"b\": 2}", "a", None, "{\"b\": 2}"),
            ("{ \"a\": 1 }", "a", None, "{}"),
            ("[1, 2, 3]", "[1]", None, "[1, 3]"),
            ("{\n  \"a\": [\n    1\n  ]\n}\n", "a[0]", None, "{\n  \"a\": [\n  ]\n}\n"),
        ],
    );
}

#[test]
fn what_is_not_there_is_refused_with_what_is() {
    let text = "{\n  \"scripts\": {\"test\": \"x\", \"build\": \"y\"}\n}\n";
    let error = find_part("package.json", text, &key("scripts.tset")).unwrap_err();
    assert_eq!((error.code, error.hints[0].as_str()), (NotThere, "scripts.test"));
    assert_eq!(code_of(set("a.json", "{\"a\": 1, \"a\": 2}", "a", json!(1))), Ambiguous);
    let error = set("a.json", "{\n  \"a\": 1\n  \"b\": 2\n}", "a", json!(1)).unwrap_err();
    assert_eq!((error.code, error.line), (Unreadable, Some(2)));
}
