//! Checks that the Neovim plugin and the VS Code extension are installed if these editors are.

use std::fs;
use std::path::PathBuf;

use super::DoctorCheck;
use crate::base::person;
use crate::cli::init::agents::PersonMachine;
use crate::cli::init::neovim::{self, PluginState};

/// The folders below the home folder in which VS Code and its kin keep extensions.
const EXTENSIONS: &[&str] = &[".vscode/extensions", ".vscode-server/extensions", ".vscode-oss/extensions"];

/// The beginning of the name of an extension's folder, before its version.
const EXTENSION: &str = "wherefore.wherefore-";

/// Runs one check for each of the two editors that is installed.
pub(super) fn check_plugins() -> Vec<DoctorCheck> {
    let machine = PersonMachine::current();
    let neovim = machine.has_command("nvim").then(|| check_neovim_plugin(&machine));
    let vscode = machine.has_command("code").then(check_vscode_extension);
    neovim.into_iter().chain(vscode).collect()
}

fn check_neovim_plugin(machine: &PersonMachine) -> DoctorCheck {
    const NAME: &str = "Neovim plugin";
    match neovim::plugin_state(machine) {
        PluginState::Named(file) => DoctorCheck::well(NAME, format!("{file} loads it")),
        PluginState::Fresh(file) => {
            DoctorCheck::well(NAME, format!("{file} loads it, as it comes with this version"))
        }
        PluginState::Other(folder) => DoctorCheck::lacking(
            NAME,
            format!("{folder} holds another version's"),
            "Run `wherefore init --neovim` again.",
        ),
        PluginState::Missing => DoctorCheck::lacking(
            NAME,
            "nothing in your Neovim's configuration names it",
            "`wherefore init --neovim` loads it, or add it to your plugin manager: docs/neovim.md.",
        ),
    }
}

fn check_vscode_extension() -> DoctorCheck {
    const NAME: &str = "VS Code extension";
    let version = env!("CARGO_PKG_VERSION");
    let found: Vec<String> = installed_versions();
    match found.iter().find(|found| found.as_str() == version) {
        Some(found) => DoctorCheck::well(NAME, format!("{found} is installed")),
        None if found.is_empty() => DoctorCheck::lacking(
            NAME,
            "it is not installed",
            "`code --install-extension wherefore.vsix` installs it: docs/install.md.",
        ),
        None => DoctorCheck::lacking(
            NAME,
            format!("{} is installed, and this is wherefore {version}", found.join(", ")),
            "Install the extension of this version.",
        ),
    }
}

/// The versions of the extension that are installed.
fn installed_versions() -> Vec<String> {
    let folders =
        person::home_dir().into_iter().flat_map(|home| EXTENSIONS.iter().map(move |name| home.join(name)));
    let entries = folders.filter_map(|folder: PathBuf| fs::read_dir(folder).ok()).flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut found: Vec<String> = names.filter_map(|name| folder_version(&name).map(str::to_owned)).collect();
    found.sort();
    found.dedup();
    found
}

/// The version in the name of an extension's folder, without the platform; none if it is another extension.
fn folder_version(folder: &str) -> Option<&str> {
    folder.strip_prefix(EXTENSION)?.split('-').next()
}

#[cfg(test)]
mod tests {
    use super::folder_version;

    #[test]
    fn an_extensions_folder_tells_its_version() {
        assert_eq!(folder_version("wherefore.wherefore-0.1.0"), Some("0.1.0"));
        assert_eq!(folder_version("wherefore.wherefore-0.1.0-linux-x64"), Some("0.1.0"));
        assert_eq!(folder_version("another.wherefore-0.1.0"), None);
    }
}
