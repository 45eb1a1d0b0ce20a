//! The sessions of a workspace, and the choice of one.

use std::path::Path;
use std::time::SystemTime;

use super::LogChoice;
use crate::base::{OWN_DIR, person};
use crate::journal::{LogItem, LogKeeper, LogReader, ValueMode};
use crate::protocol::{Code, EventType, Fault};

/// A session's log with its name and the time of its last event.
#[derive(Debug)]
pub(in crate::cli) struct NamedSessionLog {
    pub name: String,
    pub log: LogReader,
    pub time: SystemTime,
}

/// The workspace's sessions, the most recent first.
pub(in crate::cli) fn list_sessions(root: Option<&Path>) -> Result<Vec<NamedSessionLog>, Fault> {
    let none = |place: &Path| {
        Fault::new(
            Code::NotFound,
            format!("there are no sessions in {}: no agent has worked here yet", place.display()),
        )
        .with_suggestion("name another folder with --root; `wherefore init` sets an agent up here")
    };
    let here = std::env::current_dir().unwrap_or_default();
    let below = |folder: &Path| folder.join(OWN_DIR).join("sessions");
    let folder = match root {
        Some(root) => below(root),
        None => here
            .ancestors()
            .map(below)
            .find(|folder| folder.is_dir())
            .ok_or_else(|| none(&here).with_hints([format!("looked in {} and above", here.display())]))?,
    };
    let entries = std::fs::read_dir(&folder).map_err(|_| none(&folder))?;
    let keeper = log_keeper(&folder);
    let mut sessions: Vec<NamedSessionLog> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let log = LogReader::open(&path, &keeper).ok()?;
            let time = path.join(crate::journal::LOG).symlink_metadata().and_then(|data| data.modified());
            Some(NamedSessionLog { name, log, time: time.unwrap_or(SystemTime::UNIX_EPOCH) })
        })
        .collect();
    sessions.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| b.name.cmp(&a.name)));
    if sessions.is_empty() { Err(none(&folder)) } else { Ok(sessions) }
}

/// The names of the workspace's sessions, the most recent first.
pub(in crate::cli) fn session_names() -> Vec<String> {
    list_sessions(None).unwrap_or_default().into_iter().map(|session| session.name).collect()
}

/// The last calls of the most recent session, the newest first, each with its tool and its reason.
pub(in crate::cli) fn last_calls(most: usize) -> Vec<(String, String)> {
    /// Events that are looked at for each call.
    const EVENTS: usize = 4;
    let Some(session) = list_sessions(None).unwrap_or_default().into_iter().next() else { return Vec::new() };
    let Ok(items) = session.log.last_items(most * EVENTS, ValueMode::Sealed) else { return Vec::new() };
    let entries = items.filter_map(|item| match item {
        Ok(LogItem::Entry(entry)) if entry.kind() == Some(EventType::ToolCall) => Some(entry),
        _ => None,
    });
    let mut calls: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let part =
                |value: Option<&serde_json::Value>| value.and_then(|value| value.as_str().map(str::to_owned));
            let why = part(entry.body.get("args").and_then(|args| args.get("why"))).unwrap_or_default();
            let tool = part(entry.body.get("tool")).unwrap_or_default();
            Some((entry.call_id()?.to_owned(), format!("{tool}: {why}")))
        })
        .collect();
    calls.reverse();
    calls.truncate(most);
    calls
}

/// The log asked for.
pub(super) fn open_chosen(which: &LogChoice) -> Result<LogReader, Fault> {
    find_log(which.session.as_deref(), which.root.as_deref())
}

/// A session's log by its name or the beginning of one; the most recent one where none is named.
pub(in crate::cli) fn find_log(session: Option<&str>, root: Option<&Path>) -> Result<LogReader, Fault> {
    let sessions = list_sessions(root)?;
    let Some(asked) = session else {
        return sessions
            .first()
            .map_or_else(|| Err(Fault::internal("no session")), |one| Ok(one.log.clone()));
    };
    let exact = sessions.iter().find(|session| session.name == asked);
    let mut like = sessions.iter().filter(|session| session.name.starts_with(asked));
    match (exact, like.next(), like.next()) {
        (Some(one), _, _) | (None, Some(one), None) => Ok(one.log.clone()),
        (None, found, _) => {
            let problem =
                if found.is_some() { "more than one session begins with" } else { "there is no session" };
            let names = sessions.iter().take(5).map(|session| session.name.as_str()).collect::<Vec<_>>();
            Err(Fault::new(Code::NotFound, format!("{problem} {asked:?}"))
                .with_suggestion(format!("name one of: {}", names.join(", "))))
        }
    }
}

/// The keeper that vouches for the logs in a workspace's folder of sessions.
fn log_keeper(sessions: &Path) -> LogKeeper {
    let root =
        sessions.ancestors().nth(2).filter(|root| !root.as_os_str().is_empty()).unwrap_or(Path::new("."));
    LogKeeper::open_existing(person::state_dir().as_deref(), &root.to_string_lossy())
}
