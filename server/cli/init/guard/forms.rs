//! The hooks of each agent that send its own tools to `wherefore hook`: where they stand, and what they look like.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::command::{HookCommand, is_ours};
use crate::cli::init::agents::{AGENTS, AgentFile, AgentProgram, Id, Machine};

/// How long a person may take, in seconds. What runs past it would go on without their decision.
const PATIENCE_S: u64 = 3600;

/// How long a hook waits for decisions, in seconds: it has to answer before the agent goes on without it.
const WAIT_S: u64 = PATIENCE_S - 100;

/// OpenCode's plugin. `{program}` and `{refuse}` stand for values of JavaScript.
const PLUGIN: &str = include_str!("opencode.js");

/// An agent whose own tools can be sent to us.
#[derive(Debug)]
pub(in crate::cli) struct GuardedAgent {
    pub(in crate::cli) id: Id,
    /// What `wherefore hook` calls it.
    pub(in crate::cli) word: &'static str,
    /// The files below the project that may hold its hooks, the usual one first.
    project: &'static [&'static str],
    /// The file below its own folder of the person's.
    person: &'static str,
    pub(super) form: HookForm,
    /// What the person has to do next, where the hook is the project's.
    pub(super) next: &'static str,
    /// What comes through the hook: `edits, commands and reads`.
    pub(in crate::cli) covered: &'static str,
    /// What goes past the hook.
    pub(in crate::cli) past: Option<&'static str>,
}

/// How an agent's hooks are written.
#[derive(Debug)]
pub(super) enum HookForm {
    /// Groups of handlers, each for the tools that its `matcher` names.
    Groups(HookGroups),
    /// Copilot's: handlers for every tool.
    Copilot,
    /// A plugin of OpenCode's.
    Plugin,
}

/// Groups of handlers.
#[derive(Debug)]
pub(super) struct HookGroups {
    /// Its events, those of tools first.
    events: &'static [&'static str],
    /// Which of them comes with the person's words: it takes along what was decided since.
    prompt: Option<&'static str>,
    matcher: &'static str,
    /// How many of its units of time are a second.
    second: u64,
    missing: MissingProgram,
}

/// What an agent makes of a hook whose program is not there.
#[derive(Clone, Copy, Debug)]
enum MissingProgram {
    /// It goes on, unless `onFailure` says otherwise.
    OnFailure,
    /// It goes on.
    GoesOn,
    /// It refuses the call.
    Refuses,
}

const QWEN_EVENTS: &[&str] = &["PreToolUse", "PostToolUse", "PostToolUseFailure"];
const CLAUDE_EVENTS: &[&str] = &["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit"];

/// All of them.
pub(in crate::cli) static GUARDED: [GuardedAgent; 6] = [
    GuardedAgent {
        id: Id::Claude,
        word: "claude",
        project: &[".claude/settings.json", ".claude/settings.local.json"],
        person: "settings.json",
        form: HookForm::Groups(HookGroups {
            events: CLAUDE_EVENTS,
            prompt: Some("UserPromptSubmit"),
            matcher: "Edit|Write|MultiEdit|NotebookEdit|Bash|Monitor|Read|Grep|Glob",
            second: 1,
            missing: MissingProgram::OnFailure,
        }),
        next: "runs it from its next start, once you trust this folder",
        covered: "edits, commands and reads",
        past: Some("every call with `--bare` or `--safe-mode`, and a file that you name with `@`"),
    },
    GuardedAgent {
        id: Id::Codex,
        word: "codex",
        project: &[".codex/hooks.json"],
        person: "hooks.json",
        form: HookForm::Groups(HookGroups {
            events: &["PreToolUse", "PostToolUse"],
            prompt: None,
            matcher: "apply_patch|Bash",
            second: 1,
            missing: MissingProgram::GoesOn,
        }),
        next: "runs it once you trust this folder, and the hook",
        covered: "edits and commands",
        past: Some("what it types into a command that runs already (`write_stdin`)"),
    },
    GuardedAgent {
        id: Id::Gemini,
        word: "gemini",
        project: &[".gemini/settings.json"],
        person: "settings.json",
        form: HookForm::Groups(HookGroups {
            events: &["BeforeTool", "AfterTool", "BeforeAgent"],
            prompt: Some("BeforeAgent"),
            matcher: "^(replace|write_file|run_shell_command|read_file|read_many_files|grep_search|glob|list_directory)$",
            second: 1000,
            missing: MissingProgram::Refuses,
        }),
        next: "runs it from its next start, once you trust this folder",
        covered: "edits, commands and reads",
        past: Some("a file that you name with `@`"),
    },
    GuardedAgent {
        id: Id::Qwen,
        word: "qwen",
        project: &[".qwen/settings.json"],
        person: "settings.json",
        form: HookForm::Groups(HookGroups {
            events: QWEN_EVENTS,
            prompt: None,
            matcher: "^(edit|write_file|notebook_edit|run_shell_command|monitor|read_file|grep_search|glob|list_directory)$",
            // It takes a number from 1000 on for milliseconds.
            second: 1000,
            missing: MissingProgram::GoesOn,
        }),
        next: "runs it from its next start, once you trust this folder",
        covered: "edits, commands and reads",
        past: Some("every call with `--bare` or `--safe-mode`, and a file that you name with `@`"),
    },
    GuardedAgent {
        id: Id::Copilot,
        word: "copilot",
        project: &[".github/hooks/wherefore.json"],
        person: "hooks/wherefore.json",
        form: HookForm::Copilot,
        next: "runs it from its next start, once you trust this folder",
        covered: "edits, commands and reads",
        past: None,
    },
    GuardedAgent {
        id: Id::Opencode,
        word: "opencode",
        project: &[".opencode/plugin/wherefore.js"],
        person: "plugin/wherefore.js",
        form: HookForm::Plugin,
        next: "runs it from its next start",
        covered: "edits, commands and reads",
        past: Some("every call with `--pure`"),
    },
];

/// A file that holds an agent's hooks, or may.
#[derive(Clone, Debug)]
pub(in crate::cli) struct HookFile {
    /// Where it is.
    pub(in crate::cli) path: PathBuf,
    /// What people call it.
    pub(in crate::cli) name: String,
    /// The agent's own folder of the person's, or the project.
    pub(super) top: PathBuf,
}

impl GuardedAgent {
    /// What we know of the agent beside its hooks.
    pub(in crate::cli) fn program(&self) -> Option<&'static AgentProgram> {
        AGENTS.iter().find(|agent| agent.id == self.id)
    }

    /// Its name for people.
    pub(in crate::cli) fn name(&self) -> &'static str {
        self.program().map_or(self.word, |agent| agent.name)
    }

    /// The files of the project that may hold its hooks, the usual one first.
    pub(in crate::cli) fn of_project(&self, dir: &Path) -> Vec<HookFile> {
        let file =
            |name: &&str| HookFile { path: dir.join(name), name: (*name).to_owned(), top: dir.to_owned() };
        self.project.iter().map(file).collect()
    }

    /// The person's file for its hooks; none where the person has no folder for it.
    pub(in crate::cli) fn of_person(&self, machine: &Machine) -> Option<HookFile> {
        let below = |folder: &Option<PathBuf>, name: &str| Some(folder.as_ref()?.join(name));
        let top = match self.id {
            Id::Claude => machine.claude.clone(),
            Id::Codex => machine.codex.clone(),
            Id::Gemini => below(&machine.home, ".gemini"),
            Id::Qwen => machine.qwen.clone(),
            Id::Copilot => machine.copilot.clone(),
            _ => below(&machine.config, "opencode"),
        }?;
        let path = top.join(self.person);
        let AgentFile { name, path } = machine.file(path);
        Some(HookFile { path, name, top })
    }

    /// The settings files in which it may say that no hook runs.
    pub(in crate::cli) fn settings(&self, machine: &Machine, dir: &Path) -> Vec<HookFile> {
        let in_settings = |file: HookFile| match self.form {
            HookForm::Groups(_) if self.id != Id::Codex => Some(file),
            HookForm::Copilot => {
                let path = file.top.join("settings.json");
                let name = file.name.replace("hooks/wherefore.json", "settings.json");
                Some(HookFile { path, name, ..file })
            }
            _ => None,
        };
        let person = self.of_person(machine).and_then(in_settings);
        let project =
            self.of_project(dir).into_iter().filter(|_| self.id != Id::Copilot).filter_map(in_settings);
        person.into_iter().chain(project).collect()
    }

    /// A message of the agent's, as its hook gets it: it wants to read a file.
    pub(in crate::cli) fn sample(&self, dir: &Path, file: &Path) -> Value {
        let (tool, input) = match self.id {
            Id::Claude => ("Read", json!({ "file_path": file })),
            Id::Codex => ("Bash", json!({ "command": "true" })),
            Id::Opencode => ("read", json!({ "filePath": file })),
            Id::Copilot => ("view", json!({ "path": file })),
            _ => ("read_file", json!({ "file_path": file })),
        };
        if self.id == Id::Copilot {
            return json!({ "sessionId": "doctor", "timestamp": 0, "cwd": dir, "toolName": tool, "toolArgs": input });
        }
        let event = self.events().first().copied().unwrap_or("PreToolUse");
        let mut message = json!({
            "session_id": "doctor",
            "transcript_path": dir.join("none.jsonl"),
            "cwd": dir,
            "hook_event_name": event,
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": "doctor",
        });
        if self.id == Id::Codex {
            message["turn_id"] = json!("doctor");
        }
        message
    }

    /// The lists of hooks, each by its event, with the item of ours.
    pub(super) fn items(&self, command: &HookCommand) -> Vec<(&'static str, Value)> {
        match &self.form {
            HookForm::Groups(groups) => {
                groups.events.iter().map(|event| (*event, groups.item(self.word, event, command))).collect()
            }
            HookForm::Copilot => {
                // Its message does not name the event.
                let item = |event: &'static str| {
                    let run = command.spelled(
                        &format!("copilot {event} --wait {WAIT_S}"),
                        Some(if command.refuse { 2 } else { 0 }),
                    );
                    (event, json!({ "type": "command", "bash": run, "timeoutSec": PATIENCE_S }))
                };
                self.events().iter().map(|event| item(event)).collect()
            }
            HookForm::Plugin => Vec::new(),
        }
    }

    /// The commands in a list's item that are ours, and how many are not.
    pub(super) fn commands(&self, item: &Value) -> (Vec<String>, usize) {
        let handlers = item["hooks"].as_array().map_or_else(|| vec![item], |all| all.iter().collect());
        let line =
            |handler: &&Value| handler["command"].as_str().or(handler["bash"].as_str()).map(str::to_owned);
        let all = handlers.len();
        let ours: Vec<String> =
            handlers.iter().filter_map(line).filter(|line| is_ours(line, self.word)).collect();
        let others = all - ours.len();
        (ours, others)
    }

    /// The events whose lists may hold an item of ours.
    pub(super) fn events(&self) -> &'static [&'static str] {
        match &self.form {
            HookForm::Groups(groups) => groups.events,
            HookForm::Copilot => &["preToolUse", "postToolUse"],
            HookForm::Plugin => &[],
        }
    }

    /// What a new file of hooks begins with.
    pub(super) fn head(&self) -> Vec<(&'static str, Value)> {
        match self.form {
            HookForm::Copilot => vec![("version", json!(1))],
            _ => Vec::new(),
        }
    }
}

impl HookGroups {
    fn item(&self, word: &str, event: &str, command: &HookCommand) -> Value {
        let code = match (self.missing, command.refuse) {
            (MissingProgram::OnFailure | MissingProgram::GoesOn, false)
            | (MissingProgram::OnFailure, true) => None,
            (MissingProgram::Refuses, false) => Some(1),
            (_, true) => Some(2),
        };
        let is_prompt = self.prompt == Some(event);
        // Without the program the person's words go on.
        let code = if is_prompt { code.map(|_| 0) } else { code };
        let timeout = PATIENCE_S * self.second;
        let mut handler = json!({ "type": "command", "command": command.spelled(&format!("{word} --wait {WAIT_S}"), code), "timeout": timeout });
        if matches!(self.missing, MissingProgram::OnFailure) && command.refuse && event == "PreToolUse" {
            handler["onFailure"] = json!("block");
        }
        match is_prompt {
            true => json!({ "hooks": [handler] }),
            false => json!({ "matcher": self.matcher, "hooks": [handler] }),
        }
    }
}

/// OpenCode's plugin, as it asks the program of `command`.
pub(super) fn plugin(command: &HookCommand) -> String {
    PLUGIN
        .replace("{program}", &json!(command.program).to_string())
        .replace("{refuse}", &command.refuse.to_string())
}

/// Whether a text is a plugin that we wrote.
pub(super) fn is_plugin(text: &str) -> bool {
    PLUGIN.lines().next().is_some_and(|first| text.lines().next() == Some(first))
}

/// The program that a plugin of ours asks, as a shell takes it; nothing where the plugin is not ours.
pub(super) fn plugin_program(text: &str) -> Option<String> {
    let program = text.lines().find_map(|line| line.strip_prefix("const PROGRAM = ")?.strip_suffix(';'));
    let program: String = serde_json::from_str(program.filter(|_| is_plugin(text))?).ok()?;
    Some(HookCommand { program, refuse: false }.spelled("opencode", None))
}
