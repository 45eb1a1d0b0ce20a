//! Which tier a command gets, and what a lower one still holds.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use wherefore_sandbox::{Effects, Launcher, Level, Limit, SandboxError, Tier};

use crate::place::{Outcome, Place, launcher, reader};

/// What a machine offers whose kernel makes no more user namespaces. `None`: this one cannot pretend to be such a machine.
fn without_namespaces() -> Option<Tier> {
    let script = format!(
        "echo 0 > /proc/sys/user/max_user_namespaces && exec {} --probe",
        env!("CARGO_BIN_EXE_sandbox-run")
    );
    let output = Command::new("unshare").args(["-Ur", "sh", "-c", &script]).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

fn in_tier_b(place: &Place, script: &str) -> Option<Outcome> {
    let mut plan = place.plan(["/usr/bin/python3", "-c", script]);
    plan.lowest = Level::Landlock;
    plan.limits.wall = Some(Duration::from_secs(2));
    let mut running = launcher().taking(Level::Landlock).spawn(&plan).unwrap();
    let (output, errors) = (reader(running.take_output()), reader(running.take_errors()));
    match running.wait() {
        Ok(report) => {
            Some(Outcome { report, output: output.join().unwrap(), errors: errors.join().unwrap() })
        }
        Err(error) => {
            eprintln!("skipped: no Landlock here: {error}");
            None
        }
    }
}

#[test]
fn a_tier_is_found_by_running_a_command() {
    let launcher = launcher();
    let tier = launcher.probe();
    if Place::new().is_some() {
        assert_eq!((tier.level, tier.reasons.len()), (Level::Namespaces, 0));
    }
    let Some(tier) = without_namespaces() else {
        eprintln!("skipped: unshare does not work here");
        return;
    };
    assert_ne!(tier.level, Level::Namespaces);
    assert!(tier.reasons[0].contains("sysctl user.max_user_namespaces=10000"), "{tier:?}");
}

#[test]
fn no_command_runs_in_a_lower_tier_than_its_plan_allows() {
    let Some(place) = Place::new() else { return };
    let lesser: Launcher = launcher().taking(Level::Landlock);
    assert!(matches!(lesser.spawn(&place.plan(["true"])), Err(SandboxError::Unavailable { .. })));
    let mut overlaid = place.plan(["true"]);
    overlaid.lowest = Level::Landlock;
    overlaid.effects = Effects::Overlay { folder: place.path().to_owned(), direct: Vec::new() };
    assert!(matches!(lesser.spawn(&overlaid), Err(SandboxError::Unavailable { .. })));
    overlaid.effects = Effects::WriteThrough;
    let nothing = launcher().taking(Level::Nothing);
    assert!(matches!(nothing.spawn(&overlaid), Err(SandboxError::Unavailable { .. })));
}

#[test]
fn tier_b_holds_files_sockets_and_descendants() {
    let Some(place) = Place::new() else { return };
    fs::create_dir_all(place.path().join(".git")).unwrap();
    fs::create_dir_all(place.path().join("src")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "hush").unwrap();
    let script = format!(
        "import os, socket, time
def attempt(act):
    try: print(act())
    except OSError: print('no')
attempt(lambda: open('src/x', 'w').write('ok'))
attempt(lambda: open('.git/config', 'w').write('bad'))
attempt(lambda: open('{0}/secret').read())
attempt(lambda: open('{0}/new', 'w').write('bad'))
attempt(lambda: socket.socket())
attempt(lambda: socket.socket(socket.AF_UNIX))
attempt(lambda: open('/proc/1/environ').read())
attempt(lambda: os.kill({1}, 0))
attempt(lambda: open(os.environ['TMPDIR'] + '/x', 'w').write('ok'))
if os.fork() == 0:
    os.setsid()
    time.sleep(30)",
        outside.path().display(),
        std::process::id()
    );
    let Some(outcome) = in_tier_b(&place, &script) else { return };
    assert_eq!(outcome.output, "2\nno\nno\nno\nno\nno\nno\nno\n2\n", "{}", outcome.errors);
    assert_eq!((outcome.report.exit_code, outcome.report.tier), (Some(0), Level::Landlock));
    assert!(!Path::new(&place.path().join(".git/config")).exists());
}

#[test]
fn tier_b_ends_what_runs_too_long() {
    let Some(place) = Place::new() else { return };
    let script = "import os, time\nfor n in range(20):\n  if os.fork() == 0:\n    os.setsid()\n    break\nprint('.', end='', flush=True)\ntime.sleep(60)";
    let Some(outcome) = in_tier_b(&place, script) else { return };
    assert_eq!(outcome.report.limit, Some(Limit::Wall));
    assert_eq!(outcome.output.len(), 21);
}

#[test]
fn the_namespaces_of_bwrap_end_with_the_command() {
    let Some(place) = Place::new() else { return };
    if !Path::new("/usr/bin/bwrap").exists() {
        eprintln!("skipped: no /usr/bin/bwrap");
        return;
    }
    let script =
        "trap '' TERM; (setsid sleep 60 &) ; echo begun; head -c 3000000 /dev/zero > /dev/shm/big; sleep 60";
    let mut plan = place.plan(["sh", "-c", script]);
    plan.lowest = Level::Bubblewrap;
    plan.limits.wall = Some(Duration::from_secs(1));
    plan.limits.scratch = 1 << 20;
    let mut running = launcher().taking(Level::Bubblewrap).spawn(&plan).unwrap();
    let (output, errors) = (reader(running.take_output()), reader(running.take_errors()));
    let report = running.wait().unwrap();
    assert_eq!((report.limit, report.tier), (Some(Limit::Wall), Level::Bubblewrap));
    assert!(report.duration < Duration::from_secs(20), "{report:?}");
    assert_eq!(output.join().unwrap(), "begun\n");
    assert!(errors.join().unwrap().contains("No space left"));
}
