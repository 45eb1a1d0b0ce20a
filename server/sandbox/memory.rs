//! The memory of a sandbox's processes. The kernel's quick count leaves out memory that processes share; a file in
//! memory that is not mapped is in no process's count at all. Both are measured when there is reason to. The contents
//! of the private folders are in memory too.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::spec::{ConfinementWay, SandboxSpec};

/// The number of measurements between two scans for files in memory.
const SELDOM: u32 = 4;

/// Measures memory, in bytes.
pub(crate) struct MemoryMeter {
    /// The private file systems in memory, and what they held at the start.
    scratch: Vec<(PathBuf, u64)>,
    page: u64,
    measured: u32,
    unmapped: u64,
    has_own_segments: bool,
}

impl MemoryMeter {
    pub(crate) fn new(spec: &SandboxSpec) -> Self {
        let page = rustix::param::page_size() as u64;
        let folders: &[&Path] = match spec.way {
            // All of them are one there.
            ConfinementWay::Namespaces => &[Path::new("/var/tmp")],
            ConfinementWay::Inside if spec.temporary.is_some() => {
                &[Path::new("/var/tmp"), Path::new("/dev/shm"), spec.home.as_path()]
            }
            ConfinementWay::Inside => {
                &[Path::new("/tmp"), Path::new("/var/tmp"), Path::new("/dev/shm"), spec.home.as_path()]
            }
            // Its private folder is on a disk.
            ConfinementWay::Landlock => &[],
        };
        let scratch =
            folders.iter().filter_map(|path| Some((path.to_path_buf(), bytes_held(path)?))).collect();
        Self {
            scratch,
            page,
            measured: 0,
            unmapped: 0,
            has_own_segments: spec.way != ConfinementWay::Landlock,
        }
    }

    /// Returns the memory that the processes use together. It is exact only if the quick count is above `limit`.
    pub(crate) fn memory_of(&mut self, processes: &[i32], limit: Option<u64>) -> u64 {
        if limit.is_some() && self.measured.is_multiple_of(SELDOM) {
            let segments = if self.has_own_segments { segment_bytes().unwrap_or_default() } else { 0 };
            self.unmapped = files_in_memory(processes) + segments;
        }
        self.measured = self.measured.wrapping_add(1);
        let (mut resident, mut own) = (0, 0);
        for (all, shared) in processes.iter().filter_map(|pid| self.quick_count(*pid)) {
            resident += all;
            own += all.saturating_sub(shared);
        }
        let in_scratch = |(path, before): &(PathBuf, u64)| Some(bytes_held(path)?.saturating_sub(*before));
        let quick = own + self.unmapped + self.scratch.iter().filter_map(in_scratch).sum::<u64>();
        match limit {
            Some(limit) if quick <= limit && resident > limit => {
                quick.max(processes.iter().filter_map(|pid| exact_count(*pid)).sum())
            }
            _ => quick,
        }
    }

    /// The resident memory of a process, and how much of that others may share.
    fn quick_count(&self, pid: i32) -> Option<(u64, u64)> {
        let pages = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        let mut pages = pages.split(' ').skip(1).filter_map(|field| field.parse::<u64>().ok());
        Some((pages.next()? * self.page, pages.next()? * self.page))
    }
}

/// Returns the size of the contents of a file system in memory.
fn bytes_held(path: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(path).ok()?;
    Some(space.f_blocks.saturating_sub(space.f_bfree) * space.f_frsize)
}

/// Returns the memory that this process has reserved for data already, used or not.
pub(crate) fn reserved_bytes() -> u64 {
    let pages = fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|pages| pages.split_whitespace().nth(5)?.parse::<u64>().ok());
    pages.unwrap_or_default() * rustix::param::page_size() as u64
}

/// A process's part of all memory that no file on a disk holds; what is shared is divided among those that share it.
fn exact_count(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let kibibytes = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let counts = matches!(name, "Pss_Anon" | "Pss_Shmem");
        counts.then(|| value.trim().strip_suffix(" kB")?.parse::<u64>().ok()).flatten()
    };
    Some(text.lines().filter_map(kibibytes).sum::<u64>() * 1024)
}

/// The resident memory of the shared segments of this namespace, attached or not.
fn segment_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/sysvipc/shm").ok()?;
    let mut lines = text.lines();
    let at = lines.next()?.split_whitespace().position(|column| column == "rss")?;
    Some(lines.filter_map(|line| line.split_whitespace().nth(at)?.parse::<u64>().ok()).sum())
}

/// The files in memory that the processes have open, each counted once.
fn files_in_memory(processes: &[i32]) -> u64 {
    let mut found = HashMap::new();
    for pid in processes {
        for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
            let is_in_memory = fs::read_link(entry.path())
                .is_ok_and(|target| target.as_os_str().as_encoded_bytes().starts_with(b"/memfd:"));
            if is_in_memory && let Ok(file) = fs::metadata(entry.path()) {
                found.insert((file.dev(), file.ino()), file.blocks() * 512);
            }
        }
    }
    found.into_values().sum()
}
