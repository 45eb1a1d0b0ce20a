//! Whether the plugin of Neovim and the extension of VS Code are installed, where those editors are.

use std::fs;
use std::path::PathBuf;

use super::Check;
use crate::base::person;
use crate::cli::init::agents::Machine;
use crate::cli::init::neovim::{self, PluginState};

/// The folders below the home folder in which VS Code and its kin keep extensions.
const EXTENSIONS: &[&str] = &[".vscode/extensions", ".vscode-server/extensions", ".vscode-oss/extensions"];

/// What an extension's folder is called before its version.
const EXTENSION: &str = "wherefore.wherefore-";

/// One check for each of the two editors that is there.
pub(super) fn checks() -> Vec<Check> {
    let machine = Machine::here();
    let neovim = machine.runs("nvim").then(|| plugin(&machine));
    let vscode = machine.runs("code").then(extension);
    neovim.into_iter().chain(vscode).collect()
}

fn plugin(machine: &Machine) -> Check {
    const NAME: &str = "Neovim plugin";
    match neovim::state(machine) {
        PluginState::Named(file) => Check::well(NAME, format!("{file} loads it")),
        PluginState::Fresh(file) => {
            Check::well(NAME, format!("{file} loads it, as it comes with this version"))
        }
        PluginState::Other(folder) => Check::lacking(
            NAME,
            format!("{folder} holds another version's"),
            "Run `wherefore init --neovim` again.",
        ),
        PluginState::Missing => Check::lacking(
            NAME,
            "nothing in your Neovim's configuration names it",
            "`wherefore init --neovim` loads it, or add it to your plugin manager: docs/neovim.md.",
        ),
    }
}

fn extension() -> Check {
    const NAME: &str = "VS Code extension";
    let version = env!("CARGO_PKG_VERSION");
    let found: Vec<String> = extensions();
    match found.iter().find(|found| found.as_str() == version) {
        Some(found) => Check::well(NAME, format!("{found} is installed")),
        None if found.is_empty() => Check::lacking(
            NAME,
            "it is not installed",
            "`code --install-extension wherefore.vsix` installs it: docs/install.md.",
        ),
        None => Check::lacking(
            NAME,
            format!("{} is installed, and this is wherefore {version}", found.join(", ")),
            "Install the extension of this version.",
        ),
    }
}

/// The versions of the extension that are installed.
fn extensions() -> Vec<String> {
    let folders =
        person::home().into_iter().flat_map(|home| EXTENSIONS.iter().map(move |name| home.join(name)));
    let entries = folders.filter_map(|folder: PathBuf| fs::read_dir(folder).ok()).flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut found: Vec<String> = names.filter_map(|name| version(&name).map(str::to_owned)).collect();
    found.sort();
    found.dedup();
    found
}

/// The version in the name of an extension's folder, without the platform; nothing where the extension is another's.
fn version(folder: &str) -> Option<&str> {
    folder.strip_prefix(EXTENSION)?.split('-').next()
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn an_extensions_folder_tells_its_version() {
        assert_eq!(version("wherefore.wherefore-0.1.0"), Some("0.1.0"));
        assert_eq!(version("wherefore.wherefore-0.1.0-linux-x64"), Some("0.1.0"));
        assert_eq!(version("another.wherefore-0.1.0"), None);
    }
}
