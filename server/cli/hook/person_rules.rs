//! The person's own rules of the agent, from the places where the agent reads them: its settings, its policies, its
//! command line.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::agent_folder;
use crate::agents::{HookAgent, OwnRules};
use crate::cli::init::agents::PersonMachine;
use crate::cli::init::guard::plan::read_settings_at;
use crate::hooks::agent_rules::{
    AgentRuleVerdict, ClaudeRules, CodexRules, CopilotRules, GeminiRules, OpencodeRules, PolicyTier,
};
use crate::hooks::{HookMessage, NativeAct};

/// Processes above the hook's that are looked at for the agent's command line.
const ANCESTORS: usize = 6;

/// The verdict of the person's own rules of the agent on a command that the agent would judge only in its rewritten form.
pub(super) fn judge_command(message: &HookMessage, act: &NativeAct) -> AgentRuleVerdict {
    let NativeAct::Command { script } = act else { return AgentRuleVerdict::Silent };
    match message.agent.own_rules {
        OwnRules::PermissionLists => claude_rules(message).judge_command(script),
        OwnRules::Policies => gemini_rules(message).judge_shell_call(&message.arguments),
        OwnRules::Options => option_rules(message.agent).judge_command(script),
        OwnRules::InMessage => message.permission.as_ref().map_or(AgentRuleVerdict::Silent, |permission| {
            OpencodeRules::of_permission(permission).judge_command(script)
        }),
        OwnRules::PrefixRules => codex_rules(message).judge_command(script),
        OwnRules::JudgedBefore => AgentRuleVerdict::Silent,
    }
}

fn claude_rules(message: &HookMessage) -> ClaudeRules {
    let mut rules = ClaudeRules::default();
    let person = own_folder(message).map(|folder| folder.join("settings.json"));
    let of_project = |folder: &Path| {
        [".claude/settings.json", ".claude/settings.local.json"].map(|name| folder.join(name))
    };
    let project = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from).or_else(|| agent_folder(message));
    let managed = PathBuf::from("/etc/claude-code/managed-settings.json");
    let files =
        person.into_iter().chain(project.iter().flat_map(|folder| of_project(folder))).chain([managed]);
    files.filter_map(|file| read_settings_at(&file)).for_each(|settings| rules.add_settings(&settings));
    let arguments = agent_arguments(message.agent);
    let mut is_list = false;
    for argument in &arguments {
        match argument.as_str() {
            "--disallowedTools" | "--disallowed-tools" => is_list = true,
            other if other.starts_with('-') => is_list = false,
            rule if is_list => rules.add_denied(rule),
            _ => {}
        }
    }
    rules
}

fn gemini_rules(message: &HookMessage) -> GeminiRules {
    let mut rules = GeminiRules::default();
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("GEMINI_CLI_HOME").or_else(crate::base::person::home_dir).map(|home| home.join(".gemini"));
    let project = agent_folder(message).map(|folder| folder.join(".gemini"));
    let system = PathBuf::from("/etc/gemini-cli");
    let files = [
        set("GEMINI_CLI_SYSTEM_DEFAULTS_PATH").or_else(|| Some(system.join("system-defaults.json"))),
        home.as_ref().map(|home| home.join("settings.json")),
        project.as_ref().map(|project| project.join("settings.json")),
        set("GEMINI_CLI_SYSTEM_SETTINGS_PATH").or_else(|| Some(system.join("settings.json"))),
    ];
    let settings: Vec<Value> =
        files.into_iter().flatten().filter_map(|file| read_settings_at(&file)).collect();
    rules.add_settings(&merge_lists(&settings, &agent_arguments(message.agent)));
    let named = |name: &str| -> Vec<PathBuf> {
        let lists = settings.iter().filter_map(|settings| settings[name].as_array()).flatten();
        lists.filter_map(Value::as_str).map(PathBuf::from).collect()
    };
    let person = match named("policyPaths") {
        paths if paths.is_empty() => home.iter().map(|home| home.join("policies")).collect(),
        paths => paths,
    };
    let extensions = home.iter().flat_map(|home| folder_entries(&home.join("extensions")));
    let mut admin = named("adminPolicyPaths");
    admin.push(system.join("policies"));
    let tiers = [
        (PolicyTier::Admin, admin),
        (PolicyTier::User, person),
        (PolicyTier::Workspace, project.iter().map(|project| project.join("policies")).collect()),
        (PolicyTier::Extension, extensions.map(|extension| extension.join("policies")).collect()),
    ];
    for (tier, paths) in tiers {
        for file in paths.iter().flat_map(|path| policy_files(path)) {
            rules.add_file(tier, &std::fs::read_to_string(file).unwrap_or_default());
        }
    }
    rules
}

/// The lists of the settings that name tools, of all files together, with those of the agent's command line.
fn merge_lists(settings: &[Value], arguments: &[String]) -> Value {
    let list = |name: &str, older: &str| -> Vec<Value> {
        let both = settings.iter().flat_map(|settings| [&settings["tools"][name], &settings[older]]);
        both.filter_map(Value::as_array).flatten().cloned().collect()
    };
    let mut allowed = list("allowed", "allowedTools");
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let value = match argument.strip_prefix("--allowed-tools") {
            Some("") => arguments.next().map(String::as_str),
            Some(value) => value.strip_prefix('='),
            None => None,
        };
        allowed.extend(
            value.into_iter().flat_map(|value| value.split(',')).map(|tool| Value::from(tool.trim())),
        );
    }
    serde_json::json!({ "tools": {
        "exclude": list("exclude", "excludeTools"),
        "confirmationRequired": list("confirmationRequired", ""),
        "core": list("core", "coreTools"),
        "allowed": allowed,
    } })
}

/// The policies at a path: the file, or those of the folder in their order.
fn policy_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut files: Vec<PathBuf> =
        folder_entries(path).filter(|file| file.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    files
}

fn folder_entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn codex_rules(message: &HookMessage) -> CodexRules {
    let mut rules = CodexRules::default();
    let above = agent_folder(message);
    let projects = above.iter().flat_map(|folder| folder.ancestors()).map(|folder| folder.join(".codex"));
    let person = own_folder(message);
    let folders = person.into_iter().chain(projects).chain([PathBuf::from("/etc/codex")]);
    let files = folders.flat_map(|folder| folder_entries(&folder.join("rules")));
    for file in files.filter(|file| file.extension().is_some_and(|end| end == "rules")) {
        rules.add_file(&std::fs::read_to_string(file).unwrap_or_default());
    }
    rules
}

/// The agent's own folder of the person's.
fn own_folder(message: &HookMessage) -> Option<PathBuf> {
    PersonMachine::current().agent_folder(message.agent.profile)
}

/// The rules of the command line that the agent (Copilot CLI) was started with.
pub(super) fn option_rules(agent: HookAgent) -> CopilotRules {
    CopilotRules::of_arguments(&agent_arguments(agent))
}

/// The arguments that the agent was started with: those of the nearest process above this one whose program has its name.
pub(super) fn agent_arguments(agent: HookAgent) -> Vec<String> {
    let name = agent.profile.program_name();
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..ANCESTORS {
        let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let words: Vec<String> =
            line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let is_agent = |word: &String| Path::new(word).file_stem().and_then(OsStr::to_str) == Some(name);
        if words.iter().take(3).any(is_agent) {
            return words;
        }
        let Some(above) = parent_of(process) else { break };
        process = above;
    }
    Vec::new()
}

fn parent_of(process: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok().filter(|id| *id > 1)
}
