//! Odd input: each is a named error or a true report, and nothing of it is left running.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use wherefore_sandbox::{BuildStage, LimitKind, PlantedKind, SandboxError, SandboxPlan};

use crate::place::{Place, launcher, reader};

fn python(place: &Place, script: &str) -> SandboxPlan {
    let mut plan = place.plan(["/usr/bin/python3", "-c", script]);
    plan.limits.wall = Some(Duration::from_secs(20));
    plan
}

#[test]
fn output_that_nobody_reads_ends_the_command() {
    let Some(place) = Place::new() else { return };
    let mut running = launcher().spawn(&place.plan(["yes"])).unwrap();
    drop(running.take_output());
    assert_eq!(running.wait().unwrap().signal, Some(13));
}

#[test]
fn arguments_are_passed_on_or_refused_by_the_kernels_measure() {
    let Some(place) = Place::new() else { return };
    let mut many = place.plan(["sh", "-c", "echo $#", "sh"]);
    many.argv.extend((0..1500).map(|_| OsString::from("x".repeat(1000))));
    assert_eq!(place.run(&many).output, "1500\n");
    let mut long = place.plan(["echo"]);
    long.argv.push("x".repeat(2 << 20).into());
    let Err(SandboxError::Program { source, .. }) = place.try_run(&long) else { panic!("it ran") };
    assert_eq!(source.raw_os_error(), Some(7));
}

#[test]
fn a_command_starts_in_a_folder_that_its_sandbox_shows() {
    let Some(place) = Place::new() else { return };
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("sub")).unwrap();
    fs::write(place.path().join("file"), "").unwrap();
    symlink("sub", place.path().join("in")).unwrap();
    symlink(outside.path(), place.path().join("out")).unwrap();
    let started = |cwd: &str| {
        let mut plan = place.plan(["pwd"]);
        plan.cwd = place.path().join(cwd);
        place.try_run(&plan).map(|outcome| outcome.output)
    };
    assert_eq!(started("in").unwrap().trim(), place.path().join("sub").to_str().unwrap());
    for cwd in ["out", "file", outside.path().to_str().unwrap()] {
        let refused = started(cwd);
        assert!(matches!(refused, Err(SandboxError::Build { stage: BuildStage::Folder, .. })), "{refused:?}");
    }
    assert!(matches!(started("missing"), Err(SandboxError::Path { .. })));
}

#[test]
fn processes_that_nobody_waits_for_are_taken_away() {
    let Some(place) = Place::new() else { return };
    let script = "import os, time
for n in range(300):
  if (pid := os.fork()) == 0:
    if os.fork() == 0: os._exit(0)
    os._exit(0)
  os.waitpid(pid, 0)
  time.sleep(0.005)
print('all ended')";
    let mut plan = python(&place, script);
    plan.limits.processes = Some(64);
    let outcome = place.run(&plan);
    assert_eq!(outcome.output, "all ended\n", "{} {:?}", outcome.errors, outcome.report);
}

#[test]
fn a_command_that_fills_the_disk_is_ended() {
    let Some(place) = Place::new() else { return };
    // Far more than the limit: what others delete on the same disk meanwhile is taken for space that came back.
    let large = "import time\nwith open('big', 'wb') as f:\n  for n in range(20): f.write(bytes(20 << 20))\n  f.flush(); time.sleep(15)";
    let many = "import time\nfor n in range(60000): open(f'f{n}', 'w').close()\ntime.sleep(15)";
    for script in [large, many] {
        let mut plan = python(&place, script);
        plan.limits.disk = Some(16 << 20);
        let outcome = place.run(&plan);
        assert_eq!(outcome.report.limit, Some(LimitKind::Disk), "{} {:?}", outcome.errors, outcome.report);
    }
}

#[test]
fn bytes_that_are_no_text_come_out_as_they_are() {
    let Some(place) = Place::new() else { return };
    let mut running = launcher().spawn(&place.plan(["printf", "\\377\\000\\033]0;x\\007"])).unwrap();
    let output = running.take_output().unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut fs::File::from(output), &mut bytes).unwrap();
    assert_eq!((bytes.as_slice(), running.wait().unwrap().exit_code), (&b"\xff\0\x1b]0;x\x07"[..], Some(0)));
}

#[test]
fn what_is_planted_under_odd_names_is_moved_away_and_told() {
    let Some(place) = Place::new() else { return };
    let quarantine = tempfile::tempdir().unwrap();
    let script = "import os
os.makedirs(b'\\xff/.git'); os.mkdir('.VSCode')
for n in range(30):
  os.makedirs('d' * 200); os.chdir('d' * 200)
os.mkdir('.git')";
    let mut plan = python(&place, script);
    plan.quarantine = Some(quarantine.path().to_owned());
    let outcome = place.run(&plan);
    assert_eq!(outcome.report.exit_code, Some(0), "{}", outcome.errors);
    let kinds: Vec<PlantedKind> = outcome.report.planted.iter().map(|one| one.kind).collect();
    let protected = PlantedKind::Protected;
    assert_eq!(kinds, [protected, PlantedKind::Deep, protected], "{:?}", outcome.report.planted);
    assert!(
        outcome.report.planted.iter().all(|one| one.quarantined.is_some()),
        "{:?}",
        outcome.report.planted
    );
}

#[test]
fn a_plan_with_odd_limits_ends_in_time() {
    let Some(place) = Place::new() else { return };
    let mut plan = place.plan(["sh", "-c", "yes & yes >/dev/null & wait"]);
    plan.limits.wall = Some(Duration::from_millis(400));
    let mut running = launcher().spawn(&plan).unwrap();
    // A reader that stops reading keeps no process alive.
    let output = running.take_output();
    let errors = reader(running.take_errors());
    let report = running.wait().unwrap();
    assert_eq!(report.limit, Some(LimitKind::Wall));
    assert!(report.duration < Duration::from_secs(20), "{report:?}");
    drop(output);
    errors.join().unwrap();
}
