//! What the processes of a sandbox use together, measured against the plan's limits.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::linux;
use crate::plan::Limits;
use crate::spec::{How, Limit, Spec, Way};
use crate::tree;

/// The ticks of a second, in which the kernel counts processor time for programs.
const TICKS: u64 = 100;

/// Measures the processes of a sandbox.
pub(crate) struct Meter {
    way: Way,
    limits: Limits,
    page: u64,
    peak: u64,
    disks: Vec<Disk>,
}

/// A file system that the command may fill, and its free space at the start.
struct Disk {
    path: PathBuf,
    free: u64,
}

/// What all processes use together.
#[derive(Default)]
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
        let page = rustix::param::page_size() as u64;
        Self { way: spec.way, limits: spec.limits, page, peak: 0, disks }
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

    fn measure(&self) -> Use {
        tree::processes(self.way).iter().fold(Use::default(), |all, one| Use {
            memory: all.memory + self.memory_of(one.pid).unwrap_or_default(),
            cpu_ticks: all.cpu_ticks + one.cpu_ticks,
            threads: all.threads + one.threads,
        })
    }

    /// The memory that a process shares with no other, as far as the kernel counts that for free.
    fn memory_of(&self, pid: i32) -> Option<u64> {
        let pages = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        let mut pages = pages.split(' ').skip(1).map(|field| field.parse::<u64>().unwrap_or_default());
        let (resident, shared) = (pages.next()?, pages.next()?);
        Some(resident.saturating_sub(shared) * self.page)
    }

    fn disk_is_full(&self) -> bool {
        let Some(limit) = self.limits.disk else { return false };
        let shrunk = |disk: &Disk| free(&disk.path).map(|now| disk.free.saturating_sub(now));
        self.disks.iter().filter_map(shrunk).any(|by| by > limit)
    }
}

impl Disk {
    fn of(path: &Path) -> Option<Self> {
        Some(Self { path: path.to_owned(), free: free(path)? })
    }
}

/// The processor time of those that run and of those that ended.
fn cpu(all: &Use) -> Duration {
    Duration::from_millis(all.cpu_ticks * (1000 / TICKS)) + linux::used_by_children().cpu
}

fn free(path: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(path).ok()?;
    Some(space.f_bavail * space.f_frsize)
}
