//! Finds the best tier of this machine: each is tried with a real command.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::time::Duration;

use crate::confine;
use crate::error::SandboxError;
use crate::launcher::SandboxLauncher;
use crate::linux;
use crate::plan::SandboxPlan;
use crate::tier::{MachineTier, SandboxLevel};
use crate::tier_advice;

/// The longest time that the command of a try may take.
const LONGEST: Duration = Duration::from_secs(5);
/// Bytes of what a failed try wrote that are looked at.
const LONGEST_WORDS: u64 = 4096;

/// The strongest tier that a command ran in.
pub(crate) fn probe_tier(launcher: &SandboxLauncher) -> MachineTier {
    let landlock = linux::landlock_version();
    let mut reasons = Vec::new();
    let found = |level, reasons| MachineTier { level, landlock, reasons };
    match try_level(launcher, SandboxLevel::Namespaces) {
        Ok(()) => {
            // Namespaces hold without it; it is the second wall.
            reasons.extend((landlock == 0).then(|| tier_advice::landlock_advice(0)));
            return found(SandboxLevel::Namespaces, reasons);
        }
        Err((error, _)) => reasons.push(tier_advice::namespaces_advice(&error)),
    }
    match try_level(launcher, SandboxLevel::Bubblewrap) {
        Ok(()) => return found(SandboxLevel::Bubblewrap, reasons),
        Err((error, said)) => reasons.push(tier_advice::bubblewrap_advice(&error, &said)),
    }
    if landlock < confine::OLDEST {
        reasons.push(tier_advice::landlock_advice(landlock));
        return found(SandboxLevel::Nothing, reasons);
    }
    match try_level(launcher, SandboxLevel::Landlock) {
        Ok(()) => found(SandboxLevel::Landlock, reasons),
        Err((error, _)) => {
            reasons.push(format!("Landlock: {error}"));
            found(SandboxLevel::Nothing, reasons)
        }
    }
}

/// Runs a command in `level`. Where that fails, the second part of the error is what was written to its standard error.
fn try_level(launcher: &SandboxLauncher, level: SandboxLevel) -> Result<(), (SandboxError, String)> {
    let mut plan = SandboxPlan::new("/usr", ["true"]);
    // Every sandbox shows it; nothing else needs to be looked through.
    plan.read_only.clear();
    plan.limits.wall = Some(LONGEST);
    let silent = |error| (error, String::new());
    let mut running = launcher.spawn_in(level, &plan, false).map_err(silent)?;
    let errors = running.take_errors();
    match running.wait() {
        Ok(report) if report.exit_code == Some(0) => Ok(()),
        Ok(_) => Err((SandboxError::Lost, read_pipe(errors))),
        Err(error) => Err((error, read_pipe(errors))),
    }
}

/// Returns the bytes that are in a pipe now.
fn read_pipe(pipe: Option<OwnedFd>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe.filter(|pipe| rustix::io::ioctl_fionbio(pipe, true).is_ok()) {
        // It ends with what came so far, also where somebody still holds the other end.
        let _ = File::from(pipe).take(LONGEST_WORDS).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
