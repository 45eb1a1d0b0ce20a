//! Earlier runs, read back from the session logs.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::history::{call_from_json, from_json};
use crate::base::OWN_DIR;
use crate::hub::ServedFolder;
use crate::journal::{JournalEntry, LogItem, LogKeeper, LogReader, ValueMode};
use crate::model::ModelMessage;
use crate::protocol::{AgentRunSummary, AgentState, Code, EventType, Fault};

/// Newest session logs in which runs are looked for.
const SESSIONS: usize = 30;
/// Runs that a list has at the most.
const LISTED: usize = 100;
/// Characters of a task in a list.
const TASK: usize = 200;

/// The conversation of an earlier run.
#[derive(Clone, Debug)]
pub struct EarlierConversation {
    /// The run.
    pub run: String,
    /// Its messages.
    pub messages: Vec<ModelMessage>,
}

/// The conversation of an earlier run of a folder, from the log. Secrets were redacted when it was written. A call
/// without a logged result gets one that states that.
///
/// # Errors
/// NOT_FOUND if no log has the run; the error of reading the log.
pub fn read_conversation(folder: &ServedFolder, run: &str) -> Result<EarlierConversation, Fault> {
    let none = || {
        let shown: String = run.chars().take(100).collect();
        Fault::new(Code::NotFound, format!("no session log of this folder has a run {shown:?} of the agent"))
            .with_suggestion("name a run as `wherefore agent` printed it at its end")
    };
    let session = run.split_once('.').map(|(session, _)| session).ok_or_else(none)?;
    let log = open_log(folder, session).ok_or_else(none)?;
    let mut read = ConversationReader::default();
    for item in log.items(ValueMode::Whole)? {
        if let LogItem::Entry(entry) = item?
            && entry_text(&entry, "run") == run
        {
            read.take_entry(&entry);
        }
    }
    if read.messages.is_empty() {
        return Err(none());
    }
    Ok(EarlierConversation { run: run.to_owned(), messages: read.into_messages() })
}

/// The runs that the newest session logs of a folder have, newest first.
pub fn earlier_runs(folder: &ServedFolder) -> Vec<AgentRunSummary> {
    let mut names = folder.session().workspace().store().list_dir("sessions").unwrap_or_default();
    names.sort();
    let mut found: Vec<AgentRunSummary> = Vec::new();
    for name in names.iter().rev().take(SESSIONS) {
        let Some(items) = open_log(folder, name).and_then(|log| log.items(ValueMode::Whole).ok()) else {
            continue;
        };
        let mut of_log: Vec<AgentRunSummary> = Vec::new();
        for item in items {
            let Ok(LogItem::Entry(entry)) = item else { continue };
            if entry.kind() != Some(EventType::ModelInput) {
                continue;
            }
            let run = entry_text(&entry, "run");
            match of_log.iter_mut().find(|known| known.run == run) {
                Some(known) => known.model = entry_text(&entry, "model").to_owned(),
                None => of_log.push(run_summary(name, &entry)),
            }
        }
        found.extend(of_log.into_iter().rev());
        if found.len() >= LISTED {
            break;
        }
    }
    found.truncate(LISTED);
    found
}

fn run_summary(session: &str, entry: &JournalEntry) -> AgentRunSummary {
    let messages = entry.body.get("messages").and_then(Value::as_array);
    let words = messages.into_iter().flatten().filter(|message| message["role"] == "user");
    let task = words.filter_map(|message| message["text"].as_str()).next().unwrap_or_default();
    AgentRunSummary {
        run: entry_text(entry, "run").to_owned(),
        session: session.to_owned(),
        task: task.lines().next().unwrap_or_default().chars().take(TASK).collect(),
        model: entry_text(entry, "model").to_owned(),
        time: entry.time.clone(),
        state: AgentState::Ended,
    }
}

fn open_log(folder: &ServedFolder, session: &str) -> Option<LogReader> {
    let plain = !session.is_empty() && !session.starts_with('.') && !session.contains('/');
    let workspace = folder.session().workspace();
    if let Some(journal) = folder.session().log().journal_if_open() {
        journal.write_posted();
    }
    let dir = Path::new(workspace.root()).join(OWN_DIR).join("sessions").join(session);
    plain
        .then(|| {
            LogReader::open(
                &dir,
                &LogKeeper::open_existing(workspace.state().folder().base_folder(), workspace.root()),
            )
            .ok()
        })
        .flatten()
}

fn entry_text<'a>(entry: &'a JournalEntry, key: &str) -> &'a str {
    entry.body.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A conversation, assembled from its events.
#[derive(Debug, Default)]
pub(super) struct ConversationReader {
    messages: Vec<ModelMessage>,
}

impl ConversationReader {
    /// The messages so far.
    pub(super) fn messages(&self) -> &[ModelMessage] {
        &self.messages
    }

    /// Takes an event of the run.
    pub(super) fn take_entry(&mut self, entry: &JournalEntry) {
        let list = |key: &str| entry.body.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        match entry.kind() {
            Some(EventType::ModelInput) => {
                let from = entry.body.get("from").and_then(Value::as_u64).unwrap_or_default();
                self.messages.truncate(usize::try_from(from).unwrap_or(usize::MAX));
                self.messages.extend(list("messages").iter().filter_map(from_json));
            }
            Some(EventType::ModelOutput) if entry.body.get("error").is_none() => {
                let calls = list("calls").iter().filter_map(call_from_json).collect();
                let text = entry_text(entry, "text").to_owned();
                self.messages.push(ModelMessage::Assistant { text, calls, state: None });
            }
            _ => {}
        }
    }

    /// The messages, each call with a result.
    fn into_messages(self) -> Vec<ModelMessage> {
        let mut open: HashMap<String, String> = HashMap::new();
        let mut order: Vec<String> = Vec::new();
        let mut messages = Vec::with_capacity(self.messages.len());
        let lost = |open: &mut HashMap<String, String>,
                    order: &mut Vec<String>,
                    messages: &mut Vec<ModelMessage>| {
            for id in order.drain(..) {
                let Some(name) = open.remove(&id) else { continue };
                let text = "The run ended before the result of this call was here. Look how things stand."
                    .to_owned();
                messages.push(ModelMessage::ToolResult { call_id: id, name, text, failed: true });
            }
        };
        for message in self.messages {
            match &message {
                ModelMessage::ToolResult { call_id, .. } => drop(open.remove(call_id)),
                ModelMessage::User { .. } => lost(&mut open, &mut order, &mut messages),
                ModelMessage::Assistant { calls, .. } => {
                    lost(&mut open, &mut order, &mut messages);
                    order = calls.iter().map(|call| call.id.clone()).collect();
                    open = calls.iter().map(|call| (call.id.clone(), call.name.clone())).collect();
                }
            }
            messages.push(message);
        }
        lost(&mut open, &mut order, &mut messages);
        messages
    }
}
