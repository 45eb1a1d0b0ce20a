//! The person's input at the terminal: keys, and changes of the window's size.

use std::io::{self, ErrorKind};
use std::time::Duration;

use ratatui::crossterm::event::{self, Event};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;

/// The next event of the terminal, if one comes within that time.
///
/// # Errors
/// [`ErrorKind::UnexpectedEof`] if the terminal is gone, and the system's error.
pub(super) fn next_event(within: Duration) -> io::Result<Option<Event>> {
    for wait in [Duration::ZERO, within] {
        // crossterm reads forever from a terminal that is gone, so it is used only while there is one.
        if is_gone(wait)? {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        // A single read may bring several events; crossterm keeps the others.
        if event::poll(Duration::ZERO)? {
            return event::read().map(Some);
        }
    }
    Ok(None)
}

/// Returns whether the terminal was closed, after waiting that long for input.
///
/// # Errors
/// The error of the system.
pub(super) fn is_gone(wait: Duration) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    let wait = Timespec::try_from(wait).map_err(|_| ErrorKind::InvalidInput)?;
    match poll(&mut watched, Some(&wait)) {
        // Another size of the window is a signal.
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL))
}
