//! What may be written at a place in a definition: keys and values by `schemas/definition.json`. The text is unfinished
//! where this is asked, so its lines are read by their indents alone.

use std::sync::LazyLock;

use serde_json::Value;

/// The schema of a definition's file, for editors.
pub const SCHEMA: &str = include_str!("../../schemas/definition.json");

/// Something that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// A key or a value.
    pub label: String,
    /// What is put in: a key comes with its colon.
    pub insert: String,
    /// What it is for.
    pub about: String,
}

/// One step from a file's root to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PathStep {
    /// The value of a key.
    Key(String),
    /// The item of a list that begins in this line.
    Item(usize),
}

/// Lines, as far as they were read.
#[derive(Clone, Debug, Default)]
struct Outline {
    /// Where the last line stands: the steps to it, each with its column.
    open: Vec<(usize, PathStep)>,
    /// Every key, with the steps to what it stands in.
    keys: Vec<(Vec<PathStep>, String)>,
    /// The column of the key whose text goes on over several lines.
    in_text: Option<usize>,
}

/// What may be written at a byte of a definition's text.
pub fn offers(text: &str, at: usize) -> Vec<Offer> {
    static ROOT: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA).unwrap_or_default());
    let Some(before) = text.get(..at) else { return Vec::new() };
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    let number = before[..begin].lines().count();
    let mut outline = Outline::default();
    before[..begin].lines().enumerate().for_each(|(number, line)| outline.read(number, line));
    let (indent, rest) = indented(&before[begin..]);
    if outline.in_text.is_some_and(|key| indent > key) || rest.starts_with('#') {
        return Vec::new();
    }
    let (_, rest) = outline.enter(number, indent, rest);
    let mut path = outline.path();
    if let Some((key, value)) = entry(rest) {
        path.push(PathStep::Key(key.to_owned()));
        // What is quoted or in brackets is not looked into.
        let is_plain = value.trim().chars().all(|c| c.is_alphanumeric() || c == '_');
        let schema = find(&ROOT, &path).filter(|_| is_plain && !value.is_empty());
        return schema.map(|schema| values(&ROOT, schema)).unwrap_or_default();
    }
    let Some(schema) = find(&ROOT, &path).filter(|_| !rest.contains([':', ' '])) else { return Vec::new() };
    for (below, line) in text[begin..].lines().enumerate().skip(1) {
        outline.read(number + below, line);
    }
    let is_there =
        |offer: &Offer| outline.keys.iter().any(|(parent, key)| *parent == path && *key == offer.label);
    let keys = keys(&ROOT, schema);
    match keys.is_empty() {
        true => values(&ROOT, schema),
        false => keys.into_iter().filter(|offer| !is_there(offer)).collect(),
    }
}

impl Outline {
    /// Takes in a whole line.
    fn read(&mut self, number: usize, line: &str) {
        let (indent, rest) = indented(line);
        if rest.is_empty() || rest.starts_with('#') || self.in_text.is_some_and(|key| indent > key) {
            return;
        }
        self.in_text = None;
        let (indent, rest) = self.enter(number, indent, rest);
        if let Some((key, value)) = entry(rest) {
            self.keys.push((self.path(), key.to_owned()));
            self.open.push((indent, PathStep::Key(key.to_owned())));
            self.in_text = value.trim_start().starts_with(['|', '>']).then_some(indent);
        }
    }

    /// Leaves what a line at `indent` is no part of and enters the items that it begins. Gives the indent of what is
    /// left of the line, and that.
    fn enter<'a>(&mut self, number: usize, mut indent: usize, mut rest: &'a str) -> (usize, &'a str) {
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

    fn path(&self) -> Vec<PathStep> {
        self.open.iter().map(|(_, step)| step.clone()).collect()
    }
}

/// A line's indent, and the rest of it.
fn indented(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches(' ');
    (line.len() - rest.len(), rest.trim_end_matches('\r'))
}

/// A key, and what stands behind its colon.
fn entry(rest: &str) -> Option<(&str, &str)> {
    let (key, value) =
        rest.split_once(':').filter(|(_, value)| value.is_empty() || value.starts_with(' '))?;
    Some((key.trim().trim_matches(['"', '\'']), value))
}

/// The schema of what stands at the end of some steps.
fn find<'a>(root: &'a Value, path: &[PathStep]) -> Option<&'a Value> {
    path.iter().try_fold(root, |schema, step| {
        forms(root, schema).find_map(|form| match step {
            PathStep::Key(key) => form
                .get("properties")
                .and_then(|all| all.get(key))
                .or_else(|| form.get("additionalProperties").filter(|other| other.is_object())),
            PathStep::Item(_) => form.get("items"),
        })
    })
}

/// A schema and those that it names: all that its value may hold to.
fn forms<'a>(root: &'a Value, schema: &'a Value) -> impl Iterator<Item = &'a Value> {
    let named = |schema: &'a Value| root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?);
    let choices = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    std::iter::once(schema).chain(choices).flat_map(move |form| std::iter::once(form).chain(named(form)))
}

fn keys(root: &Value, schema: &Value) -> Vec<Offer> {
    let all = forms(root, schema).filter_map(|form| form.get("properties")?.as_object()).flatten();
    all.map(|(key, schema)| Offer {
        label: key.clone(),
        insert: format!("{key}:{}", if is_nested(root, schema) { "" } else { " " }),
        about: about(schema),
    })
    .collect()
}

/// Whether a value is written below its key, not behind it.
fn is_nested(root: &Value, schema: &Value) -> bool {
    forms(root, schema).any(|form| form.get("type") == Some(&Value::from("object")))
}

fn values(root: &Value, schema: &Value) -> Vec<Offer> {
    let mut found = Vec::new();
    for form in forms(root, schema) {
        let listed =
            form.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let truths = form.get("type").filter(|kind| *kind == "boolean").map(|_| ["true", "false"]);
        for value in listed.chain(truths.into_iter().flatten()) {
            found.push(Offer { label: value.to_owned(), insert: value.to_owned(), about: about(schema) });
        }
    }
    found
}

fn about(schema: &Value) -> String {
    schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
