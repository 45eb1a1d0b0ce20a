//! JSON values as TOML text.

use serde_json::{Map, Value};

use crate::lines::line_break;
use crate::node::{Content, Node};

/// Characters of a list in one line, at most.
const WIDTH: usize = 80;

/// The way in which a file is written.
pub(super) struct TomlStyle {
    pub newline: &'static str,
    /// One level of indentation inside of a list over several lines.
    pub step: String,
    /// True where most texts stand between single quotes.
    literal: bool,
}

impl TomlStyle {
    pub(super) fn of(text: &str, document: &Node) -> Self {
        let mut style = Self { newline: line_break(text), step: "    ".to_owned(), literal: false };
        let (mut double, mut single, mut step) = (0, 0, None);
        count_style(text, document, &mut double, &mut single, &mut step);
        style.literal = single > double;
        if let Some(step) = step {
            style.step = step;
        }
        style
    }

    /// A value in one line. A list that is too long for one gets a line for each element, where it may.
    pub(super) fn render(&self, value: &Value, indent: &str, lines: bool) -> String {
        match value {
            Value::String(text) => self.quote(text),
            Value::Array(elements) => {
                let items: Vec<String> =
                    elements.iter().map(|element| self.render(element, indent, false)).collect();
                let flat = format!("[{}]", items.join(", "));
                if !lines || elements.is_empty() || flat.chars().count() <= WIDTH {
                    return flat;
                }
                self.list_lines(&items, indent)
            }
            Value::Object(members) if members.is_empty() => "{}".to_owned(),
            Value::Object(members) => {
                let item = |(key, value): (&String, &Value)| {
                    format!("{} = {}", render_key(key), self.render(value, indent, false))
                };
                format!("{{ {} }}", members.iter().map(item).collect::<Vec<_>>().join(", "))
            }
            other => other.to_string(),
        }
    }

    /// A list with a line for each element.
    pub(super) fn list_lines(&self, items: &[String], indent: &str) -> String {
        let Self { newline, step, .. } = self;
        let lines: String = items.iter().map(|item| format!("{newline}{indent}{step}{item},")).collect();
        format!("[{lines}{newline}{indent}]")
    }

    fn quote(&self, text: &str) -> String {
        if text.contains('\n') && self.newline == "\n" && !text.contains('\r') {
            return quote_lines(text);
        }
        match self.literal && is_literal(text) {
            true => format!("'{text}'"),
            false => quote_basic(text),
        }
    }

    /// A text between the quotes that the one in its place has.
    pub(super) fn quote_like(&self, text: &str, old: &str) -> String {
        if old.starts_with("'''") && is_literal_lines(text) && self.newline == "\n" {
            return format!("'''\n{text}'''");
        }
        if old.starts_with("\"\"\"") && self.newline == "\n" && !text.contains('\r') {
            return quote_lines(text);
        }
        match old.starts_with('\'') && !old.starts_with("'''") && is_literal(text) {
            true => format!("'{text}'"),
            false if old.starts_with('"') && !text.contains('\n') => quote_basic(text),
            false => self.quote(text),
        }
    }

    /// The lines of a table: a header where it has a name, its values, and its tables below it.
    pub(super) fn table_lines(
        &self,
        header: &str,
        members: &Map<String, Value>,
        tables: &[&str],
    ) -> Vec<String> {
        let name = header.trim_start_matches('[').trim_end_matches(']').to_owned();
        let mut lines = Vec::new();
        if !header.is_empty() {
            lines.push(header.to_owned());
        }
        let is_table =
            |key: &str, value: &Value| tables.contains(&key) && (value.is_object() || is_table_list(value));
        for (key, value) in members.iter().filter(|(key, value)| !is_table(key, value)) {
            lines.push(format!("{} = {}", render_key(key), self.render(value, "", true)));
        }
        for (key, value) in members.iter().filter(|(key, value)| is_table(key, value)) {
            let name = join_name(&name, key);
            for part in value.as_array().map_or_else(|| vec![value], |parts| parts.iter().collect()) {
                let header = if value.is_array() { format!("[[{name}]]") } else { format!("[{name}]") };
                lines.push(String::new());
                lines.extend(self.table_lines(&header, part.as_object().unwrap_or(&Map::new()), &[]));
            }
        }
        lines
    }
}

/// Returns whether a value is a list of tables.
pub(super) fn is_table_list(value: &Value) -> bool {
    value.as_array().is_some_and(|elements| !elements.is_empty() && elements.iter().all(Value::is_object))
}

/// A key, quoted where it has to be.
pub(super) fn render_key(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { key.to_owned() } else { quote_basic(key) }
}

/// The name of a table inside of another.
pub(super) fn join_name(parent: &str, key: &str) -> String {
    match parent.is_empty() {
        true => render_key(key),
        false => format!("{parent}.{}", render_key(key)),
    }
}

fn quote_basic(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A text over several lines.
fn quote_lines(text: &str) -> String {
    let mut body = String::with_capacity(text.len() + 8);
    let mut quotes = 0;
    for c in text.chars() {
        quotes = if c == '"' { quotes + 1 } else { 0 };
        match c {
            '\\' => body.push_str("\\\\"),
            // Three would end the text.
            '"' if quotes % 3 == 0 => body.push_str("\\\""),
            '\n' | '\t' => body.push(c),
            c if c.is_control() => body.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => body.push(c),
        }
    }
    if quotes % 3 != 0 {
        body.insert(body.len() - 1, '\\');
    }
    format!("\"\"\"\n{body}\"\"\"")
}

fn is_literal(text: &str) -> bool {
    !text.contains('\'') && !text.chars().any(char::is_control)
}

fn is_literal_lines(text: &str) -> bool {
    !text.contains("''")
        && !text.ends_with('\'')
        && !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t')
}

fn count_style(text: &str, node: &Node, double: &mut usize, single: &mut usize, step: &mut Option<String>) {
    if *double + *single > 500 {
        return;
    }
    if let (Content::List(entries), None) = (&node.content, &step)
        && let Some(first) = entries.first()
        && text[node.span.start..].starts_with('[')
        && crate::lines::begins_line(text, first.start)
    {
        let (own, inner) =
            (crate::lines::indent_at(text, node.span.start), crate::lines::indent_at(text, first.start));
        *step = inner.strip_prefix(own).filter(|step| !step.is_empty()).map(str::to_owned);
    }
    match text.as_bytes().get(node.span.start) {
        Some(b'"') if node.entries().is_empty() => *double += 1,
        Some(b'\'') if node.entries().is_empty() => *single += 1,
        _ => {}
    }
    for entry in node.entries() {
        count_style(text, &entry.value, double, single, step);
    }
}
