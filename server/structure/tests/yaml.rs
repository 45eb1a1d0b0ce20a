//! YAML: values set, added, taken away.

use serde_json::json;

use super::{check_cases, code_of, key, remove, set};
use crate::StructureErrorCode::{Ambiguous, BadValue, NotThere, Unreadable, Unsupported};
use crate::{PartChange, change_part, find_part};

const COMPOSE: &str = "# a file\nservices:\n  web:\n    image: nginx:1.25 # pinned\n    ports:\n      - \"80:80\"\n      - \"443:443\"\n    env: {A: 1, B: two}\n\n  db:\n    image: 'postgres'\n    # none yet\n    ports: []\nvolumes:\n";

#[test]
fn scalars_keep_their_quotes_and_comments() {
    check_cases(
        "a.yaml",
        &[
            ("a: 1 # one\nb: 2\n", "a", Some(json!(5)), "a: 5 # one\nb: 2\n"),
            ("a: 'x'\n", "a", Some(json!("it's")), "a: 'it''s'\n"),
            ("a: \"x\"\n", "a", Some(json!("y")), "a: \"y\"\n"),
            ("a: x\n", "a", Some(json!("yes")), "a: \"yes\"\n"),
            ("a: x\n", "a", Some(json!({"y": "N"})), "a:\n  y: \"N\"\n"),
            ("a: x\nb: 'q'\n", "a", Some(json!("1.10")), "a: '1.10'\nb: 'q'\n"),
            ("a: x\n", "a", Some(json!("a: b")), "a: \"a: b\"\n"),
            ("a: x\n", "a", Some(json!(null)), "a: null\n"),
            ("a: x\n", "a", Some(json!(1e100)), "a: 1.0e+100\n"),
            ("a:\nb: 2\n", "a", Some(json!(true)), "a: true\nb: 2\n"),
            ("a: # c\nb: 2\n", "a", Some(json!(true)), "a: true # c\nb: 2\n"),
            ("a: &x 1\nb: *x\n", "a", Some(json!(2)), "a: &x 2\nb: *x\n"),
            ("a: &x 1\nb: *x\n", "b", Some(json!(2)), "a: &x 1\nb: 2\n"),
            ("a: |\n  one\n  two\nb: 2\n", "a", Some(json!("x")), "a: x\nb: 2\n"),
            ("a: |-\n  one\n  two\nb: 2\n", "a", Some(json!("x\n\ny\n")), "a: |\n  x\n\n  y\nb: 2\n"),
            ("a:\n  - |-\n    0 !\n    b\n", "a[0]", Some(json!("x")), "a:\n  - x\n"),
            ("a: &t | # c\n  0 !\n  b\n", "a", Some(json!("x")), "a: &t x # c\n"),
            ("a: |+\n  b\n\n\nc: 1\n", "d", Some(json!(1)), "a: |+\n  b\n\n\nc: 1\nd: 1\n"),
            ("a: |+\n  b\n\n\nc: 1\n", "a", Some(json!(1)), "a: 1\nc: 1\n"),
            ("a: long\n  text\nb: 2\n", "a", Some(json!("x")), "a: x\nb: 2\n"),
            ("a: 1", "a", Some(json!("x\ny\n")), "a: |\n  x\n  y\n"),
            ("? a\n: 1\nb: 2\n", "a", Some(json!(3)), "? a\n: 3\nb: 2\n"),
            ("'a.b': 1\n", "\"a.b\"", Some(json!(3)), "'a.b': 3\n"),
            ("1: a\n", "1", Some(json!("b")), "1: b\n"),
            ("- a\n- b\n", "[1]", Some(json!("c")), "- a\n- c\n"),
        ],
    );
}

#[test]
fn collections_take_the_form_around_them() {
    check_cases(
        "a.yaml",
        &[
            (
                "a: 1 # c\nb: 2\n",
                "a",
                Some(json!({"x": 1, "y": [1, 2]})),
                "a: # c\n  x: 1\n  y:\n    - 1\n    - 2\nb: 2\n",
            ),
            ("a:\n- 1\n- 2 # two\nb: 2\n", "a", Some(json!([3])), "a:\n- 3\nb: 2\n"),
            (
                "a:\n    - 1\nb: 2\n",
                "a",
                Some(json!([{"k": 3, "l": 4}])),
                "a:\n    - k: 3\n      l: 4\nb: 2\n",
            ),
            ("a:\n  x: 1\n  y: 2\nb: 2\n", "a", Some(json!(7)), "a: 7\nb: 2\n"),
            ("a: [1, 2]\n", "a", Some(json!([3])), "a: [3]\n"),
            ("a: [1, 2]\n", "a[1]", Some(json!({"k": "v, w"})), "a: [1, {k: \"v, w\"}]\n"),
            ("a: {x: 1}\n", "a.x", Some(json!("{")), "a: {x: \"{\"}\n"),
            ("- a: 1 # c\n  b: 2\n- c\n", "[0]", Some(json!("x")), "- x\n- c\n"),
            ("- a\n- c # d\n", "[1]", Some(json!({"a": 1, "b": 2})), "- a\n- a: 1 # d\n  b: 2\n"),
            ("-   a: 1\n    b: 2\n", "[0]", Some(json!({"x": 1, "y": 2})), "-   x: 1\n    y: 2\n"),
            ("a: 1\n", "a", Some(json!({})), "a: {}\n"),
            ("a:\n", "a", Some(json!(["x\ny"])), "a:\n  - |-\n    x\n    y\n"),
        ],
    );
}

#[test]
fn a_missing_last_step_is_added() {
    check_cases(
        "a.yaml",
        &[
            ("a: 1\n", "b", Some(json!(2)), "a: 1\nb: 2\n"),
            ("a: 1", "b", Some(json!(2)), "a: 1\nb: 2"),
            ("a:\n  x: 1 # c\nb: 2\n", "a.y", Some(json!([1])), "a:\n  x: 1 # c\n  y:\n    - 1\nb: 2\n"),
            ("a:\n- 1\nb: 2\n", "a[+]", Some(json!(2)), "a:\n- 1\n- 2\nb: 2\n"),
            ("a:\n  - 'x'\nb: 2\n", "a[1]", Some(json!("y")), "a:\n  - 'x'\n  - 'y'\nb: 2\n"),
            ("a: [1]\n", "a[+]", Some(json!(2)), "a: [1, 2]\n"),
            ("a: []\n", "a[+]", Some(json!(2)), "a:\n  - 2\n"),
            ("a:\n", "a.b", Some(json!(2)), "a:\n  b: 2\n"),
            ("a: {}\n", "a.b", Some(json!(2)), "a:\n  b: 2\n"),
            ("a: {x: 1}\n", "a.b", Some(json!([2])), "a: {x: 1, b: [2]}\n"),
            ("a: {\n  x: 1\n}\n", "a.b", Some(json!(2)), "a: {\n  x: 1,\n  b: 2\n}\n"),
            ("a: |\n  t\n", "b", Some(json!(2)), "a: |\n  t\nb: 2\n"),
            ("a: |\n  t", "b", Some(json!(2)), "a: |\n  t\nb: 2"),
            ("", "a", Some(json!(2)), "a: 2\n"),
            (
                "# only this\n",
                "a.b",
                None,
                "NotThere: `a.b` is not there: the file is a scalar without `a` []",
            ),
            ("# only this\n", "a", Some(json!({"b": 1})), "# only this\na:\n  b: 1\n"),
            ("---\n", "a", Some(json!(1)), "---\na: 1\n"),
            (
                "a:\n  x: 1\n\nb:\n  x: 1\n",
                "c",
                Some(json!({"x": 1})),
                "a:\n  x: 1\n\nb:\n  x: 1\n\nc:\n  x: 1\n",
            ),
            (
                "a:\n  <<: *b\n",
                "a.x",
                Some(json!(1)),
                "Unreadable: the file does not parse as YAML: line 2, column 7: while parsing node, found unknown anchor []",
            ),
            ("b: &b {t: 1}\na:\n  <<: *b\n", "a.t", Some(json!(2)), "b: &b {t: 1}\na:\n  <<: *b\n  t: 2\n"),
        ],
    );
}

#[test]
fn an_entry_goes_with_its_lines() {
    check_cases(
        "a.yaml",
        &[
            ("a: 1 # c\nb: 2\n", "a", None, "b: 2\n"),
            ("a: 1\nb: 2", "b", None, "a: 1"),
            ("a: 1\n\nb:\n  - 2\n\nc: 3\n", "b", None, "a: 1\n\nc: 3\n"),
            ("a:\n  - 1\n  - 2\n", "a[0]", None, "a:\n  - 2\n"),
            ("a:\n  - 1\n", "a[0]", None, "a: []\n"),
            ("a:\n  x: 1\nb: 2\n", "a.x", None, "a: {}\nb: 2\n"),
            ("a: [1, 2, 3]\n", "a[-1]", None, "a: [1, 2]\n"),
            ("a: [1, 2, 3]\n", "a[0]", None, "a: [2, 3]\n"),
            ("- a: 1\n  b: 2\n", "[0].a", None, "- b: 2\n"),
            ("- a: 1\n  b: 2\n", "[0].b", None, "- a: 1\n"),
            ("a:\n  - name: x\n    v: 1\n  - name: y\n", "a[name=x]", None, "a:\n  - name: y\n"),
            ("a: 1\n", "a", None, "{}\n"),
        ],
    );
}

#[test]
fn a_deep_file_is_changed_at_one_place() {
    let after = set("c.yml", COMPOSE, "services.web.ports[0]", json!("8080:80")).unwrap();
    assert_eq!(after, COMPOSE.replace("\"80:80\"", "\"8080:80\""));
    let after = set("c.yml", COMPOSE, "services.db.ports[+]", json!("5432:5432")).unwrap();
    assert_eq!(after, COMPOSE.replace("    ports: []", "    ports:\n      - \"5432:5432\""));
    let after = set("c.yml", COMPOSE, "volumes.data", json!({})).unwrap();
    assert_eq!(after, format!("{COMPOSE}  data: {{}}\n"));
    let after = remove("c.yml", COMPOSE, "services.web.env.A").unwrap();
    assert_eq!(after, COMPOSE.replace("{A: 1, B: two}", "{B: two}"));
    let range = find_part("c.yml", COMPOSE, &key("services.web.ports")).unwrap();
    assert_eq!(&COMPOSE[range], "    ports:\n      - \"80:80\"\n      - \"443:443\"");
    let range = find_part("c.yml", COMPOSE, &key("services.web.env.B")).unwrap();
    assert_eq!(&COMPOSE[range], "B: two");
}

#[test]
fn what_an_address_cannot_decide_is_refused() {
    let two = "---\na: 1\n---\na: 2\nb: 3\n";
    assert_eq!(code_of(set("a.yaml", two, "a", json!(1))), Ambiguous);
    assert_eq!(set("a.yaml", two, "b", json!(4)).unwrap(), "---\na: 1\n---\na: 2\nb: 4\n");
    assert_eq!(code_of(set("a.yaml", "a: 1\na: 2\n", "a", json!(1))), Ambiguous);
    assert_eq!(code_of(set("a.yaml", "a: &x {k: 1}\nb: *x\n", "b.k", json!(1))), Unsupported);
    assert_eq!(code_of(set("a.yaml", "a: !Ref x\n", "a", json!("y"))), Unsupported);
    assert_eq!(code_of(remove("a.yaml", "a: &x 1\nb: *x\n", "a")), BadValue);
    assert_eq!(code_of(set("a.yaml", "a: 1\n", "b.c", json!(1))), NotThere);
    let error = set("a.yaml", "a: 1\nb: [1\nc: 2\n", "a", json!(1)).unwrap_err();
    assert_eq!((error.code, error.line), (Unreadable, Some(3)));
    let error = find_part("c.yml", COMPOSE, &key("services.wbe.ports")).unwrap_err();
    assert_eq!(error.hints.first().map(String::as_str), Some("services.web"));
}

#[test]
fn a_text_in_the_part_reaches_no_further() {
    let change =
        |new: &str| change_part("a.yaml", "a: 1\nb: 2\n", &key("a"), &PartChange::Verbatim(new.to_owned()));
    assert_eq!(change("a: 3").unwrap(), "a: 3\nb: 2\n");
    assert_eq!(change("x: 3").unwrap(), "x: 3\nb: 2\n");
    assert_eq!(code_of(change("a: 3\nc: 4")), BadValue);
    assert_eq!(code_of(change("")), BadValue);
}
