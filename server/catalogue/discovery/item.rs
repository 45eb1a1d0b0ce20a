//! What is known of a tool when it is looked for.

use serde_json::Value;

use super::words::split;
use crate::catalogue::ToolDef;

/// A tool as it is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolItem {
    /// Its id, unique.
    pub id: String,
    /// Its name, an identifier.
    pub name: String,
    /// The nodes it stands under, each from the root.
    pub nodes: Vec<Vec<String>>,
    /// One line.
    pub summary: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What it does; the first sentence says most.
    pub description: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

/// An argument of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// What it is, and the values that it may have.
    pub description: String,
}

impl ToolItem {
    /// A tool of ours.
    pub fn of(def: &ToolDef, nodes: Vec<Vec<String>>) -> Self {
        let end = if def.summary.ends_with(['.', '!', '?']) { "" } else { "." };
        Self {
            id: def.name.clone(),
            name: def.name.clone(),
            nodes,
            summary: def.summary.clone(),
            tags: def.tags.clone(),
            description: format!("{}{end} {}", def.summary, def.description),
            arguments: arguments(&def.input_schema),
        }
    }

    /// Whether it stands at a node or below it; every one does at the root.
    pub fn is_under(&self, node: &[String]) -> bool {
        node.is_empty() || self.nodes.iter().any(|own| own.starts_with(node))
    }

    /// What a model is given to know it by: the words of its name, where it stands, what it does and what it takes, at
    /// most 800 characters.
    pub fn text(&self) -> String {
        const LONGEST: usize = 800;
        /// So that a long description leaves room for the arguments.
        const DESCRIPTION: usize = 500;
        let description: String = self.description.trim().chars().take(DESCRIPTION).collect();
        let arguments: Vec<&str> = self.arguments.iter().map(|one| one.name.as_str()).collect();
        let node = self.nodes.first().map(|node| node.join(" ")).unwrap_or_default();
        let text = format!("{}. {node}. {description} {}", split(&self.name).join(" "), arguments.join(", "));
        text.chars().take(LONGEST).collect()
    }

    /// A tool of a catalogue in JSON lines: `{"id", "path", "name", "description", "schema"}`. Nothing where it has
    /// no id.
    pub fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let strings = |name: &str| {
            let items = value.get(name).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let id = value.get("id")?.as_str()?.to_owned();
        Some(Self {
            id,
            name: text("name"),
            nodes: vec![strings("path")],
            summary: summary(value),
            tags: strings("tags"),
            description: text("description"),
            arguments: arguments(value.get("schema").unwrap_or(&Value::Null)),
        })
    }
}

/// The summary, or the beginning of the description.
fn summary(value: &Value) -> String {
    const LONGEST: usize = 120;
    let text = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let whole = text("summary").or_else(|| text("description")).unwrap_or_default();
    let first = super::index::sentence(whole).0;
    match first.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &first[..at]),
        None => first.to_owned(),
    }
}

fn arguments(schema: &Value) -> Vec<Argument> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    // Every tool has a reason: it tells none from another.
    let own = properties.filter(|(name, _)| *name != "why");
    let argument = |(name, schema): (&String, &Value)| {
        let mut description =
            schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
            description.push(' ');
            match value {
                Value::String(text) => description.push_str(text),
                value => description.push_str(&value.to_string()),
            }
        }
        Argument { name: name.clone(), description }
    };
    own.map(argument).collect()
}
