//! `wherefore init --plugins`: the packages by which agents take wherefore, made of their profiles; and the plugin that a
//! person has installed, so that nothing is set up or hooked twice.

mod commands;
mod package;
mod registry;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use self::package::PackageFile;
use super::TerminalPage;
use super::agents::{AgentFile, PersonMachine, SetupScope};
use super::guard::plan::read_settings_at;
use super::plan::FilePlan;
use crate::agents::{
    ALL, AgentProfile, FileFormat, HookAgent, HookForm, PROGRAM, PluginProfile, PluginTrace,
};

/// Writes the packages into a folder, and prints the commands that install each.
pub(super) fn write_packages(page: TerminalPage, folder: &Path) -> io::Result<ExitCode> {
    let files = package::plugin_files().chain(registry::registry_files());
    for PackageFile { path, text } in files {
        let path = folder.join(path);
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(named)?;
        std::fs::write(&path, text).map_err(named)?;
    }
    let folder = std::fs::canonicalize(folder)?;
    for (agent, plugin) in plugins() {
        page.write_line(format!("{}:", agent.title))?;
        let at = folder.join(agent.id).display().to_string();
        let at = shlex::try_quote(&at).map_or_else(|_| at.clone(), String::from);
        plugin
            .install
            .iter()
            .try_for_each(|line| page.write_line(format!("  {}", line.replace("{folder}", &at))))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The agents that have a plugin, each with that.
pub(super) fn plugins() -> impl Iterator<Item = (&'static AgentProfile, &'static PluginProfile)> {
    ALL.iter().copied().filter_map(|agent| Some((agent, agent.plugin?)))
}

/// Names the agents of written files that have a plugin with nothing less: that has the hooks, too, and the agent keeps it.
pub(super) fn name_plugins(page: TerminalPage, done: &[&FilePlan]) -> io::Result<()> {
    let is_written = |agent: &AgentProfile| done.iter().any(|plan| plan.agent == agent.title);
    let better = plugins().filter(|(agent, plugin)| plugin.lack.is_none() && is_written(agent));
    let titles: Vec<&str> = better.map(|(agent, _)| agent.title).collect();
    match titles.is_empty() {
        true => Ok(()),
        false => page.write_line(format!(
            "In your own settings a plugin does the same, with the hooks, and goes by one command: docs/install.md ({}).",
            titles.join(", ")
        )),
    }
}

/// The commands of the hooks of an agent's plugin, each once.
pub(in crate::cli) fn plugin_commands(agent: HookAgent) -> Vec<String> {
    let items = agent.hook_items(&package::hook_command());
    let mut commands: Vec<String> = items.iter().flat_map(|(_, item)| agent.split_commands(item).0).collect();
    if let HookForm::Plugin(_) = agent.setup.form {
        commands.push(package::hook_command().shell_line(agent.id(), None));
    }
    commands.dedup();
    commands
}

/// A person's plugin of an agent: the file that says so, and the commands that remove the plugin.
#[derive(Debug)]
pub(in crate::cli) struct InstalledPlugin {
    /// The file, by the name that people use for it.
    pub(in crate::cli) file: String,
    remove: &'static [&'static str],
}

impl InstalledPlugin {
    /// The way to remove it, as an order.
    pub(in crate::cli) fn removal(&self) -> String {
        match self.remove.split_last() {
            None => format!("take it out of {}", self.file),
            Some((last, [])) => format!("run `{last}`"),
            Some((last, rest)) => format!("run `{}` and `{last}`", rest.join("`, `")),
        }
    }
}

impl AgentProfile {
    /// The plugin of wherefore that is installed in the agent, and on, for the person or in the project.
    pub(in crate::cli) fn installed_plugin(
        &self,
        machine: &PersonMachine,
        dir: &Path,
    ) -> Option<InstalledPlugin> {
        let plugin = self.plugin?;
        let own = |name: &str| Some(machine.named_file(machine.agent_folder(self)?.join(name)));
        let file = match &plugin.trace {
            PluginTrace::PersonFile(name) => own(name).filter(|file| file.path.is_file())?,
            PluginTrace::Enabled { container, person_file, project_files } => {
                let project = project_files.iter().map(|name| AgentFile::in_folder(dir, name));
                let mut files = own(person_file).into_iter().chain(project);
                files.find(|file| {
                    self.read_plugin_settings(file)[*container].as_object().is_some_and(names_plugin)
                })?
            }
            PluginTrace::Listed { list, package, file } => {
                let scopes = [SetupScope::Person(machine), SetupScope::Project(dir)];
                let mut files = scopes.into_iter().flat_map(|scope| self.entry_files(scope));
                let is_ours = |item: &Value| {
                    let name = item.as_str().or(item[0].as_str()).unwrap_or_default();
                    is_package(name, package) || is_folder_with(name, file)
                };
                files.find(|file| {
                    let items = self.read_plugin_settings(file)[*list].clone();
                    items.as_array().is_some_and(|all| all.iter().any(is_ours))
                })?
            }
        };
        Some(InstalledPlugin { file: file.name, remove: plugin.remove })
    }

    /// The value of one of its settings files; null if that cannot be read.
    fn read_plugin_settings(&self, file: &AgentFile) -> Value {
        let value = match file.path.extension().is_some_and(|end| end == "toml") {
            true => {
                std::fs::read_to_string(&file.path).ok().and_then(|text| FileFormat::Toml.try_parse(&text))
            }
            false => read_settings_at(&file.path),
        };
        value.unwrap_or_default()
    }
}

/// Returns whether a table of plugins has one of wherefore's that is on.
fn names_plugin(plugins: &serde_json::Map<String, Value>) -> bool {
    plugins.iter().any(|(name, value)| {
        let is_ours = name.split('@').next() == Some(PROGRAM);
        is_ours && (*value == true || value["enabled"] == true)
    })
}

/// Returns whether a name, with a version or without, is that of a package.
fn is_package(name: &str, package: &str) -> bool {
    name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
}

/// Returns whether a name is the path of a folder that holds such a file.
fn is_folder_with(name: &str, file: &str) -> bool {
    let folder = Path::new(name.trim_start_matches("file://"));
    folder.is_absolute() && folder.join(file).is_file()
}

#[cfg(test)]
mod tests;
