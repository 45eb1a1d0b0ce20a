//! Texts as a report holds them: without secrets, without paths of this machine, bounded.

use serde_json::Value;

use crate::redact::redact;

/// Characters of a reason, a message or a command.
const LONGEST: usize = 2000;

/// Cleans texts of one workspace.
#[derive(Clone, Debug)]
pub(super) struct TextCleaner {
    root: String,
}

impl TextCleaner {
    /// For the workspace at this absolute path.
    pub(super) fn new(root: &str) -> Self {
        Self { root: root.trim_end_matches('/').to_owned() }
    }

    /// A text with its secrets and this machine's paths taken out.
    pub(super) fn clean_whole(&self, text: &str) -> String {
        let text = redact(text);
        match self.root.len() > 1 && text.contains(&self.root) {
            true => text.replace(&self.root, "."),
            false => text.into_owned(),
        }
    }

    /// Returns a cleaned text that is no longer than a reason may be.
    pub(super) fn clean_short(&self, text: &str) -> String {
        let whole = self.clean_whole(text);
        match whole.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &whole[..end]),
            None => whole,
        }
    }

    /// Returns a cleaned member of an event that holds a text, or the beginning of one that is stored outside of the
    /// log.
    pub(super) fn clean_member(&self, value: Option<&Value>) -> String {
        self.clean_short(value_text(value))
    }
}

/// Returns the text of a value, or the beginning of one that is stored outside of the log.
pub(super) fn value_text(value: Option<&Value>) -> &str {
    let Some(value) = value else { return "" };
    value.as_str().or_else(|| value.get("head")?.as_str()).unwrap_or_default()
}
