//! The routine of the program that builds a sandbox, run inside in place of a program.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use wherefore_sandbox::{RunReport, SandboxError, SandboxLevel, SandboxPlan, StandardStreams};

use crate::place::{Place, launcher, report_skip};

/// Returns the output of the routine of `sandbox-run`, in one tier.
fn look(level: SandboxLevel) -> Result<(RunReport, String), SandboxError> {
    let mut plan = SandboxPlan::of_routine("look");
    plan.streams = StandardStreams::Piped { input: true };
    plan.lowest = level;
    let mut running = launcher().assume_level(level).spawn(&plan)?;
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
    let (report, output) = look(SandboxLevel::Namespaces).unwrap();
    assert_eq!(report.exit_code, Some(0), "{report:?}");
    let parts: Vec<&str> = output.split('|').collect();
    assert_eq!((parts[0], parts[2]), ("asked", ""), "{output}");
    let ours = ["dev", "home", "proc", "root", "run", "tmp", "var"];
    assert!(parts[1].split(' ').all(|name| ours.contains(&name)), "{output}");
    assert_eq!(parts[3], "3", "descriptors are left open: {output}");
}

#[test]
fn a_routine_runs_in_the_lower_tiers() {
    match look(SandboxLevel::Landlock) {
        Ok((_, output)) => assert_eq!(output.split('|').take(3).collect::<Vec<_>>(), ["asked", "", ""]),
        Err(error) => report_skip(&format!("no Landlock here: {error}")),
    }
    if Path::new("/usr/bin/bwrap").exists() {
        let (report, output) = look(SandboxLevel::Bubblewrap).unwrap();
        assert!(report.exit_code == Some(0) && output.starts_with("asked|"), "{output}");
    }
}
