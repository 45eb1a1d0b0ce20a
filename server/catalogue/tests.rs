//! The loader on the built-in definitions and on files that break its rules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::*;
use crate::tools::DEFINITIONS;

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn names(path: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder(path)).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn user(text: &str) -> Vec<DefinitionProblem> {
    load_catalogue(DEFINITIONS, &[(".wherefore/tools/x.yaml".to_owned(), text.to_owned())], &|_| false)
        .problems
}

#[test]
fn built_in_definitions_keep_every_rule() {
    let thorough = DEFINITIONS.iter().map(|(path, text)| (*path, *text, true));
    let catalogue = load::load_files(thorough, &|_| false);
    assert_eq!(catalogue.problems, []);
    let mut whys = BTreeSet::new();
    for tool in &catalogue.tools {
        assert!(tool.examples.len() >= 2, "{}", tool.name);
        assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
        described(&tool.name, tool.output_schema.as_ref().unwrap());
        assert_eq!(tool.input_schema["properties"]["why"]["description"], WHY);
        whys.insert(tool.input_schema["properties"]["why"].to_string());
    }
    assert_eq!(whys.len(), 1, "the description of `why` is the same everywhere");
}

/// Every property, however deep, has a type and a description.
fn described(tool: &str, schema: &Value) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let of_any_type = ["python.exec return_value", "js.exec result", "js.exec input_json"]
            .contains(&&*format!("{tool} {name}"));
        assert!(
            (property["type"].is_string() || of_any_type) && property["description"].is_string(),
            "{tool}: {name}"
        );
        described(tool, property);
    }
    if let Some(items) = schema.get("items") {
        described(tool, items);
    }
}

/// The rules that a case file expects to be broken, by line: `#! RULE, RULE` at the line's end.
fn expected(text: &str) -> BTreeMap<u32, Vec<String>> {
    let marked = (1..).zip(text.lines()).filter_map(|(line, text)| Some((line, text.split_once("#! ")?.1)));
    marked.map(|(line, rules)| (line, rules.split(", ").map(str::to_owned).collect())).collect()
}

#[test]
fn each_problem_has_its_line_and_rule() {
    for name in names("tests/cases/definitions") {
        let text = std::fs::read_to_string(folder("tests/cases/definitions").join(&name)).unwrap();
        let catalogue = load_catalogue(DEFINITIONS, &[(name.clone(), text.clone())], &|_| false);
        let mut found = BTreeMap::<u32, Vec<String>>::new();
        for problem in &catalogue.problems {
            assert_eq!(problem.path, name);
            found.entry(problem.line).or_default().push(problem.rule.to_owned());
        }
        assert_eq!(found, expected(&text), "{name}: {:#?}", catalogue.problems);
        let loaded = catalogue.tools.len() > DEFINITIONS.len();
        assert_eq!(loaded, name.starts_with("good"), "{name}");
    }
}

#[test]
fn defaults_of_what_is_left_out() {
    let text = std::fs::read_to_string(folder("tests/cases/definitions/good-minimal.yaml")).unwrap();
    let catalogue = load_catalogue(DEFINITIONS, &[("a.yaml".to_owned(), text)], &|_| false);
    let def = catalogue.tools.last().unwrap();
    let expected = ToolDef {
        name: "sentimentAnalysis".into(),
        category: "custom".into(),
        nodes: vec![],
        title: None,
        summary: "Analyzes text sentiment".into(),
        description: "Analyzes text sentiment. Says how sure it is.".into(),
        tags: vec![],
        risk: Risk::Read,
        input_schema: def.input_schema.clone(),
        output_schema: None,
        sandbox: ToolSandbox {
            network: false,
            filesystem: None,
            timeout_ms: 30_000,
            hosts: vec![],
            effects: None,
        },
        examples: vec![],
        version: 1,
        aliases: vec![],
        activity: None,
        runs: None,
        source: Some("a.yaml".into()),
    };
    assert_eq!(*def, expected);
}

#[test]
fn a_wrong_file_does_not_stop_the_others() {
    let good = std::fs::read_to_string(folder("tests/cases/definitions/good-minimal.yaml")).unwrap();
    let files = [("a.yaml", "tool: ["), ("b.yaml", good.as_str()), ("c.yaml", good.as_str())];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let catalogue = load_catalogue(DEFINITIONS, &files, &|_| false);
    assert_eq!(catalogue.tools.last().unwrap().source.as_deref(), Some("b.yaml"));
    let problems: Vec<_> =
        catalogue.problems.iter().map(|problem| (problem.path.as_str(), problem.rule)).collect();
    assert_eq!(problems, [("a.yaml", "yaml"), ("b.yaml", "name-taken"), ("c.yaml", "name-taken")]);
}

#[test]
fn hostile_files_are_bounded() {
    let bomb: String = std::iter::once("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned())
        .chain((1..12).map(|i| format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 10].join(", "))))
        .collect();
    let cases = [
        ("bomb", bomb, "yaml"),
        ("size", "#".repeat(10 << 20), "size"),
        ("flow", "[".repeat(100_000), "yaml"),
        ("maps", format!("tool: {}", "{a: ".repeat(30_000)), "yaml"),
        ("block", (0..200).map(|i| format!("{}a:\n", " ".repeat(i))).collect(), "yaml"),
        ("keys", (0..20_000).map(|i| format!("k{i}: 1\n")).collect(), "yaml"),
        ("documents", "---\na: 1\n".repeat(500), "yaml"),
        ("empty", String::new(), "type"),
        ("nul", "\0".to_owned(), "yaml"),
        ("merge", "<<: &x {a: 1, <<: *x}\n".to_owned(), "yaml"),
    ];
    for (name, text, rule) in cases {
        let start = std::time::Instant::now();
        let problems = user(&text);
        assert!(!problems.is_empty() && problems.len() <= 50, "{name}");
        assert_eq!(problems[0].rule, rule, "{name}: {}", problems[0].message);
        assert!(problems.iter().all(|problem| problem.line >= 1 && problem.message.len() < 2000), "{name}");
        assert!(start.elapsed().as_secs() < 5, "{name}");
    }
}

#[test]
fn a_hint_names_the_nearest_key() {
    let problems = user("tool: { nam: x, descripton: y, input_schema: {} }");
    let messages: Vec<_> = problems.into_iter().map(|problem| problem.message).take(2).collect();
    assert_eq!(
        messages,
        [
            "`nam` is no key of `tool`; did you mean `name`?",
            "`descripton` is no key of `tool`; did you mean `description`?"
        ]
    );
}

#[test]
fn a_schema_may_say_its_dialect() {
    let dialect = "$schema: \"https://json-schema.org/draft/2020-12/schema\"";
    let parts = "$defs: { a: { $anchor: a, type: object, dependentRequired: { b: [c] } } }";
    let why = "properties: { why: { type: string, description: What it is for. } }, required: [why]";
    let schema = format!("{{ {dialect}, {parts}, type: object, {why} }}");
    assert_eq!(user(&format!("tool: {{ name: x, description: y, input_schema: {schema} }}")), []);
}

#[test]
fn examples_compare_the_members_given() {
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let check = |expected, actual, same| {
        assert_eq!(matches_example(&value(expected), &value(actual)), same, "{expected}")
    };
    check(r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, true);
    check(r#"{"a": 1}"#, r#"{"b": 2}"#, false);
    check(r#"[{"a": 1}]"#, r#"[{"a": 1, "b": 2}]"#, true);
    check("[1]", "[1, 2]", false);
    check("[]", "{}", false);
    check("null", "null", true);
}
