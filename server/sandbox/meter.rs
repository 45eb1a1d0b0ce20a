//! What the processes of a sandbox use together, measured against the plan's limits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::linux;
use crate::memory::Memory;
use crate::plan::Limits;
use crate::spec::{How, Limit, Spec, Way};
use crate::tree;

/// The ticks of a second, in which the kernel counts processor time for programs.
const TICKS: u64 = 100;

/// What a file counts as, in bytes, whatever it holds.
const BLOCK: u64 = 4096;

/// Measures the processes of a sandbox.
pub(crate) struct Meter {
    way: Way,
    limits: Limits,
    memory: Memory,
    peak: u64,
    disks: Vec<Disk>,
}

/// A file system that the command may fill, and its free space at the start.
struct Disk {
    path: PathBuf,
    free: Free,
}

/// The free space of a file system.
#[derive(Clone, Copy)]
struct Free {
    bytes: u64,
    files: u64,
}

/// What all processes use together.
struct Use {
    memory: u64,
    cpu_ticks: u64,
    threads: u64,
}

impl Meter {
    pub(crate) fn new(spec: &Spec) -> Self {
        let written = spec.shown.iter().filter(|shown| shown.how == How::Writable);
        let disks = match spec.limits.disk {
            Some(_) => written.filter_map(|shown| Disk::of(shown.path.as_path())).collect(),
            None => Vec::new(),
        };
        Self { way: spec.way, limits: spec.limits, memory: Memory::new(spec.way), peak: 0, disks }
    }

    /// The most memory that was used at once, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// The limit that is passed.
    pub(crate) fn over(&mut self) -> Option<Limit> {
        let all = self.measure();
        self.peak = self.peak.max(all.memory);
        let memory = self.limits.memory.is_some_and(|limit| all.memory > limit);
        let cpu = self.limits.cpu.is_some_and(|limit| cpu(&all) > limit);
        let processes = self.limits.processes.is_some_and(|limit| all.threads > u64::from(limit));
        let passed = [
            (memory, Limit::Memory),
            (cpu, Limit::Cpu),
            (processes, Limit::Processes),
            (self.disk_is_full(), Limit::Disk),
        ];
        passed.into_iter().find(|(over, _)| *over).map(|(_, limit)| limit)
    }

    fn measure(&mut self) -> Use {
        let processes = tree::processes(self.way);
        let numbers: Vec<i32> = processes.iter().map(|process| process.pid).collect();
        Use {
            memory: self.memory.of(&numbers, self.limits.memory),
            cpu_ticks: processes.iter().map(|process| process.cpu_ticks).sum(),
            threads: processes.iter().map(|process| process.threads).sum(),
        }
    }

    fn disk_is_full(&self) -> bool {
        let Some(limit) = self.limits.disk else { return false };
        let shrunk = |disk: &Disk| free(&disk.path).map(|now| disk.free.less(now));
        self.disks.iter().filter_map(shrunk).any(|by| by > limit)
    }
}

impl Disk {
    fn of(path: &Path) -> Option<Self> {
        Some(Self { path: path.to_owned(), free: free(path)? })
    }
}

impl Free {
    /// By how many bytes it shrank. A file takes a block at least, also where it is empty.
    fn less(self, now: Self) -> u64 {
        let files = self.files.saturating_sub(now.files).saturating_mul(BLOCK);
        self.bytes.saturating_sub(now.bytes).max(files)
    }
}

/// The processor time of those that run and of those that ended.
fn cpu(all: &Use) -> Duration {
    Duration::from_millis(all.cpu_ticks * (1000 / TICKS)) + linux::used_by_children().cpu
}

fn free(path: &Path) -> Option<Free> {
    let space = rustix::fs::statvfs(path).ok()?;
    Some(Free { bytes: space.f_bavail * space.f_frsize, files: space.f_favail })
}
