//! Texts of agents, files, servers and repositories that an editor shows: without hidden characters, and without markup
//! that an editor would interpret. VS Code makes a link of `[text](command:…)` and an icon of `$(name)`.

use crate::base::hidden;

/// A single line: a title, a label, a line of a message.
pub(super) fn label_text(text: &str) -> String {
    without_markup(&hidden::escape_to_line(text))
}

/// A message that may have several lines.
pub(super) fn message_text(text: &str) -> String {
    without_markup(&hidden::escape_hidden(text))
}

fn without_markup(text: &str) -> String {
    text.replace("](", "] (").replace("$(", "$ (")
}

#[cfg(test)]
mod tests {
    use super::{label_text, message_text};

    #[test]
    fn an_editor_runs_and_hides_nothing_of_it() {
        let hostile = "[ok](command:x) $(check)\n\u{202e}";
        assert_eq!(label_text(hostile), "[ok] (command:x) $ (check)\\u{a}\\u{202e}");
        assert_eq!(message_text(hostile), "[ok] (command:x) $ (check)\n\\u{202e}");
    }
}
