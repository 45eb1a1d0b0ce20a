//! Earlier runs, read back from the session logs.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::history::{call_from_json, from_json};
use crate::base::OURS;
use crate::hub::Folder;
use crate::journal::{Entry, Item, Keeper, Log, Values};
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
pub struct Conversation {
    /// The run.
    pub run: String,
    /// Its messages.
    pub messages: Vec<ModelMessage>,
}

/// The conversation of an earlier run of a folder, as the log has it. Secrets were taken out of it when it was written. A
/// call whose result the log does not have gets one that says so.
///
/// # Errors
/// NOT_FOUND where no log has the run; what reading the log says.
pub fn conversation(folder: &Folder, run: &str) -> Result<Conversation, Fault> {
    let none = || {
        let shown: String = run.chars().take(100).collect();
        Fault::new(Code::NotFound, format!("no session log of this folder has a run {shown:?} of the agent"))
            .suggest("name a run as `wherefore agent` printed it at its end")
    };
    let session = run.split_once('.').map(|(session, _)| session).ok_or_else(none)?;
    let log = open(folder, session).ok_or_else(none)?;
    let mut read = Reader::default();
    for item in log.items(Values::Whole)? {
        if let Item::Entry(entry) = item?
            && text(&entry, "run") == run
        {
            read.take(&entry);
        }
    }
    if read.messages.is_empty() {
        return Err(none());
    }
    Ok(Conversation { run: run.to_owned(), messages: read.finished() })
}

/// The runs that the newest session logs of a folder have, newest first.
pub fn earlier_runs(folder: &Folder) -> Vec<AgentRunSummary> {
    let mut names = folder.session().workspace().store().list("sessions").unwrap_or_default();
    names.sort();
    let mut found: Vec<AgentRunSummary> = Vec::new();
    for name in names.iter().rev().take(SESSIONS) {
        let Some(items) = open(folder, name).and_then(|log| log.items(Values::Whole).ok()) else { continue };
        let mut of_log: Vec<AgentRunSummary> = Vec::new();
        for item in items {
            let Ok(Item::Entry(entry)) = item else { continue };
            if entry.kind() != Some(EventType::ModelInput) {
                continue;
            }
            let run = text(&entry, "run");
            match of_log.iter_mut().find(|known| known.run == run) {
                Some(known) => known.model = text(&entry, "model").to_owned(),
                None => of_log.push(summary(name, &entry)),
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

fn summary(session: &str, entry: &Entry) -> AgentRunSummary {
    let messages = entry.body.get("messages").and_then(Value::as_array);
    let words = messages.into_iter().flatten().filter(|message| message["role"] == "user");
    let task = words.filter_map(|message| message["text"].as_str()).next().unwrap_or_default();
    AgentRunSummary {
        run: text(entry, "run").to_owned(),
        session: session.to_owned(),
        task: task.lines().next().unwrap_or_default().chars().take(TASK).collect(),
        model: text(entry, "model").to_owned(),
        time: entry.time.clone(),
        state: AgentState::Ended,
    }
}

fn open(folder: &Folder, session: &str) -> Option<Log> {
    let plain = !session.is_empty() && !session.starts_with('.') && !session.contains('/');
    let workspace = folder.session().workspace();
    if let Some(journal) = folder.session().log().opened() {
        journal.write_posted();
    }
    let dir = Path::new(workspace.root()).join(OURS).join("sessions").join(session);
    plain
        .then(|| Log::open(&dir, &Keeper::existing(workspace.state().base(), workspace.root())).ok())
        .flatten()
}

fn text<'a>(entry: &'a Entry, key: &str) -> &'a str {
    entry.body.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A conversation as its events tell it.
#[derive(Debug, Default)]
pub(super) struct Reader {
    messages: Vec<ModelMessage>,
}

impl Reader {
    /// The messages so far.
    pub(super) fn messages(&self) -> &[ModelMessage] {
        &self.messages
    }

    /// Takes an event of the run.
    pub(super) fn take(&mut self, entry: &Entry) {
        let list = |key: &str| entry.body.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        match entry.kind() {
            Some(EventType::ModelInput) => {
                let from = entry.body.get("from").and_then(Value::as_u64).unwrap_or_default();
                self.messages.truncate(usize::try_from(from).unwrap_or(usize::MAX));
                self.messages.extend(list("messages").iter().filter_map(from_json));
            }
            Some(EventType::ModelOutput) if entry.body.get("error").is_none() => {
                let calls = list("calls").iter().filter_map(call_from_json).collect();
                let text = text(entry, "text").to_owned();
                self.messages.push(ModelMessage::Assistant { text, calls, state: None });
            }
            _ => {}
        }
    }

    /// The messages, each call with a result.
    fn finished(self) -> Vec<ModelMessage> {
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
