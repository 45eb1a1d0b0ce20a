//! The passes: every attempt as root and as an ordinary user, and the account of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::arena::{Arena, random};
use crate::host::Host;
use crate::run::{Ran, Scene};
use crate::signs::{Verdict, judge};
use crate::sys;
use crate::table::{self, Attempt, Who};
use crate::works;

/// Attempts that are made at the same time; most of them wait more than they work.
const AT_ONCE: usize = 12;

/// The argument that selects the work to be done inside, as opposed to the attempts to get out.
const WORKS: &str = "works";

type Row = (&'static str, &'static Attempt);

/// Runs the attempts that `args` name, or all, and prints the results.
pub(crate) fn main(args: &[String]) -> ExitCode {
    if args.iter().any(|arg| arg == "--list") {
        return ExitCode::SUCCESS;
    }
    let is_root = unsafe { libc::getuid() } == 0;
    keep_apart(is_root);
    let began = Instant::now();
    let host = Host::new();
    let launcher = copy_launcher(&host);
    let names: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let meant = |(group, row): &Row| {
        let named =
            |name: &&&String| **name != WORKS && (row.name.contains(**name) || group.contains(**name));
        names.is_empty() || names.iter().any(|name| named(&name))
    };
    let rows: Vec<Row> = table::all().into_iter().filter(meant).collect();
    let passes = if is_root { vec![Who::Root, Who::User] } else { vec![Who::User] };
    let mut failed = 0;
    for who in passes {
        let fit = |(_, row): &&Row| row.who == Who::Both || row.who == who;
        let rows: Vec<Row> = rows.iter().filter(fit).copied().collect();
        let verdicts = pass(&host, &launcher, who, &rows);
        failed += account(who, &rows, &verdicts);
        if names.is_empty() || names.iter().any(|name| *name == WORKS) {
            failed += works::pass(&host, &launcher, who, user(who, 999));
        }
    }
    failed += left_behind();
    println!("escapes: {} s", began.elapsed().as_secs_f32());
    drop(host);
    ExitCode::from(u8::from(failed > 0))
}

/// Keeps what controls do as root away from the machine: its mounts, its name and its shared memory stay as they are.
fn keep_apart(is_root: bool) {
    sys::call(libc::SYS_prctl, &[libc::PR_SET_CHILD_SUBREAPER as usize, 1]).ok();
    if !is_root {
        return;
    }
    let flags = libc::CLONE_NEWNS | libc::CLONE_NEWUTS | libc::CLONE_NEWIPC;
    sys::call(libc::SYS_unshare, &[flags as usize]).expect("namespaces for the controls");
    let root = sys::text("/");
    let private = (libc::MS_REC | libc::MS_PRIVATE) as usize;
    sys::call(libc::SYS_mount, &[0, sys::at(&root), 0, private, 0]).expect("mounts of our own");
}

/// The launcher where every user reaches it.
fn copy_launcher(host: &Host) -> PathBuf {
    let named = std::env::var_os("WHEREFORE_SANDBOX_RUN").map(PathBuf::from);
    let built = option_env!("CARGO_BIN_EXE_sandbox-run").map(PathBuf::from);
    let launcher = named.or(built).expect("WHEREFORE_SANDBOX_RUN names a launcher");
    let copy = host.base.join("bin/sandbox-run");
    std::fs::copy(launcher, &copy).expect("the launcher is built");
    copy
}

/// Runs all attempts of a pass, several at a time.
fn pass(host: &Host, launcher: &Path, who: Who, rows: &[Row]) -> BTreeMap<usize, Verdict> {
    let next = AtomicUsize::new(0);
    let verdicts = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((_, row)) = rows.get(at) else { break };
                    let verdict = judge(row, |confined| scene(host, launcher, who, at, confined, row));
                    verdicts.lock().unwrap().insert(at, verdict);
                }
            });
        }
    });
    verdicts.into_inner().unwrap()
}

/// The user of an attempt: one for each, so that one which ends all processes of its user ends no other.
fn user(who: Who, at: u32) -> u32 {
    let mine = unsafe { libc::getuid() };
    let alone = 200_000_000 + (std::process::id() % 1000) * 1000 + at;
    if who == Who::User && mine == 0 { alone } else { mine }
}

fn scene<'a>(
    host: &'a Host,
    launcher: &Path,
    who: Who,
    at: usize,
    confined: bool,
    row: &'static Attempt,
) -> Scene<'a> {
    let uid = user(who, at as u32);
    let name = format!("{who:?}-{at}-{}", if confined { "confined" } else { "control" });
    Scene {
        host,
        arena: Arena::new(host.base.join(name), uid),
        row,
        word: random("word"),
        launcher: confined.then(|| launcher.to_owned()),
        victim: None,
        ran: Ran::default(),
        terminal: None,
    }
}

/// Prints a pass by groups, and gives the number of those that were not stopped.
fn account(who: Who, rows: &[Row], verdicts: &BTreeMap<usize, Verdict>) -> usize {
    let verbose = std::env::var_os("WHEREFORE_VERBOSE").is_some();
    let mut groups: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut sum = [0; 4];
    for (at, (group, row)) in rows.iter().enumerate() {
        let place = match &verdicts[&at] {
            Verdict::Stopped(why) => {
                if verbose {
                    println!("stopped: {who:?}: {group}: {}: {why}", row.name);
                }
                0
            }
            Verdict::NoControl(why) => {
                println!("no control: {who:?}: {group}: {}: {why}", row.name);
                1
            }
            Verdict::Escaped(_) if row.known.is_some() => {
                println!("known: {who:?}: {group}: {}: {}", row.name, row.known.unwrap_or_default());
                3
            }
            Verdict::Escaped(signs) => {
                let signs: Vec<String> =
                    signs.iter().map(|(sign, what)| format!("{sign:?}: {what}")).collect();
                println!("ESCAPED: {who:?}: {group}: {}: {}", row.name, signs.join("; "));
                2
            }
            Verdict::NotRun(why) => {
                println!("NOT RUN: {who:?}: {group}: {}: {why}", row.name);
                2
            }
        };
        groups.entry(group).or_default()[place] += 1;
        sum[place] += 1;
    }
    for (group, [stopped, skipped, escaped, known]) in groups {
        println!(
            "  {group:<14} stopped {stopped:>3}   no control {skipped:>2}   known {known:>2}   NOT stopped {escaped:>2}"
        );
    }
    let [stopped, skipped, escaped, known] = sum;
    println!("{who:?}: {stopped} stopped, {skipped} without a control, {known} known, {escaped} NOT stopped");
    escaped
}

/// Ends remaining processes of the launchers, and prints them.
fn left_behind() -> usize {
    let mut count = 0;
    // A killed process may still be exiting.
    let mut patience = 100;
    loop {
        let mut status = 0;
        let done = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
        if done > 0 {
            continue;
        }
        let Some(pid) = children().next() else { break };
        if patience > 0 {
            patience -= 1;
            sys::sleep(10);
            continue;
        }
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        println!("LEFT BEHIND: process {pid} {}", name.trim());
        unsafe { libc::kill(pid, libc::SIGKILL) };
        sys::sleep(10);
        count += 1;
    }
    count
}

/// The children of this process.
fn children() -> impl Iterator<Item = i32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let list =
        |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
    let parse =
        |list: String| list.split(' ').filter_map(|pid| pid.trim().parse().ok()).collect::<Vec<i32>>();
    tasks.flat_map(move |task| parse(list(task)))
}
