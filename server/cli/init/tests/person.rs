//! The set-up of the person's own settings, and its removal: agents' files, and the lines of Neovim.

use std::fs;
use std::path::PathBuf;

use super::super::agents::PersonMachine;
use super::super::print::TerminalPage;
use super::super::{InitArgs, neovim, offer_setup, remove_setup};
use super::files::files_below;
use super::{ExitCode, args};
use crate::agents::ALL;

/// A person's home, with a project in it.
struct Desk {
    folder: tempfile::TempDir,
    machine: PersonMachine,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let below = |name: &str| Some(folder.path().join(name));
        fs::create_dir(folder.path().join("project")).unwrap();
        let machine = PersonMachine {
            home: Some(folder.path().to_owned()),
            config: below(".config"),
            data: below(".local/share/wherefore"),
            ..PersonMachine::default()
        };
        Self { folder, machine }
    }

    fn args(&self, agents: &[&str]) -> InitArgs {
        InitArgs { user: true, ..args(&self.folder.path().join("project"), agents) }
    }

    fn sets_up(&self, args: &InitArgs) {
        assert_eq!(offer_setup(TerminalPage::stdout(), args, &self.machine).unwrap(), ExitCode::SUCCESS);
    }

    fn takes_back(&self, args: &InitArgs) {
        assert_eq!(remove_setup(TerminalPage::stdout(), args, &self.machine).unwrap(), ExitCode::SUCCESS);
    }

    /// Every file below the home, with its text.
    fn files(&self) -> Vec<(PathBuf, String)> {
        files_below(self.folder.path())
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn each_agent_is_set_up_for_every_project_and_taken_back() {
    let files = [
        ".claude/settings.json",
        ".claude.json",
        ".codex/config.toml",
        ".config/Code/User/mcp.json",
        ".config/opencode/opencode.json",
        ".config/zed/settings.json",
        ".copilot/mcp-config.json",
        ".gemini/settings.json",
        ".qwen/settings.json",
    ];
    let desk = Desk::new();
    let args = desk.args(&["all"]);
    desk.sets_up(&args);
    let written: Vec<PathBuf> = desk.files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(written, files.map(|name| desk.folder.path().join(name)));
    let before = desk.files();
    desk.sets_up(&args);
    assert_eq!(desk.files(), before, "a second run changes nothing");
    for _ in 0..2 {
        desk.takes_back(&args);
        assert_eq!(desk.files(), []);
    }
    assert_eq!(ALL.len(), files.len() - 1, "each agent has a file, and Claude Code two");
}

#[test]
fn what_a_person_has_in_a_file_stays_byte_for_byte() {
    let desk = Desk::new();
    desk.write(".claude.json", "{\"numStartups\":7,\"projects\":{\"/p\":{\"mcpServers\":{}}}}");
    desk.write(".claude/settings.json", "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\"]\n  }\n}\n");
    desk.write(".codex/config.toml", "model = \"m\"\n[projects.\"/p\"]\ntrust_level = \"trusted\"");
    let (before, args) = (desk.files(), desk.args(&["claude", "codex"]));
    desk.sets_up(&args);
    assert!(desk.text(".claude/settings.json").contains("[\"Bash(ls)\", \"mcp__wherefore\"]"));
    assert!(!desk.text(".claude/settings.json").contains("enabledMcpjsonServers"), "no project names it");
    desk.takes_back(&args);
    assert_eq!(desk.files(), before);
}

#[test]
fn neovim_loads_the_plugin_and_loads_it_no_more() {
    let desk = Desk::new();
    desk.write(".config/nvim/init.lua", "return require(\"mine\")");
    let before = desk.files();
    let args = desk.args(&[]);
    desk.sets_up(&args);
    assert_eq!(desk.files(), before, "nothing is written without the word for it");
    let args = InitArgs { neovim: true, ..args };
    desk.sets_up(&args);
    let lines = desk.text(".config/nvim/plugin/wherefore_init.lua");
    assert!(lines.contains("require(\"wherefore\").setup({})\n"), "{lines}");
    assert!(lines.contains(".local/share/wherefore/nvim\")\n"), "{lines}");
    assert!(!desk.text(".local/share/wherefore/nvim/lua/wherefore/init.lua").is_empty());
    // A later version brings its own plugin.
    let there = desk.files();
    desk.write(".local/share/wherefore/nvim/lua/wherefore/init.lua", "old");
    desk.write(".local/share/wherefore/nvim/lua/wherefore/gone.before.lua", "old");
    desk.sets_up(&args);
    assert_eq!(desk.files(), there);
    desk.takes_back(&args);
    assert_eq!(desk.files(), before);
    desk.write(".config/nvim/plugin/wherefore_init.lua", "-- mine\n");
    desk.takes_back(&args);
    assert_eq!(desk.text(".config/nvim/plugin/wherefore_init.lua"), "-- mine\n");
    assert_eq!(offer_setup(TerminalPage::stdout(), &args, &desk.machine).unwrap(), ExitCode::FAILURE);
}

#[test]
fn neovim_is_asked_about_where_it_is_and_does_not_name_the_plugin() {
    use std::os::unix::fs::PermissionsExt;
    let mut desk = Desk::new();
    desk.write("bin/nvim", "");
    fs::set_permissions(desk.folder.path().join("bin/nvim"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(!neovim::is_wanted(&desk.machine));
    desk.machine.path = desk.folder.path().join("bin").into();
    assert!(neovim::is_wanted(&desk.machine));
    desk.write(
        ".config/nvim/lua/plugins/review.lua",
        "return { dir = \"x\", name = \"wherefore\", opts = {} }",
    );
    assert!(!neovim::is_wanted(&desk.machine));
}
