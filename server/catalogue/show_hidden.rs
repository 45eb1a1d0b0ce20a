//! Third-party words in a definition, with what is hidden in them shown.

use serde_json::Value;

use super::ToolDef;
use crate::base::hidden::{escape_hidden, has_hidden};

/// Members of a schema that are words for a reader, and mean nothing to a program.
const WORDS: [&str; 3] = ["description", "title", "$comment"];

/// Shows what is hidden in a definition's words. Where a name or a value holds such a character it cannot be
/// written otherwise: the JSON pointers to those are given.
pub(super) fn show_hidden(def: &mut ToolDef) -> Vec<String> {
    let words = [&mut def.summary, &mut def.description].into_iter();
    for text in words.chain(&mut def.title).chain(&mut def.tags) {
        *text = escape_hidden(text).into_owned();
    }
    let mut found = show_schema(&mut def.input_schema);
    found.extend(def.output_schema.as_mut().map(show_schema).unwrap_or_default());
    found
}

/// Shows what is hidden in a schema's words; gives the JSON pointers to the names and values that hide something.
pub fn show_schema(schema: &mut Value) -> Vec<String> {
    let mut found = Vec::new();
    walk_words(schema, &mut String::new(), &mut found);
    found
}

fn walk_words(value: &mut Value, at: &mut String, found: &mut Vec<String>) {
    let length = at.len();
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                at.push('/');
                at.push_str(&escape_hidden(key));
                match value {
                    _ if has_hidden(key) => found.push(at.clone()),
                    Value::String(text) if WORDS.contains(&key.as_str()) => {
                        *text = escape_hidden(text).into_owned()
                    }
                    other => walk_words(other, at, found),
                }
                at.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                at.push_str(&format!("/{index}"));
                walk_words(item, at, found);
                at.truncate(length);
            }
        }
        Value::String(text) if has_hidden(text) => found.push(at.clone()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_shown_and_what_cannot_be_is_named() {
        let mut schema = json!({
            "description": "a\u{202e}b",
            "properties": {
                "description": { "title": "\u{200b}", "enum": ["x", "y\u{e0041}"] },
                "n\u{ad}": {},
            },
        });
        assert_eq!(show_schema(&mut schema), ["/properties/description/enum/1", "/properties/n\\u{ad}"]);
        assert_eq!(schema["description"], "a\\u{202e}b");
        assert_eq!(schema["properties"]["description"]["title"], "\\u{200b}");
    }
}
