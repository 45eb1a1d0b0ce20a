//! TOML: values, tables, lists of tables.

use serde_json::json;

use super::{check_cases, code_of, key, set};
use crate::StructureErrorCode::{BadValue, Unreadable, Unsupported};
use crate::find_part;

const CARGO: &str = "[package]\nname = \"x\" # n\nversion = '1.0'\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\nlog = \"0.4\"\n\n[[bin]]\nname = \"one\"\n\n[[bin]]\nname = \"two\"\n\n[profile.dev]\ndebug = true\n";

#[test]
fn values_keep_their_kinds() {
    check_cases(
        "a.toml",
        &[
            ("a = 1 # c\n", "a", Some(json!(2)), "a = 2 # c\n"),
            ("a = 1.5\n", "a", Some(json!(2)), "a = 2.0\n"),
            ("a = 'x'\n", "a", Some(json!("y")), "a = 'y'\n"),
            ("a = 'x'\n", "a", Some(json!("it's")), "a = \"it's\"\n"),
            ("a = 2020-01-01\n", "a", Some(json!("2021-02-03")), "a = 2021-02-03\n"),
            ("a = \"\"\"\nx\ny\n\"\"\"\n", "a", Some(json!("z\n\"q\"\n")), "a = \"\"\"\nz\n\"q\"\n\"\"\"\n"),
            ("a = [\n  1, # one\n  2,\n]\n", "a", Some(json!([3, 4])), "a = [\n  3,\n  4,\n]\n"),
            ("a = [\n  1, # one\n  2,\n]\n", "a[+]", Some(json!(3)), "a = [\n  1, # one\n  2,\n  3,\n]\n"),
            ("a = [1, 2]\n", "a[0]", Some(json!({"k": "v"})), "a = [{ k = \"v\" }, 2]\n"),
            ("a.b = 1\n", "a.c", Some(json!(2)), "a.b = 1\na.c = 2\n"),
            ("a = { b = 1 }\n", "a.c", Some(json!(2)), "a = { b = 1, c = 2 }\n"),
            ("a = {}\n", "a.c", Some(json!(2)), "a = { c = 2 }\n"),
            ("", "a", Some(json!(1)), "a = 1\n"),
            ("# c\n\n# t\n[t]\nx = 1\n", "a", Some(json!(1)), "# c\n\na = 1\n\n# t\n[t]\nx = 1\n"),
            ("[t.u]\nx = 1\n", "t.y", Some(json!(1)), "[t]\ny = 1\n\n[t.u]\nx = 1\n"),
            ("[t]\n\n[u]\nx = 1\n", "t.y", Some(json!(1)), "[t]\ny = 1\n\n[u]\nx = 1\n"),
        ],
    );
}

#[test]
fn tables_are_added_and_taken_away() {
    let set = |address, value| set("Cargo.toml", CARGO, address, value).unwrap();
    assert_eq!(
        set("dependencies.tokio", json!({"version": "1", "features": ["rt"]})),
        CARGO.replace("log = \"0.4\"\n", "log = \"0.4\"\ntokio = { version = \"1\", features = [\"rt\"] }\n")
    );
    assert_eq!(set("package.version", json!("1.1")), CARGO.replace("'1.0'", "'1.1'"));
}

#[test]
fn sections_are_added_and_taken_away() {
    check_cases(
        "Cargo.toml",
        &[
            (
                CARGO,
                "lints",
                Some(json!({"workspace": true})),
                &format!("{CARGO}\n[lints]\nworkspace = true\n"),
            ),
            (
                CARGO,
                "profile.test",
                Some(json!({"debug": 1})),
                &format!("{CARGO}\n[profile.test]\ndebug = 1\n"),
            ),
            (
                CARGO,
                "bin[+]",
                Some(json!({"name": "three"})),
                &CARGO.replace("name = \"two\"\n", "name = \"two\"\n\n[[bin]]\nname = \"three\"\n"),
            ),
            (CARGO, "bin[name=one]", None, &CARGO.replace("[[bin]]\nname = \"one\"\n\n", "")),
            (
                CARGO,
                "bin",
                None,
                &CARGO.replace("[[bin]]\nname = \"one\"\n\n[[bin]]\nname = \"two\"\n\n", ""),
            ),
            (
                CARGO,
                "bin[0].path",
                Some(json!("a.rs")),
                &CARGO.replace("name = \"one\"\n", "name = \"one\"\npath = \"a.rs\"\n"),
            ),
            (
                CARGO,
                "dependencies",
                Some(json!({"a": "1"})),
                &CARGO.replace(
                    "serde = { version = \"1\", features = [\"derive\"] }\nlog = \"0.4\"",
                    "a = \"1\"",
                ),
            ),
            (
                CARGO,
                "dependencies.serde.features[+]",
                Some(json!("rc")),
                &CARGO.replace("[\"derive\"]", "[\"derive\", \"rc\"]"),
            ),
            (CARGO, "dependencies.serde.features", None, &CARGO.replace(", features = [\"derive\"]", "")),
            (CARGO, "package.name", None, &CARGO.replace("name = \"x\" # n\n", "")),
            (CARGO, "profile.dev", None, &CARGO.replace("\n[profile.dev]\ndebug = true\n", "")),
            (CARGO, "profile.dev.debug", None, &CARGO.replace("debug = true\n", "")),
        ],
    );
}

#[test]
fn a_table_in_several_places_is_changed_or_refused() {
    let text = "[a]\nx = 1\n\n[b]\ny = 1\n\n[a.c]\nz = 1\n";
    check_cases(
        "a.toml",
        &[
            (text, "a", None, "[b]\ny = 1\n"),
            (text, "a.w", Some(json!(1)), "[a]\nx = 1\nw = 1\n\n[b]\ny = 1\n\n[a.c]\nz = 1\n"),
        ],
    );
    assert_eq!(code_of(find_part("a.toml", text, &key("a"))), Unsupported);
    assert_eq!(code_of(set("a.toml", text, "a", json!(1))), BadValue);
    assert_eq!(code_of(set("a.toml", text, "a.x", json!(null))), BadValue);
    let error = set("a.toml", "a = 1\na = 2\n", "a", json!(1)).unwrap_err();
    assert_eq!((error.code, error.line), (Unreadable, Some(2)));
}
