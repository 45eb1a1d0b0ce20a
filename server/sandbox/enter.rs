//! The process that builds a sandbox: what the hidden subcommand runs.
//!
//! The helper makes a user namespace and starts init in the other namespaces. It stays outside, so that it sees when the
//! server goes, and ends init then. With init, process 1 of its namespace, every process of the sandbox dies.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{ExitCode, exit};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};

use crate::control::Control;
use crate::init;
use crate::linux;
use crate::spec::{Limit, Spec, Stage, Way, Word};
use crate::trouble::{At, Trouble};

/// The second argument of a helper that makes its namespaces at once, while it waits for a plan.
pub(crate) const AHEAD: &str = "ahead";

/// How much longer than its limit a sandbox may take before the helper ends it: init does so in time, unless a mount hangs.
const GRACE: Duration = Duration::from_secs(5);

/// What this program itself runs in a sandbox, and answers with its exit code.
pub(crate) type Routine = fn() -> i32;

/// Builds the sandbox that the plan on the standard input describes, runs its command, and returns when all of its
/// processes are gone. Call it before anything else: the process must have one thread.
pub fn enter() -> ExitCode {
    enter_with(|| 1)
}

/// Like [`enter`]. Where the plan asks for a routine and not for a program, `routine` runs.
pub fn enter_with(routine: fn() -> i32) -> ExitCode {
    // A program that leaks descriptors into its children must not lend them to a command.
    if linux::close_inherited().is_err() {
        return ExitCode::FAILURE;
    }
    let Ok(control) = Control::of_standard_input() else { return ExitCode::FAILURE };
    match run(&control, routine) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            control.tell(&trouble.word());
            ExitCode::FAILURE
        }
    }
}

fn run(control: &Control, routine: Routine) -> Result<(), Trouble> {
    if std::env::args_os().nth(2).is_some_and(|argument| argument == AHEAD) {
        return run_ahead(control, routine);
    }
    let (spec, streams) = control.take_spec().at(Stage::Plan)?;
    if spec.own_session {
        let _ = rustix::process::setsid();
    }
    linux::ignore_terminal_signals();
    take_streams(streams).at(Stage::Plan)?;
    // The first to go where memory is short. It is a wish: a kernel may refuse it.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    let child = match spec.way {
        Way::Namespaces => {
            new_user().at(Stage::Namespaces)?;
            linux::fork_into_namespaces().at(Stage::Namespaces)?
        }
        Way::Inside | Way::Landlock => linux::fork().at(Stage::Namespaces)?,
    };
    match child {
        None => init::run(control, &spec, routine),
        Some(child) => supervise(control, &spec, child).at(Stage::Namespaces),
    }
}

/// Makes the namespaces before the plan is there. The command of such a plan has a session of its own.
fn run_ahead(control: &Control, routine: Routine) -> Result<(), Trouble> {
    let _ = rustix::process::setsid();
    linux::ignore_terminal_signals();
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    new_user().at(Stage::Namespaces)?;
    let (to_init, from_helper) = Control::pair().at(Stage::Namespaces)?;
    match linux::fork_into_namespaces().at(Stage::Namespaces)? {
        None => {
            drop(to_init);
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).at(Stage::Namespaces)?;
            // Its end without a plan says that the helper is gone, or was never needed.
            let Ok((spec, streams)) = Control::of(from_helper).take_spec() else { exit(1) };
            take_streams(streams).at(Stage::Plan)?;
            init::run(control, &spec, routine)
        }
        Some(child) => {
            drop(from_helper);
            let (spec, streams) = control.take_spec().at(Stage::Plan)?;
            to_init.send_spec(&spec, &streams).at(Stage::Plan)?;
            drop((to_init, streams));
            supervise(control, &spec, child).at(Stage::Namespaces)
        }
    }
}

/// A user namespace in which this user is the only one, under its own number.
fn new_user() -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    linux::unshare_user()?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Waits for init, and ends it when the server asks for that or is gone.
fn supervise(control: &Control, spec: &Spec, init: Pid) -> io::Result<()> {
    leave_streams()?;
    let handle = rustix::process::pidfd_open(init, PidfdFlags::empty())?;
    let longest = spec.limits.wall.and_then(|wall| Timespec::try_from(wall.checked_add(GRACE)?).ok());
    let mut watched = [
        PollFd::new(&handle, PollFlags::IN),
        PollFd::new(control, PollFlags::IN | PollFlags::RDHUP | PollFlags::HUP),
    ];
    let woken = rustix::io::retry_on_intr(|| poll(&mut watched, longest.as_ref()));
    let hangs = woken == Ok(0);
    if spec.way == Way::Landlock {
        // Init kills the others first: no namespace does so.
        let mut ended = [PollFd::new(&handle, PollFlags::IN)];
        let _ = poll(&mut ended, Timespec::try_from(GRACE).ok().as_ref());
        let _ = rustix::process::pidfd_send_signal(&handle, Signal::KILL);
    } else if hangs || watched[0].revents().is_empty() {
        let _ = rustix::process::pidfd_send_signal(&handle, Signal::KILL);
    }
    rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(init), WaitOptions::empty()))?;
    if hangs {
        let limit = Some(Limit::Wall);
        control.tell(&Word::Ended { code: None, signal: None, limit, peak_memory: 0, used: None });
    }
    control.tell(&Word::Gone(linux::used_by_children().of_all()));
    Ok(())
}

/// Makes the command's streams those of this process, which it inherits.
fn take_streams([input, output, errors]: [OwnedFd; 3]) -> io::Result<()> {
    rustix::stdio::dup2_stdin(&input)?;
    rustix::stdio::dup2_stdout(&output)?;
    Ok(rustix::stdio::dup2_stderr(&errors)?)
}

/// Lets go of the command's streams, so that a reader sees their end when the command's processes are gone.
pub(crate) fn leave_streams() -> io::Result<()> {
    let nothing = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    Ok(rustix::stdio::dup2_stderr(&nothing)?)
}
