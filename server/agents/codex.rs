//! The profile of Codex.

use serde_json::json;

use super::hook_profile::{
    AgentQuestions, AgentShell, CallMarks, ConversationFile, HookAnswerForm, HookForm, HookGroups,
    HookMessageForm, HookProfile, HookSetup, HookTrust, MessageMembers, MissingProgram, OffSwitch, OwnRules,
    SampleCall, SenderEvidence, ShellPlace,
};
use super::levers::{EDITS, OURS_OFF, TOOLS_OFF, has_items};
use super::plugin_profile::{PluginForm, PluginProfile, PluginTrace};
use super::profile::AgentTrace::{OwnFolder, Project};
use super::profile::SettingEffect::Past;
use super::profile::{
    AgentFiles, AgentFolder, AgentProfile, FileFormat, LeverFiles, PersonFiles, SettingLever,
    SettingsEntryPath, SettingsOwner, SetupProfile, UsualFolder,
};
use super::tool_form::ActForm::{Patch, PatchingCommand, Read, Search};
use super::tool_form::ArgumentKind::{Flag, Number, Object, Text, Texts};
use super::tool_form::ArgumentRole::{Glob, Path, Pattern, Script};
use super::tool_form::{
    ArgumentRole, ToolForm, ignored_argument, optional_argument, required_argument, tool_form,
};
use super::{AcpProfile, PROGRAM};

/// Seconds that it waits for a call by its entry: it would otherwise give up before a person has decided.
const CALL_LIMIT_S: u64 = 3600;

pub(super) static PROFILE: AgentProfile = AgentProfile {
    id: "codex",
    title: "Codex",
    full_title: "Codex",
    own_files: AgentFiles { programs: &[".codex"], instructions: &["CODEX.md"] },
    setup: SetupProfile {
        programs: &["codex"],
        traces: &[OwnFolder, Project(".codex")],
        folder: AgentFolder { variable: Some("CODEX_HOME"), usual: UsualFolder::Home(".codex") },
        project_files: &[".codex/config.toml"],
        person_files: PersonFiles::InFolder(&["config.toml"]),
        format: FileFormat::Toml,
        entry_path: SettingsEntryPath::in_container("mcp_servers"),
        // It hands on no other variables than those named: without these no running editor is found, and neither
        // the person's settings nor what this machine keeps. `codex exec` refuses tools that want a confirmation.
        entry: |command| {
            let mut entry = json!({
                "command": command.program,
                "args": command.args,
                "env_vars": ["XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"],
                "default_tools_approval_mode": "approve",
                "tool_timeout_sec": CALL_LIMIT_S,
            });
            // Its first turn waits for the server, and finds the tools. In folders of all kinds Codex is to start anyway.
            if command.owner == SettingsOwner::Project {
                entry["required"] = json!(true);
            }
            entry
        },
        is_trusted_by_entry: true,
        call_limit_s: Some(CALL_LIMIT_S),
        permits: None,
        schema: None,
        next_step: "reads it once you have told it to trust this folder",
        levers: LEVERS,
        lever_files: LeverFiles::NONE,
    },
    hooks: Some(&HOOKS),
    plugin: Some(&PLUGIN),
    acp: Some(AcpProfile {
        name: "@agentclientprotocol/codex-acp",
        ask_mode: Some("read-only"),
        ..AcpProfile::UNKNOWN
    }),
    mcp: None,
};

static PLUGIN: PluginProfile = PluginProfile {
    form: PluginForm::Codex,
    install: &["codex plugin marketplace add {folder}", "codex plugin add wherefore@wherefore"],
    remove: &["codex plugin remove wherefore@wherefore", "codex plugin marketplace remove wherefore"],
    trace: PluginTrace::Enabled { container: "plugins", person_file: "config.toml", project_files: &[] },
    server_name: None,
    lack: Some("runs its hooks once you trust them on its screen /hooks"),
};

static HOOKS: HookProfile = HookProfile {
    log_name: "codex",
    sender: "Codex",
    tried_version: "0.169.0",
    message: HookMessageForm {
        evidence: |message| match message.get("turn_id") {
            Some(_) => SenderEvidence::OwnMember,
            None => SenderEvidence::None,
        },
        borrows_hooks_of: None,
        members: MessageMembers::SnakeCaseWithTurn,
        conversation: ConversationFile::Named,
        model_role: None,
        call_marks: CallMarks::None,
        is_of_plugin: false,
    },
    tools: TOOLS,
    is_server_tool: |name| name.starts_with("mcp__"),
    has_odd_path: |_| false,
    answer: HookAnswerForm::HookSpecificOutput,
    shell: AgentShell { place: ShellPlace::BySandbox, ..AgentShell::PLAIN },
    own_rules: OwnRules::PrefixRules,
    timeout_s: 590,
    tolerated_exit_code: 1,
    // At such an answer it goes on.
    questions: AgentQuestions::None,
    has_rules_above_hooks: false,
    asks_about_our_tools: false,
    setup: HookSetup {
        project_files: &[".codex/hooks.json"],
        serves_linked_trees: false,
        person_file: "hooks.json",
        form: HookForm::Groups(HookGroups {
            events: &["PreToolUse", "PostToolUse"],
            of_no_tool: &[],
            matcher: "apply_patch|Bash",
            status: "statusMessage",
            second: 1,
            missing: MissingProgram::GoesOn,
        }),
        off_switch: OffSwitch::None,
        trust: HookTrust::Hashes,
        next_step: "runs it once you trust this folder, and the hook",
        covered: "edits and commands",
        past: Some("what it types into a command that runs already (`write_stdin`)"),
        untested_part: |_, sandbox| {
            let modes = sandbox.map_or("read-only and workspace-write".to_owned(), |sandbox| {
                format!("{sandbox}, which its settings name")
            });
            format!("; commands as in Codex's sandbox {modes}. Codex itself was not started")
        },
    },
    sample: |call| {
        Some(match call {
            SampleCall::Edit(file) => {
                let (name, old, new) = (file.display(), SampleCall::OLD, SampleCall::NEW);
                let patch =
                    format!("*** Begin Patch\n*** Update File: {name}\n@@\n-{old}\n+{new}\n*** End Patch");
                ("apply_patch", json!({ "command": patch }))
            }
            SampleCall::Command(script) => ("Bash", json!({ "command": script })),
            SampleCall::Read(_) => return None,
        })
    },
};

static LEVERS: &[SettingLever] = &[
    SettingLever {
        path: &["mcp_servers", PROGRAM, "enabled"],
        is_set: |enabled| enabled == false,
        effect: OURS_OFF,
    },
    SettingLever { path: &["mcp_servers", PROGRAM, "disabled_tools"], is_set: has_items, effect: TOOLS_OFF },
    SettingLever { path: &["approval_policy"], is_set: |policy| policy == "never", effect: EDITS },
    SettingLever {
        path: &["sandbox_mode"],
        is_set: |mode| mode == "danger-full-access",
        effect: Past("has its own commands run with no sandbox"),
    },
];

/// The tools of version 0.169. Its hooks get every shell as `Bash`, and a command or a patch as `command`; the other names
/// are those of its tools.
const TOOLS: &[ToolForm] = &[
    tool_form(
        &["Bash", "exec_command", "shell", "shell_command", "local_shell", "container.exec"],
        PatchingCommand,
        &[
            required_argument(&["command", "cmd"], Script),
            ignored_argument(
                &["workdir", "justification", "sandbox_permissions", "shell", "description"],
                Text,
            ),
            ignored_argument(&["timeout_ms", "timeout", "max_output_tokens", "yield_time_ms"], Number),
            ignored_argument(&["login", "tty", "with_escalated_permissions"], Flag),
            ignored_argument(&["prefix_rule"], Texts),
        ],
    ),
    tool_form(
        &["apply_patch"],
        Patch,
        &[required_argument(&["command", "input", "patch"], ArgumentRole::Patch)],
    ),
    tool_form(
        &["view_image"],
        Read,
        &[required_argument(&["path"], Path), ignored_argument(&["detail"], Text)],
    ),
    tool_form(
        &["read_file"],
        Read,
        &[
            required_argument(&["file_path"], Path),
            ignored_argument(&["offset", "limit"], Number),
            ignored_argument(&["mode"], Text),
            ignored_argument(&["indentation"], Object),
        ],
    ),
    tool_form(
        &["list_dir"],
        Read,
        &[required_argument(&["dir_path"], Path), ignored_argument(&["offset", "limit", "depth"], Number)],
    ),
    tool_form(
        &["grep_files"],
        Search,
        &[
            required_argument(&["pattern"], Pattern),
            optional_argument(&["path"], Path),
            optional_argument(&["include"], Glob),
            ignored_argument(&["limit"], Number),
        ],
    ),
];
