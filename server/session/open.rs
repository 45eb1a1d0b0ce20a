//! Which log a session writes.

use super::{OpenLog, Session};
use crate::base::ids::{Counter, unique};
use crate::journal::Journal;
use crate::protocol::Fault;

/// How many processes of one day may write logs of their own beside the shared one.
const MOST_SHARED: u32 = 1000;

/// A long-lived process has a log of its own. Those of the command line live for one call: they share one a
/// day, as long as only one of them runs at a time; one that comes meanwhile takes the next number.
pub fn open_log(session: &Session) -> Result<OpenLog, Fault> {
    let now = session.clock.now().to_zoned(jiff::tz::TimeZone::system());
    if !session.shared_log {
        return open(session, &format!("{}-{}", now.strftime("%Y%m%d-%H%M%S"), &unique()[..4]));
    }
    let day = now.strftime("%Y%m%d");
    let mut number = 1;
    loop {
        let name = if number == 1 { format!("{day}-cli") } else { format!("{day}-cli-{number}") };
        match open(session, &name) {
            Err(fault) if Journal::is_taken(&fault) && number < MOST_SHARED => number += 1,
            opened => return opened,
        }
    }
}

fn open(session: &Session, name: &str) -> Result<OpenLog, Fault> {
    let folder = session.store.dir(&format!("sessions/{name}"))?;
    let settings = session.settings();
    let journal = Journal::open(folder, name, session.root(), &settings.log, session.clock.clone())?;
    let calls = Counter::after("c", journal.last_number("c"));
    Ok(OpenLog { journal, calls })
}
