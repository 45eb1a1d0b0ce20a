//! Reads the logs that a report is made from: checked first, then event by event.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::base::{WorkspacePath, person};
use crate::cli::log::{Session, sessions};
use crate::journal::{Item, Log, LogVerdict, Values, verify};
use crate::protocol::{Access, Code, Fault};
use crate::report::{ChangeReport, LogStanding, ReportGatherer, ReportScope};
use crate::rules::{Rules, Ruling};
use crate::workspace::{Governance, Root, State, Store};

/// The most sessions that are read.
const SESSIONS: usize = 500;
/// How long before a range begins a log may have been written to last and still hold a call of it.
const SLACK: Duration = Duration::from_secs(2);

/// Which sessions are meant, and which calls of them.
#[derive(Debug)]
pub(super) struct ReportAsked {
    which: AskedSessions,
    words: String,
    scope: ReportScope,
    notes: Vec<String>,
}

#[derive(Debug)]
enum AskedSessions {
    Latest,
    Named(String),
    InTime,
}

impl ReportAsked {
    pub(super) fn latest() -> Self {
        let (words, scope) = ("the most recent session".to_owned(), ReportScope::default());
        Self { which: AskedSessions::Latest, words, scope, notes: Vec::new() }
    }

    pub(super) fn session(name: &str) -> Self {
        let (which, words) = (AskedSessions::Named(name.to_owned()), format!("session {name}"));
        Self { which, words, scope: ReportScope::default(), notes: Vec::new() }
    }

    pub(super) fn times(words: &str, scope: ReportScope) -> Self {
        Self { which: AskedSessions::InTime, words: words.to_owned(), scope, notes: Vec::new() }
    }

    /// The same, with something that a reader has to know.
    pub(super) fn noting(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }
}

/// Makes the report of the workspace at `root`.
pub(super) fn read(root: &Path, asked: ReportAsked) -> Result<ChangeReport, Fault> {
    let all = sessions(Some(root))?;
    let (chosen, first) = chosen(&all, &asked)?;
    let rules = rules(root)?;
    let closed = |path: &str| is_closed(&rules, path);
    let root = root.to_string_lossy();
    let since = chosen.last().map_or(SystemTime::UNIX_EPOCH, |session| session.time);
    let mut gatherer = ReportGatherer::new(&root, &asked.words, asked.scope, &closed);
    asked.notes.into_iter().for_each(|note| gatherer.note(note));
    if first > 0 {
        gatherer
            .note(format!("{first} earlier sessions are left out: a report reads {SESSIONS} at the most"));
    }
    let mut heard = Vec::new();
    for session in &chosen {
        if take(session, &mut gatherer)? {
            heard.push(session.name.as_str());
        }
    }
    // A change that waited may have been decided in a later session, as in `wherefore review`.
    let others =
        all.iter().filter(|other| !heard.contains(&other.name.as_str()) && other.time + SLACK >= since);
    for other in others.take(SESSIONS) {
        elsewhere(other, &mut gatherer)?;
    }
    Ok(gatherer.finish(jiff::Timestamp::now().strftime("%FT%TZ").to_string()))
}

/// The sessions meant, the earliest first, and how many were too many.
fn chosen<'a>(all: &'a [Session], asked: &ReportAsked) -> Result<(Vec<&'a Session>, usize), Fault> {
    let mut chosen: Vec<&Session> = match &asked.which {
        AskedSessions::Latest => all.iter().take(1).collect(),
        AskedSessions::Named(name) => vec![named(all, name)?],
        AskedSessions::InTime => {
            let since = asked.scope.since.map_or(SystemTime::UNIX_EPOCH, SystemTime::from);
            all.iter().filter(|session| session.time + SLACK >= since).collect()
        }
    };
    let more = chosen.len().saturating_sub(SESSIONS);
    chosen.truncate(SESSIONS);
    chosen.reverse();
    Ok((chosen, more))
}

fn named<'a>(all: &'a [Session], name: &str) -> Result<&'a Session, Fault> {
    let exact = all.iter().find(|session| session.name == name);
    let mut like = all.iter().filter(|session| session.name.starts_with(name));
    match (exact, like.next(), like.next()) {
        (Some(one), ..) | (None, Some(one), None) => Ok(one),
        (None, found, _) => {
            let problem =
                if found.is_some() { "more than one session begins with" } else { "there is no session" };
            let names: Vec<&str> = all.iter().take(5).map(|session| session.name.as_str()).collect();
            Err(Fault::new(Code::NotFound, format!("{problem} {name:?}"))
                .suggest(format!("name one of: {}; or a range of commits, as main..HEAD", names.join(", "))))
        }
    }
}

/// Takes a session's log in, where it was not altered; says whether.
fn take(session: &Session, gatherer: &mut ReportGatherer<'_>) -> Result<bool, Fault> {
    let (standing, said) = standing(&session.log)?;
    gatherer.session(&session.name, standing, &said);
    if standing == LogStanding::Altered {
        return Ok(false);
    }
    for item in session.log.items(Values::Sealed)? {
        let Item::Entry(mut entry) = item? else { continue };
        if gatherer.wants_values(&entry) {
            session.log.fill(&mut entry);
        }
        gatherer.hear(&entry);
    }
    Ok(true)
}

/// Takes in what another session decided on changes of the report, and undid of them.
fn elsewhere(session: &Session, gatherer: &mut ReportGatherer<'_>) -> Result<(), Fault> {
    if standing(&session.log)?.0 == LogStanding::Altered {
        return Ok(());
    }
    for item in session.log.items(Values::Sealed)? {
        if let Item::Entry(entry) = item? {
            gatherer.hear_elsewhere(&session.name, &entry);
        }
    }
    Ok(())
}

/// How a log stands, with a sentence that says so.
fn standing(log: &Log) -> Result<(LogStanding, String), Fault> {
    let report = verify(log)?;
    let (verdict, mut said) = report.verdict();
    let standing = match verdict {
        LogVerdict::Damaged => LogStanding::Altered,
        LogVerdict::Unvouched => LogStanding::Unvouched,
        // Anybody can make the hashes of a log without a key.
        LogVerdict::Sound if report.vouched != crate::journal::Vouched::Here => LogStanding::Unvouched,
        LogVerdict::Sound if report.recovered.is_empty() => LogStanding::Sound,
        LogVerdict::Sound => LogStanding::Recovered,
    };
    if standing == LogStanding::Altered {
        said.push_str("; nothing of it is in this report");
    }
    Ok((standing, said))
}

/// The rules of a workspace that this process does not serve.
fn rules(root: &Path) -> Result<Arc<Rules>, Fault> {
    let state = State::new(Arc::new(Root::open(root)?), person::state());
    Ok(Governance::load(&Store::new(Arc::new(state)), None, None).rules().clone())
}

/// Whether the text of a file is not to be shown.
fn is_closed(rules: &Rules, path: &str) -> bool {
    let path = WorkspacePath::clean(path);
    path.is_none_or(|path| matches!(rules.check(Access::Read, &path), Ruling::Deny { .. }))
}
