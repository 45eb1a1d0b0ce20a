//! JSON values as YAML text.

use serde_json::Value;

use super::scalar::{is_plain, needs_escape, quote_double, quote_single, write_number};
use super::style::{QuoteSign, YamlStyle};

/// The quotes that a text gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    /// None where it can be plain.
    AsNeeded,
    /// These, where they can hold it.
    Always(QuoteSign),
}

/// A value as it follows a key: the text in the key's line, and the lines below it.
pub(super) struct RenderedValue {
    /// The text in the line of the key or dash; none where the value begins below it.
    pub head: String,
    /// Further lines with their indentation, without line ends.
    pub lines: Vec<String>,
    /// True where the lines are a block scalar that ends with a line end of its own.
    pub ends_line: bool,
}

impl YamlStyle {
    /// Renders a value that follows a key or a dash at a column.
    pub(super) fn render_value(
        &self,
        value: &Value,
        column: usize,
        in_list: bool,
        quoting: Quoting,
    ) -> RenderedValue {
        let inline = |head: String| RenderedValue { head, lines: Vec::new(), ends_line: false };
        match value {
            Value::String(text) if is_block_text(text) => {
                let body = match text.strip_suffix('\n') {
                    None => ("|-", text.as_str()),
                    Some(body) => ("|", body),
                };
                let indent = " ".repeat(column + if in_list { self.dash_width } else { self.step });
                let line =
                    |line: &str| if line.is_empty() { String::new() } else { format!("{indent}{line}") };
                RenderedValue {
                    head: body.0.to_owned(),
                    lines: body.1.split('\n').map(line).collect(),
                    ends_line: text.ends_with('\n'),
                }
            }
            Value::Object(members) if !members.is_empty() => {
                let inner = column + if in_list { self.dash_width } else { self.step };
                self.block(self.map_lines(members, inner), inner, in_list)
            }
            Value::Array(elements) if !elements.is_empty() => {
                let inner = column + if in_list { self.dash_width } else { self.dash_indent };
                self.block(self.list_lines(elements, inner), inner, in_list)
            }
            other => inline(self.render_inline(other, false, quoting)),
        }
    }

    /// Lines of a block: below a key all of them, behind a dash the first one in its line.
    fn block(&self, mut lines: Vec<String>, inner: usize, in_list: bool) -> RenderedValue {
        let mut head = String::new();
        if in_list && !lines.is_empty() {
            head = lines.remove(0).get(inner..).unwrap_or_default().to_owned();
        }
        RenderedValue { head, lines, ends_line: false }
    }

    pub(super) fn map_lines(&self, members: &serde_json::Map<String, Value>, column: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for (key, value) in members {
            let rendered = self.render_value(value, column, false, Quoting::AsNeeded);
            lines.push(join_head(
                &format!("{}{}:", " ".repeat(column), self.render_key(key, false)),
                &rendered.head,
            ));
            lines.extend(rendered.lines);
        }
        lines
    }

    fn list_lines(&self, elements: &[Value], column: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for value in elements {
            let rendered = self.render_value(value, column, true, Quoting::AsNeeded);
            lines.push(format!("{}{}{}", " ".repeat(column), self.dash(), rendered.head));
            lines.extend(rendered.lines);
        }
        lines
    }

    /// A dash with the blanks behind it.
    pub(super) fn dash(&self) -> String {
        format!("-{}", " ".repeat(self.dash_width.saturating_sub(1).max(1)))
    }

    /// A key, quoted where it has to be.
    pub(super) fn render_key(&self, key: &str, flow: bool) -> String {
        match is_plain(key, flow, true) {
            true => key.to_owned(),
            false => self.quote(key, self.quote),
        }
    }

    fn quote(&self, text: &str, sign: QuoteSign) -> String {
        match sign {
            QuoteSign::Single => quote_single(text).unwrap_or_else(|| quote_double(text)),
            QuoteSign::Double => quote_double(text),
        }
    }

    /// A value in one line.
    pub(super) fn render_inline(&self, value: &Value, flow: bool, quoting: Quoting) -> String {
        match value {
            Value::String(text) => match quoting {
                Quoting::Always(sign) => self.quote(text, sign),
                Quoting::AsNeeded if is_plain(text, flow, false) => text.clone(),
                Quoting::AsNeeded => self.quote(text, self.quote),
            },
            Value::Number(number) => write_number(number),
            Value::Array(elements) => {
                let items: Vec<String> =
                    elements.iter().map(|element| self.render_inline(element, true, quoting)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(members) if members.is_empty() => "{}".to_owned(),
            Value::Object(members) => {
                let items: Vec<String> =
                    members.iter().map(|(key, value)| self.render_pair(key, value, quoting)).collect();
                format!("{{{0}{1}{0}}}", self.pad, items.join(", "))
            }
            other => other.to_string(),
        }
    }

    /// A member in the flow form.
    pub(super) fn render_pair(&self, key: &str, value: &Value, quoting: Quoting) -> String {
        let key = if self.quoted_keys { quote_double(key) } else { self.render_key(key, true) };
        format!("{key}: {}", self.render_inline(value, true, quoting))
    }
}

/// A key's line with what follows in it.
pub(super) fn join_head(key: &str, head: &str) -> String {
    if head.is_empty() { key.to_owned() } else { format!("{key} {head}") }
}

/// Returns whether a text is best written as a literal block.
fn is_block_text(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    text.trim_end_matches('\n').contains('\n')
        && !text.ends_with("\n\n")
        && !first.trim().is_empty()
        && !first.starts_with([' ', '\t'])
        && !text.chars().any(|c| (c.is_control() && c != '\n' && c != '\t') || needs_escape(c))
        && !text.split('\n').any(|line| !line.is_empty() && line.trim().is_empty())
}
