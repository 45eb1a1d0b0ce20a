//! A reader of session logs that shares nothing with the program: Markdown fences, YAML blocks, and a comment of JSON each.

use serde_json::{Map, Value};

/// One event as the document holds it.
#[derive(Debug)]
pub(crate) struct ReadEvent {
    /// The heading or line that it begins with.
    pub first: String,
    /// Its fields, those of the comment and of the YAML block.
    pub fields: Map<String, Value>,
}

impl ReadEvent {
    pub(crate) fn kind(&self) -> &str {
        self.fields["type"].as_str().unwrap()
    }
}

/// The events of a log, in order. Each ends with its comment.
pub(crate) fn read_events(log: &str) -> Vec<ReadEvent> {
    let mut events = Vec::new();
    let mut first = String::new();
    let mut yaml = String::new();
    let mut fence: Option<String> = None;
    for line in log.lines() {
        if let Some(open) = &fence {
            match line == open {
                true => fence = None,
                false => yaml.extend([line, "\n"]),
            }
        } else if let Some(ticks) = line.strip_suffix("yaml").filter(|ticks| ticks.starts_with("```")) {
            fence = Some(ticks.to_owned());
        } else if let Some(json) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            let mut fields: Map<String, Value> = serde_json::from_str(json).unwrap();
            if !yaml.is_empty() {
                let shown: Map<String, Value> = serde_saphyr::from_str(&yaml).unwrap();
                fields.extend(shown);
            }
            events.push(ReadEvent { first: std::mem::take(&mut first), fields });
            yaml.clear();
        } else if first.is_empty() && (line.starts_with("## ") || line.starts_with("**")) {
            line.clone_into(&mut first);
        }
    }
    assert_eq!(fence, None, "a fence is not closed");
    events
}
