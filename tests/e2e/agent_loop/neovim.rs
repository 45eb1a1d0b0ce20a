//! The long task in real Neovim, over each interface: asked for, decided on and followed by keys, and seen on the screen.

use std::path::Path;

use super::play::{INTERFACES, Player};
use super::{long_scene, long_task, long_task_is_done};
use crate::support::terminal::{Terminal, installed};

#[test]
fn over_each_interface_the_panel_of_neovim_has_the_task_done_by_keys() {
    let Some(nvim) = installed("nvim-0.12", "nvim") else { return };
    for interface in INTERFACES {
        let player = Player::start(interface, long_task());
        let folder = long_scene(&player);
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/nvim");
        let path = format!("set rtp+={}", plugin.display());
        let setup = "lua require('wherefore').setup({})";
        let terminal =
            Terminal::run(folder.path(), &nvim, &["--clean", "--cmd", &path, "-c", setup, "lines.txt"]);
        let line = |text: &str| {
            terminal.types(text);
            terminal.keys(&["Enter"]);
        };
        terminal.sees("line 12");
        line(":Wherefore ask Make lines 2 and 9 stand out");
        terminal.sees("its change waits for you");
        // The review goes from hunk to hunk in the file itself.
        terminal.types("]v");
        let screen = terminal.sees("TWO");
        assert!(screen.contains("Make two lines stand out"), "{screen}");
        terminal.types("gwy");
        terminal.shows("the first hunk is gone", |screen| !screen.contains("1/2"));
        terminal.types("]vgwR");
        terminal.sees("Why reject?");
        line("the ninth line is quoted elsewhere");
        terminal.sees("waits in another file");
        terminal.types("]v");
        terminal.sees("nine stays");
        terminal.types("gwy");
        let screen = terminal.sees("The second line stands out, the ninth stays.");
        assert!(screen.contains("complete"), "{screen}");
        long_task_is_done(&folder, &player);
    }
}
