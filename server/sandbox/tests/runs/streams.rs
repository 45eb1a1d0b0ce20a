//! Standard streams, arguments and variables.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use wherefore_sandbox::{SandboxError, SandboxLevel, StandardStreams};

use crate::place::{Place, launcher, reader};

#[test]
fn input_goes_in_and_both_outputs_come_out() {
    let Some(place) = Place::new() else { return };
    let mut plan = place.plan(["sh", "-c", "cat; echo bad >&2"]);
    plan.streams = StandardStreams::Piped { input: true };
    let mut running = launcher().spawn(&plan).unwrap();
    let (output, errors) = (reader(running.take_output()), reader(running.take_errors()));
    let mut input = File::from(running.take_input().unwrap());
    input.write_all(b"line\n").unwrap();
    drop(input);
    assert_eq!(running.wait().unwrap().exit_code, Some(0));
    assert_eq!((output.join().unwrap(), errors.join().unwrap()), ("line\n".to_owned(), "bad\n".to_owned()));
}

#[test]
fn an_argument_need_not_be_text_and_has_no_nul() {
    let Some(place) = Place::new() else { return };
    let mut plan = place.plan(["sh", "-c", "printf %s \"$1\" | od -An -tx1", "sh"]);
    plan.argv.push(OsStr::from_bytes(b"\xff\xfe").to_owned());
    assert_eq!(place.run(&plan).output.trim(), "ff fe");
    plan.argv.push(OsStr::from_bytes(b"a\0b").to_owned());
    assert!(matches!(place.try_run(&plan), Err(SandboxError::Command(_))));
}

#[test]
fn the_environment_is_an_allow_list() {
    let Some(place) = Place::new() else { return };
    let mut plan = place.plan(["env"]);
    plan.env.push(("MINE".into(), "1".into()));
    let outcome = place.run(&plan);
    let mut names: Vec<&str> = outcome.output.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    assert_eq!(names, ["HOME", "LANG", "MINE", "PATH", "TERM", "TMPDIR"]);
}

#[test]
fn a_command_has_no_descriptor_but_the_standard_ones() {
    let Some(place) = Place::new() else { return };
    let outcome = place.run(&place.plan([
        "/usr/bin/python3",
        "-c",
        "import os; print(sorted(os.listdir('/proc/self/fd')))",
    ]));
    assert_eq!(outcome.output, "['0', '1', '2', '3']\n", "{}", outcome.errors);
}

#[test]
fn many_run_at_once() {
    let Some(place) = Place::new() else { return };
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..50)
            .map(|n| {
                scope.spawn({
                    let place = &place;
                    move || (n, place.sh(&format!("echo {n}")))
                })
            })
            .collect();
        for run in runs {
            let (n, outcome) = run.join().unwrap();
            assert_eq!(outcome.output, format!("{n}\n"), "{}", outcome.errors);
        }
    });
}

#[test]
fn a_helper_that_stands_ready_serves_the_next_command() {
    let Some(place) = Place::new() else { return };
    let launcher = launcher().assume_level(SandboxLevel::Namespaces).with_ready_helper();
    for text in ["one", "two", "three"] {
        let mut running = launcher.spawn(&place.plan(["echo", text])).unwrap();
        let output = reader(running.take_output());
        assert_eq!(running.wait().unwrap().exit_code, Some(0));
        assert_eq!(output.join().unwrap(), format!("{text}\n"));
    }
}
