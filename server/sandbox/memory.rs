//! The memory of a sandbox's processes. The kernel's quick count leaves out what processes share; a file in memory that
//! nobody maps stands in no process's count at all. Both are measured when there is reason to.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::spec::Way;

/// How many measurements pass between two looks at files in memory.
const SELDOM: u32 = 4;

/// Measures memory, in bytes.
pub(crate) struct Memory {
    page: u64,
    measured: u32,
    unmapped: u64,
    has_own_segments: bool,
}

impl Memory {
    pub(crate) fn new(way: Way) -> Self {
        let page = rustix::param::page_size() as u64;
        Self { page, measured: 0, unmapped: 0, has_own_segments: way != Way::Landlock }
    }

    /// What the processes use together. It is exact only where the quick count says that they may use more than `limit`.
    pub(crate) fn of(&mut self, processes: &[i32], limit: Option<u64>) -> u64 {
        if limit.is_some() && self.measured.is_multiple_of(SELDOM) {
            let segments = if self.has_own_segments { segments().unwrap_or_default() } else { 0 };
            self.unmapped = files_in_memory(processes) + segments;
        }
        self.measured = self.measured.wrapping_add(1);
        let (mut resident, mut own) = (0, 0);
        for (all, shared) in processes.iter().filter_map(|pid| self.quick_count(*pid)) {
            resident += all;
            own += all.saturating_sub(shared);
        }
        let quick = own + self.unmapped;
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

/// What this process has reserved of memory for data already, used or not.
pub(crate) fn reserved() -> u64 {
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
fn segments() -> Option<u64> {
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
