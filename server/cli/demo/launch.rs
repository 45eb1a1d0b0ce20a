//! Opens the demo's project in a person's editor, with wherefore's plugin and a configuration of its own.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use clap::ValueEnum;
use serde_json::json;

use super::project::DemoProject;
use crate::cli::doctor::require_editor;
use crate::cli::neovim_plugin;

/// The editors that the demo opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DemoEditorKind {
    /// Neovim, in this terminal.
    Nvim,
    /// VS Code, in a window of its own.
    Vscode,
}

/// An editor that is ready to be opened.
#[derive(Debug)]
pub(super) struct EditorLaunch {
    editor: DemoEditorKind,
    command: Command,
}

impl EditorLaunch {
    /// Writes the files that the editor needs into the demo's folder. `file` is opened first.
    ///
    /// # Errors
    /// The missing program with a way to get it, or the system's error.
    pub(super) fn prepare_editor(
        which: DemoEditorKind,
        project: &DemoProject,
        file: &str,
        task: &str,
    ) -> io::Result<Self> {
        let command = match which {
            DemoEditorKind::Nvim => neovim_command(project, file, task)?,
            DemoEditorKind::Vscode => vscode_command(project, file)?,
        };
        Ok(Self { editor: which, command })
    }

    /// Returns whether the editor takes this terminal until it is closed.
    pub(super) fn takes_terminal(&self) -> bool {
        self.editor == DemoEditorKind::Nvim
    }

    /// Opens the editor. Neovim returns when it is closed, VS Code's command at once.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) fn run_editor(mut self) -> io::Result<ExitStatus> {
        self.command.status()
    }
}

/// Makes the command that starts Neovim with the plugin and a guide alone; writes both into the demo's folder.
fn neovim_command(project: &DemoProject, file: &str, task: &str) -> io::Result<Command> {
    require_editor("nvim").map_err(io::Error::other)?;
    let folder = project.folder.join("nvim-plugin");
    neovim_plugin::write_plugin(&folder)?;
    let demo = json!({
        "plugin": folder,
        "program": std::env::current_exe()?,
        "config": project.folder.join("config"),
        "task": task,
    });
    let script = project.folder.join("init.lua");
    // A line of JSON cannot end a long bracket of this level, unless `]=====]` is in a path or the task.
    let head = format!("local demo = vim.json.decode([=====[{demo}]=====])\n");
    fs::write(&script, head + include_str!("neovim.lua"))?;
    let mut command = Command::new("nvim");
    command.args(["--clean", "-n", "-u"]).arg(script).arg(file).current_dir(&project.root);
    Ok(command)
}

/// VS Code with settings and extensions of its own, ours among them.
fn vscode_command(project: &DemoProject, file: &str) -> io::Result<Command> {
    require_editor("code").map_err(io::Error::other)?;
    let package = extension_package().ok_or_else(|| {
        io::Error::other(
            "the extension is not built: in the source, run `cd editors/vscode && npm ci && npm run package`, \
             then start the demo there again",
        )
    })?;
    let user = project.folder.join("code");
    fs::create_dir_all(user.join("User"))?;
    let settings = json!({
        "wherefore.server.path": std::env::current_exe()?,
        "wherefore.server.env": { "XDG_CONFIG_HOME": project.folder.join("config") },
        "security.workspace.trust.enabled": false,
        "workbench.startupEditor": "none",
        "files.autoSave": "off",
        // The window is for the review.
        "chat.disableAIFeatures": true,
        "workbench.secondarySideBar.defaultVisibility": "hidden",
    });
    fs::write(user.join("User/settings.json"), settings.to_string())?;
    let code = || {
        let mut command = Command::new("code");
        command.arg("--user-data-dir").arg(&user);
        command.arg("--extensions-dir").arg(project.folder.join("extensions"));
        command
    };
    let installed =
        code().arg("--install-extension").arg(&package).arg("--force").stdin(Stdio::null()).output()?;
    if !installed.status.success() {
        let said = String::from_utf8_lossy(&installed.stderr).trim().to_owned();
        return Err(io::Error::other(format!("`code` did not install {}: {said}", package.display())));
    }
    let mut command = code();
    command.arg("--new-window").arg(&project.root).arg("--goto").arg(project.root.join(file));
    command.stdin(Stdio::null());
    Ok(command)
}

/// The extension's package, in the source that this program was built from or that it is started in.
fn extension_package() -> Option<PathBuf> {
    let places = [std::env::current_exe().ok(), std::env::current_dir().ok()];
    let find = |place: &PathBuf| {
        place
            .ancestors()
            .map(|folder| folder.join("editors/vscode/wherefore.vsix"))
            .find(|path| path.is_file())
    };
    places.iter().flatten().find_map(find)
}
