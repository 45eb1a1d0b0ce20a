//! The measured use of all processes of a sandbox, compared to the plan's limits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::linux;
use crate::memory::MemoryMeter;
use crate::plan::RunLimits;
use crate::spec::{ConfinementWay, LimitKind, SandboxSpec, ShowMode};
use crate::tree;

/// The ticks of a second, in which the kernel counts processor time for programs.
const TICKS: u64 = 100;

/// The size that each file is charged at least, in bytes.
const BLOCK: u64 = 4096;

/// Measures the processes of a sandbox.
pub(crate) struct UsageMeter {
    way: ConfinementWay,
    limits: RunLimits,
    memory: MemoryMeter,
    /// The use at the last measurement, and the highest use.
    used: u64,
    peak: u64,
    disks: Vec<MeteredDisk>,
}

/// A file system that the command may fill, and its free space at the start.
struct MeteredDisk {
    path: PathBuf,
    free: FreeSpace,
}

/// The free space of a file system.
#[derive(Clone, Copy)]
struct FreeSpace {
    bytes: u64,
    files: u64,
}

/// The use of all processes together.
struct CurrentUsage {
    memory: u64,
    cpu_ticks: u64,
    threads: u64,
}

impl UsageMeter {
    pub(crate) fn new(spec: &SandboxSpec) -> Self {
        let written = spec.shown.iter().filter(|shown| shown.how == ShowMode::Writable);
        let temporary = spec.temporary.iter().filter_map(|_| MeteredDisk::at_path(Path::new("/tmp")));
        let disks = match spec.limits.disk {
            Some(_) => written
                .filter_map(|shown| MeteredDisk::at_path(shown.path.as_path()))
                .chain(temporary)
                .collect(),
            None => Vec::new(),
        };
        Self { way: spec.way, limits: spec.limits, memory: MemoryMeter::new(spec), used: 0, peak: 0, disks }
    }

    /// The most memory that was used at once, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// Returns whether a quarter of the allowed memory is in use.
    pub(crate) fn is_near(&self) -> bool {
        self.limits.memory.is_some_and(|limit| self.used > limit / 4)
    }

    /// The limit that is passed.
    pub(crate) fn exceeded_limit(&mut self) -> Option<LimitKind> {
        let all = self.measure_usage();
        self.used = all.memory;
        self.peak = self.peak.max(all.memory);
        let memory = self.limits.memory.is_some_and(|limit| all.memory > limit);
        let cpu = self.limits.cpu.is_some_and(|limit| cpu_time(&all) > limit);
        let processes = self.limits.processes.is_some_and(|limit| all.threads > u64::from(limit));
        let passed = [
            (memory, LimitKind::Memory),
            (cpu, LimitKind::Cpu),
            (processes, LimitKind::Processes),
            (self.disk_is_full(), LimitKind::Disk),
        ];
        passed.into_iter().find(|(over, _)| *over).map(|(_, limit)| limit)
    }

    fn measure_usage(&mut self) -> CurrentUsage {
        let processes = tree::list_processes(self.way);
        let numbers: Vec<i32> = processes.iter().map(|process| process.pid).collect();
        CurrentUsage {
            memory: self.memory.memory_of(&numbers, self.limits.memory),
            cpu_ticks: processes.iter().map(|process| process.cpu_ticks).sum(),
            threads: processes.iter().map(|process| process.threads).sum(),
        }
    }

    fn disk_is_full(&self) -> bool {
        let Some(limit) = self.limits.disk else { return false };
        let shrunk = |disk: &MeteredDisk| free_space(&disk.path).map(|now| disk.free.shrunk_by(now));
        self.disks.iter().filter_map(shrunk).any(|by| by > limit)
    }
}

impl MeteredDisk {
    fn at_path(path: &Path) -> Option<Self> {
        Some(Self { path: path.to_owned(), free: free_space(path)? })
    }
}

impl FreeSpace {
    /// Returns the number of bytes by which it shrank. A file takes a block at least, even if it is empty.
    fn shrunk_by(self, now: Self) -> u64 {
        let files = self.files.saturating_sub(now.files).saturating_mul(BLOCK);
        self.bytes.saturating_sub(now.bytes).max(files)
    }
}

/// The processor time of those that run and of those that ended.
fn cpu_time(all: &CurrentUsage) -> Duration {
    Duration::from_millis(all.cpu_ticks * (1000 / TICKS)) + linux::used_by_children().cpu
}

fn free_space(path: &Path) -> Option<FreeSpace> {
    let space = rustix::fs::statvfs(path).ok()?;
    Some(FreeSpace { bytes: space.f_bavail * space.f_frsize, files: space.f_favail })
}
