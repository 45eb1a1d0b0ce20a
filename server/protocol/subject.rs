//! The subject of a call in the log's lines for people: its paths, or its command, question or address.

use serde_json::{Map, Value};

/// Arguments that hold paths.
const PATHS: [&str; 12] = [
    "path",
    "from",
    "to",
    "source",
    "destination",
    "src",
    "dst",
    "file",
    "dir",
    "paths",
    "target_paths",
    "into_path",
];
/// Arguments that say what was asked, where a call names no path.
const QUESTIONS: [&str; 11] = [
    "query",
    "tool_id",
    "cmd",
    "command",
    "line",
    "url",
    "code",
    "filter",
    "proposal",
    "handle",
    "category_path",
];

/// The paths that a call names.
pub fn call_paths(args: &Map<String, Value>) -> Vec<String> {
    let named = args.iter().filter(|(key, _)| PATHS.contains(&key.as_str()));
    named.flat_map(|(_, value)| texts(value)).map(str::to_owned).collect()
}

/// The paths that a call names, and behind them its query, command, address or the tool that it asks for, on one line.
pub fn call_subject(args: &Map<String, Value>) -> String {
    let asked = QUESTIONS.iter().filter_map(|key| Some((key, args.get(*key)?)));
    let asked = asked.map(|(key, value)| match (*key, value) {
        ("query", Value::String(query)) => format!("\"{}\"", first_line(query)),
        ("category_path", value) => texts(value).join(" › "),
        (_, Value::Array(_)) => texts(value).join(" "),
        (_, value) => first_line(value.as_str().unwrap_or_default()),
    });
    // A list of names in `path` is a node of the catalogue.
    let paths = match args.get("path") {
        Some(Value::Array(_)) => vec![args.get("path").map(texts).unwrap_or_default().join(" › ")],
        _ => call_paths(args),
    };
    paths.into_iter().chain(asked).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn first_line(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default().trim().to_owned();
    if lines.next().is_some() { format!("{first} …") } else { first }
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_about_its_paths_or_about_what_it_asks() {
        let cases = [
            (json!({ "path": "src/a.rs", "why": "w" }), "src/a.rs"),
            (json!({ "src": "a", "dst": "b" }), "a b"),
            (json!({ "query": "limit", "path": "src" }), "src \"limit\""),
            (json!({ "cmd": ["cargo", "test"] }), "cargo test"),
            (json!({ "command": "ls\npwd" }), "ls …"),
            (json!({ "line": "ls -la | wc -l" }), "ls -la | wc -l"),
            (json!({ "path": "a.rs", "line": 3 }), "a.rs"),
            (json!({ "filter": "sleep", "machine": true }), "sleep"),
            (json!({ "tool_id": "fs.read" }), "fs.read"),
            (json!({ "path": ["Files", "Text"], "query": "find text" }), "Files › Text \"find text\""),
            (json!({ "category_path": ["Files"], "query": "q" }), "\"q\" Files"),
            (json!({ "target_paths": ["a", "b"], "into_path": "c" }), "a b c"),
            (json!({ "why": "w" }), ""),
        ];
        for (args, subject) in cases {
            assert_eq!(call_subject(args.as_object().unwrap()), subject);
        }
    }
}
