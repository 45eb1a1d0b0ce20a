//! Which tier this machine offers: each is tried with a real command.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::time::Duration;

use crate::confine;
use crate::error::SandboxError;
use crate::launcher::Launcher;
use crate::linux;
use crate::mend;
use crate::plan::Plan;
use crate::tier::{Level, Tier};

/// How long the command of a try may take.
const LONGEST: Duration = Duration::from_secs(5);
/// Bytes of what a failed try wrote that are looked at.
const LONGEST_WORDS: u64 = 4096;

/// The strongest tier that a command ran in.
pub(crate) fn tier(launcher: &Launcher) -> Tier {
    let landlock = linux::landlock_version();
    let mut reasons = Vec::new();
    let found = |level, reasons| Tier { level, landlock, reasons };
    match works(launcher, Level::Namespaces) {
        Ok(()) => {
            // Namespaces hold without it; it is the second wall.
            reasons.extend((landlock == 0).then(|| mend::landlock(0)));
            return found(Level::Namespaces, reasons);
        }
        Err((error, _)) => reasons.push(mend::namespaces(&error)),
    }
    match works(launcher, Level::Bubblewrap) {
        Ok(()) => return found(Level::Bubblewrap, reasons),
        Err((error, said)) => reasons.push(mend::bubblewrap(&error, &said)),
    }
    if landlock < confine::OLDEST {
        reasons.push(mend::landlock(landlock));
        return found(Level::Nothing, reasons);
    }
    match works(launcher, Level::Landlock) {
        Ok(()) => found(Level::Landlock, reasons),
        Err((error, _)) => {
            reasons.push(format!("Landlock: {error}"));
            found(Level::Nothing, reasons)
        }
    }
}

/// Runs a command in `level`. Where that fails, the second part of the error is what was written to its standard error.
fn works(launcher: &Launcher, level: Level) -> Result<(), (SandboxError, String)> {
    let mut plan = Plan::new("/usr", ["true"]);
    // Every sandbox shows it; nothing else needs to be looked through.
    plan.read_only.clear();
    plan.limits.wall = Some(LONGEST);
    let silent = |error| (error, String::new());
    let mut running = launcher.spawn_in(level, &plan).map_err(silent)?;
    let errors = running.take_errors();
    match running.wait() {
        Ok(report) if report.exit_code == Some(0) => Ok(()),
        Ok(_) => Err((SandboxError::Lost, said(errors))),
        Err(error) => Err((error, said(errors))),
    }
}

/// What stands in a pipe by now.
fn said(pipe: Option<OwnedFd>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe.filter(|pipe| rustix::io::ioctl_fionbio(pipe, true).is_ok()) {
        // It ends with what came so far, also where somebody still holds the other end.
        let _ = File::from(pipe).take(LONGEST_WORDS).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
