//! The patch engine: the project's own cases, a thousand hunks compared with GNU patch, hostile sizes: `cargo bench
//! --bench patch`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints what it saw, and one that cannot run may fail loudly"
)]

mod large;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use large::{Change, HOSTILE, Large};
use wherefore::patch::apply_diff;

/// The number of repetitions; the quickest counts, since other work on the machine only adds time.
const ROUNDS: usize = 7;

fn main() {
    // `cargo test --all-targets` comes here too.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    cases();
    beside_gnu();
    hostile();
}

/// The quickest of some rounds.
fn quickest(mut act: impl FnMut() -> Duration) -> Duration {
    (0..ROUNDS).map(|_| act()).min().unwrap()
}

/// The duration of a call.
fn timed<T>(act: impl FnOnce() -> T) -> Duration {
    let began = Instant::now();
    std::hint::black_box(act());
    began.elapsed()
}

/// Each case of the project, in process.
fn cases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/patch");
    let mut times = Vec::new();
    for case in fs::read_dir(root).unwrap() {
        let case = case.unwrap().path();
        let Ok(diff) = fs::read_to_string(case.join("diff")) else { continue };
        let before = fs::read_to_string(case.join("before")).ok();
        times.push(quickest(|| timed(|| apply_diff("src/lines.rs", before.as_deref(), &diff))));
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    println!("{} cases, in process: p50 {:?}, p95 {:?}, p99 {:?}", times.len(), at(0.5), at(0.95), at(0.99));
}

/// A thousand hunks for a file of a hundred thousand lines, by two processes in turns.
fn beside_gnu() {
    let large = Large::new();
    let folder = tempfile::tempdir().unwrap();
    let gnu = Command::new("patch").arg("--version").output().is_ok();
    if !gnu {
        println!("GNU patch is not there: its column is left out");
    }
    let mut clean = None;
    for change in [Change::None, Change::Moved, Change::Headers, Change::Context] {
        let (before, diff, after) = large.with(change);
        let engine = quickest(|| {
            timed(|| assert_eq!(apply_diff("f", Some(&before), &diff).unwrap().after, Some(after.clone())))
        });
        let process = |program: &str, args: &[&str]| {
            let mut right = true;
            let time = quickest(|| {
                fs::write(folder.path().join("f"), &before).unwrap();
                fs::write(folder.path().join("d"), &diff).unwrap();
                let mut command = Command::new(program);
                let time = timed(|| command.args(args).current_dir(&folder).output().unwrap());
                right &= fs::read(folder.path().join("f")).unwrap() == after.as_bytes();
                time
            });
            (time, right)
        };
        let (ours, right) = process(env!("CARGO_BIN_EXE_wherefore"), &["patch", "f", "d"]);
        let mut row = format!("{change:?}: {ours:.1?}{}, {engine:.1?} of it in the engine", wrong(right));
        if gnu {
            let (theirs, right) =
                process("patch", &["-s", "--batch", "--no-backup-if-mismatch", "-r", "-", "f", "d"]);
            let clean = *clean.get_or_insert(theirs);
            let ratio = ours.as_secs_f64() / clean.as_secs_f64();
            row += &format!("; GNU {theirs:.1?}{}; ours ÷ GNU's of a clean one {ratio:.2}", wrong(right));
        }
        println!("{row}");
    }
}

fn wrong(right: bool) -> &'static str {
    if right { "" } else { " (wrong)" }
}

/// Sizes that no diff should have.
fn hostile() {
    for (name, make) in HOSTILE {
        let (before, diff) = make();
        let resident = peak(|| drop(apply_diff("f", Some(&before), &diff)));
        let time = quickest(|| timed(|| apply_diff("f", Some(&before), &diff)));
        let size = before.len().max(1);
        let said = match apply_diff("f", Some(&before), &diff) {
            Ok(_) => "applied".to_owned(),
            Err(refusal) => format!("{:?}", refusal.code),
        };
        let (mb, times) = (size as f64 / 1e6, resident.map(|bytes| bytes as f64 / size as f64));
        println!(
            "{name} ({mb:.1} MB): {said} in {time:.1?}, memory {:.1} × the file",
            times.unwrap_or(f64::NAN)
        );
    }
}

/// By how many bytes the most that was resident during an act was above what is resident before it.
fn peak(act: impl FnOnce()) -> Option<u64> {
    let status = |key: &str| {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find(|line| line.starts_with(key))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
    };
    // Forgets the earlier peak (proc(5)).
    fs::write("/proc/self/clear_refs", "5").ok()?;
    let before = status("VmRSS")?;
    act();
    Some(status("VmHWM")?.saturating_sub(before))
}
