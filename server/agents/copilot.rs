//! The profile of Copilot CLI.

use serde_json::json;

use super::hook_profile::{
    AgentQuestions, AgentShell, CallMarks, ConversationFile, HookAnswerForm, HookForm, HookMessageForm,
    HookProfile, HookSetup, HookTrust, MessageMembers, OffSwitch, OwnRules, SampleCall, SenderEvidence,
};
use super::plugin_profile::{PluginForm, PluginProfile, PluginTrace};
use super::profile::{
    AgentFiles, AgentFolder, AgentProfile, AgentTrace, FileFormat, LeverFiles, PersonFiles,
    SettingsEntryPath, SettingsOwner, SetupProfile, UsualFolder,
};
use super::tool_form::ActForm::{Command, Patch, Read, Replace, Search, Write};
use super::tool_form::ArgumentKind::{Flag, List, Number, Text};
use super::tool_form::ArgumentRole::{Content, Glob, New, Old, Path, Paths, Pattern, Script, Spanning};
use super::tool_form::{
    ArgumentRole, ToolForm, ignored_argument, optional_argument, required_argument, tool_form,
};

pub(super) static PROFILE: AgentProfile = AgentProfile {
    id: "copilot",
    title: "Copilot CLI",
    full_title: "Copilot CLI",
    own_files: AgentFiles {
        programs: &[".copilot", ".config/github-copilot", ".github/hooks"],
        instructions: &["COPILOT.md", ".copilotignore", "copilot-instructions.md", ".github/copilot*"],
    },
    setup: SetupProfile {
        programs: &["copilot"],
        traces: &[AgentTrace::OwnFolder],
        folder: AgentFolder { variable: Some("COPILOT_HOME"), usual: UsualFolder::Home(".copilot") },
        project_files: &[".mcp.json"],
        person_files: PersonFiles::InFolder(&["mcp-config.json"]),
        format: FileFormat::Json,
        entry_path: SettingsEntryPath::in_container("mcpServers"),
        entry: |command| {
            let mut entry = json!({ "type": "stdio", "command": command.program, "args": command.args });
            // Its own list of servers names the tools that each offers.
            if command.owner == SettingsOwner::Person {
                entry["tools"] = json!(["*"]);
            }
            entry
        },
        is_trusted_by_entry: false,
        call_limit_s: None,
        permits: None,
        schema: None,
        next_step: "starts it once you have told it to trust this folder",
        levers: &[],
        lever_files: LeverFiles::NONE,
    },
    hooks: Some(&HOOKS),
    plugin: Some(&PLUGIN),
    acp: None,
    mcp: None,
};

static PLUGIN: PluginProfile = PluginProfile {
    form: PluginForm::AgentPlugins,
    install: &["copilot plugin marketplace add {folder}", "copilot plugin install wherefore@wherefore"],
    remove: &["copilot plugin uninstall wherefore@wherefore", "copilot plugin marketplace remove wherefore"],
    trace: PluginTrace::Enabled {
        container: "enabledPlugins",
        person_file: "settings.json",
        project_files: &[],
    },
    server_name: None,
    lack: Some("has the hooks alone, as it would start the server in the plugin's folder"),
};

static HOOKS: HookProfile = HookProfile {
    log_name: "copilot-cli",
    sender: "GitHub Copilot CLI",
    tried_version: "1.0.102",
    message: HookMessageForm {
        // It runs hooks in Claude Code's form, too, and adds a time to them.
        evidence: |message| {
            let has = |name: &str| message.get(name).is_some();
            match () {
                () if has("toolName") || has("toolArgs") => SenderEvidence::OwnToolMembers,
                () if has("timestamp") && !has("transcript_path") => SenderEvidence::UsualMembers,
                () => SenderEvidence::None,
            }
        },
        borrows_hooks_of: Some("claude"),
        members: MessageMembers::CamelCase,
        conversation: ConversationFile::BySession { folder: ".copilot/session-state", file: "events.jsonl" },
        model_role: Some("assistant.message"),
        call_marks: CallMarks::IdOrText,
        is_of_plugin: false,
    },
    tools: TOOLS,
    is_server_tool: |name| name.contains('-') || name.starts_with("mcp__"),
    has_odd_path: |_| false,
    answer: HookAnswerForm::PermissionDecision,
    shell: AgentShell { keeps_folder: true, ..AgentShell::PLAIN },
    own_rules: OwnRules::Options,
    timeout_s: 25,
    // It refuses the call at any other.
    tolerated_exit_code: 0,
    questions: AgentQuestions::None,
    has_rules_above_hooks: false,
    asks_about_our_tools: true,
    setup: HookSetup {
        project_files: &[".github/hooks/wherefore.json"],
        serves_linked_trees: false,
        person_file: "hooks/wherefore.json",
        form: HookForm::Handlers(&["preToolUse", "postToolUse"]),
        off_switch: OffSwitch::InPersonFile("settings.json"),
        trust: HookTrust::FolderLists {
            files: &["config.json", "settings.json"],
            variable: "COPILOT_ALLOW_ALL",
        },
        next_step: "runs it from its next start, once you trust this folder",
        covered: "edits, commands and reads",
        past: None,
        untested_part: |_, _| String::new(),
    },
    sample: |call| {
        Some(match call {
            SampleCall::Edit(file) => {
                ("edit", json!({ "path": file, "old_str": SampleCall::OLD, "new_str": SampleCall::NEW }))
            }
            SampleCall::Command(script) => {
                ("bash", json!({ "command": script, "description": SampleCall::DESCRIPTION }))
            }
            SampleCall::Read(file) => ("view", json!({ "path": file })),
        })
    },
};

/// The tools of version 1.0. It ignores unknown arguments. Hooks in Claude Code's form get Claude Code's names of its tools.
const TOOLS: &[ToolForm] = &[
    tool_form(
        &["edit", "Edit"],
        Replace,
        &[
            required_argument(&["path"], Path),
            required_argument(&["old_str"], Old),
            required_argument(&["new_str"], New),
        ],
    ),
    tool_form(
        &["create", "Write"],
        Write,
        &[required_argument(&["path"], Path), required_argument(&["file_text"], Content)],
    ),
    tool_form(&["apply_patch"], Patch, &[required_argument(&["input", "patch"], ArgumentRole::Patch)]),
    tool_form(
        &["bash", "Bash", "powershell"],
        Command,
        &[
            required_argument(&["command"], Script),
            ignored_argument(&["description", "shellId", "sessionId", "mode"], Text),
            ignored_argument(&["detach", "async"], Flag),
            ignored_argument(&["initial_wait", "timeout"], Number),
        ],
    ),
    tool_form(
        &["view", "Read"],
        Read,
        &[
            required_argument(&["path"], Path),
            ignored_argument(&["view_range"], List),
            ignored_argument(&["forceReadLargeFiles"], Flag),
        ],
    ),
    tool_form(
        &["glob", "Glob"],
        Read,
        &[optional_argument(&["paths"], Paths), ignored_argument(&["pattern"], Text)],
    ),
    tool_form(
        &["grep", "rg", "Grep"],
        Search,
        &[
            required_argument(&["pattern"], Pattern),
            optional_argument(&["paths"], Paths),
            optional_argument(&["glob"], Glob),
            ignored_argument(&["output_mode", "type"], Text),
            ignored_argument(&["-A", "-B", "-C", "head_limit"], Number),
            ignored_argument(&["-n", "-i"], Flag),
            optional_argument(&["multiline"], Spanning),
        ],
    ),
];
