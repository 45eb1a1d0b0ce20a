//! Picks the log that a session writes.

use super::log::{OpenLog, SessionLog};
use crate::base::ids::{IdCounter, unique_word};
use crate::journal::{Journal, JournalError, JournalOptions, LogKeeper};
use crate::protocol::Fault;
use crate::telemetry;

/// The number of processes of one day that may write logs of their own next to the shared one.
const MOST_SHARED: u32 = 1000;
/// Earlier sessions whose logs are looked at when one begins.
const MENDED: usize = 32;

/// A long-lived process has a log of its own. Those of the command line live for one call: they share one a
/// day, as long as only one of them runs at a time; one that comes meanwhile takes the next number. A log that was not
/// written by this machine for this folder, or whose end was cut off, is left as it is.
pub(super) fn open_log(log: &SessionLog) -> Result<OpenLog, JournalError> {
    let now = log.clock.now().to_zoned(jiff::tz::TimeZone::system());
    let keeper = LogKeeper::open(log.workspace.state().folder().base_folder(), log.workspace.root());
    if let Some(trouble) = keeper.trouble() {
        log.troubles
            .report_trouble(format!("the session log has no key, so that nothing vouches for it: {trouble}"));
    }
    let own = || format!("{}-{}", now.strftime("%Y%m%d-%H%M%S"), &unique_word()[..4]);
    if !log.shared {
        let opened = open_named(log, &own(), &keeper)?;
        mend_earlier(log, opened.journal.session(), &keeper);
        return Ok(opened);
    }
    for number in 1..=MOST_SHARED {
        match open_named(log, &shared_name(log, number), &keeper) {
            Err(error @ JournalError::Foreign { .. }) => log.troubles.report_trouble(error.to_string()),
            Err(JournalError::Locked { .. }) => {}
            opened => return opened,
        }
    }
    open_named(log, &own(), &keeper)
}

/// The session that the processes of the command line share on this day; those that find it locked take further numbers.
pub(super) fn shared_name(log: &SessionLog, number: u32) -> String {
    let day = log.clock.now().to_zoned(jiff::tz::TimeZone::system()).strftime("%Y%m%d");
    if number == 1 { format!("{day}-cli") } else { format!("{day}-cli-{number}") }
}

/// Sets aside the remains of a power cut at the ends of earlier sessions' logs: on a thread of its own, since no one
/// waits for that.
fn mend_earlier(log: &SessionLog, own: &str, keeper: &LogKeeper) {
    let mut names = log.workspace.store().list_dir("sessions").unwrap_or_default();
    names.retain(|name| name != own);
    let earlier = names.split_off(names.len().saturating_sub(MENDED));
    let openings: Vec<JournalOptions> = earlier.iter().map(|name| new_opening(log, name, keeper)).collect();
    let mend = move || {
        for opening in openings {
            let name = opening.session.clone();
            match Journal::mend_log(opening) {
                Ok(true) => tracing::info!("the torn end of the log of session {name} was set aside"),
                Ok(false) => {}
                Err(error) => tracing::debug!("the log of session {name} stays as it is: {error}"),
            }
        }
    };
    // Without it they stay as they are until another process begins.
    let _ = std::thread::Builder::new().name("log-mending".to_owned()).spawn(mend);
}

fn open_named(log: &SessionLog, name: &str, keeper: &LogKeeper) -> Result<OpenLog, JournalError> {
    let journal = Journal::open(new_opening(log, name, keeper))?;
    start_telemetry(log, &journal);
    let calls = IdCounter::starting_after("c", journal.last_number("c"));
    Ok(OpenLog { journal, calls })
}

/// Exports the session's calls, where the person set a collector.
fn start_telemetry(log: &SessionLog, journal: &Journal) {
    let settings = log.workspace.settings();
    let Some(settings) = &settings.telemetry else { return };
    match telemetry::start_export(settings, log.workspace.root(), journal.session(), log.shared) {
        Ok(exporter) => journal.set_observer(exporter),
        Err(error) => log.troubles.report_trouble(format!("telemetry: {error}; no call is exported")),
    }
}

fn new_opening(log: &SessionLog, name: &str, keeper: &LogKeeper) -> JournalOptions {
    let (store, folder) = (log.workspace.store().clone(), format!("sessions/{name}"));
    JournalOptions {
        session: name.to_owned(),
        root: log.workspace.root().to_owned(),
        folder: Box::new(move || {
            let opened = store.root().renew_folder().and_then(|_| store.open_dir(&folder));
            opened.map_err(|error| JournalError::Folder(Box::new(Fault::from(error))))
        }),
        settings: log.workspace.settings().log.clone(),
        clock: log.clock.clone(),
        keeper: keeper.clone(),
    }
}
