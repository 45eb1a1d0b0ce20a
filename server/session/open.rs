//! Which log a session writes.

use super::log::{OpenLog, SessionLog};
use crate::base::ids::{Counter, unique};
use crate::journal::{Journal, JournalError, Keeper, Opening};
use crate::protocol::Fault;
use crate::telemetry;

/// How many processes of one day may write logs of their own beside the shared one.
const MOST_SHARED: u32 = 1000;
/// Earlier sessions whose logs are looked at when one begins.
const MENDED: usize = 32;

/// A long-lived process has a log of its own. Those of the command line live for one call: they share one a
/// day, as long as only one of them runs at a time; one that comes meanwhile takes the next number. A log that was not
/// written by this machine for this folder, or whose end was cut off, is left as it is.
pub(super) fn open_log(log: &SessionLog) -> Result<OpenLog, JournalError> {
    let now = log.clock.now().to_zoned(jiff::tz::TimeZone::system());
    let keeper = Keeper::open(log.workspace.state().base(), log.workspace.root());
    if let Some(trouble) = keeper.trouble() {
        log.troubles.report(format!("the session log has no key, so that nothing vouches for it: {trouble}"));
    }
    let own = || format!("{}-{}", now.strftime("%Y%m%d-%H%M%S"), &unique()[..4]);
    if !log.shared {
        let opened = open(log, &own(), &keeper)?;
        mend_earlier(log, opened.journal.session(), &keeper);
        return Ok(opened);
    }
    for number in 1..=MOST_SHARED {
        match open(log, &shared_name(log, number), &keeper) {
            Err(error @ JournalError::Foreign { .. }) => log.troubles.report(error.to_string()),
            Err(JournalError::Locked { .. }) => {}
            opened => return opened,
        }
    }
    open(log, &own(), &keeper)
}

/// The session that the processes of the command line share on this day; those that find it locked take further numbers.
pub(super) fn shared_name(log: &SessionLog, number: u32) -> String {
    let day = log.clock.now().to_zoned(jiff::tz::TimeZone::system()).strftime("%Y%m%d");
    if number == 1 { format!("{day}-cli") } else { format!("{day}-cli-{number}") }
}

/// Sets aside what a power cut left at the ends of earlier sessions' logs: on a thread of its own, since nobody waits for
/// that.
fn mend_earlier(log: &SessionLog, own: &str, keeper: &Keeper) {
    let mut names = log.workspace.store().list("sessions").unwrap_or_default();
    names.retain(|name| name != own);
    let earlier = names.split_off(names.len().saturating_sub(MENDED));
    let openings: Vec<Opening> = earlier.iter().map(|name| opening(log, name, keeper)).collect();
    let mend = move || {
        for opening in openings {
            let name = opening.session.clone();
            match Journal::mend(opening) {
                Ok(true) => tracing::info!("the torn end of the log of session {name} was set aside"),
                Ok(false) => {}
                Err(error) => tracing::debug!("the log of session {name} stays as it is: {error}"),
            }
        }
    };
    // Without it they stay as they are until another process begins.
    let _ = std::thread::Builder::new().name("log-mending".to_owned()).spawn(mend);
}

fn open(log: &SessionLog, name: &str, keeper: &Keeper) -> Result<OpenLog, JournalError> {
    let journal = Journal::open(opening(log, name, keeper))?;
    observe(log, &journal);
    let calls = Counter::after("c", journal.last_number("c"));
    Ok(OpenLog { journal, calls })
}

/// Exports the session's calls, where the person set a collector.
fn observe(log: &SessionLog, journal: &Journal) {
    let settings = log.workspace.settings();
    let Some(settings) = &settings.telemetry else { return };
    match telemetry::start(settings, log.workspace.root(), journal.session(), log.shared) {
        Ok(exporter) => journal.observe(exporter),
        Err(error) => log.troubles.report(format!("telemetry: {error}; no call is exported")),
    }
}

fn opening(log: &SessionLog, name: &str, keeper: &Keeper) -> Opening {
    let (store, folder) = (log.workspace.store().clone(), format!("sessions/{name}"));
    Opening {
        session: name.to_owned(),
        root: log.workspace.root().to_owned(),
        folder: Box::new(move || {
            let opened = store.root().renew().and_then(|_| store.dir(&folder));
            opened.map_err(|error| JournalError::Folder(Box::new(Fault::from(error))))
        }),
        settings: log.workspace.settings().log.clone(),
        clock: log.clock.clone(),
        keeper: keeper.clone(),
    }
}
