//! A tool as its server describes it: read with bounds, hashed, and written out for a person to compare.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::hash;
use crate::base::hidden::escape_hidden;

/// Characters of the longest name.
const NAME: usize = 200;
/// Bytes of a description that are kept.
const DESCRIPTION: usize = 16 << 10;
/// Bytes of the largest schema.
const SCHEMA: usize = 128 << 10;
/// The depth to which a schema may nest.
const DEPTH: usize = 48;
/// The hints that are kept of its annotations.
const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/// A tool of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemoteTool {
    /// The server's name for it.
    pub name: String,
    /// A title of one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The server's description of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its arguments.
    pub input_schema: Map<String, Value>,
    /// The schema of its answer, where the server gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Map<String, Value>>,
    /// The hints about its own risk.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub annotations: Map<String, Value>,
}

impl RemoteTool {
    /// Reads one of the `tools` of a listing.
    ///
    /// # Errors
    /// The problem, as a sentence that begins with its name.
    pub(crate) fn from_listing(value: &Value) -> Result<Self, String> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let name = text("name").unwrap_or_default();
        if name.is_empty() {
            return Err("a tool has no name".to_owned());
        }
        if name.chars().count() > NAME {
            let start: String = name.chars().take(40).collect();
            return Err(format!("the name {:?}… has more than {NAME} characters", escape_hidden(&start)));
        }
        let wrong = |what: &str| format!("the tool {:?} {what}", escape_hidden(name));
        let schema = |key: &str| match value.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(schema @ Value::Object(map)) => {
                if !is_within_depth(schema, DEPTH) || schema.to_string().len() > SCHEMA {
                    return Err(wrong(&format!(
                        "has an {key} of more than {SCHEMA} bytes or {DEPTH} levels"
                    )));
                }
                Ok(Some(map.clone()))
            }
            Some(_) => Err(wrong(&format!("has an {key} that is no object"))),
        };
        let annotations = value.get("annotations").and_then(Value::as_object);
        let hint = |key: &&str| {
            Some(((*key).to_owned(), annotations?.get(*key).filter(|v| v.is_boolean())?.clone()))
        };
        let title = text("title").or_else(|| annotations?.get("title")?.as_str());
        Ok(Self {
            name: name.to_owned(),
            title: title.map(|title| title.chars().take(NAME).collect()),
            description: text("description").map(|text| cut_text(text, DESCRIPTION)),
            input_schema: schema("inputSchema")?.unwrap_or_default(),
            output_schema: schema("outputSchema")?,
            annotations: HINTS.iter().filter_map(hint).collect(),
        })
    }

    /// Returns the hash of all its members, whatever their order.
    pub(crate) fn hash(&self) -> String {
        hash::short_hash(self.sorted_value().to_string().as_bytes())
    }

    /// Returns all its members in lines that are compared with those of another version. Hidden characters are shown.
    pub(crate) fn comparable_text(&self) -> String {
        let Self { name, title, description, .. } = self;
        let mut out = format!("tool: {name}\n");
        if let Some(title) = title {
            out.push_str(&format!("title: {title}\n"));
        }
        if let Some(description) = description {
            out.push_str("description:\n");
            description.lines().for_each(|line| out.push_str(&format!("  {line}\n")));
        }
        let sorted = self.sorted_value();
        for key in ["inputSchema", "outputSchema", "annotations"] {
            if let Some(value) = sorted.get(key) {
                out.push_str(&format!(
                    "{key}: {}\n",
                    serde_json::to_string_pretty(value).unwrap_or_default()
                ));
            }
        }
        escape_hidden(&out).into_owned()
    }

    /// A hint that it gives.
    pub(crate) fn annotation_hint(&self, name: &str) -> Option<bool> {
        self.annotations.get(name).and_then(Value::as_bool)
    }

    /// Returns whether it takes an argument of that name.
    pub(crate) fn has_argument(&self, argument: &str) -> bool {
        self.input_schema.get("properties").is_some_and(|all| all.get(argument).is_some())
    }

    fn sorted_value(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        value.sort_all_objects();
        value
    }
}

/// The text up to a character boundary near that many bytes, with `…` where something is gone.
pub(crate) fn cut_text(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(bytes)])
}

fn is_within_depth(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|item| is_within_depth(item, depth - 1)),
        Value::Object(map) => depth > 0 && map.values().all(|item| is_within_depth(item, depth - 1)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_members_does_not_count_and_every_word_does() {
        let read = |value: Value| RemoteTool::from_listing(&value).unwrap();
        let one = read(
            json!({ "name": "a", "inputSchema": { "type": "object", "properties": { "x": {}, "y": {} } } }),
        );
        let other = read(
            json!({ "inputSchema": { "properties": { "y": {}, "x": {} }, "type": "object" }, "name": "a" }),
        );
        assert_eq!(one.hash(), other.hash());
        for change in [
            json!({ "name": "b" }),
            json!({ "description": "x" }),
            json!({ "title": "x" }),
            json!({ "inputSchema": {} }),
            json!({ "outputSchema": {} }),
            json!({ "annotations": { "readOnlyHint": true } }),
        ] {
            let mut value = serde_json::to_value(&one).unwrap();
            value.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            assert_ne!(read(value).hash(), one.hash(), "{change}");
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_named() {
        let deep = (0..60).fold(json!({}), |inner, _| json!({ "a": inner }));
        for (value, expected) in [
            (json!({}), "a tool has no name"),
            (json!({ "name": "x".repeat(300) }), "characters"),
            (json!({ "name": "a\u{202e}", "inputSchema": [] }), "\\\\u{202e}"),
            (json!({ "name": "a", "inputSchema": deep }), "levels"),
            (json!({ "name": "a", "inputSchema": { "x": "y".repeat(200 << 10) } }), "bytes"),
        ] {
            let said = RemoteTool::from_listing(&value).unwrap_err();
            assert!(said.contains(expected), "{said}");
        }
        let long =
            RemoteTool::from_listing(&json!({ "name": "a", "description": "ü".repeat(1 << 20) })).unwrap();
        assert!(long.description.unwrap().len() < DESCRIPTION + 8);
    }

    #[test]
    fn lines_show_what_is_hidden() {
        let tool =
            RemoteTool::from_listing(&json!({ "name": "a", "description": "one\ntwo\u{200b}" })).unwrap();
        assert_eq!(tool.comparable_text(), "tool: a\ndescription:\n  one\n  two\\u{200b}\ninputSchema: {}\n");
    }
}
