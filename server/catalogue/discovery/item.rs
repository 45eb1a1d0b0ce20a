//! The searchable parts of a tool.

use serde_json::Value;

use super::words::split_words;
use crate::catalogue::ToolDef;

/// A tool as it is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolItem {
    /// Its id, unique.
    pub id: String,
    /// Its name, an identifier.
    pub name: String,
    /// The nodes that it is under, each from the root.
    pub nodes: Vec<Vec<String>>,
    /// A summary of one line.
    pub summary: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The description; its first sentence matters most.
    pub description: String,
    /// Its arguments.
    pub arguments: Vec<ToolArgument>,
    /// The words of its nodes, where the person or the project defined those nodes.
    pub node_words: Vec<String>,
}

/// An argument of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolArgument {
    /// Its name.
    pub name: String,
    /// The description, with the values that it may have.
    pub description: String,
}

impl ToolItem {
    /// Returns the item of one of our own tools.
    pub fn from_definition(def: &ToolDef, nodes: Vec<Vec<String>>) -> Self {
        let end = if def.summary.ends_with(['.', '!', '?']) { "" } else { "." };
        Self {
            id: def.name.clone(),
            name: def.name.clone(),
            nodes,
            summary: def.summary.clone(),
            tags: def.tags.clone(),
            description: format!("{}{end} {}", def.summary, def.description),
            arguments: item_arguments(&def.input_schema),
            node_words: Vec::new(),
        }
    }

    /// Returns whether it is at a node or below it; every tool is below the root.
    pub fn is_under(&self, node: &[String]) -> bool {
        node.is_empty() || self.nodes.iter().any(|own| own.starts_with(node))
    }

    /// Returns whether it stands at a node itself; what stands at none is at the root.
    pub fn stands_at(&self, node: &[String]) -> bool {
        self.nodes.iter().any(|own| own == node) || (node.is_empty() && self.nodes.is_empty())
    }

    /// Returns the text that a model embeds: the words of its name, its nodes, its description and its arguments, at
    /// most 800 characters.
    pub fn embedding_text(&self) -> String {
        const LONGEST: usize = 800;
        /// So that a long description leaves room for the arguments.
        const DESCRIPTION: usize = 500;
        let description: String = self.description.trim().chars().take(DESCRIPTION).collect();
        let arguments: Vec<&str> = self.arguments.iter().map(|one| one.name.as_str()).collect();
        let node = self.nodes.first().map(|node| node.join(" ")).unwrap_or_default();
        let text =
            format!("{}. {node}. {description} {}", split_words(&self.name).join(" "), arguments.join(", "));
        text.chars().take(LONGEST).collect()
    }

    /// A tool of a catalogue in JSON lines: `{"id", "path", "name", "description", "schema"}`. Nothing where it has
    /// no id.
    pub fn read_json(value: &Value) -> Option<Self> {
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
            summary: item_summary(value),
            tags: strings("tags"),
            description: text("description"),
            arguments: item_arguments(value.get("schema").unwrap_or(&Value::Null)),
            node_words: Vec::new(),
        })
    }
}

/// The summary, or the beginning of the description.
fn item_summary(value: &Value) -> String {
    const LONGEST: usize = 120;
    let text = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let whole = text("summary").or_else(|| text("description")).unwrap_or_default();
    let first = super::index::split_sentence(whole).0;
    match first.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &first[..at]),
        None => first.to_owned(),
    }
}

fn item_arguments(schema: &Value) -> Vec<ToolArgument> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    // Every tool has a reason: it does not distinguish any.
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
        ToolArgument { name: name.clone(), description }
    };
    own.map(argument).collect()
}
