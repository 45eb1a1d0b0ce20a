//! Completes keys and values in a definition, by `schemas/definition.json`. The text is unfinished at that moment, so
//! its lines are read by their indents alone.

use std::sync::LazyLock;

use serde_json::Value;

/// The schema of a definition's file, for editors.
pub const SCHEMA: &str = include_str!("../../schemas/definition.json");

/// A text that may be written at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionOffer {
    /// A key or a value.
    pub label: String,
    /// The text that is inserted: a key comes with its colon.
    pub insert: String,
    /// The purpose.
    pub about: String,
}

/// A step from a file's root to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    /// The value of a key.
    Key(String),
    /// The item of a list that begins in this line.
    Item(usize),
}

/// The lines that were read so far.
#[derive(Clone, Debug, Default)]
struct YamlOutline {
    /// The path of the last line: the steps to it, each with its column.
    open: Vec<(usize, PathStep)>,
    /// Every key, with the steps to the map that it is in.
    keys: Vec<(Vec<PathStep>, String)>,
    /// The column of the key whose text goes on over several lines.
    in_text: Option<usize>,
}

/// Returns the offers at a byte of a definition's text.
pub fn completion_offers(text: &str, at: usize) -> Vec<CompletionOffer> {
    static ROOT: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA).unwrap_or_default());
    let Some(before) = text.get(..at) else { return Vec::new() };
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    let number = before[..begin].lines().count();
    let mut outline = YamlOutline::default();
    before[..begin].lines().enumerate().for_each(|(number, line)| outline.read_line(number, line));
    let (indent, rest) = split_indent(&before[begin..]);
    if outline.in_text.is_some_and(|key| indent > key) || rest.starts_with('#') {
        return Vec::new();
    }
    let (_, rest) = outline.enter_items(number, indent, rest);
    let mut path = outline.current_path();
    if let Some((key, value)) = split_key(rest) {
        path.push(PathStep::Key(key.to_owned()));
        // Quoted values and those in brackets are not completed.
        let is_plain = value.trim().chars().all(|c| c.is_alphanumeric() || c == '_');
        let schema = find_schema(&ROOT, &path).filter(|_| is_plain && !value.is_empty());
        return schema.map(|schema| value_offers(&ROOT, schema)).unwrap_or_default();
    }
    let Some(schema) = find_schema(&ROOT, &path).filter(|_| !rest.contains([':', ' '])) else {
        return Vec::new();
    };
    for (below, line) in text[begin..].lines().enumerate().skip(1) {
        outline.read_line(number + below, line);
    }
    let is_there = |offer: &CompletionOffer| {
        outline.keys.iter().any(|(parent, key)| *parent == path && *key == offer.label)
    };
    let keys = key_offers(&ROOT, schema);
    match keys.is_empty() {
        true => value_offers(&ROOT, schema),
        false => keys.into_iter().filter(|offer| !is_there(offer)).collect(),
    }
}

impl YamlOutline {
    /// Takes in a whole line.
    fn read_line(&mut self, number: usize, line: &str) {
        let (indent, rest) = split_indent(line);
        if rest.is_empty() || rest.starts_with('#') || self.in_text.is_some_and(|key| indent > key) {
            return;
        }
        self.in_text = None;
        let (indent, rest) = self.enter_items(number, indent, rest);
        if let Some((key, value)) = split_key(rest) {
            self.keys.push((self.current_path(), key.to_owned()));
            self.open.push((indent, PathStep::Key(key.to_owned())));
            self.in_text = value.trim_start().starts_with(['|', '>']).then_some(indent);
        }
    }

    /// Leaves what a line at `indent` is no part of and enters the items that it begins. Gives the indent of what is
    /// left of the line, and that.
    fn enter_items<'a>(&mut self, number: usize, mut indent: usize, mut rest: &'a str) -> (usize, &'a str) {
        while let Some(inner) =
            rest.strip_prefix('-').filter(|inner| inner.is_empty() || inner.starts_with(' '))
        {
            // A list may stand as far to the left as its key.
            let holds = |(column, step): &(usize, PathStep)| {
                *column < indent || (*column == indent && matches!(step, PathStep::Key(_)))
            };
            self.open.retain(holds);
            self.open.push((indent, PathStep::Item(number)));
            let inner = inner.trim_start_matches(' ');
            indent += rest.len() - inner.len();
            rest = inner;
        }
        let is_item = |step: &PathStep| *step == PathStep::Item(number);
        if !self.open.last().is_some_and(|(_, step)| is_item(step)) {
            self.open.retain(|(column, _)| *column < indent);
        }
        (indent, rest)
    }

    fn current_path(&self) -> Vec<PathStep> {
        self.open.iter().map(|(_, step)| step.clone()).collect()
    }
}

/// A line's indent, and the rest of it.
fn split_indent(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches(' ');
    (line.len() - rest.len(), rest.trim_end_matches('\r'))
}

/// Splits a key from the text after its colon.
fn split_key(rest: &str) -> Option<(&str, &str)> {
    let (key, value) =
        rest.split_once(':').filter(|(_, value)| value.is_empty() || value.starts_with(' '))?;
    Some((key.trim().trim_matches(['"', '\'']), value))
}

/// The members that an object at the end of some steps may have.
pub(crate) fn members_at(root: &Value, path: &[PathStep]) -> Vec<String> {
    let schema = find_schema(root, path);
    schema
        .map(|schema| key_offers(root, schema).into_iter().map(|offer| offer.label).collect())
        .unwrap_or_default()
}

/// Returns the schema of the value at the end of some steps.
fn find_schema<'a>(root: &'a Value, path: &[PathStep]) -> Option<&'a Value> {
    path.iter().try_fold(root, |schema, step| {
        schema_forms(root, schema).find_map(|form| match step {
            PathStep::Key(key) => form
                .get("properties")
                .and_then(|all| all.get(key))
                .or_else(|| form.get("additionalProperties").filter(|other| other.is_object())),
            PathStep::Item(_) => form.get("items"),
        })
    })
}

/// A schema and those that it names: all that its value may hold to.
fn schema_forms<'a>(root: &'a Value, schema: &'a Value) -> impl Iterator<Item = &'a Value> {
    let named = |schema: &'a Value| root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?);
    let choices = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    std::iter::once(schema).chain(choices).flat_map(move |form| std::iter::once(form).chain(named(form)))
}

fn key_offers(root: &Value, schema: &Value) -> Vec<CompletionOffer> {
    let all = schema_forms(root, schema).filter_map(|form| form.get("properties")?.as_object()).flatten();
    all.map(|(key, schema)| CompletionOffer {
        label: key.clone(),
        insert: format!("{key}:{}", if is_nested(root, schema) { "" } else { " " }),
        about: schema_description(schema),
    })
    .collect()
}

/// Returns whether a value is written below its key, not behind it.
fn is_nested(root: &Value, schema: &Value) -> bool {
    schema_forms(root, schema).any(|form| form.get("type") == Some(&Value::from("object")))
}

fn value_offers(root: &Value, schema: &Value) -> Vec<CompletionOffer> {
    let mut found = Vec::new();
    for form in schema_forms(root, schema) {
        let listed =
            form.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let truths = form.get("type").filter(|kind| *kind == "boolean").map(|_| ["true", "false"]);
        for value in listed.chain(truths.into_iter().flatten()) {
            found.push(CompletionOffer {
                label: value.to_owned(),
                insert: value.to_owned(),
                about: schema_description(schema),
            });
        }
    }
    found
}

fn schema_description(schema: &Value) -> String {
    schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
