//! The profile of Gemini CLI.

use serde_json::json;

use super::hook_profile::{
    AgentQuestions, AgentShell, CallMarks, ConversationFile, HookAnswerForm, HookForm, HookGroups,
    HookMessageForm, HookProfile, HookSetup, HookTrust, MessageMembers, MissingProgram, OffSwitch, OwnRules,
    SampleCall, SenderEvidence,
};
use super::levers::{EDITS, OURS_OFF, TOOLS_OFF, has_items, leaves_us_out, names_us};
use super::plugin_profile::{PluginForm, PluginProfile, PluginTrace};
use super::profile::AgentTrace::{Home, Project};
use super::profile::{
    AgentFiles, AgentFolder, AgentProfile, FileFormat, LeverFiles, PersonFiles, SettingLever,
    SettingsEntryPath, SetupProfile, UsualFolder,
};
use super::tool_form::ActForm::{Command, Read, ReadMatching, Replace, Search, Write};
use super::tool_form::ArgumentKind::{Flag, Number, Object, Text, Texts};
use super::tool_form::ArgumentRole::{All, Content, Glob, Ignored, New, Old, Path, Paths, Pattern, Script};
use super::tool_form::{
    FormArgument, ToolForm, ignored_argument, optional_argument, required_argument, tool_form,
};
use super::{AcpProfile, FeedbackChannel, PROGRAM, PermissionReply};

pub(super) static PROFILE: AgentProfile = AgentProfile {
    id: "gemini",
    title: "Gemini CLI",
    full_title: "Gemini CLI",
    own_files: AgentFiles {
        programs: &[".gemini", "gemini-extension.json"],
        instructions: &["GEMINI.md", "GEMINI.*.md", ".geminiignore"],
    },
    setup: SetupProfile {
        programs: &["gemini"],
        traces: &[Home(".gemini"), Project(".gemini"), Project("GEMINI.md")],
        folder: AgentFolder { variable: None, usual: UsualFolder::Home(".gemini") },
        project_files: &[".gemini/settings.json"],
        person_files: PersonFiles::InFolder(&["settings.json"]),
        format: FileFormat::Json,
        entry_path: SettingsEntryPath::in_container("mcpServers"),
        entry: |command| json!({ "command": command.program, "args": command.args, "trust": true }),
        is_trusted_by_entry: true,
        // The setting that lengthens it (`timeout`) is also the time that it waits for a server that does not start.
        call_limit_s: Some(600),
        permits: None,
        schema: None,
        next_step: "reads it once you have told it to trust this folder",
        levers: LEVERS,
        lever_files: LeverFiles::NONE,
    },
    hooks: Some(&HOOKS),
    plugin: Some(&PLUGIN),
    acp: Some(AcpProfile {
        name: "gemini-cli",
        permission_reply: PermissionReply::AllowAfterRead,
        feedback: FeedbackChannel::OptionId,
        shows_errors: false,
        reads_missing_as_empty: true,
        ask_mode: None,
    }),
    mcp: None,
};

static PLUGIN: PluginProfile = PluginProfile {
    form: PluginForm::Extension("gemini-extension.json"),
    install: &["gemini extensions install {folder}"],
    remove: &["gemini extensions uninstall wherefore"],
    trace: PluginTrace::PersonFile("extensions/wherefore/gemini-extension.json"),
    server_name: None,
    lack: Some(
        "asks about each tool of wherefore's and each confined command: an extension may not say otherwise",
    ),
};

static HOOKS: HookProfile = HookProfile {
    log_name: "gemini-cli",
    sender: "Gemini CLI",
    tried_version: "0.61.0",
    message: HookMessageForm {
        evidence: |message| match message["hook_event_name"].as_str() {
            Some("BeforeTool" | "AfterTool" | "BeforeAgent") => SenderEvidence::OwnEvent,
            _ => SenderEvidence::None,
        },
        borrows_hooks_of: None,
        members: MessageMembers::SnakeCase,
        conversation: ConversationFile::Named,
        model_role: Some("gemini"),
        call_marks: CallMarks::IdOrText,
        is_of_plugin: false,
    },
    tools: TOOLS,
    is_server_tool: |name| name.starts_with("mcp_"),
    has_odd_path: |path| path.starts_with('@'),
    answer: HookAnswerForm::Decision,
    shell: AgentShell { shows_description: true, ..AgentShell::PLAIN },
    own_rules: OwnRules::Policies,
    timeout_s: 55,
    tolerated_exit_code: 1,
    questions: AgentQuestions::ByPolicy,
    has_rules_above_hooks: false,
    asks_about_our_tools: false,
    setup: HookSetup {
        project_files: &[".gemini/settings.json"],
        serves_linked_trees: false,
        person_file: "settings.json",
        form: HookForm::Groups(HookGroups {
            events: &["BeforeTool", "AfterTool", "BeforeAgent"],
            of_no_tool: &["BeforeAgent"],
            matcher: "^(replace|write_file|run_shell_command|read_file|read_many_files|grep_search|search_file_content|glob|list_directory)$",
            status: HookGroups::NAME,
            second: 1000,
            missing: MissingProgram::Refuses,
        }),
        off_switch: OffSwitch::InHookFiles,
        trust: HookTrust::Unlisted,
        next_step: "runs it from its next start, once you trust this folder",
        covered: "edits, commands and reads",
        past: Some("a file that you name with `@`"),
        untested_part: |_, _| String::new(),
    },
    sample: |call| {
        Some(match call {
            SampleCall::Edit(file) => (
                "replace",
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
    SettingLever {
        path: &["general", "defaultApprovalMode"],
        is_set: |mode| mode == "auto_edit",
        effect: EDITS,
    },
];

/// Arguments for the files that a listing leaves out.
const FILTER_FLAGS: FormArgument = ignored_argument(
    &["respect_git_ignore", "respect_gemini_ignore", "recursive", "useDefaultExcludes"],
    Flag,
);
const FILTER_OPTIONS: FormArgument = ignored_argument(&["file_filtering_options"], Object);

/// The tools of version 0.61. It ignores unknown arguments.
const TOOLS: &[ToolForm] = &[
    tool_form(
        &["replace"],
        Replace,
        &[
            required_argument(&["file_path"], Path),
            required_argument(&["old_string"], Old),
            required_argument(&["new_string"], New),
            optional_argument(&["allow_multiple"], All),
            ignored_argument(&["instruction", "ai_proposed_content"], Text),
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
            ignored_argument(&["modified_by_user"], Flag),
        ],
    ),
    tool_form(
        &["run_shell_command"],
        Command,
        &[
            required_argument(&["command"], Script),
            ignored_argument(&["description", "dir_path"], Text),
            ignored_argument(&["is_background"], Flag),
            ignored_argument(&["delay_ms"], Number),
            ignored_argument(&["additional_permissions"], Object),
        ],
    ),
    tool_form(
        &["read_file"],
        Read,
        &[
            required_argument(&["file_path", "absolute_path"], Path),
            ignored_argument(&["start_line", "end_line", "offset", "limit"], Number),
        ],
    ),
    tool_form(
        &["read_many_files"],
        ReadMatching,
        &[
            required_argument(&["include", "paths"], Paths),
            ignored_argument(&["exclude"], Texts),
            FILTER_FLAGS,
            FILTER_OPTIONS,
        ],
    ),
    tool_form(
        &["list_directory"],
        Read,
        &[
            required_argument(&["dir_path", "path"], Path),
            ignored_argument(&["ignore"], Texts),
            FILTER_FLAGS,
            FILTER_OPTIONS,
        ],
    ),
    tool_form(
        &["glob"],
        Read,
        &[
            optional_argument(&["dir_path"], Path),
            ignored_argument(&["pattern"], Text),
            ignored_argument(&["case_sensitive"], Flag),
            FILTER_FLAGS,
        ],
    ),
    tool_form(
        &["grep_search", "search_file_content"],
        Search,
        &[
            required_argument(&["pattern"], Pattern),
            optional_argument(&["dir_path"], Path),
            optional_argument(&["include_pattern"], Glob),
            optional_argument(&["no_ignore"], Ignored),
            ignored_argument(&["exclude_pattern"], Text),
            ignored_argument(
                &["max_matches_per_file", "total_max_matches", "context", "after", "before"],
                Number,
            ),
            ignored_argument(&["names_only", "case_sensitive", "fixed_strings"], Flag),
        ],
    ),
];
