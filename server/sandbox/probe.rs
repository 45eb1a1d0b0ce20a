//! Which tier this machine offers: each is tried with a real command.

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
        Err(error) => reasons.push(mend::namespaces(&error)),
    }
    match works(launcher, Level::Bubblewrap) {
        Ok(()) => return found(Level::Bubblewrap, reasons),
        Err(error) => reasons.push(mend::bubblewrap(&error)),
    }
    if landlock < confine::OLDEST {
        reasons.push(mend::landlock(landlock));
        return found(Level::Nothing, reasons);
    }
    match works(launcher, Level::Landlock) {
        Ok(()) => found(Level::Landlock, reasons),
        Err(error) => {
            reasons.push(format!("Landlock: {error}"));
            found(Level::Nothing, reasons)
        }
    }
}

fn works(launcher: &Launcher, level: Level) -> Result<(), SandboxError> {
    let mut plan = Plan::new("/usr", ["true"]);
    // Every sandbox shows it; nothing else needs to be looked through.
    plan.read_only.clear();
    plan.limits.wall = Some(LONGEST);
    let report = launcher.spawn_in(level, &plan)?.wait()?;
    if report.exit_code == Some(0) { Ok(()) } else { Err(SandboxError::Lost) }
}
