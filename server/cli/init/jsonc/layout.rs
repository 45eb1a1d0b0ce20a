//! How a JSON file is laid out, and a value laid out like it.

use jsonc_parser::cst::{CstObject, CstRootNode};
use serde_json::{Value, json};

/// How a file is laid out.
pub(super) struct LayoutStyle {
    pub(super) newline: &'static str,
    /// One step to the right.
    pub(super) unit: String,
    /// Whether each member has a line of its own.
    pub(super) spread: bool,
}

impl LayoutStyle {
    pub(super) fn of(text: &str, tree: &CstRootNode) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let unit = tree.single_indent_text().filter(|step| !step.is_empty());
        let one_line = |root: CstObject| !root.properties().is_empty() && !root.to_string().contains('\n');
        Self {
            newline,
            unit: unit.unwrap_or_else(|| "  ".to_owned()),
            spread: !tree.object_value().is_some_and(one_line),
        }
    }

    /// A value as it stands in the file, its first line where it begins. A list spreads only where it holds objects.
    pub(super) fn render(&self, value: &Value, indent: &str, spread: bool) -> String {
        let deeper = format!("{indent}{}", self.unit);
        match value {
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| {
                    format!("{}: {}", json!(name), self.render(value, &deeper, spread))
                };
                let members: Vec<String> = members.iter().map(member).collect();
                self.enclosed(("{", "}"), &members, indent, spread)
            }
            Value::Array(items) => {
                let spread = spread && items.iter().any(Value::is_object);
                let items: Vec<String> =
                    items.iter().map(|item| self.render(item, &deeper, spread)).collect();
                self.enclosed(("[", "]"), &items, indent, spread)
            }
            value => value.to_string(),
        }
    }

    fn enclosed(&self, (open, close): (&str, &str), all: &[String], indent: &str, spread: bool) -> String {
        if !spread {
            return format!("{open}{}{close}", all.join(", "));
        }
        let (newline, unit) = (self.newline, &self.unit);
        let all = all.join(&format!(",{newline}{indent}{unit}"));
        format!("{open}{newline}{indent}{unit}{all}{newline}{indent}{close}")
    }
}
