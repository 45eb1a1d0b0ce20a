//! The routine of the program that builds a sandbox, run inside in place of a program.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use wherefore_sandbox::{Level, Plan, Report, SandboxError, Streams};

use crate::place::{Place, launcher};

/// What the routine of `sandbox-run` tells, in one tier.
fn look(level: Level) -> Result<(Report, String), SandboxError> {
    let mut plan = Plan::of_routine("look");
    plan.streams = Streams::Piped { input: true };
    plan.lowest = level;
    let mut running = launcher().taking(level).spawn(&plan)?;
    let mut input = File::from(running.take_input().unwrap());
    input.write_all(b"asked").unwrap();
    drop(input);
    let mut output = String::new();
    File::from(running.take_output().unwrap()).read_to_string(&mut output).unwrap();
    Ok((running.wait()?, output.trim_end().to_owned()))
}

#[test]
fn a_routine_finds_no_file_of_the_host() {
    if Place::new().is_none() {
        return;
    }
    let (report, output) = look(Level::Namespaces).unwrap();
    assert_eq!(report.exit_code, Some(0), "{report:?}");
    let parts: Vec<&str> = output.split('|').collect();
    assert_eq!((parts[0], parts[2]), ("asked", ""), "{output}");
    let ours = ["dev", "home", "proc", "root", "run", "tmp", "var"];
    assert!(parts[1].split(' ').all(|name| ours.contains(&name)), "{output}");
    assert_eq!(parts[3], "3", "descriptors are left open: {output}");
}

#[test]
fn a_routine_runs_in_the_lower_tiers() {
    match look(Level::Landlock) {
        Ok((_, output)) => assert_eq!(output.split('|').take(3).collect::<Vec<_>>(), ["asked", "", ""]),
        Err(error) => eprintln!("skipped: no Landlock here: {error}"),
    }
    if Path::new("/usr/bin/bwrap").exists() {
        let (report, output) = look(Level::Bubblewrap).unwrap();
        assert!(report.exit_code == Some(0) && output.starts_with("asked|"), "{output}");
    }
}
