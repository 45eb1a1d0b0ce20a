//! System calls of a run, learned by strace and then disturbed by it.

use std::process::Command;

use crate::support::{BINARY, Project, Ran, run, skipped};

/// A system call of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Syscall {
    /// The thread, in order of appearance; 0 is the main one.
    pub thread: usize,
    pub name: String,
    /// Which one of its name in its thread, from 1: what strace counts for `when=`.
    pub nth: usize,
    /// The whole line, with the paths of descriptors.
    pub line: String,
}

impl Syscall {
    /// Returns whether it changes anything on the disk.
    pub(crate) fn changes(&self) -> bool {
        match self.name.as_str() {
            "openat" | "open" => self.line.contains("O_CREAT"),
            "write" => !self.line.contains("<anon_inode") && !self.line.contains("<pipe:"),
            name => !matches!(name, "openat2" | "read" | "pread64" | "getdents64" | "flock"),
        }
    }

    /// Returns whether it belongs to the program and not to what loads it or to its own wake-ups.
    pub(crate) fn is_ours(&self) -> bool {
        let foreign = ["\"/lib", "\"/etc/", "\"/usr/", "\"/proc/", "\"/sys/", "<anon_inode", "<pipe:"];
        !foreign.iter().any(|part| self.line.contains(part))
    }
}

/// System calls on files in a run.
pub(crate) const FILE_CALLS: &str = "openat,openat2,open,read,pread64,write,pwrite64,fsync,fdatasync,rename,renameat,\
    renameat2,linkat,symlinkat,unlinkat,unlink,mkdirat,mkdir,fchmod,fchown,ftruncate,fsetxattr,flock,getdents64";

/// Returns whether strace is installed and may trace; prints a line if not.
pub(crate) fn works() -> bool {
    let tried =
        Command::new("strace").args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=openat", "true"]).output();
    let works = tried.is_ok_and(|tried| tried.status.success());
    if !works {
        skipped("strace is missing or may not trace: faults at system calls");
    }
    works
}

fn strace(project: &Project, options: &[&str], args: &[&str]) -> Ran {
    strace_fed(project, options, args, b"")
}

fn strace_fed(project: &Project, options: &[&str], args: &[&str], input: &[u8]) -> Ran {
    let mut command = project.command("strace");
    // With cargo's search path the loader alone would open more files than the program.
    command.env_remove("LD_LIBRARY_PATH");
    command.args(["-f", "-qq"]).args(options).arg(BINARY).args(args).arg("--root").arg(project.root());
    run(&mut command, input)
}

/// The system calls of one run.
pub(crate) fn learn(project: &Project, args: &[&str]) -> Vec<Syscall> {
    let log = project.beside("trace");
    let trace = format!("trace={FILE_CALLS}");
    let ran = strace(project, &["-y", "-o", log.to_str().unwrap(), "-e", &trace], args);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    read_trace(&log)
}

fn read_trace(log: &std::path::Path) -> Vec<Syscall> {
    let mut threads: Vec<String> = Vec::new();
    let mut calls: Vec<Syscall> = Vec::new();
    for line in std::fs::read_to_string(log).unwrap().lines() {
        let (thread, rest) = line.split_once(' ').unwrap();
        let Some((name, _)) = rest.trim_start().split_once('(') else { continue };
        if name.is_empty() || name.starts_with(['<', '+', '-']) {
            continue;
        }
        let thread = threads.iter().position(|known| known == thread).unwrap_or_else(|| {
            threads.push(thread.to_owned());
            threads.len() - 1
        });
        let before = calls.iter().filter(|call| call.thread == thread && call.name == name).count();
        calls.push(Syscall { thread, name: name.to_owned(), nth: before + 1, line: rest.to_owned() });
    }
    calls
}

/// Calls of one process with `what` done to the calls `name`, at the places `when` of each thread.
pub(crate) fn batch(project: &Project, name: &str, what: &str, when: &str, lines: &[u8]) -> Ran {
    let trace = format!("trace={name}");
    let inject = format!("inject={name}:{what}:when={when}");
    strace_fed(project, &["-o", "/dev/null", "-e", &trace, "-e", &inject], &["call", "--batch"], lines)
}

/// The system calls of a process that makes these calls.
pub(crate) fn learn_batch(project: &Project, lines: &[u8]) -> Vec<Syscall> {
    let log = project.beside("trace");
    let trace = format!("trace={FILE_CALLS}");
    let options = ["-y", "-o", log.to_str().unwrap(), "-e", &trace];
    let ran = strace_fed(project, &options, &["call", "--batch"], lines);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    read_trace(&log)
}

/// A run with `what` (as `signal=SIGKILL`, `error=EIO`) done to the calls `name`, at the places `when`.
pub(crate) fn inject(project: &Project, name: &str, what: &str, when: &str, args: &[&str]) -> Ran {
    let trace = format!("trace={name}");
    let inject = format!("inject={name}:{what}:when={when}");
    strace(project, &["-o", "/dev/null", "-e", &trace, "-e", &inject], args)
}
