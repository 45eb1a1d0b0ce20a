//! Words of agents, files, servers and repositories in what an editor shows: no hidden character, and nothing that an
//! editor takes for more than words. VS Code makes a link of `[text](command:…)` and an icon of `$(name)`.

use crate::base::hidden;

/// One line: a title, a label, a line of a message.
pub(super) fn label(text: &str) -> String {
    inert(&hidden::in_line(text))
}

/// A message that may have several lines.
pub(super) fn message(text: &str) -> String {
    inert(&hidden::shown(text))
}

fn inert(text: &str) -> String {
    text.replace("](", "] (").replace("$(", "$ (")
}

#[cfg(test)]
mod tests {
    use super::{label, message};

    #[test]
    fn an_editor_runs_and_hides_nothing_of_it() {
        let hostile = "[ok](command:x) $(check)\n\u{202e}";
        assert_eq!(label(hostile), "[ok] (command:x) $ (check)\\u{a}\\u{202e}");
        assert_eq!(message(hostile), "[ok] (command:x) $ (check)\n\\u{202e}");
    }
}
