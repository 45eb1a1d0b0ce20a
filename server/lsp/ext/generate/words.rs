//! The types of a schema in the words of a plugin's language.

use serde_json::Value;

/// The words of a language for types.
pub(super) struct TypeWords {
    /// Before the name of a declared type.
    pub(super) prefix: &'static str,
    /// The type of a number, whole or not.
    pub(super) integer: &'static str,
    /// The type of null.
    pub(super) null: &'static str,
    /// The type of anything.
    pub(super) any: &'static str,
    /// The type of an object with any members.
    pub(super) object: &'static str,
    /// The text before and after the type of the members of an object with any names.
    pub(super) map: [&'static str; 2],
}

/// The lines of a schema's description.
pub(super) fn doc_lines(schema: &Value) -> impl Iterator<Item = &str> {
    schema["description"].as_str().unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty())
}

/// The members that are always there.
pub(super) fn required_members(schema: &Value) -> Vec<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A message's method, its name in a list of them, and who sends it.
pub(super) fn message_names(message: &Value) -> (&str, &str, &str) {
    let method = message["method"].as_str().unwrap_or_default();
    let name = method.rsplit('/').next().unwrap_or(method);
    (method, name, message["from"].as_str().unwrap_or_default())
}

impl TypeWords {
    /// The type that a schema describes.
    pub(super) fn type_of(&self, schema: &Value) -> String {
        if let Some(reference) = schema["$ref"].as_str() {
            return format!("{}{}", self.prefix, reference.rsplit('/').next().unwrap_or(reference));
        }
        if let Some(value) = schema["const"].as_str() {
            return format!("\"{value}\"");
        }
        for key in ["enum", "oneOf", "anyOf"] {
            if let Some(choices) = schema[key].as_array() {
                let one = |choice: &Value| {
                    choice.as_str().map_or_else(|| self.type_of(choice), |value| format!("\"{value}\""))
                };
                return choices.iter().map(one).collect::<Vec<_>>().join("|");
            }
        }
        match &schema["type"] {
            Value::Array(types) => {
                let one = |name: &Value| self.type_named(name.as_str().unwrap_or_default(), schema);
                types.iter().map(one).collect::<Vec<_>>().join("|")
            }
            name => self.type_named(name.as_str().unwrap_or_default(), schema),
        }
    }

    fn type_named(&self, name: &str, schema: &Value) -> String {
        match name {
            "string" | "boolean" | "number" => name.to_owned(),
            "integer" => self.integer.to_owned(),
            "null" => self.null.to_owned(),
            "array" => match self.type_of(&schema["items"]) {
                union if union.contains('|') => format!("({union})[]"),
                item => format!("{item}[]"),
            },
            "object" if schema["additionalProperties"].is_object() => {
                let [before, behind] = self.map;
                format!("{before}{}{behind}", self.type_of(&schema["additionalProperties"]))
            }
            "object" => self.object.to_owned(),
            _ => self.any.to_owned(),
        }
    }
}
