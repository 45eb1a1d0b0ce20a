//! The processes of a sandbox: those that init started, and theirs.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};

use crate::linux;
use crate::spec::ConfinementWay;

/// The longest time that the processes of a sandbox without a process namespace may take to die.
const DYING: Duration = Duration::from_secs(2);

/// A process, as reported by the kernel.
pub(crate) struct SandboxProcess {
    pub(crate) pid: i32,
    parent: i32,
    pub(crate) cpu_ticks: u64,
    pub(crate) threads: u64,
}

/// The processes that run in the sandbox of `way`, without those that build it.
pub(crate) fn list_processes(way: ConfinementWay) -> Vec<SandboxProcess> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let all = all_processes();
    match way {
        // A namespace numbers them in order, and those that build the sandbox came first.
        ConfinementWay::Namespaces | ConfinementWay::Inside => {
            all.into_iter().filter(|process| process.pid > own).collect()
        }
        ConfinementWay::Landlock => find_descendants(own, all),
    }
}

/// The numbers of the processes that the process `root` started, and theirs.
pub(crate) fn started_by(root: i32) -> Vec<i32> {
    find_descendants(root, all_processes()).into_iter().map(|process| process.pid).collect()
}

fn all_processes() -> Vec<SandboxProcess> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(read_process).collect()
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

/// Kills every process that this one started, and theirs, if no namespace does so. Each that loses its parent becomes a
/// child of this process, so none gets away.
pub(crate) fn kill_descendants() {
    let until = Instant::now() + DYING;
    loop {
        let left = list_processes(ConfinementWay::Landlock);
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

fn find_descendants(root: i32, all: Vec<SandboxProcess>) -> Vec<SandboxProcess> {
    let parents: HashMap<i32, i32> = all.iter().map(|process| (process.pid, process.parent)).collect();
    let descends = |process: &SandboxProcess| {
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

fn read_process(pid: i32) -> Option<SandboxProcess> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold anything; what follows its last bracket is numbers.
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let text = std::str::from_utf8(stat.get(name_end + 2..)?).ok()?;
    let field = |at: usize| text.split(' ').nth(at)?.parse::<u64>().ok();
    let parent = i32::try_from(field(1)?).ok()?;
    Some(SandboxProcess { pid, parent, cpu_ticks: field(11)? + field(12)?, threads: field(17)? })
}
