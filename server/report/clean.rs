//! Texts as a report holds them: without secrets, without paths of this machine, bounded.

use serde_json::Value;

use crate::redact::redact;

/// Characters of a reason, a message or a command.
const LONGEST: usize = 2000;

/// Cleans texts of one workspace.
#[derive(Clone, Debug)]
pub(super) struct Cleaner {
    root: String,
}

impl Cleaner {
    /// For the workspace at this absolute path.
    pub(super) fn new(root: &str) -> Self {
        Self { root: root.trim_end_matches('/').to_owned() }
    }

    /// A text with its secrets and this machine's paths taken out.
    pub(super) fn whole(&self, text: &str) -> String {
        let text = redact(text);
        match self.root.len() > 1 && text.contains(&self.root) {
            true => text.replace(&self.root, "."),
            false => text.into_owned(),
        }
    }

    /// The same of a text that is no longer than a reason may be.
    pub(super) fn short(&self, text: &str) -> String {
        let whole = self.whole(text);
        match whole.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &whole[..end]),
            None => whole,
        }
    }

    /// A member of an event that holds a text, or the beginning of one that is stored beside the log.
    pub(super) fn member(&self, value: Option<&Value>) -> String {
        self.short(text(value))
    }
}

/// The text of a value, or the beginning of one that is stored beside the log.
pub(super) fn text(value: Option<&Value>) -> &str {
    let Some(value) = value else { return "" };
    value.as_str().or_else(|| value.get("head")?.as_str()).unwrap_or_default()
}
