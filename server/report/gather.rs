//! From the events of logs to a report.

use std::collections::HashMap;

use serde_json::Value;

use super::changes;
use super::clean::{TextCleaner, value_text};
use super::commands::{self, CommandEnding};
use super::keep::{self, CHANGES, DiffRoom, MOST_LISTED};
use super::model::{
    ChangeReport, ChangedFile, LogStanding, ReportRange, ReportedChange, ReportedCommand, ReportedReason,
    ReportedRefusal, ReportedSession,
};
use super::scope::ReportScope;
use super::sums;
use crate::journal::JournalEntry;
use crate::protocol::{EventType, Origin};

/// Takes events in, in the order of each log, one log after the other.
pub struct ReportGatherer<'a> {
    scope: ReportScope,
    clean: TextCleaner,
    /// Returns whether a file's text is not shown.
    closed: &'a dyn Fn(&str) -> bool,
    report: ChangeReport,
    room: DiffRoom,
    /// The calls of the log that is being read, by id.
    calls: HashMap<String, PendingCall>,
    /// The places of reasons, by their words.
    reasons: HashMap<String, usize>,
    /// The place of each proposal: its reason, its change there.
    proposals: HashMap<String, (usize, usize)>,
    /// The change that an undo takes back, by the session and the id of the call, and of each undo.
    undone: HashMap<(String, String), (usize, usize)>,
}

/// The call's data until its end.
#[derive(Clone, Debug, Default)]
struct PendingCall {
    tool: String,
    agent: String,
    why: String,
    time: String,
    command: Option<String>,
    /// True where the environment gives a fixed answer in place of the tool's work.
    is_fixed: bool,
    /// True where what a rule asked about was not granted.
    refused: bool,
}

impl std::fmt::Debug for ReportGatherer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReportGatherer").field("scope", &self.scope).finish_non_exhaustive()
    }
}

impl<'a> ReportGatherer<'a> {
    /// A report of the workspace at this absolute path, of nothing yet.
    pub fn new(root: &str, asked: &str, scope: ReportScope, closed: &'a dyn Fn(&str) -> bool) -> Self {
        let name = root.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let range = ReportRange { asked: asked.to_owned(), ..ReportRange::default() };
        let made_by = format!("wherefore {}", env!("CARGO_PKG_VERSION"));
        Self {
            scope,
            clean: TextCleaner::new(root),
            closed,
            report: ChangeReport { version: 1, made_by, workspace: name, range, ..ChangeReport::default() },
            room: DiffRoom::default(),
            calls: HashMap::new(),
            reasons: HashMap::new(),
            proposals: HashMap::new(),
            undone: HashMap::new(),
        }
    }

    /// Adds a note for the readers of the report.
    pub fn add_note(&mut self, note: impl Into<String>) {
        self.report.notes.push(note.into());
    }

    /// Begins the log of a session. Nothing of an altered one is to follow.
    pub fn begin_session(&mut self, id: &str, standing: LogStanding, said: &str) {
        self.calls.clear();
        let said = self.clean.clean_short(said);
        self.report.sessions.push(ReportedSession { id: id.to_owned(), standing, said, calls: 0 });
    }

    /// Returns whether an entry's stored values are wanted: those of changes are, once they belong to the report.
    pub fn wants_values(&self, entry: &JournalEntry) -> bool {
        entry.kind() == Some(EventType::Proposal)
            && entry.call_id().is_some_and(|call| self.calls.contains_key(call))
            && self.proposals.len() < CHANGES
    }

    /// Takes an event of the session in.
    pub fn take_entry(&mut self, entry: &JournalEntry) {
        match entry.kind() {
            Some(EventType::ToolCall) => self.take_call(entry),
            Some(EventType::Proposal) => self.take_proposal(entry),
            Some(EventType::Decision) => self.take_decision(entry),
            Some(EventType::Undo) => self.take_undo(&self.session_id(), entry),
            Some(EventType::ToolResult) => self.take_result(entry),
            Some(EventType::ToolError) => self.take_fault(entry),
            Some(EventType::CommandEnd) => self.command_end(entry),
            Some(EventType::UserApproval) if entry.body.get("granted") == Some(&Value::Bool(false)) => {
                if let Some(call) = entry.call_id().and_then(|call| self.calls.get_mut(call)) {
                    call.refused = true;
                }
            }
            _ => {}
        }
    }

    /// Takes an event of another session in, which may decide on what the report holds, or undo it.
    pub fn take_elsewhere(&mut self, session: &str, entry: &JournalEntry) {
        match entry.kind() {
            Some(EventType::Decision) => self.take_decision(entry),
            Some(EventType::Undo) => self.take_undo(session, entry),
            _ => {}
        }
    }

    /// The report, made at this time, RFC 3339.
    pub fn finish_report(mut self, made: String) -> ChangeReport {
        self.report.made = made;
        let reasons = &mut self.report.reasons;
        reasons.iter_mut().flat_map(|reason| &mut reason.changes).for_each(changes::sum_lines);
        sums::add_up(&mut self.report);
        self.report
    }

    fn take_call(&mut self, entry: &JournalEntry) {
        let Some(id) = entry.call_id() else { return };
        if !self.scope.has_time(&entry.time) {
            return;
        }
        let args = entry.body.get("args").and_then(Value::as_object);
        let origin: Origin = entry
            .body
            .get("origin")
            .cloned()
            .and_then(|origin| serde_json::from_value(origin).ok())
            .unwrap_or_default();
        let tool = value_text(entry.body.get("tool")).to_owned();
        let command =
            args.and_then(|args| commands::command_of(&tool, args)).map(|text| self.clean.clean_short(&text));
        let call = PendingCall {
            command,
            agent: self.clean.clean_short(origin.display_name()),
            why: self.clean.clean_member(args.and_then(|args| args.get("why"))),
            time: entry.time.clone(),
            tool: origin.tool.map_or_else(|| tool.clone(), |own| format!("{own} ({tool})")),
            is_fixed: entry.is_fixed_answer(),
            refused: false,
        };
        sums::add_call(&mut self.report, &call.agent, &entry.time);
        self.calls.insert(id.to_owned(), call);
    }

    fn take_proposal(&mut self, entry: &JournalEntry) {
        let Some((id, call)) = entry.call_id().and_then(|id| Some((id, self.calls.get(id)?.clone()))) else {
            return;
        };
        let files = entry.body.get("files").and_then(Value::as_object);
        if !files.is_none_or(|files| files.keys().any(|path| self.scope.has_path(path))) {
            return;
        }
        if self.proposals.len() >= CHANGES {
            self.report.left_out.changes += 1;
            return;
        }
        let session = self.session_id();
        let PendingCall { tool, agent, why, time, .. } = call;
        sums::add_change(&mut self.report, &agent);
        let mut change =
            ReportedChange { session, call: id.to_owned(), tool, agent, time, ..ReportedChange::default() };
        changes::apply_proposal(&mut change, entry, &self.clean, &mut self.room, self.closed);
        let cut = |file: &&ChangedFile| file.without.as_ref().is_some_and(|why| why != changes::CLOSED);
        self.report.left_out.diffs += change.files.iter().filter(cut).count() as u64;
        let key = why.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let at = *self.reasons.entry(key).or_insert_with(|| {
            self.report.reasons.push(ReportedReason { why, changes: Vec::new() });
            self.report.reasons.len() - 1
        });
        let changes = &mut self.report.reasons[at].changes;
        let place = (at, changes.len());
        self.proposals.insert(change.proposal.clone(), place);
        self.undone.insert((change.session.clone(), id.to_owned()), place);
        changes.push(change);
    }

    fn take_decision(&mut self, entry: &JournalEntry) {
        let place = self.proposals.get(value_text(entry.body.get("proposal"))).copied();
        if let Some(change) =
            place.and_then(|(reason, at)| self.report.reasons.get_mut(reason)?.changes.get_mut(at))
        {
            changes::apply_decision(change, entry, &self.clean, self.closed);
            sums::extend_range(&mut self.report, &entry.time);
        }
    }

    fn take_undo(&mut self, session: &str, entry: &JournalEntry) {
        let undo = value_text(entry.body.get("undo_id")).to_owned();
        // Ids of calls repeat from session to session.
        let of = entry.body.get("session").and_then(Value::as_str).unwrap_or(session).to_owned();
        let call = entry.call_id().map(|id| (of, id.to_owned()));
        let Some(place) = call.and_then(|call| self.undone.get(&call)).copied() else { return };
        if let Some(change) =
            self.report.reasons.get_mut(place.0).and_then(|reason| reason.changes.get_mut(place.1))
        {
            change.undone = !change.undone;
            self.undone.insert((session.to_owned(), undo), place);
        }
    }

    fn take_result(&mut self, entry: &JournalEntry) {
        let Some((id, call)) = entry.call_id().and_then(|id| Some((id, self.calls.get(id)?.clone()))) else {
            return;
        };
        sums::extend_range(&mut self.report, &entry.time);
        if entry.is_latent() || call.is_fixed {
            // Whatever the result reports of a command, none ran.
            self.report.totals.latent += u64::from(entry.is_filled() || call.is_fixed);
            return;
        }
        let result = entry.body.get("result").unwrap_or(&Value::Null);
        let ran = result.get("sandbox").is_some_and(Value::is_string) || result.get("exit_code").is_some();
        if let Some(command) = call.command.clone().filter(|_| ran || result.get("running").is_some()) {
            self.add_command(id, call, command, commands::command_ending(result), entry_duration(entry));
        }
    }

    fn add_command(
        &mut self,
        id: &str,
        call: PendingCall,
        command: String,
        ending: CommandEnding,
        duration_ms: f64,
    ) {
        let test = commands::is_test(&command);
        let PendingCall { agent, why, .. } = call;
        let CommandEnding { said, exit_code, failed, running } = ending;
        let ended = self.clean.clean_short(&said);
        let (session, call) = (self.session_id(), id.to_owned());
        let ran = ReportedCommand {
            session,
            call,
            agent,
            why,
            command,
            test,
            ended,
            exit_code,
            failed,
            duration_ms,
        };
        sums::add_run(&mut self.report);
        if !running {
            sums::add_ending(&mut self.report, &ran);
        }
        keep::push_bounded(&mut self.report.commands, MOST_LISTED, &mut self.report.left_out.commands, ran);
    }

    /// Records the end of a command in the background in its row.
    fn command_end(&mut self, entry: &JournalEntry) {
        let session = self.session_id();
        let id = entry.call_id().unwrap_or_default();
        let ended = self.clean.clean_member(entry.body.get("outcome"));
        let code = entry.body.get("exit_code").and_then(Value::as_i64);
        let Some(call) = self.calls.get(id) else { return };
        let ran = ReportedCommand {
            test: call.command.as_deref().is_some_and(commands::is_test),
            // A command that a signal or a limit ended has no exit code.
            failed: code != Some(0),
            ..ReportedCommand::default()
        };
        sums::add_ending(&mut self.report, &ran);
        let rows = &mut self.report.commands;
        if let Some(row) = rows.iter_mut().rev().find(|row| row.call == id && row.session == session) {
            (row.ended, row.exit_code, row.failed) = (ended, code, ran.failed);
        }
    }

    fn take_fault(&mut self, entry: &JournalEntry) {
        let Some((id, heard)) = entry.call_id().and_then(|id| Some((id, self.calls.get(id)?.clone()))) else {
            return;
        };
        sums::extend_range(&mut self.report, &entry.time);
        let error = entry.body.get("error");
        let part = |key: &str| error.and_then(|error| error.get(key));
        let code = self.clean.clean_member(part("code"));
        let by_rule =
            heard.refused || matches!(code.as_str(), "PERMISSION_DENIED" | "NOT_AUTHORIZED" | "REJECTED");
        let PendingCall { agent, tool, why, .. } = heard;
        let (session, call) = (self.session_id(), id.to_owned());
        let message = self.clean.clean_member(part("message"));
        // A change that the person rejected is among the reasons, with its hunks.
        let key = (session, call);
        if code == "REJECTED" && self.undone.contains_key(&key) {
            return;
        }
        let (session, call) = key;
        let refusal = ReportedRefusal { session, call, agent, tool, why, code, message, by_rule };
        let counted = if by_rule { &mut self.report.totals.refused } else { &mut self.report.totals.faults };
        *counted += 1;
        keep::push_bounded(&mut self.report.refused, MOST_LISTED, &mut self.report.left_out.refused, refusal);
    }

    fn session_id(&self) -> String {
        self.report.sessions.last().map(|session| session.id.clone()).unwrap_or_default()
    }
}

fn entry_duration(entry: &JournalEntry) -> f64 {
    entry.body.get("duration_ms").and_then(Value::as_f64).unwrap_or_default()
}

#[cfg(test)]
mod tests;
