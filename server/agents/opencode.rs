//! The profile of OpenCode, which our plugin sends to wherefore.

use serde_json::json;

use super::hook_profile::{
    AgentQuestions, AgentShell, CallMarks, ConversationFile, HookAnswerForm, HookForm, HookMessageForm,
    HookProfile, HookSetup, HookTrust, MessageMembers, OffSwitch, OwnRules, SampleCall, SenderEvidence,
};
use super::levers::OURS_OFF;
use super::plugin_profile::{PluginForm, PluginProfile, PluginTrace};
use super::profile::AgentTrace::{Config, Project};
use super::profile::{
    AgentFiles, AgentFolder, AgentProfile, FileFormat, LeverFiles, PersonFiles, SettingLever,
    SettingsEntryPath, SetupProfile, UsualFolder,
};
use super::tool_form::ActForm::{Command, Patch, Read, Replace, Search, Write};
use super::tool_form::ArgumentKind::{Flag, Number, Text, Texts};
use super::tool_form::ArgumentRole::{All, Content, Edits, Glob, Literal, New, Old, Path, Pattern, Script};
use super::tool_form::{
    ArgumentRole, ToolForm, ignored_argument, optional_argument, required_argument, tool_form,
};
use super::{AcpProfile, PROGRAM, PermissionReply};

pub(super) static PROFILE: AgentProfile = AgentProfile {
    id: "opencode",
    title: "OpenCode",
    full_title: "OpenCode",
    own_files: AgentFiles {
        programs: &[".opencode", ".opencode.json", "opencode.json*", ".config/opencode"],
        instructions: &[],
    },
    setup: SetupProfile {
        programs: &["opencode"],
        traces: &[
            Config("opencode"),
            Project(".opencode"),
            Project("opencode.json"),
            Project("opencode.jsonc"),
        ],
        folder: AgentFolder { variable: None, usual: UsualFolder::Config("opencode") },
        project_files: &[
            "opencode.json",
            "opencode.jsonc",
            ".opencode/opencode.json",
            ".opencode/opencode.jsonc",
        ],
        person_files: PersonFiles::InFolder(&["opencode.json", "opencode.jsonc"]),
        format: FileFormat::Json,
        entry_path: SettingsEntryPath::in_container("mcp"),
        entry: |command| {
            let words: Vec<&str> =
                std::iter::once(command.program).chain(command.args.iter().map(String::as_str)).collect();
            json!({ "type": "local", "command": words, "enabled": true })
        },
        is_trusted_by_entry: false,
        call_limit_s: None,
        permits: None,
        schema: Some("https://opencode.ai/config.json"),
        next_step: "uses it from its next start",
        levers: &[SettingLever {
            path: &["mcp", PROGRAM, "enabled"],
            is_set: |enabled| enabled == false,
            effect: OURS_OFF,
        }],
        lever_files: LeverFiles::NONE,
    },
    hooks: Some(&HOOKS),
    plugin: Some(&PLUGIN),
    acp: Some(AcpProfile {
        name: "OpenCode",
        permission_reply: PermissionReply::AllowWrite,
        ..AcpProfile::UNKNOWN
    }),
    mcp: None,
};

static PLUGIN: PluginProfile = PluginProfile {
    form: PluginForm::NpmPackage,
    install: &["opencode plugin {folder} --global"],
    // It has no command for that.
    remove: &[],
    trace: PluginTrace::Listed { list: "plugin", package: "opencode-wherefore", file: "wherefore.js" },
    server_name: None,
    lack: None,
};

static HOOKS: HookProfile = HookProfile {
    log_name: "opencode",
    sender: "OpenCode, by our plugin",
    tried_version: "1.18.33",
    message: HookMessageForm {
        evidence: |_| SenderEvidence::Possible,
        borrows_hooks_of: None,
        members: MessageMembers::SnakeCase,
        conversation: ConversationFile::Named,
        model_role: None,
        call_marks: CallMarks::IdOrText,
        is_of_plugin: true,
    },
    tools: TOOLS,
    // The plugin sends no tool of a server: these are wherefore's own.
    is_server_tool: |name| name.starts_with("wherefore_") || name.starts_with("mcp__"),
    has_odd_path: |_| false,
    answer: HookAnswerForm::Verdict,
    shell: AgentShell::PLAIN,
    own_rules: OwnRules::InMessage,
    timeout_s: 3500,
    tolerated_exit_code: 1,
    questions: AgentQuestions::None,
    has_rules_above_hooks: false,
    asks_about_our_tools: false,
    setup: HookSetup {
        project_files: &[".opencode/plugin/wherefore.js"],
        serves_linked_trees: false,
        person_file: "plugin/wherefore.js",
        form: HookForm::Plugin(include_str!("opencode.js")),
        off_switch: OffSwitch::None,
        trust: HookTrust::Unlisted,
        next_step: "runs it from its next start",
        covered: "edits, commands and reads",
        past: Some("every call with `--pure`"),
        untested_part: |version, _| {
            let is_first = version.is_none_or(|version| version.starts_with("1."));
            let form = if is_first { "`server`" } else { "`setup`" };
            format!(". This version loads the plugin's form {form}; OpenCode itself was not started")
        },
    },
    sample: |call| {
        Some(match call {
            SampleCall::Edit(file) => (
                "edit",
                json!({ "filePath": file, "oldString": SampleCall::OLD, "newString": SampleCall::NEW }),
            ),
            SampleCall::Command(script) => {
                ("bash", json!({ "command": script, "description": SampleCall::DESCRIPTION }))
            }
            SampleCall::Read(file) => ("read", json!({ "filePath": file })),
        })
    },
};

/// The tools of versions 1.18 and 2.0. Version 1.18 ignores unknown arguments. Version 2.0 uses `path` for `filePath`, and
/// `shell` for `bash`; a call that has both names is refused.
const TOOLS: &[ToolForm] = &[
    tool_form(
        &["edit"],
        Replace,
        &[
            required_argument(&["filePath", "path"], Path),
            required_argument(&["oldString"], Old),
            required_argument(&["newString"], New),
            optional_argument(&["replaceAll"], All),
        ],
    ),
    ToolForm {
        names: &["multiedit"],
        act: Replace,
        members: &[required_argument(&["filePath", "path"], Path), required_argument(&["edits"], Edits)],
        items: &[
            required_argument(&["oldString"], Old),
            required_argument(&["newString"], New),
            optional_argument(&["replaceAll"], All),
        ],
    },
    tool_form(
        &["write"],
        Write,
        &[required_argument(&["filePath", "path"], Path), required_argument(&["content"], Content)],
    ),
    tool_form(&["apply_patch", "patch"], Patch, &[required_argument(&["patchText"], ArgumentRole::Patch)]),
    tool_form(
        &["bash", "shell"],
        Command,
        &[
            required_argument(&["command"], Script),
            ignored_argument(&["description", "workdir"], Text),
            ignored_argument(&["timeout"], Number),
            ignored_argument(&["background"], Flag),
        ],
    ),
    tool_form(
        &["read"],
        Read,
        &[required_argument(&["filePath", "path"], Path), ignored_argument(&["offset", "limit"], Number)],
    ),
    tool_form(&["list"], Read, &[optional_argument(&["path"], Path), ignored_argument(&["ignore"], Texts)]),
    tool_form(
        &["glob"],
        Read,
        &[
            optional_argument(&["path"], Path),
            ignored_argument(&["pattern"], Text),
            ignored_argument(&["hidden"], Flag),
            ignored_argument(&["limit"], Number),
        ],
    ),
    tool_form(
        &["grep"],
        Search,
        &[
            required_argument(&["pattern"], Pattern),
            optional_argument(&["path"], Path),
            optional_argument(&["include"], Glob),
            optional_argument(&["literal"], Literal),
            ignored_argument(&["caseSensitive"], Flag),
            ignored_argument(&["limit"], Number),
        ],
    ),
];
