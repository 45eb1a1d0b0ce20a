//! The keys and shapes of data: JSON, YAML, TOML and tables. No value is shown: it may be a secret.

use serde_json::{Map, Value};

use super::new_statement;
use crate::ports::Statement;

/// The depth to which keys are shown.
const DEEP: usize = 3;
/// Keys of one map.
const KEYS: usize = 30;
/// Statements of one file.
const MOST: usize = 120;
/// Columns of a table.
const COLUMNS: usize = 60;

/// The keys and shapes of a file; nothing where it is no data, or not what it is called.
pub(super) fn data_statements(extension: &str, text: &str) -> Option<Vec<Statement>> {
    let value: Value = match extension {
        "json" => serde_json::from_str(text).ok()?,
        "yaml" | "yml" => serde_saphyr::from_str(text).ok()?,
        "toml" => toml::from_str(text).ok()?,
        "jsonl" | "ndjson" => return line_statements(text),
        "csv" => return table_statements(text, ','),
        "tsv" => return table_statements(text, '\t'),
        _ => return None,
    };
    let mut told = Vec::new();
    match &value {
        Value::Object(map) => add_keys(&mut told, map, text, 0),
        Value::Null => return None,
        other => {
            told.push(new_statement(describe_shape(other), 1, 0));
            add_inner(&mut told, other, text, 1);
        }
    }
    Some(told)
}

fn add_keys(told: &mut Vec<Statement>, map: &Map<String, Value>, text: &str, depth: usize) {
    for (key, value) in map.iter().take(KEYS) {
        if told.len() >= MOST {
            return;
        }
        // Only of an outer key the line is found by its name alone.
        let line = if depth == 0 { line_of(text, key) } else { None };
        let name = key.replace('`', "'");
        told.push(Statement {
            line,
            ..new_statement(format!("`{name}`: {}", describe_shape(value)), 0, depth)
        });
        add_inner(told, value, text, depth + 1);
    }
    if map.len() > KEYS {
        told.push(Statement {
            line: None,
            ..new_statement(format!("and {} keys more", map.len() - KEYS), 0, depth)
        });
    }
}

fn add_inner(told: &mut Vec<Statement>, value: &Value, text: &str, depth: usize) {
    if depth >= DEEP {
        return;
    }
    match value {
        Value::Object(map) => add_keys(told, map, text, depth),
        // Items of a list are mostly equal in shape: the first represents them.
        Value::Array(items) => {
            if let Some(Value::Object(map)) = items.first() {
                add_keys(told, map, text, depth);
            }
        }
        _ => {}
    }
}

fn describe_shape(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(_) => "true or false".to_owned(),
        Value::Number(number) => if number.is_f64() { "a number" } else { "a whole number" }.to_owned(),
        Value::String(text) if text.chars().count() > 200 => {
            format!("a text of {} characters", text.chars().count())
        }
        Value::String(_) => "a text".to_owned(),
        Value::Object(map) => format!("{} {}", map.len(), if map.len() == 1 { "key" } else { "keys" }),
        Value::Array(items) => {
            let of = match items.first() {
                None => return "an empty list".to_owned(),
                Some(first) if items.iter().all(|item| plural_kind(item) == plural_kind(first)) => {
                    plural_kind(first)
                }
                Some(_) => "values of several kinds",
            };
            format!("a list of {} {of}", items.len())
        }
    }
}

fn plural_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothings",
        Value::Bool(_) => "truth values",
        Value::Number(_) => "numbers",
        Value::String(_) => "texts",
        Value::Object(_) => "maps",
        Value::Array(_) => "lists",
    }
}

/// Returns the line of an outer key, where its spelling is found.
fn line_of(text: &str, key: &str) -> Option<u32> {
    let stands = |line: &str| {
        let line = line.trim_start_matches([' ', '\t', '{', '[']);
        let bare = line.strip_prefix('"').or_else(|| line.strip_prefix('\'')).unwrap_or(line);
        bare.strip_prefix(key).is_some_and(|rest| {
            rest.trim_start_matches(['"', '\'']).trim_start().starts_with([':', '=', ']', '.'])
        })
    };
    // The outermost of several is the one that is least indented.
    let lines = text.lines().enumerate().filter(|(_, line)| stands(line));
    let found = lines.min_by_key(|(at, line)| (line.len() - line.trim_start().len(), *at));
    found.and_then(|(at, _)| u32::try_from(at + 1).ok())
}

/// A value a line.
fn line_statements(text: &str) -> Option<Vec<Statement>> {
    let filled = || text.lines().filter(|line| !line.trim().is_empty());
    let first: Value = serde_json::from_str(filled().next()?).ok()?;
    let mut told = vec![new_statement(
        format!("{} lines, a value each, the first: {}", filled().count(), describe_shape(&first)),
        1,
        0,
    )];
    add_inner(&mut told, &first, text, 1);
    Some(told)
}

/// A table whose first line names its columns.
fn table_statements(text: &str, separator: char) -> Option<Vec<Statement>> {
    let mut rows = text.lines().filter(|line| !line.trim().is_empty());
    let names = split_cells(rows.next()?, separator);
    let first = rows.next().map(|row| split_cells(row, separator)).unwrap_or_default();
    let count = rows.count() + usize::from(!first.is_empty());
    let mut told = vec![new_statement(format!("a table of {count} rows and {} columns", names.len()), 1, 0)];
    for (at, name) in names.iter().take(COLUMNS).enumerate() {
        let kind = match first.get(at).map(|cell| cell.trim()) {
            None | Some("") => "empty in the first row",
            Some(cell) if cell.parse::<i64>().is_ok() => "a whole number",
            Some(cell) if cell.parse::<f64>().is_ok() => "a number",
            Some(_) => "a text",
        };
        told.push(new_statement(format!("`{}`: {kind}", name.trim().replace('`', "'")), 1, 1));
    }
    Some(told)
}

/// The cells of a row; a separator in quotes separates nothing.
fn split_cells(row: &str, separator: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in row.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c == separator && !quoted => cells.push(String::new()),
            c => cells.last_mut().into_iter().for_each(|cell| cell.push(c)),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(extension: &str, text: &str) -> Vec<String> {
        let found = data_statements(extension, text).unwrap();
        let line = |statement: &Statement| {
            let at = statement.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
            format!("{}{at}:{}", "  ".repeat(statement.depth), statement.text)
        };
        found.iter().map(line).collect()
    }

    #[test]
    fn keys_and_shapes_are_told_and_no_value() {
        let json = "{\n  \"name\": \"hunter2\",\n  \"deps\": {\"a\": 1, \"b\": [1.5]},\n  \"list\": [{\"id\": true}, {\"id\": false}],\n  \"none\": null\n}\n";
        assert_eq!(
            told("json", json),
            [
                "2:`name`: a text",
                "3:`deps`: 2 keys",
                "  -:`a`: a whole number",
                "  -:`b`: a list of 1 numbers",
                "4:`list`: a list of 2 maps",
                "  -:`id`: true or false",
                "5:`none`: nothing",
            ]
        );
        assert_eq!(
            told("yaml", "a:\n  b: x\nb: 1\n"),
            ["1:`a`: 1 key", "  -:`b`: a text", "3:`b`: a whole number"]
        );
        assert_eq!(told("toml", "[package]\nname = \"x\"\n"), ["1:`package`: 1 key", "  -:`name`: a text"]);
        assert_eq!(
            told("csv", "id,\"full, name\",rate\n1,\"A, B\",0.5\n2,C,1\n"),
            [
                "1:a table of 2 rows and 3 columns",
                "  1:`id`: a whole number",
                "  1:`full, name`: a text",
                "  1:`rate`: a number",
            ]
        );
        assert_eq!(
            told("jsonl", "{\"a\": 1}\n{\"a\": 2}\n"),
            ["1:2 lines, a value each, the first: 1 key", "  -:`a`: a whole number"]
        );
        assert_eq!(told("json", "[1, \"a\"]"), ["1:a list of 2 values of several kinds"]);
    }

    #[test]
    fn what_is_not_what_it_is_called_is_left_to_others() {
        for (extension, text) in
            [("json", "{oops"), ("yaml", "a: [b"), ("toml", "= 1"), ("md", "{}"), ("yml", "")]
        {
            assert!(data_statements(extension, text).is_none(), "{extension} {text}");
        }
        let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
        let _ = data_statements("json", &deep);
        let _ = data_statements("yaml", &deep);
        let _ = data_statements("toml", &format!("a = {deep}"));
    }
}
