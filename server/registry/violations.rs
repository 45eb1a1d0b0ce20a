//! Everything that a value breaks in a schema, said so that the next call can be right.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{ValidationError, Validator};
use serde::Serialize;
use serde_json::{Value, json};

use crate::base::nearest::likely_name;

/// The number of violations that a fault carries; a value with more is wrong in kind, not in details.
const MOST_VIOLATIONS: usize = 32;

/// A violation of a schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Where, as a JSON pointer into the value.
    pub pointer: String,
    /// The expected value.
    pub expected: String,
    /// The value that is there.
    pub got: String,
    /// Both in a sentence, with a way out where there is one.
    pub message: String,
}

impl Violation {
    fn new(pointer: String, expected: String, got: String) -> Self {
        let message = format!("`{}`: expected {expected}, got {got}", readable_pointer(&pointer));
        Self { pointer, expected, got, message }
    }
}

/// All violations, ordered by where they are.
pub(super) fn find_violations(validator: &Validator, schema: &Value, value: &Value) -> Vec<Violation> {
    let mut found: Vec<_> = validator
        .iter_errors(value)
        .take(MOST_VIOLATIONS)
        .flat_map(|error| explain_error(&error, schema))
        .collect();
    found.sort_by(|a, b| a.pointer.cmp(&b.pointer).then_with(|| a.expected.cmp(&b.expected)));
    found.dedup();
    found.truncate(MOST_VIOLATIONS);
    found
}

fn explain_error(error: &ValidationError<'_>, schema: &Value) -> Vec<Violation> {
    let at = error.instance_path().as_str();
    let one = |expected: String| vec![Violation::new(at.to_owned(), expected, shown_value(error.instance()))];
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => unexpected
            .iter()
            .map(|name| unknown_property(at, name, schema_at(error, schema), error.instance()))
            .collect(),
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let kind = schema_at(error, schema)
                .and_then(|schema| schema.get("properties")?.get(name)?.get("type").map(type_words))
                .unwrap_or_else(|| "a value".to_owned());
            let pointer = format!("{at}/{}", escape_pointer(name));
            let message = format!("`{}` is missing: expected {kind}", readable_pointer(&pointer));
            vec![Violation { pointer, expected: kind, got: "nothing".to_owned(), message }]
        }
        kind => one(expected_text(kind).unwrap_or_else(|| plain_expectation(error))),
    }
}

/// Describes the expectation of the broken keyword; nothing for a rare one.
fn expected_text(kind: &Kind) -> Option<String> {
    Some(match kind {
        Kind::Type { kind: TypeKind::Single(one) } => with_article(one.as_str()),
        Kind::Type { kind: TypeKind::Multiple(set) } => {
            set.iter().map(|one| with_article(one.as_str())).collect::<Vec<_>>().join(" or ")
        }
        Kind::Enum { options } => match options.as_array() {
            Some(options) => {
                let options: Vec<_> = options.iter().map(Value::to_string).collect();
                format!("one of {}", options.join(", "))
            }
            None => options.to_string(),
        },
        Kind::Constant { expected_value } => expected_value.to_string(),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MinLength { limit: 1 } => "text that is not empty".to_owned(),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::MinProperties { limit } => format!("at least {limit} members"),
        Kind::MaxProperties { limit } => format!("at most {limit} members"),
        Kind::Pattern { pattern } => format!("text that matches `{pattern}`"),
        Kind::Format { format } => format!("text in the format `{format}`"),
        Kind::UniqueItems => "items that all differ".to_owned(),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => "one of the allowed forms".to_owned(),
        Kind::OneOfMultipleValid { .. } => "only one of the allowed forms".to_owned(),
        _ => return None,
    })
}

/// The library's own words without the value, which may be megabytes long.
fn plain_expectation(error: &ValidationError<'_>) -> String {
    let text = error.masked_with("it").to_string();
    format!("what the schema says ({})", text.chars().take(200).collect::<String>())
}

fn unknown_property(at: &str, name: &str, schema: Option<&Value>, parent: &Value) -> Violation {
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    let known: Vec<&str> = properties.into_iter().flat_map(|map| map.keys().map(String::as_str)).collect();
    let expected =
        if known.is_empty() { "no members".to_owned() } else { format!("only {}", known.join(", ")) };
    let got = parent.get(name).map_or_else(|| "a member".to_owned(), shown_value);
    let pointer = format!("{at}/{}", escape_pointer(&clip_text(name)));
    let hint = match likely_name(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected {expected}"),
    };
    let message = format!("`{}` is not an argument; {hint}", readable_pointer(&pointer));
    Violation { pointer, expected, got, message }
}

/// Returns the schema that holds the broken keyword, where it is in the same document.
fn schema_at<'a>(error: &ValidationError<'_>, schema: &'a Value) -> Option<&'a Value> {
    let path = error.schema_path().as_str();
    schema.pointer(path.rsplit_once('/').map_or("", |(parent, _)| parent))
}

fn type_words(kind: &Value) -> String {
    match kind {
        Value::String(one) => with_article(one),
        Value::Array(many) => {
            many.iter().filter_map(Value::as_str).map(with_article).collect::<Vec<_>>().join(" or ")
        }
        _ => "a value".to_owned(),
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        "array" | "integer" | "object" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

/// A value with its kind, short enough for a message.
pub(super) fn shown_value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(value) => format!("the number {value}"),
        Value::String(text) => format!("the string {}", json!(clip_text(text))),
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(map) => format!("an object with {} members", map.len()),
    }
}

fn clip_text(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A pointer as people write it: `range.start`, `paths[2]`.
fn readable_pointer(pointer: &str) -> String {
    let mut out = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        match part.parse::<usize>() {
            Ok(index) => out.push_str(&format!("[{index}]")),
            Err(_) if out.is_empty() => out.push_str(&part),
            Err(_) => {
                out.push('.');
                out.push_str(&part);
            }
        }
    }
    if out.is_empty() { "arguments".to_owned() } else { out }
}
