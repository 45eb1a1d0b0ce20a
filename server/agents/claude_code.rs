//! The profile of Claude Code.

use serde_json::{Value, json};

use super::hook_profile::{
    AgentQuestions, AgentShell, CallMarks, ConversationFile, HookAnswerForm, HookForm, HookGroups,
    HookMessageForm, HookProfile, HookSetup, HookTrust, MessageMembers, MissingProgram, OffSwitch, OwnRules,
    SampleCall, SenderEvidence, ShellPlace,
};
use super::levers::{ALL_TOOLS, EDITS, OURS_OFF, TOOLS_OFF, list_items, names_us};
use super::plugin_profile::{PluginForm, PluginProfile, PluginTrace};
use super::profile::AgentTrace::{Home, Project};
use super::profile::SettingEffect::Off;
use super::profile::{
    AgentFiles, AgentFolder, AgentProfile, FileFormat, LeverFiles, McpClientProfile, PermitItem,
    PermitProfile, PersonFiles, SettingLever, SettingsEntryPath, SetupProfile, UsualFolder,
};
use super::tool_form::ActForm::{Cell, Command, Read, Replace, Search, Write};
use super::tool_form::ArgumentKind::{Flag, List, Number, Object, Text, Texts};
use super::tool_form::ArgumentRole::{
    All, CellKind, CellMode, Content, Edits, Glob, New, Old, Path, Pattern, Script, Source, Spanning,
};
use super::tool_form::{
    ArgumentRole, FormArgument, ToolForm, ignored_argument, optional_argument, required_argument, tool_form,
};
use super::{AcpProfile, FeedbackChannel};

/// The prefix of wherefore's tools in its rules.
const OUR_TOOLS: &str = "mcp__wherefore";
const PERMITTED_TOOLS: PermitItem = PermitItem { list: &["permissions", "allow"], item: OUR_TOOLS };
const PERMITTED_SERVER: PermitItem = PermitItem { list: &["enabledMcpjsonServers"], item: super::PROGRAM };

pub(super) static PROFILE: AgentProfile = AgentProfile {
    id: "claude",
    title: "Claude Code",
    full_title: "Claude Code",
    own_files: AgentFiles {
        programs: &[".claude", ".claude.json", ".claude-plugin", "claude_desktop_config.json"],
        instructions: &["CLAUDE.md", "CLAUDE.*.md"],
    },
    setup: SetupProfile {
        programs: &["claude"],
        traces: &[
            Home(".claude"),
            Home(".claude.json"),
            Project(".claude"),
            Project("CLAUDE.md"),
            Project(".mcp.json"),
        ],
        folder: AgentFolder { variable: Some("CLAUDE_CONFIG_DIR"), usual: UsualFolder::Home(".claude") },
        project_files: &[".mcp.json"],
        person_files: PersonFiles::BesideFolder(".claude.json"),
        format: FileFormat::Json,
        entry_path: SettingsEntryPath::in_container("mcpServers"),
        entry: |command| json!({ "type": "stdio", "command": command.program, "args": command.args }),
        is_trusted_by_entry: false,
        // Other agents read its file, too: the server knows its client by the name.
        call_limit_s: None,
        permits: Some(PermitProfile {
            project_file: ".claude/settings.local.json",
            project: &[PERMITTED_TOOLS, PERMITTED_SERVER],
            person_file: "settings.json",
            person: &[PERMITTED_TOOLS],
        }),
        schema: None,
        next_step: "uses it from its next start, once you trust this folder",
        levers: LEVERS,
        lever_files: LeverFiles {
            project: &[".claude/settings.json", ".claude/settings.local.json"],
            person: &["settings.json"],
        },
    },
    hooks: Some(&HOOKS),
    plugin: Some(&PLUGIN),
    acp: Some(AcpProfile {
        name: "@agentclientprotocol/claude-agent-acp",
        feedback: FeedbackChannel::OptionId,
        ask_mode: Some("default"),
        ..AcpProfile::UNKNOWN
    }),
    // Its own limit is 27 hours.
    mcp: Some(McpClientProfile { name: "claude-code", wait_s: 3570 }),
};

static PLUGIN: PluginProfile = PluginProfile {
    form: PluginForm::Claude,
    install: &["claude plugin marketplace add {folder}", "claude plugin install wherefore@wherefore"],
    remove: &["claude plugin uninstall wherefore@wherefore", "claude plugin marketplace remove wherefore"],
    trace: PluginTrace::Enabled {
        container: "enabledPlugins",
        person_file: "settings.json",
        project_files: &[".claude/settings.json", ".claude/settings.local.json"],
    },
    server_name: Some("plugin_wherefore_wherefore"),
    lack: None,
};

static HOOKS: HookProfile = HookProfile {
    log_name: "claude-code",
    sender: "Claude Code",
    tried_version: "2.1.330",
    message: HookMessageForm {
        evidence: |message| {
            let has = |name: &str| message.get(name).is_some();
            match has("transcript_path") && !has("timestamp") {
                true => SenderEvidence::UsualMembers,
                false => SenderEvidence::None,
            }
        },
        borrows_hooks_of: None,
        members: MessageMembers::SnakeCase,
        conversation: ConversationFile::Named,
        model_role: None,
        call_marks: CallMarks::Id,
        is_of_plugin: false,
    },
    tools: TOOLS,
    is_server_tool: |name| name.starts_with("mcp__"),
    has_odd_path: |_| false,
    answer: HookAnswerForm::HookSpecificOutput,
    shell: AgentShell {
        place: ShellPlace::Rewritten,
        keeps_folder: true,
        sources_session_files: true,
        may_refuse_rewritten: true,
        shows_description: false,
    },
    own_rules: OwnRules::PermissionLists,
    timeout_s: 590,
    tolerated_exit_code: 1,
    questions: AgentQuestions::ByAnswer,
    has_rules_above_hooks: true,
    asks_about_our_tools: false,
    setup: HookSetup {
        project_files: &[".claude/settings.json", ".claude/settings.local.json"],
        serves_linked_trees: true,
        person_file: "settings.json",
        form: HookForm::Groups(HookGroups {
            events: &["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart"],
            of_no_tool: &["UserPromptSubmit", "SessionStart"],
            matcher: "Edit|Write|MultiEdit|NotebookEdit|Bash|Monitor|Read|Grep|Glob",
            status: "statusMessage",
            second: 1,
            missing: MissingProgram::OnFailure,
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
                "Edit",
                json!({ "file_path": file, "old_string": SampleCall::OLD, "new_string": SampleCall::NEW }),
            ),
            SampleCall::Command(script) => {
                ("Bash", json!({ "command": script, "description": SampleCall::DESCRIPTION }))
            }
            SampleCall::Read(file) => ("Read", json!({ "file_path": file })),
        })
    },
};

static LEVERS: &[SettingLever] = &[
    SettingLever { path: &["disabledMcpjsonServers"], is_set: names_us, effect: OURS_OFF },
    SettingLever { path: &["disabledMcpServers"], is_set: names_us, effect: OURS_OFF },
    SettingLever { path: &["permissions", "deny"], is_set: names_our_tool, effect: TOOLS_OFF },
    SettingLever {
        path: &["permissions", "ask"],
        is_set: names_our_tool,
        effect: Off("has it ask before tools of wherefore's"),
    },
    SettingLever { path: &["permissions", "allow"], is_set: names_edits, effect: EDITS },
    SettingLever {
        path: &["permissions", "defaultMode"],
        is_set: |mode| mode == "acceptEdits",
        effect: EDITS,
    },
    SettingLever {
        path: &["permissions", "defaultMode"],
        is_set: |mode| mode == "bypassPermissions",
        effect: ALL_TOOLS,
    },
];

fn names_our_tool(list: &Value) -> bool {
    list_items(list).any(|item| item.starts_with(OUR_TOOLS))
}

fn names_edits(list: &Value) -> bool {
    let tool = |item: &str| item.split('(').next().unwrap_or_default().to_owned();
    list_items(list).any(|item| matches!(tool(item).as_str(), "Edit" | "Write" | "MultiEdit"))
}

/// The machine that a call runs on, where several are attached.
const HOST: FormArgument = ignored_argument(&["_host"], Text);

const SHELL: &[FormArgument] = &[
    required_argument(&["command"], Script),
    ignored_argument(&["description", "_host"], Text),
    ignored_argument(&["run_in_background", "dangerouslyDisableSandbox", "sandbox"], Flag),
    ignored_argument(&["timeout"], Number),
    ignored_argument(&["allowed_domains", "view_images"], Texts),
];

/// The tools of version 2.1. It normalizes the arguments before it asks its hook: flags and numbers have their types, other
/// spellings are corrected, and unknown arguments are removed.
const TOOLS: &[ToolForm] = &[
    tool_form(
        &["Edit"],
        Replace,
        &[
            required_argument(&["file_path"], Path),
            required_argument(&["old_string"], Old),
            required_argument(&["new_string"], New),
            optional_argument(&["replace_all"], All),
            HOST,
        ],
    ),
    ToolForm {
        names: &["MultiEdit"],
        act: Replace,
        members: &[required_argument(&["file_path"], Path), required_argument(&["edits"], Edits)],
        items: &[
            required_argument(&["old_string"], Old),
            required_argument(&["new_string"], New),
            optional_argument(&["replace_all"], All),
        ],
    },
    tool_form(
        &["Write"],
        Write,
        &[required_argument(&["file_path"], Path), required_argument(&["content"], Content), HOST],
    ),
    tool_form(
        &["NotebookEdit"],
        Cell,
        &[
            required_argument(&["notebook_path"], Path),
            optional_argument(&["cell_id"], ArgumentRole::Cell),
            optional_argument(&["new_source"], Source),
            optional_argument(&["cell_type"], CellKind),
            optional_argument(&["edit_mode"], CellMode),
            HOST,
        ],
    ),
    tool_form(&["Bash", "PowerShell"], Command, SHELL),
    tool_form(
        &["Monitor"],
        Command,
        &[
            optional_argument(&["command"], Script),
            ignored_argument(&["ws"], Object),
            ignored_argument(&["description", "_host"], Text),
            ignored_argument(&["timeout_ms"], Number),
            ignored_argument(&["persistent"], Flag),
        ],
    ),
    tool_form(
        &["Read"],
        Read,
        &[
            required_argument(&["file_path"], Path),
            ignored_argument(&["offset", "limit"], Number),
            ignored_argument(&["pages", "_host"], Text),
            ignored_argument(&["allow_large"], Flag),
        ],
    ),
    tool_form(
        &["NotebookRead"],
        Read,
        &[required_argument(&["notebook_path"], Path), ignored_argument(&["cell_id"], Text)],
    ),
    tool_form(&["LS"], Read, &[required_argument(&["path"], Path), ignored_argument(&["ignore"], List)]),
    tool_form(
        &["Glob"],
        Read,
        &[optional_argument(&["path"], Path), ignored_argument(&["pattern", "_host"], Text)],
    ),
    tool_form(
        &["Grep"],
        Search,
        &[
            required_argument(&["pattern"], Pattern),
            optional_argument(&["path"], Path),
            optional_argument(&["glob"], Glob),
            ignored_argument(&["output_mode", "type", "_host"], Text),
            ignored_argument(&["-A", "-B", "-C", "context", "head_limit", "offset"], Number),
            ignored_argument(&["-n", "-i", "-o"], Flag),
            optional_argument(&["multiline"], Spanning),
        ],
    ),
];
