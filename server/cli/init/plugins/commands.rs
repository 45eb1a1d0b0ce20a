//! The commands that a plugin adds to its agent. They show something; the person decides elsewhere.

/// A command of a plugin.
pub(super) struct PluginCommand {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    /// The prompt. `{arguments}` stands for the words behind the command.
    prompt: &'static str,
}

/// All of them.
pub(super) const COMMANDS: [PluginCommand; 2] = [
    PluginCommand {
        name: "wherefore-status",
        description: "Say what waits for my review, and what is wrong",
        prompt: "Run `wherefore status` and tell me in a few sentences which changes wait for my review and what is wrong. \
                 Decide on nothing: I do that in my editor or with `wherefore review` in a terminal.",
    },
    PluginCommand {
        name: "wherefore-why",
        description: "Say why lines are as they are: PATH, PATH:LINE or PATH:LINE-LINE",
        prompt: "Run `wherefore why {arguments}` and tell me in a few sentences who wrote these lines, for which call, and \
                 why. Change nothing.",
    },
];

impl PluginCommand {
    /// The prompt, with the agent's own word for the arguments.
    fn prompt_with(&self, arguments: &str) -> String {
        self.prompt.replace("{arguments}", arguments)
    }

    /// The command as Markdown with a head, as Claude Code and Copilot read it.
    pub(super) fn to_markdown(&self) -> String {
        format!("---\ndescription: \"{}\"\n---\n\n{}\n", self.description, self.prompt_with("$ARGUMENTS"))
    }

    /// The command as TOML, as Gemini CLI reads it.
    pub(super) fn to_toml(&self) -> String {
        let text = |text: &str| toml::Value::from(text).to_string();
        let prompt = self.prompt_with("{{args}}");
        format!("description = {}\nprompt = {}\n", text(self.description), text(&prompt))
    }
}
