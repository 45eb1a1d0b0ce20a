//! The texts that recent calls asked for, so that a proposal's diff that only repeats them need not stand in the log twice.

use std::collections::{BTreeMap, VecDeque};

use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::base::CallId;

/// Calls whose texts are remembered; a proposal follows its call soon.
const CALLS: usize = 64;

/// The texts of the last calls, oldest first.
#[derive(Debug, Default)]
pub(super) struct AskedTexts(Mutex<VecDeque<(CallId, String)>>);

impl AskedTexts {
    /// Remembers the texts of a call's arguments that stand in the log: those of at most `inline` bytes.
    pub(super) fn note(&self, call: &CallId, args: &Map<String, Value>, inline: usize) {
        let mut texts = String::new();
        args.iter().filter(|(key, _)| *key != "why").for_each(|(_, value)| gather(value, inline, &mut texts));
        if texts.is_empty() {
            return;
        }
        let mut calls = self.0.lock();
        if calls.len() == CALLS {
            calls.pop_front();
        }
        calls.push_back((call.clone(), texts));
    }

    /// Returns whether the arguments of the call contain every changed line of these diffs.
    pub(super) fn shows(&self, call: &CallId, files: &BTreeMap<String, String>) -> bool {
        let calls = self.0.lock();
        let Some((_, texts)) = calls.iter().rfind(|(id, _)| id == call) else { return false };
        let asked: std::collections::HashSet<&str> =
            texts.lines().flat_map(|line| [line, line.strip_prefix(['+', '-']).unwrap_or(line)]).collect();
        let mut changed = files.values().flat_map(|diff| diff.lines()).filter(|line| {
            line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
        });
        changed.all(|line| asked.contains(&line[1..]))
    }
}

/// Adds the texts of lines in a value.
fn gather(value: &Value, inline: usize, texts: &mut String) {
    match value {
        Value::String(text) if text.len() <= inline => {
            texts.push_str(text);
            texts.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, inline, texts)),
        Value::Object(map) => map.values().for_each(|item| gather(item, inline, texts)),
        _ => {}
    }
}
