//! What the processes of a sandbox use together, measured against the plan's limits.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::plan::Limits;
use crate::spec::{How, Limit, Spec};

/// The ticks of a second, in which the kernel counts processor time for programs.
const TICKS: u64 = 100;

/// Measures the processes of this namespace.
pub(crate) struct Meter {
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

/// What a process uses.
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
        Self { limits: spec.limits, page: rustix::param::page_size() as u64, peak: 0, disks }
    }

    /// The most memory that was used at once, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// The limit that is passed.
    pub(crate) fn over(&mut self) -> Option<Limit> {
        let all = self.measure();
        self.peak = self.peak.max(all.memory);
        let cpu = self.limits.cpu.is_some_and(|limit| used(&all) > limit);
        let memory = self.limits.memory.is_some_and(|limit| all.memory > limit);
        let processes = self.limits.processes.is_some_and(|limit| all.threads > u64::from(limit));
        let found = [(memory, Limit::Memory), (cpu, Limit::Cpu), (processes, Limit::Processes)];
        let found = found.into_iter().find(|(over, _)| *over).map(|(_, limit)| limit);
        found.or_else(|| self.disk_is_full().then_some(Limit::Disk))
    }

    fn measure(&self) -> Use {
        let mut all = Use::default();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_process = name.as_encoded_bytes().first().is_some_and(u8::is_ascii_digit);
            if !is_process || name == "1" {
                continue;
            }
            if let Some(one) = self.of_process(&entry.path()) {
                all.memory += one.memory;
                all.cpu_ticks += one.cpu_ticks;
                all.threads += one.threads;
            }
        }
        all
    }

    fn of_process(&self, folder: &Path) -> Option<Use> {
        let pages = fs::read_to_string(folder.join("statm")).ok()?;
        let mut pages = pages.split(' ').skip(1).map(|field| field.parse::<u64>().unwrap_or_default());
        let (resident, shared) = (pages.next()?, pages.next()?);
        let stat = fs::read(folder.join("stat")).ok()?;
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let stat = String::from_utf8_lossy(stat.get(name_end + 2..)?).into_owned();
        let fields: Vec<u64> = stat.split(' ').map(|field| field.parse().unwrap_or_default()).collect();
        let cpu_ticks = fields.get(11)? + fields.get(12)?;
        let memory = resident.saturating_sub(shared) * self.page;
        Some(Use { memory, cpu_ticks, threads: *fields.get(17)? })
    }

    fn disk_is_full(&self) -> bool {
        let Some(limit) = self.limits.disk else { return false };
        self.disks
            .iter()
            .any(|disk| free(&disk.path).is_some_and(|now| disk.free.saturating_sub(now) > limit))
    }
}

impl Disk {
    fn of(path: &Path) -> Option<Self> {
        Some(Self { path: path.to_owned(), free: free(path)? })
    }
}

fn used(all: &Use) -> Duration {
    Duration::from_millis(all.cpu_ticks * (1000 / TICKS)) + crate::linux::used_by_children().cpu
}

fn free(path: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(path).ok()?;
    Some(space.f_bavail * space.f_frsize)
}
