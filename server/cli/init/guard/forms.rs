//! The hooks of each agent that send its own tools to `wherefore hook`: their files and their form.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::command::{HookCommand, runs_our_hook};
use crate::agents::{HookAgent, HookForm, HookGroups, MissingProgram, OffSwitch};
use crate::cli::init::PROGRAM;
use crate::cli::init::agents::{AgentFile, PersonMachine};

/// The longest time that a person may take, in seconds. A longer call would go on without their decision.
const PATIENCE_S: u64 = 3600;

/// The longest time that a hook waits for decisions, in seconds: it has to answer before the agent goes on without it.
const WAIT_S: u64 = PATIENCE_S - 100;

/// The text that an agent shows while its hook runs. The entry is the same for every call, so that the text has to fit each.
const STATUS: &str = "wherefore: edits wait for your review (in your editor, or `wherefore review`)";

/// A file that holds an agent's hooks, or may.
#[derive(Clone, Debug)]
pub(in crate::cli) struct HookFile {
    /// Its path.
    pub(in crate::cli) path: PathBuf,
    /// The name that people use for it.
    pub(in crate::cli) name: String,
    /// The agent's own folder of the person's, or the project.
    pub(in crate::cli) top: PathBuf,
}

impl HookAgent {
    /// The files of the project that may hold its hooks, the usual one first.
    pub(in crate::cli) fn of_project(self, dir: &Path) -> Vec<HookFile> {
        let file =
            |name: &&str| HookFile { path: dir.join(name), name: (*name).to_owned(), top: dir.to_owned() };
        self.setup.project_files.iter().map(file).collect()
    }

    /// The file that holds its hooks for the linked working trees of a repository, in addition to the project's own. An
    /// agent that reads the main working tree's file there runs a hook that is in both files once.
    pub(in crate::cli) fn for_linked_trees(self, dir: &Path) -> Option<HookFile> {
        let is_repository = || dir.join(".git").exists();
        let file = self.of_project(dir).into_iter().nth(1);
        file.filter(|_| self.setup.serves_linked_trees && is_repository())
    }

    /// The person's file for its hooks; none if the person has no folder for it.
    pub(in crate::cli) fn of_person(self, machine: &PersonMachine) -> Option<HookFile> {
        self.person_file(machine, self.setup.person_file)
    }

    /// A file below its own folder of the person's.
    pub(in crate::cli) fn person_file(self, machine: &PersonMachine, name: &str) -> Option<HookFile> {
        let top = machine.agent_folder(self.profile)?;
        let path = top.join(name);
        let AgentFile { name, path } = machine.named_file(path);
        Some(HookFile { path, name, top })
    }

    /// The settings files in which it may say that no hook runs.
    pub(in crate::cli) fn settings_files(self, machine: &PersonMachine, dir: &Path) -> Vec<HookFile> {
        match self.setup.off_switch {
            OffSwitch::None => Vec::new(),
            OffSwitch::InHookFiles => {
                self.of_person(machine).into_iter().chain(self.of_project(dir)).collect()
            }
            OffSwitch::InPersonFile(name) => self.person_file(machine, name).into_iter().collect(),
        }
    }

    /// The lists of hooks, each by its event, with wherefore's item.
    pub(in crate::cli::init) fn hook_items(self, command: &HookCommand) -> Vec<(&'static str, Value)> {
        let item = |event: &'static str| match &self.setup.form {
            HookForm::Groups(groups) => groups.hook_item(self.id(), event, command),
            _ => {
                let run = command.shell_line(
                    &format!("{} {event} --wait {WAIT_S}", self.id()),
                    Some(if command.refuse { 2 } else { 0 }),
                );
                json!({ "type": "command", "bash": run, "timeoutSec": PATIENCE_S })
            }
        };
        self.hook_events().iter().map(|event| (*event, item(event))).collect()
    }

    /// The commands in a list's item that are ours, and how many are not.
    pub(in crate::cli::init) fn split_commands(self, item: &Value) -> (Vec<String>, usize) {
        let handlers = item["hooks"].as_array().map_or_else(|| vec![item], |all| all.iter().collect());
        let line =
            |handler: &&Value| handler["command"].as_str().or(handler["bash"].as_str()).map(str::to_owned);
        let all = handlers.len();
        let ours: Vec<String> =
            handlers.iter().filter_map(line).filter(|line| runs_our_hook(line, self.id())).collect();
        let others = all - ours.len();
        (ours, others)
    }

    /// The events whose lists may hold an item of wherefore.
    pub(super) fn hook_events(self) -> &'static [&'static str] {
        match self.setup.form {
            HookForm::Groups(HookGroups { events, .. }) | HookForm::Handlers(events) => events,
            HookForm::Plugin(_) => &[],
        }
    }

    /// The first members of a new file of hooks.
    pub(in crate::cli::init) fn hook_file_head(self) -> Vec<(&'static str, Value)> {
        match self.setup.form {
            HookForm::Handlers(_) => vec![("version", json!(1))],
            _ => Vec::new(),
        }
    }

    /// The text of its plugin, if it has one.
    pub(super) fn plugin(self) -> Option<&'static str> {
        match self.setup.form {
            HookForm::Plugin(text) => Some(text),
            _ => None,
        }
    }

    /// The text of its plugin, as it asks the program of `command`.
    pub(in crate::cli::init) fn plugin_text(self, command: &HookCommand) -> Option<String> {
        self.plugin().map(|plugin| plugin_text(plugin, command))
    }

    /// The program that wherefore's plugin asks, as a shell takes it; none if the plugin in `text` is another's.
    pub(super) fn plugin_program(self, text: &str) -> Option<String> {
        let is_ours = self.plugin().is_some_and(|plugin| is_plugin(plugin, text));
        let program = text.lines().find_map(|line| line.strip_prefix("const PROGRAM = ")?.strip_suffix(';'));
        let program: String = serde_json::from_str(program.filter(|_| is_ours)?).ok()?;
        Some(HookCommand { program, refuse: false, is_of_plugin: false }.shell_line(self.id(), None))
    }
}

impl HookGroups {
    fn hook_item(&self, word: &str, event: &str, command: &HookCommand) -> Value {
        let code = match (self.missing, command.refuse) {
            (MissingProgram::OnFailure | MissingProgram::GoesOn, false)
            | (MissingProgram::OnFailure, true) => None,
            (MissingProgram::Refuses, false) => Some(1),
            (_, true) => Some(2),
        };
        let is_of_tool = !self.of_no_tool.contains(&event);
        // A prompt of the person goes on without the program.
        let code = if is_of_tool { code } else { code.map(|_| 0) };
        let timeout = PATIENCE_S * self.second;
        let mut handler = json!({ "type": "command", "command": command.shell_line(&format!("{word} --wait {WAIT_S}"), code), "timeout": timeout });
        if event == self.events.first().copied().unwrap_or_default() {
            handler[self.status] = json!(STATUS);
        } else if self.status == Self::NAME {
            // A hook without a name is shown by its command, next to those that run at the same time.
            handler[Self::NAME] = json!(PROGRAM);
        }
        if matches!(self.missing, MissingProgram::OnFailure) && command.refuse && event == "PreToolUse" {
            handler["onFailure"] = json!("block");
        }
        match is_of_tool {
            true => json!({ "matcher": self.matcher, "hooks": [handler] }),
            false => json!({ "hooks": [handler] }),
        }
    }
}

/// The text of a plugin, as it asks the program of `command`.
pub(super) fn plugin_text(plugin: &str, command: &HookCommand) -> String {
    plugin
        .replace("{program}", &json!(command.program).to_string())
        .replace("{refuse}", &command.refuse.to_string())
        .replace("{plugin}", if command.is_of_plugin { r#", "--plugin""# } else { "" })
}

/// Returns whether a text is the plugin as written by wherefore.
pub(super) fn is_plugin(plugin: &str, text: &str) -> bool {
    plugin.lines().next().is_some_and(|first| text.lines().next() == Some(first))
}
