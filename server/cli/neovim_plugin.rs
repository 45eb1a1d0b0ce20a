//! The Neovim plugin, which comes with the program so that the demo and `wherefore init` need nothing else.

use std::fs;
use std::io;
use std::path::Path;

/// The plugin, file by file; a test compares the list with the folder.
macro_rules! plugin {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../editors/nvim/", $path)))),+]
    };
}

/// Its files.
const FILES: &[(&str, &str)] = plugin![
    "doc/tags",
    "doc/wherefore.txt",
    "lua/wherefore/agent/agent_messages.lua",
    "lua/wherefore/agent/agent_runs.lua",
    "lua/wherefore/agent/run_events.lua",
    "lua/wherefore/agent/run_panel.lua",
    "lua/wherefore/buffer.lua",
    "lua/wherefore/calls/call_list.lua",
    "lua/wherefore/calls/call_panel.lua",
    "lua/wherefore/calls/call_undo.lua",
    "lua/wherefore/calls/command_terminals.lua",
    "lua/wherefore/calls/question_card.lua",
    "lua/wherefore/calls/questions.lua",
    "lua/wherefore/command.lua",
    "lua/wherefore/config.lua",
    "lua/wherefore/corner_float.lua",
    "lua/wherefore/cursor_float.lua",
    "lua/wherefore/file_window.lua",
    "lua/wherefore/guard.lua",
    "lua/wherefore/health.lua",
    "lua/wherefore/hidden_characters.lua",
    "lua/wherefore/highlights.lua",
    "lua/wherefore/init.lua",
    "lua/wherefore/listeners.lua",
    "lua/wherefore/log/session_log.lua",
    "lua/wherefore/messages.lua",
    "lua/wherefore/notifications.lua",
    "lua/wherefore/panel.lua",
    "lua/wherefore/picker.lua",
    "lua/wherefore/review/applied_review.lua",
    "lua/wherefore/review/banner.lua",
    "lua/wherefore/review/buffer_reload.lua",
    "lua/wherefore/review/changed_words.lua",
    "lua/wherefore/review/decision_feedback.lua",
    "lua/wherefore/review/decisions.lua",
    "lua/wherefore/review/deleted_files.lua",
    "lua/wherefore/review/drawn_hunks.lua",
    "lua/wherefore/review/hunk_actions.lua",
    "lua/wherefore/review/hunk_drawing.lua",
    "lua/wherefore/review/hunk_editor.lua",
    "lua/wherefore/review/hunk_heading.lua",
    "lua/wherefore/review/keys.lua",
    "lua/wherefore/review/navigation.lua",
    "lua/wherefore/review/outdated_places.lua",
    "lua/wherefore/review/proposal_list.lua",
    "lua/wherefore/review/proposal_preview.lua",
    "lua/wherefore/review/proposal_store.lua",
    "lua/wherefore/review/selected_lines.lua",
    "lua/wherefore/review/session_page.lua",
    "lua/wherefore/review/session_review.lua",
    "lua/wherefore/review/syntax_colours.lua",
    "lua/wherefore/review/target_hunk.lua",
    "lua/wherefore/review/virtual_rows.lua",
    "lua/wherefore/search.lua",
    "lua/wherefore/server/client.lua",
    "lua/wherefore/server/diagnostics.lua",
    "lua/wherefore/server/focus_reporter.lua",
    "lua/wherefore/server/handlers.lua",
    "lua/wherefore/server/save_buffers.lua",
    "lua/wherefore/server/wire.lua",
    "lua/wherefore/server/workspace_edits.lua",
    "lua/wherefore/text.lua",
    "lua/wherefore/warning_float.lua",
    "lua/wherefore/why/hunk_why.lua",
    "lua/wherefore/why/line_why.lua",
    "lua/wherefore/working_set_panel.lua",
    "plugin/wherefore.lua",
];

/// Writes the plugin into a folder.
///
/// # Errors
/// The error of the file system.
pub(in crate::cli) fn write_plugin(folder: &Path) -> io::Result<()> {
    for (path, text) in FILES {
        let to = folder.join(path);
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(to, text)?;
    }
    Ok(())
}

/// Returns whether a folder holds the plugin as it comes with this program.
pub(in crate::cli) fn holds_plugin(folder: &Path) -> bool {
    FILES.iter().all(|(path, text)| fs::read_to_string(folder.join(path)).is_ok_and(|there| there == *text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::FILES;

    #[test]
    fn every_file_of_the_plugin_comes_along() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/nvim");
        let walk = ignore::WalkBuilder::new(&folder).build().map(Result::unwrap);
        let files = walk.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
        let paths =
            files.map(|entry| entry.path().strip_prefix(&folder).unwrap().to_str().unwrap().to_owned());
        let there: BTreeSet<String> =
            paths.filter(|path| !path.starts_with("tests/") && !path.ends_with(".png")).collect();
        let ours: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(ours, there);
    }
}
