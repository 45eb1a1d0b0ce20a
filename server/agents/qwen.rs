//! The profile of Qwen Code.

use serde_json::json;

use super::hook_profile::{
    AgentQuestions, AgentShell, CallMarks, ConversationFile, HookAnswerForm, HookForm, HookGroups,
    HookMessageForm, HookProfile, HookSetup, HookTrust, MessageMembers, MissingProgram, OffSwitch, OwnRules,
    SampleCall, SenderEvidence, ShellPlace,
};
use super::levers::{ALL_TOOLS, EDITS, OURS_OFF, TOOLS_OFF, has_items, leaves_us_out, names_us};
use super::plugin_profile::{PluginForm, PluginProfile, PluginTrace};
use super::profile::AgentTrace::{Home, Project};
use super::profile::{
    AgentFiles, AgentFolder, AgentProfile, FileFormat, LeverFiles, PersonFiles, SettingLever,
    SettingsEntryPath, SetupProfile, UsualFolder,
};
use super::tool_form::ActForm::{Cell, Command, Read, Replace, Search, Write};
use super::tool_form::ArgumentKind::{Flag, Number, Object, Text, Texts};
use super::tool_form::ArgumentRole::{
    All, CellKind, CellMode, Content, Glob, New, Old, Path, Pattern, Script, Source,
};
use super::tool_form::{
    ArgumentRole, ToolForm, ignored_argument, optional_argument, required_argument, tool_form,
};
use super::{AcpProfile, PROGRAM, PermissionReply};

pub(super) static PROFILE: AgentProfile = AgentProfile {
    id: "qwen",
    title: "Qwen Code",
    full_title: "Qwen Code",
    own_files: AgentFiles { programs: &[".qwen"], instructions: &["QWEN.md", "QWEN.*.md", ".qwenignore"] },
    setup: SetupProfile {
        programs: &["qwen"],
        traces: &[Home(".qwen"), Project(".qwen"), Project("QWEN.md")],
        folder: AgentFolder { variable: Some("QWEN_HOME"), usual: UsualFolder::Home(".qwen") },
        project_files: &[".qwen/settings.json"],
        person_files: PersonFiles::InFolder(&["settings.json"]),
        format: FileFormat::Json,
        entry_path: SettingsEntryPath::in_container("mcpServers"),
        entry: |command| json!({ "command": command.program, "args": command.args, "trust": true }),
        is_trusted_by_entry: true,
        // The setting that lengthens it (`timeout`) is also the time that it waits for a server that does not start.
        call_limit_s: Some(600),
        permits: None,
        schema: None,
        next_step: "uses it once you approve the server on its screen /mcp",
        levers: LEVERS,
        lever_files: LeverFiles::NONE,
    },
    hooks: Some(&HOOKS),
    plugin: Some(&PLUGIN),
    acp: Some(AcpProfile {
        name: "qwen-code",
        permission_reply: PermissionReply::DecideAtWrite,
        ..AcpProfile::UNKNOWN
    }),
    mcp: None,
};

static PLUGIN: PluginProfile = PluginProfile {
    form: PluginForm::Extension("qwen-extension.json"),
    install: &["qwen extensions install {folder}"],
    remove: &["qwen extensions uninstall wherefore"],
    trace: PluginTrace::PersonFile("extensions/wherefore/qwen-extension.json"),
    server_name: None,
    lack: Some("asks about each tool of wherefore's: an extension may not say otherwise"),
};

static HOOKS: HookProfile = HookProfile {
    log_name: "qwen-code",
    sender: "Qwen Code",
    tried_version: "0.24.4",
    message: HookMessageForm {
        evidence: |message| {
            let has = |name: &str| message.get(name).is_some();
            match has("transcript_path") && has("timestamp") {
                true => SenderEvidence::UsualMembers,
                false => SenderEvidence::None,
            }
        },
        borrows_hooks_of: None,
        members: MessageMembers::SnakeCase,
        conversation: ConversationFile::Named,
        model_role: None,
        call_marks: CallMarks::IdOrText,
        is_of_plugin: false,
    },
    tools: TOOLS,
    is_server_tool: |name| name.starts_with("mcp__"),
    has_odd_path: |path| path.contains('\\'),
    answer: HookAnswerForm::HookSpecificOutput,
    shell: AgentShell { place: ShellPlace::AtServer, ..AgentShell::PLAIN },
    own_rules: OwnRules::JudgedBefore,
    timeout_s: 55,
    tolerated_exit_code: 1,
    questions: AgentQuestions::None,
    has_rules_above_hooks: false,
    asks_about_our_tools: false,
    setup: HookSetup {
        project_files: &[".qwen/settings.json"],
        serves_linked_trees: false,
        person_file: "settings.json",
        form: HookForm::Groups(HookGroups {
            events: &["PreToolUse", "PostToolUse", "PostToolUseFailure"],
            of_no_tool: &[],
            matcher: "^(edit|write_file|notebook_edit|run_shell_command|monitor|read_file|grep_search|glob|list_directory)$",
            status: "statusMessage",
            // It takes a number from 1000 on for milliseconds.
            second: 1000,
            missing: MissingProgram::GoesOn,
        }),
        off_switch: OffSwitch::InHookFiles,
        trust: HookTrust::Unlisted,
        next_step: "runs it from its next start, once you trust this folder",
        covered: "edits, commands and reads",
        past: Some("every call with `--bare` or `--safe-mode`, and a file that you name with `@`"),
        untested_part: |_, _| String::new(),
    },
    sample: |call| {
        Some(match call {
            SampleCall::Edit(file) => (
                "edit",
                json!({ "file_path": file, "old_string": SampleCall::OLD, "new_string": SampleCall::NEW }),
            ),
            SampleCall::Command(script) => {
                ("run_shell_command", json!({ "command": script, "description": SampleCall::DESCRIPTION }))
            }
            SampleCall::Read(file) => ("read_file", json!({ "file_path": file })),
        })
    },
};

static LEVERS: &[SettingLever] = &[
    SettingLever { path: &["mcp", "excluded"], is_set: names_us, effect: OURS_OFF },
    SettingLever { path: &["mcp", "allowed"], is_set: leaves_us_out, effect: OURS_OFF },
    SettingLever { path: &["mcpServers", PROGRAM, "excludeTools"], is_set: has_items, effect: TOOLS_OFF },
    SettingLever { path: &["tools", "approvalMode"], is_set: |mode| mode == "auto-edit", effect: EDITS },
    SettingLever { path: &["tools", "approvalMode"], is_set: |mode| mode == "yolo", effect: ALL_TOOLS },
];

/// The tools of version 0.24. It ignores unknown arguments, and accepts flags that are quoted.
const TOOLS: &[ToolForm] = &[
    tool_form(
        &["edit", "replace"],
        Replace,
        &[
            required_argument(&["file_path"], Path),
            required_argument(&["old_string"], Old),
            required_argument(&["new_string"], New),
            optional_argument(&["replace_all"], All),
            ignored_argument(&["ai_proposed_content"], Text),
            ignored_argument(&["modified_by_user"], Flag),
        ],
    ),
    tool_form(
        &["write_file"],
        Write,
        &[
            required_argument(&["file_path"], Path),
            required_argument(&["content"], Content),
            ignored_argument(&["ai_proposed_content"], Text),
            ignored_argument(&["record_as_artifact", "modified_by_user"], Flag),
        ],
    ),
    tool_form(
        &["notebook_edit"],
        Cell,
        &[
            required_argument(&["notebook_path"], Path),
            optional_argument(&["cell_id"], ArgumentRole::Cell),
            optional_argument(&["new_source"], Source),
            optional_argument(&["cell_type"], CellKind),
            optional_argument(&["edit_mode"], CellMode),
        ],
    ),
    tool_form(
        &["run_shell_command", "monitor"],
        Command,
        &[
            required_argument(&["command"], Script),
            ignored_argument(&["description", "directory"], Text),
            ignored_argument(&["is_background"], Flag),
            ignored_argument(&["timeout", "max_events", "idle_timeout_ms"], Number),
        ],
    ),
    tool_form(
        &["read_file"],
        Read,
        &[
            required_argument(&["file_path"], Path),
            ignored_argument(&["offset", "limit"], Number),
            ignored_argument(&["pages"], Text),
        ],
    ),
    tool_form(
        &["list_directory"],
        Read,
        &[
            required_argument(&["path"], Path),
            ignored_argument(&["ignore"], Texts),
            ignored_argument(&["file_filtering_options"], Object),
        ],
    ),
    tool_form(&["glob"], Read, &[optional_argument(&["path"], Path), ignored_argument(&["pattern"], Text)]),
    tool_form(
        &["grep_search", "search_file_content"],
        Search,
        &[
            required_argument(&["pattern"], Pattern),
            optional_argument(&["path"], Path),
            optional_argument(&["glob"], Glob),
            ignored_argument(&["limit"], Number),
        ],
    ),
];
