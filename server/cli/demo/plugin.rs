//! The Neovim plugin, which comes with the program so that the demo and `wherefore init` need nothing else.

use std::fs;
use std::io;
use std::path::Path;

/// The plugin, file by file; a test compares the list with the folder.
macro_rules! plugin {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../../editors/nvim/", $path)))),+]
    };
}

/// Its files.
const FILES: &[(&str, &str)] = plugin![
    "doc/tags",
    "doc/wherefore.txt",
    "lua/wherefore/act.lua",
    "lua/wherefore/aim.lua",
    "lua/wherefore/applied.lua",
    "lua/wherefore/ask.lua",
    "lua/wherefore/ask_panel.lua",
    "lua/wherefore/asks.lua",
    "lua/wherefore/banner.lua",
    "lua/wherefore/behind.lua",
    "lua/wherefore/buffer.lua",
    "lua/wherefore/call_panel.lua",
    "lua/wherefore/calls.lua",
    "lua/wherefore/client.lua",
    "lua/wherefore/colours.lua",
    "lua/wherefore/command.lua",
    "lua/wherefore/config.lua",
    "lua/wherefore/decide.lua",
    "lua/wherefore/draw.lua",
    "lua/wherefore/edit.lua",
    "lua/wherefore/edits.lua",
    "lua/wherefore/feedback.lua",
    "lua/wherefore/float.lua",
    "lua/wherefore/focus.lua",
    "lua/wherefore/gone.lua",
    "lua/wherefore/guard.lua",
    "lua/wherefore/handlers.lua",
    "lua/wherefore/heading.lua",
    "lua/wherefore/health.lua",
    "lua/wherefore/hidden.lua",
    "lua/wherefore/hunks.lua",
    "lua/wherefore/init.lua",
    "lua/wherefore/keys.lua",
    "lua/wherefore/line_why.lua",
    "lua/wherefore/list.lua",
    "lua/wherefore/listeners.lua",
    "lua/wherefore/log.lua",
    "lua/wherefore/notice.lua",
    "lua/wherefore/notify.lua",
    "lua/wherefore/page.lua",
    "lua/wherefore/panel.lua",
    "lua/wherefore/part.lua",
    "lua/wherefore/picker.lua",
    "lua/wherefore/preview.lua",
    "lua/wherefore/review.lua",
    "lua/wherefore/rows.lua",
    "lua/wherefore/search.lua",
    "lua/wherefore/send.lua",
    "lua/wherefore/session.lua",
    "lua/wherefore/slot.lua",
    "lua/wherefore/stale.lua",
    "lua/wherefore/syntax.lua",
    "lua/wherefore/terminals.lua",
    "lua/wherefore/text.lua",
    "lua/wherefore/why.lua",
    "lua/wherefore/window.lua",
    "lua/wherefore/wire.lua",
    "lua/wherefore/words.lua",
    "lua/wherefore/working_panel.lua",
    "plugin/wherefore.lua",
];

/// Writes the plugin into a folder.
///
/// # Errors
/// What the file system says.
pub(in crate::cli) fn write(folder: &Path) -> io::Result<()> {
    for (path, text) in FILES {
        let to = folder.join(path);
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(to, text)?;
    }
    Ok(())
}

/// Whether a folder holds the plugin as it comes with this program.
pub(in crate::cli) fn is_in(folder: &Path) -> bool {
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
