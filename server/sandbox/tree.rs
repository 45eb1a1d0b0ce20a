//! The processes of a sandbox: those that init started, and theirs.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};

use crate::linux;
use crate::spec::Way;

/// How long the processes of a sandbox without a process namespace may take to die.
const DYING: Duration = Duration::from_secs(2);

/// One process, as the kernel tells of it.
pub(crate) struct Process {
    pub(crate) pid: i32,
    parent: i32,
    pub(crate) cpu_ticks: u64,
    pub(crate) threads: u64,
}

/// The processes that run in the sandbox of `way`, without those that build it.
pub(crate) fn processes(way: Way) -> Vec<Process> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(of);
    match way {
        // A namespace numbers them in order, and those that build the sandbox came first.
        Way::Namespaces | Way::Inside => all.filter(|process| process.pid > own).collect(),
        Way::Landlock => descendants(own, all.collect()),
    }
}

/// Kills every other process of the namespace that this one is the first of, and waits until they are gone: each that loses
/// its parent becomes a child of this process.
pub(crate) fn end_namespace() {
    loop {
        linux::kill_namespace();
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Kills every process that this one started, and theirs, where no namespace does so. Each that loses its parent becomes a
/// child of this process, so none gets away.
pub(crate) fn kill_descendants() {
    let until = Instant::now() + DYING;
    loop {
        let left = processes(Way::Landlock);
        for pid in left.iter().filter_map(|process| Pid::from_raw(process.pid)) {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
        while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
        if left.is_empty() || Instant::now() > until {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn descendants(root: i32, all: Vec<Process>) -> Vec<Process> {
    let parents: HashMap<i32, i32> = all.iter().map(|process| (process.pid, process.parent)).collect();
    let descends = |process: &Process| {
        let mut at = process.parent;
        for _ in 0..parents.len() {
            if at == root {
                return true;
            }
            let Some(parent) = parents.get(&at) else { return false };
            at = *parent;
        }
        false
    };
    let inside: Vec<bool> = all.iter().map(descends).collect();
    all.into_iter().zip(inside).filter_map(|(process, inside)| inside.then_some(process)).collect()
}

fn of(pid: i32) -> Option<Process> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold anything; what follows its last bracket is numbers.
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let text = std::str::from_utf8(stat.get(name_end + 2..)?).ok()?;
    let field = |at: usize| text.split(' ').nth(at)?.parse::<u64>().ok();
    let parent = i32::try_from(field(1)?).ok()?;
    Some(Process { pid, parent, cpu_ticks: field(11)? + field(12)?, threads: field(17)? })
}
