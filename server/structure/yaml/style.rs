//! The style of a YAML file: indentation, quotes, the place of dashes.

use crate::lines::{column, line_break};
use crate::node::{Content, Form, Node, Scalar};

/// The signs around a text that is not plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuoteSign {
    Double,
    Single,
}

/// The way in which a file is written.
pub(super) struct YamlStyle {
    /// Columns of one level of indentation.
    pub step: usize,
    /// Columns from a key to the dashes of its list.
    pub dash_indent: usize,
    /// Columns from a dash to what follows it.
    pub dash_width: usize,
    /// The sign that is used more.
    pub quote: QuoteSign,
    /// The blank inside of braces in the flow form.
    pub pad: &'static str,
    /// True where the keys of the flow form are quoted.
    pub quoted_keys: bool,
    pub newline: &'static str,
}

#[derive(Default)]
struct StyleCounts {
    steps: Vec<usize>,
    dashes: Vec<usize>,
    widths: Vec<usize>,
    double: usize,
    single: usize,
    padded: Vec<bool>,
    quoted_keys: Vec<bool>,
}

impl YamlStyle {
    pub(super) fn of(text: &str, document: &Node) -> Self {
        let mut counts = StyleCounts::default();
        count_style(text, document, &mut counts);
        let step = most_frequent(&counts.steps).unwrap_or(2);
        Self {
            step,
            dash_indent: most_frequent(&counts.dashes).unwrap_or(step),
            dash_width: most_frequent(&counts.widths).unwrap_or(2),
            quote: if counts.single > counts.double { QuoteSign::Single } else { QuoteSign::Double },
            pad: if counts.padded.first() == Some(&true) { " " } else { "" },
            quoted_keys: counts.quoted_keys.first() == Some(&true),
            newline: line_break(text),
        }
    }
}

fn most_frequent(counts: &[usize]) -> Option<usize> {
    let times = |value: usize| counts.iter().filter(|other| **other == value).count();
    counts.iter().copied().max_by_key(|value| (times(*value), std::cmp::Reverse(*value)))
}

fn count_style(text: &str, node: &Node, counts: &mut StyleCounts) {
    match text.as_bytes().get(node.span.start) {
        Some(b'"') => counts.double += 1,
        Some(b'\'') => counts.single += 1,
        Some(b'{') if node.form == Form::Inline && !node.entries().is_empty() => {
            counts.padded.push(text[node.span.start + 1..].starts_with(' '));
            let key = node.entries().first().map(|entry| entry.key_span.start);
            counts.quoted_keys.push(key.is_some_and(|at| text[at..].starts_with('"')));
        }
        _ => {}
    }
    // Enough of a large file to know its style.
    if counts.steps.len() + counts.double + counts.single > 500 {
        return;
    }
    for entry in node.entries() {
        if node.form == Form::Block && entry.value.form == Form::Block {
            let (own, inner) = (column(text, entry.start), column(text, entry.value.span.start));
            match &entry.value.content {
                Content::Map(_) if node.is_map() => counts.steps.push(inner.saturating_sub(own)),
                Content::List(_) if node.is_map() => counts.dashes.push(inner.saturating_sub(own)),
                _ if node.is_list() => counts.widths.push(inner.saturating_sub(own)),
                _ => {}
            }
        } else if node.form == Form::Block
            && node.is_list()
            && !matches!(entry.value.content, Content::Scalar(Scalar::Json(serde_json::Value::Null)))
        {
            counts
                .widths
                .push(column(text, entry.value.span.start).saturating_sub(column(text, entry.start)));
        }
        count_style(text, &entry.value, counts);
    }
}
