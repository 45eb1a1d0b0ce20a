//! The layout of a JSON file, and values rendered in it.

use jsonc_parser::cst::{CstObject, CstRootNode};
use serde_json::{Value, json};

/// The layout of a file.
pub(super) struct LayoutStyle {
    pub(super) newline: &'static str,
    /// The text of one level of indentation.
    pub(super) unit: String,
    /// True if each member has a line of its own.
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

    /// The text of a value in the file, starting at its first line's position. A list spreads only if it holds objects.
    pub(super) fn render_value(&self, value: &Value, indent: &str, spread: bool) -> String {
        let deeper = format!("{indent}{}", self.unit);
        match value {
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| {
                    format!("{}: {}", json!(name), self.render_value(value, &deeper, spread))
                };
                let members: Vec<String> = members.iter().map(member).collect();
                self.enclose_members(("{", "}"), &members, indent, spread)
            }
            Value::Array(items) => {
                let spread = spread && items.iter().any(Value::is_object);
                let items: Vec<String> =
                    items.iter().map(|item| self.render_value(item, &deeper, spread)).collect();
                self.enclose_members(("[", "]"), &items, indent, spread)
            }
            value => value.to_string(),
        }
    }

    fn enclose_members(
        &self,
        (open, close): (&str, &str),
        all: &[String],
        indent: &str,
        spread: bool,
    ) -> String {
        if !spread {
            return format!("{open}{}{close}", all.join(", "));
        }
        let (newline, unit) = (self.newline, &self.unit);
        let all = all.join(&format!(",{newline}{indent}{unit}"));
        format!("{open}{newline}{indent}{unit}{all}{newline}{indent}{close}")
    }
}
