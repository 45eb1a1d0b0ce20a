//! Reads the logs that a report is made from: checked first, then event by event.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::base::{WorkspacePath, person};
use crate::cli::log::{NamedSessionLog, list_sessions};
use crate::journal::{LogItem, LogReader, LogVerdict, ValueMode, verify_log};
use crate::protocol::{Code, Fault, PathAccess};
use crate::report::{ChangeReport, LogStanding, ReportGatherer, ReportScope};
use crate::rules::{PathRuling, WorkspaceRules};
use crate::workspace::{Governance, WorkspaceRoot, WorkspaceState, WorkspaceStore};

/// The most sessions that are read.
const SESSIONS: usize = 500;
/// The longest time before the beginning of a range that a log which holds a call of it may last have been written.
const SLACK: Duration = Duration::from_secs(2);

/// The sessions of a report, and the calls of them that count.
#[derive(Debug)]
pub(super) struct ReportRequest {
    which: SessionChoice,
    words: String,
    scope: ReportScope,
    notes: Vec<String>,
}

#[derive(Debug)]
enum SessionChoice {
    Latest,
    Named(String),
    InTime,
}

impl ReportRequest {
    pub(super) fn of_latest() -> Self {
        let (words, scope) = ("the most recent session".to_owned(), ReportScope::default());
        Self { which: SessionChoice::Latest, words, scope, notes: Vec::new() }
    }

    pub(super) fn of_session(name: &str) -> Self {
        let (which, words) = (SessionChoice::Named(name.to_owned()), format!("session {name}"));
        Self { which, words, scope: ReportScope::default(), notes: Vec::new() }
    }

    pub(super) fn of_times(words: &str, scope: ReportScope) -> Self {
        Self { which: SessionChoice::InTime, words: words.to_owned(), scope, notes: Vec::new() }
    }

    /// Adds a note for the reader.
    pub(super) fn with_note(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }
}

/// Makes the report of the workspace at `root`.
pub(super) fn read_report(root: &Path, asked: ReportRequest) -> Result<ChangeReport, Fault> {
    let all = list_sessions(Some(root))?;
    let (chosen, first) = choose_sessions(&all, &asked)?;
    let rules = load_rules(root)?;
    let closed = |path: &str| is_closed(&rules, path);
    let root = root.to_string_lossy();
    let since = chosen.last().map_or(SystemTime::UNIX_EPOCH, |session| session.time);
    let mut gatherer = ReportGatherer::new(&root, &asked.words, asked.scope, &closed);
    asked.notes.into_iter().for_each(|note| gatherer.add_note(note));
    if first > 0 {
        gatherer.add_note(format!(
            "{first} earlier sessions are left out: a report reads {SESSIONS} at the most"
        ));
    }
    let mut heard = Vec::new();
    for session in &chosen {
        if add_session(session, &mut gatherer)? {
            heard.push(session.name.as_str());
        }
    }
    // A pending change may have been decided in a later session, as by `wherefore review`.
    let others =
        all.iter().filter(|other| !heard.contains(&other.name.as_str()) && other.time + SLACK >= since);
    for other in others.take(SESSIONS) {
        add_other_session(other, &mut gatherer)?;
    }
    Ok(gatherer.finish_report(jiff::Timestamp::now().strftime("%FT%TZ").to_string()))
}

/// The chosen sessions, the earliest first, and the number of those beyond the limit.
fn choose_sessions<'a>(
    all: &'a [NamedSessionLog],
    asked: &ReportRequest,
) -> Result<(Vec<&'a NamedSessionLog>, usize), Fault> {
    let mut chosen: Vec<&NamedSessionLog> = match &asked.which {
        SessionChoice::Latest => all.iter().take(1).collect(),
        SessionChoice::Named(name) => vec![find_session(all, name)?],
        SessionChoice::InTime => {
            let since = asked.scope.since.map_or(SystemTime::UNIX_EPOCH, SystemTime::from);
            all.iter().filter(|session| session.time + SLACK >= since).collect()
        }
    };
    let more = chosen.len().saturating_sub(SESSIONS);
    chosen.truncate(SESSIONS);
    chosen.reverse();
    Ok((chosen, more))
}

fn find_session<'a>(all: &'a [NamedSessionLog], name: &str) -> Result<&'a NamedSessionLog, Fault> {
    let exact = all.iter().find(|session| session.name == name);
    let mut like = all.iter().filter(|session| session.name.starts_with(name));
    match (exact, like.next(), like.next()) {
        (Some(one), ..) | (None, Some(one), None) => Ok(one),
        (None, found, _) => {
            let problem =
                if found.is_some() { "more than one session begins with" } else { "there is no session" };
            let names: Vec<&str> = all.iter().take(5).map(|session| session.name.as_str()).collect();
            Err(Fault::new(Code::NotFound, format!("{problem} {name:?}")).with_suggestion(format!(
                "name one of: {}; or a range of commits, as main..HEAD",
                names.join(", ")
            )))
        }
    }
}

/// Adds a session's log, unless it was altered; returns whether it was added.
fn add_session(session: &NamedSessionLog, gatherer: &mut ReportGatherer<'_>) -> Result<bool, Fault> {
    let (standing, said) = log_standing(&session.log)?;
    gatherer.begin_session(&session.name, standing, &said);
    if standing == LogStanding::Altered {
        return Ok(false);
    }
    for item in session.log.items(ValueMode::Sealed)? {
        let LogItem::Entry(mut entry) = item? else { continue };
        if gatherer.wants_values(&entry) {
            session.log.fill_values(&mut entry);
        }
        gatherer.take_entry(&entry);
    }
    Ok(true)
}

/// Adds another session's decisions on changes of the report, and its undos of them.
fn add_other_session(session: &NamedSessionLog, gatherer: &mut ReportGatherer<'_>) -> Result<(), Fault> {
    if log_standing(&session.log)?.0 == LogStanding::Altered {
        return Ok(());
    }
    for item in session.log.items(ValueMode::Sealed)? {
        if let LogItem::Entry(entry) = item? {
            gatherer.take_elsewhere(&session.name, &entry);
        }
    }
    Ok(())
}

/// The state of a log, with a sentence that describes it.
fn log_standing(log: &LogReader) -> Result<(LogStanding, String), Fault> {
    let report = verify_log(log)?;
    let (verdict, mut said) = report.verdict();
    let standing = match verdict {
        LogVerdict::Damaged => LogStanding::Altered,
        LogVerdict::Unvouched => LogStanding::Unvouched,
        // A log without a key proves nothing: anybody can make its hashes.
        LogVerdict::Sound if report.vouched != crate::journal::LogVoucher::Here => LogStanding::Unvouched,
        LogVerdict::Sound if report.recovered.is_empty() => LogStanding::Sound,
        LogVerdict::Sound => LogStanding::Recovered,
    };
    if standing == LogStanding::Altered {
        said.push_str("; nothing of it is in this report");
    }
    Ok((standing, said))
}

/// The rules of a workspace that this process does not serve.
fn load_rules(root: &Path) -> Result<Arc<WorkspaceRules>, Fault> {
    let state = WorkspaceState::new(Arc::new(WorkspaceRoot::open(root)?), person::state_dir());
    Ok(Governance::load(&WorkspaceStore::new(Arc::new(state)), None, None).rules().clone())
}

/// Returns whether the rules close the text of a file.
fn is_closed(rules: &WorkspaceRules, path: &str) -> bool {
    let path = WorkspacePath::from_relative(path);
    path.is_none_or(|path| {
        matches!(rules.paths().check_access(PathAccess::Read, &path), PathRuling::Deny { .. })
    })
}
