//! The plugin of an agent: the form in which it takes wherefore by a command of its own, and the trace of one that it has.

/// The plugin by which an agent takes wherefore: its server, its hooks and commands.
#[derive(Debug)]
pub struct PluginProfile {
    /// The form of its folder.
    pub form: PluginForm,
    /// The commands that install it. `{folder}` stands for its folder.
    pub install: &'static [&'static str],
    /// The commands that remove it.
    pub remove: &'static [&'static str],
    /// The trace of an installed one.
    pub trace: PluginTrace,
    /// The name of its server where the agent changes that, as a part of the names of its tools.
    pub server_name: Option<&'static str>,
    /// The lack beside the files of `wherefore init`, as the rest of a sentence about the agent.
    pub lack: Option<&'static str>,
}

/// The form of a plugin's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginForm {
    /// A plugin of Claude Code, with a marketplace that holds it alone.
    Claude,
    /// A plugin of Codex, with a marketplace that holds it alone.
    Codex,
    /// A plugin of the standard Agent Plugins, with hooks for Copilot and a marketplace that holds it alone.
    AgentPlugins,
    /// An extension of Gemini CLI or of one that descends from it: the name of its manifest.
    Extension(&'static str),
    /// A package of npm that OpenCode loads.
    NpmPackage,
}

/// The trace of an installed plugin.
#[derive(Debug)]
pub enum PluginTrace {
    /// A member `wherefore@MARKETPLACE` that is on, in a container of settings files.
    Enabled {
        /// The container.
        container: &'static str,
        /// The file below the agent's own folder.
        person_file: &'static str,
        /// The files below the project.
        project_files: &'static [&'static str],
    },
    /// A file below the agent's own folder.
    PersonFile(&'static str),
    /// An item of a list in the files that may hold the entry of a server: a package's name, or the path of its folder.
    Listed {
        /// The list.
        list: &'static str,
        /// The name.
        package: &'static str,
        /// A file in the folder.
        file: &'static str,
    },
}
