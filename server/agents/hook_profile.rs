//! The hooks of an agent: what they say of a call, how they are answered, and the entries that make the agent run them.

use std::path::Path;

use serde_json::Value;

use super::tool_form::ToolForm;

/// The hooks of an agent.
#[derive(Debug)]
pub struct HookProfile {
    /// The agent's name in the session log.
    pub log_name: &'static str,
    /// The sender of the messages, in the help of `wherefore hook`.
    pub sender: &'static str,
    /// The version that the tests ran last, by which `wherefore doctor` reports an untested one.
    pub tried_version: &'static str,
    /// The form of its messages.
    pub message: HookMessageForm,
    /// The tools of its own that come through.
    pub tools: &'static [ToolForm],
    /// Returns whether a tool of that name belongs to a server of the Model Context Protocol.
    pub is_server_tool: fn(&str) -> bool,
    /// Returns whether it reads a path in another way than as it is written. Each agent trims spaces and expands a `~`.
    pub has_odd_path: fn(&str) -> bool,
    /// The form of the answers.
    pub answer: HookAnswerForm,
    /// The shell that runs its commands.
    pub shell: AgentShell,
    /// Its person's own rules for commands.
    pub own_rules: OwnRules,
    /// Seconds that it waits for a hook without a limit, less a margin: afterwards it goes on without the answer.
    pub timeout_s: u64,
    /// The exit code of a failed hook at which the agent goes on.
    pub tolerated_exit_code: u8,
    /// The questions that a hook can have it ask its person.
    pub questions: AgentQuestions,
    /// True if its person's own rules that refuse or ask still apply to a call that a hook allows.
    pub has_rules_above_hooks: bool,
    /// True if it asks about the tools of wherefore's server, although wherefore reviews their changes.
    pub asks_about_our_tools: bool,
    /// The entries of the hooks in its settings.
    pub setup: HookSetup,
    /// A sample call of one of its tools; none if it has no such tool.
    pub sample: fn(SampleCall<'_>) -> Option<(&'static str, Value)>,
}

/// The form of the messages of an agent's hooks.
#[derive(Debug)]
pub struct HookMessageForm {
    /// Returns how surely the agent sent a message, by members that only its messages have.
    pub evidence: fn(&Value) -> SenderEvidence,
    /// The agent whose hooks in a project this one runs, too, by its id.
    pub borrows_hooks_of: Option<&'static str>,
    /// The spelling of the members.
    pub members: MessageMembers,
    /// The file that the conversation is written to.
    pub conversation: ConversationFile,
    /// The word for its model's entries there, if it is neither `assistant` nor `model`.
    pub model_role: Option<&'static str>,
    /// The texts by which a call is found in it.
    pub call_marks: CallMarks,
    /// True if a message names the shell of a command, and has the agent's permissions: it is our plugin's.
    pub is_of_plugin: bool,
}

/// The certainty that a message is of an agent. Where it may be of several, the surest one sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SenderEvidence {
    /// The message is another's.
    None,
    /// Nothing speaks against it.
    Possible,
    /// The set of members is usual for it.
    UsualMembers,
    /// A member is its own.
    OwnMember,
    /// The event has its name for that.
    OwnEvent,
    /// The members of the tool have names of its own.
    OwnToolMembers,
}

/// The spelling of a message's members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageMembers {
    /// `tool_name` and `tool_input`, with the event's name.
    SnakeCase,
    /// `tool_name` and `tool_input`, with the event's name and the turn's id.
    SnakeCaseWithTurn,
    /// `toolName` and `toolArgs`, without the event's name.
    CamelCase,
}

/// The file that an agent writes its conversation to.
#[derive(Debug)]
pub enum ConversationFile {
    /// The one that a message names.
    Named,
    /// The one that a message names, or else `FOLDER/SESSION/FILE` below the home folder.
    BySession {
        /// The folder of the sessions, below the home folder.
        folder: &'static str,
        /// The file in the folder of the session.
        file: &'static str,
    },
}

/// The texts by which a call is found in a conversation that is written a moment later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallMarks {
    /// None: the model's text is there before the agent acts.
    None,
    /// The id of the call.
    Id,
    /// The id of the call, or a text of its arguments.
    IdOrText,
}

/// The form of an answer to a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookAnswerForm {
    /// `hookSpecificOutput` with `permissionDecision`, as Claude Code has it.
    HookSpecificOutput,
    /// `decision`, and `hookSpecificOutput` for arguments and texts.
    Decision,
    /// `permissionDecision` alone; Claude Code's form for hooks in that form.
    PermissionDecision,
    /// `verdict`: our plugin's.
    Verdict,
}

/// The shell that runs the commands of an agent.
#[derive(Debug)]
pub struct AgentShell {
    /// The place where a command runs.
    pub place: ShellPlace,
    /// True if it stays in the folder that a command changed to.
    pub keeps_folder: bool,
    /// True if it sources files of a session before each command, and a hook of the session's start can write one.
    pub sources_session_files: bool,
    /// True if it may not run a command line that a hook rewrote, or run it in a sandbox of its own by its settings.
    pub may_refuse_rewritten: bool,
    /// True if the agent shows the description of a command where the command is long.
    pub shows_description: bool,
}

impl AgentShell {
    /// A shell for one command, that runs what a hook wrote.
    pub(super) const PLAIN: Self = Self {
        place: ShellPlace::Rewritten,
        keeps_folder: false,
        sources_session_files: false,
        may_refuse_rewritten: false,
        shows_description: false,
    };
}

/// The place where a command of an agent's own shell runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellPlace {
    /// In the agent's shell: a hook rewrites the command.
    Rewritten,
    /// In the agent's shell where it has no sandbox, which its conversation tells; else at the server, which a command in the
    /// sandbox would not reach.
    BySandbox,
    /// At the server: a hook cannot change a command.
    AtServer,
}

/// The form of the person's own rules for commands, for an agent that sees a command only after the hook rewrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnRules {
    /// The agent judges a call before its hook.
    JudgedBefore,
    /// `permissions` of settings files.
    PermissionLists,
    /// `prefix_rule` in files.
    PrefixRules,
    /// Lists of tools in settings, and policies in files.
    Policies,
    /// Options of the command line.
    Options,
    /// The permissions that the message holds.
    InMessage,
}

/// The questions that a hook can have an agent ask its person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentQuestions {
    /// None: it goes on, or waits forever without a person.
    None,
    /// A hook's answer asks; the call is refused if no person is there.
    ByAnswer,
    /// A policy of `wherefore init --guard` makes it ask about a command line that requests it.
    ByPolicy,
}

/// The entries of an agent's hooks in its settings.
#[derive(Debug)]
pub struct HookSetup {
    /// The files below the project that may hold its hooks, the usual one first.
    pub project_files: &'static [&'static str],
    /// True if linked working trees of a repository run the hooks of the second of these files, in the main working tree.
    pub serves_linked_trees: bool,
    /// The file below its own folder of the person's.
    pub person_file: &'static str,
    /// The form of the entries.
    pub form: HookForm,
    /// The file of the settings that may say that no hook runs.
    pub off_switch: OffSwitch,
    /// Its trust in a folder's hooks.
    pub trust: HookTrust,
    /// The next step for the person, if the hook is the project's.
    pub next_step: &'static str,
    /// The calls that come through the hook: `edits, commands and reads`.
    pub covered: &'static str,
    /// The calls that bypass the hook.
    pub past: Option<&'static str>,
    /// The part that only the agent itself runs, as the end of a sentence about a tried hook: for its version and the sandbox
    /// that its settings name.
    pub untested_part: fn(Option<&str>, Option<&str>) -> String,
}

/// The form of an agent's hooks.
#[derive(Debug)]
pub enum HookForm {
    /// Groups of handlers, each for the tools that its `matcher` names.
    Groups(HookGroups),
    /// Handlers for every tool, by their events. A message does not name its event, so that the command does.
    Handlers(&'static [&'static str]),
    /// A plugin in a file of its own. `{program}`, `{refuse}` and `{plugin}` in its text stand for values of JavaScript.
    Plugin(&'static str),
}

/// Groups of handlers.
#[derive(Debug)]
pub struct HookGroups {
    /// Its events, those of tools first.
    pub events: &'static [&'static str],
    /// The events that belong to no tool: one that comes with the person's prompt delivers the decisions made since,
    /// and one that comes with a session's start prepares its shell.
    pub of_no_tool: &'static [&'static str],
    /// The pattern of the tools' names.
    pub matcher: &'static str,
    /// The member of a handler that the agent shows while the hook runs.
    pub status: &'static str,
    /// The number of its time units in a second.
    pub second: u64,
    /// Its behaviour if the program is missing.
    pub missing: MissingProgram,
}

impl HookGroups {
    /// The member by which an agent shows a hook, as its name.
    pub const NAME: &'static str = "name";
}

/// An agent's behaviour if the program of a hook is missing.
#[derive(Clone, Copy, Debug)]
pub enum MissingProgram {
    /// It goes on, unless `onFailure` is set otherwise.
    OnFailure,
    /// It goes on.
    GoesOn,
    /// It refuses the call.
    Refuses,
}

/// The file of the settings that may say that no hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffSwitch {
    /// There is none.
    None,
    /// The files that hold the hooks.
    InHookFiles,
    /// A file below the agent's own folder.
    InPersonFile(&'static str),
}

/// An agent's trust in the hooks of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookTrust {
    /// None is needed, or the agent asks for it in each folder and keeps it where it cannot be read.
    Unlisted,
    /// It keeps lists of folders, `trustedFolders`, in files of its own folder; a variable set to `true` trusts all.
    FolderLists {
        /// The files.
        files: &'static [&'static str],
        /// The variable.
        variable: &'static str,
    },
    /// It keeps a table of projects and the hashes of hooks in its `config.toml`, and computes the hashes itself: its
    /// `app-server` lists them.
    Hashes,
}

/// A call of an agent's own tool, to try a hook with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleCall<'a> {
    /// A file that holds a line `a line` gets another one.
    Edit(&'a Path),
    /// A command runs.
    Command(&'a str),
    /// A file is read.
    Read(&'a Path),
}

impl SampleCall<'_> {
    /// The line of a sample edit's file.
    pub(super) const OLD: &'static str = "a line";
    /// The line that it gets.
    pub(super) const NEW: &'static str = "another line";
    /// The description of a sample command.
    pub(super) const DESCRIPTION: &'static str = "Try the hook";
}
