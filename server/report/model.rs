//! A report as data: what `wherefore report --format json` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::HunkState;

/// The changes of agents and their reasons, in one or several sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeReport {
    /// The version of this form: 1. A member that is added does not change it.
    pub version: u32,
    /// The program that made it, with its version.
    pub made_by: String,
    /// The time when it was made, RFC 3339 in UTC.
    pub made: String,
    /// The name of the workspace's folder.
    pub workspace: String,
    /// The range that was asked for.
    pub range: ReportRange,
    /// The notes that a reader needs before they rely on it, a sentence each: logs that were altered, an approximate
    /// range.
    pub notes: Vec<String>,
    /// The sessions that were read, the earliest first.
    pub sessions: Vec<ReportedSession>,
    /// The agents that called, the most active first.
    pub agents: Vec<ReportedAgent>,
    /// Counts over everything, also over what was left out below.
    pub totals: ReportTotals,
    /// The changes by their reason, in the order in which each reason first came up.
    pub reasons: Vec<ReportedReason>,
    /// The files that changed, by path.
    pub files: Vec<ReportedFile>,
    /// Commands that ran, tests among them.
    pub commands: Vec<ReportedCommand>,
    /// Calls that were refused or failed.
    pub refused: Vec<ReportedRefusal>,
    /// Hunks that are in place and that no person looked at.
    pub unreviewed: Vec<UnreviewedHunk>,
    /// The number of items of each list that are not here, since the report is bounded.
    pub left_out: LeftOut,
}

/// The range of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportRange {
    /// The range asked for, in words.
    pub asked: String,
    /// The time of the first event in it, RFC 3339 in UTC; empty where there is none.
    pub from: String,
    /// The time of the last event in it.
    pub to: String,
}

/// The state of a session's log: as it was written, or altered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogStanding {
    /// As this machine wrote it.
    #[default]
    Sound,
    /// As this machine wrote it, after a crash that lost or tore its end.
    Recovered,
    /// Nothing wrong was seen, but this machine cannot vouch for it.
    Unvouched,
    /// Altered or cut. Nothing of it is in the report.
    Altered,
}

/// A session that was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedSession {
    /// Its id.
    pub id: String,
    /// The state of its log: as it was written, or altered.
    pub standing: LogStanding,
    /// The result of checking its log, in words.
    pub said: String,
    /// The number of its calls in the report.
    pub calls: u64,
}

/// An agent or person that called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedAgent {
    /// The name and version, as the agent gave it; the way in where it gave none.
    pub name: String,
    /// The number of calls that it made.
    pub calls: u64,
    /// The number of those calls that proposed a change.
    pub changes: u64,
}

/// Counts over a whole report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportTotals {
    /// Calls.
    pub calls: u64,
    /// Calls that proposed a change.
    pub changes: u64,
    /// Distinct reasons of changes.
    pub reasons: u64,
    /// Files with an accepted hunk that was not undone.
    pub files: u64,
    /// Lines added by hunks that are in place.
    pub added: u64,
    /// Lines removed by hunks that are in place.
    pub removed: u64,
    /// Hunks that were accepted, those that were undone later too.
    pub accepted: u64,
    /// Hunks that were rejected.
    pub rejected: u64,
    /// Hunks that wait for a decision.
    pub pending: u64,
    /// Hunks whose text changed before anybody decided.
    pub stale: u64,
    /// Calls whose change was taken back by an undo.
    pub undone: u64,
    /// Commands that ran.
    pub commands: u64,
    /// Commands that ended with another exit code than 0, by a signal or by a limit.
    pub failed_commands: u64,
    /// Commands among them that are tests.
    pub tests: u64,
    /// Tests among them that failed.
    pub failed_tests: u64,
    /// Calls that a rule, a policy or a person refused.
    pub refused: u64,
    /// Calls that failed otherwise.
    pub faults: u64,
    /// Calls that no code ran: their callers filled the results, or an environment gave a fixed one. None of them counts as a
    /// command or a test.
    #[serde(default)]
    pub latent: u64,
    /// Hunks that are in place and that no person looked at.
    pub unreviewed: u64,
}

/// The changes that were made for one reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedReason {
    /// The reason, as the agent gave it; empty where it gave none.
    pub why: String,
    /// The changes, in order.
    pub changes: Vec<ReportedChange>,
}

/// The change of one call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedChange {
    /// The session.
    pub session: String,
    /// The call's id in its session.
    pub call: String,
    /// The proposal.
    pub proposal: String,
    /// The tool.
    pub tool: String,
    /// The caller.
    pub agent: String,
    /// When, RFC 3339 in UTC.
    pub time: String,
    /// The policy that the change fell under.
    pub policy: String,
    /// True where an undo took it back.
    pub undone: bool,
    /// The change of each file.
    pub files: Vec<ChangedFile>,
    /// Its hunks, with what was decided.
    pub hunks: Vec<ReportedHunk>,
}

/// The effect of one change on one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedFile {
    /// Its path, relative to the workspace.
    pub path: String,
    /// The proposed change as a unified diff; empty where it is left out.
    pub diff: String,
    /// The reason why the diff is not here, or not whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
    /// Lines that its accepted hunks add.
    pub added: u64,
    /// Lines that its accepted hunks remove.
    pub removed: u64,
}

/// A hunk, with the decision on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedHunk {
    /// Its id in its proposal.
    pub id: String,
    /// Its file.
    pub path: String,
    /// Its state.
    pub state: HunkState,
    /// The decider: `person`, `client`, `policy`, `editor`, `text` or `recovery`; empty while there is no decision.
    pub by: String,
    /// The person's word on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The lines that it added, where a person changed them before they accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// True where a person decided on it, at once or afterwards.
    pub reviewed: bool,
    /// Lines that it adds.
    pub added: u64,
    /// Lines that it removes.
    pub removed: u64,
}

/// A file that changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedFile {
    /// Its path, relative to the workspace.
    pub path: String,
    /// Lines added by hunks that are in place.
    pub added: u64,
    /// Lines removed by hunks that are in place.
    pub removed: u64,
    /// Hunks that are in place.
    pub accepted: u64,
    /// Hunks that were rejected.
    pub rejected: u64,
    /// Hunks in place that no person looked at.
    pub unreviewed: u64,
}

/// A command that ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedCommand {
    /// The session.
    pub session: String,
    /// The call's id in its session.
    pub call: String,
    /// The caller.
    pub agent: String,
    /// The reason.
    pub why: String,
    /// The command, or the beginning of the script.
    pub command: String,
    /// True where it is a test, by its first words.
    pub test: bool,
    /// The description of its end, in words.
    pub ended: String,
    /// Its exit code, where it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// True where it went wrong.
    pub failed: bool,
    /// The time that the call took, in milliseconds.
    pub duration_ms: f64,
}

/// A call that was refused or failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedRefusal {
    /// The session.
    pub session: String,
    /// The call's id in its session.
    pub call: String,
    /// The caller.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The reason of the call.
    pub why: String,
    /// The fault's code.
    pub code: String,
    /// The error.
    pub message: String,
    /// True where a rule, a policy or a person refused it; else it failed.
    pub by_rule: bool,
}

/// A hunk in place that no person looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnreviewedHunk {
    /// The session.
    pub session: String,
    /// The call that made it.
    pub call: String,
    /// Its proposal.
    pub proposal: String,
    /// Its id there.
    pub hunk: String,
    /// Its file.
    pub path: String,
    /// The party that put it in place: `policy`, `client`, `editor` or `recovery`.
    pub by: String,
    /// The reason of the call.
    pub why: String,
}

/// The number of items of each list that are not in the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Changes.
    pub changes: u64,
    /// Diffs of changes that are in the report.
    pub diffs: u64,
    /// Commands.
    pub commands: u64,
    /// Refused and failed calls.
    pub refused: u64,
    /// Hunks that no person looked at.
    pub unreviewed: u64,
}
