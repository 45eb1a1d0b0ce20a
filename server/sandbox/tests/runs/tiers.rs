//! The tier of a command, and the guarantees of a lower one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use wherefore_sandbox::{
    LimitKind, MachineTier, SandboxError, SandboxLauncher, SandboxLevel, SandboxPlan, StandardStreams,
    WriteEffects,
};

use crate::place::{Outcome, Place, launcher, reader, report_skip};

/// Returns the tier of a machine whose kernel makes no more user namespaces. `None`: this one cannot pretend to be
/// such a machine.
fn without_namespaces() -> Option<MachineTier> {
    let script = format!(
        "echo 0 > /proc/sys/user/max_user_namespaces && exec {} --probe",
        env!("CARGO_BIN_EXE_sandbox-run")
    );
    let output = Command::new("unshare").args(["-Ur", "sh", "-c", &script]).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

/// Runs this program on a kernel that lacks Landlock, or user namespaces. `None`: there is no Python here to pretend
/// it.
fn on_a_kernel_without(lacking: &str) -> Option<Command> {
    let python = Path::new("/usr/bin/python3");
    if !python.exists() {
        report_skip(&format!("no {}", python.display()));
        return None;
    }
    let mut command = Command::new(python);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/runs/without.py");
    command.args([script, lacking, env!("CARGO_BIN_EXE_sandbox-run")]);
    Some(command)
}

fn in_tier_b(place: &Place, script: &str) -> Option<Outcome> {
    let mut plan = place.plan(["/usr/bin/python3", "-c", script]);
    plan.lowest = SandboxLevel::Landlock;
    plan.limits.wall = Some(Duration::from_secs(2));
    let mut running = launcher().assume_level(SandboxLevel::Landlock).spawn(&plan).unwrap();
    let (output, errors) = (reader(running.take_output()), reader(running.take_errors()));
    match running.wait() {
        Ok(report) => {
            Some(Outcome { report, output: output.join().unwrap(), errors: errors.join().unwrap() })
        }
        Err(error) => {
            report_skip(&format!("no Landlock here: {error}"));
            None
        }
    }
}

#[test]
fn a_tier_is_found_by_running_a_command() {
    let launcher = launcher();
    let tier = launcher.probe();
    if Place::new().is_some() {
        assert_eq!((tier.level, tier.reasons.len()), (SandboxLevel::Namespaces, 0));
    }
    let Some(tier) = without_namespaces() else {
        report_skip("unshare does not work here");
        return;
    };
    assert_ne!(tier.level, SandboxLevel::Namespaces);
    assert!(tier.reasons[0].contains("sysctl user.max_user_namespaces=10000"), "{tier:?}");
}

/// Returns a launcher whose every process writes a line to the file beside it.
fn counting_launcher(place: &Place) -> (SandboxLauncher, std::path::PathBuf) {
    let (program, count) = (place.path().join("counting"), place.path().join("count"));
    let script = format!(
        "#!/bin/sh\necho >> {}\nexec {} \"$@\"\n",
        count.display(),
        env!("CARGO_BIN_EXE_sandbox-run")
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (SandboxLauncher::with_program(program), count)
}

#[test]
fn a_command_is_the_first_try_of_its_machine() {
    let (Some(place), Some(tools)) = (Place::new(), Place::new()) else { return };
    let (launcher, count) = counting_launcher(&tools);
    let outcome = Place::run_by(&launcher, &place.plan(["sh", "-c", "exit 3"])).unwrap();
    assert_eq!((outcome.report.exit_code, outcome.report.tier.level), (Some(3), SandboxLevel::Namespaces));
    assert_eq!(fs::read_to_string(&count).unwrap(), "\n", "no sandbox was built but the command's");
    // The plan is at fault, and that is said.
    let missing = Place::run_by(&launcher, &place.plan(["no-such-program"]));
    assert!(matches!(missing, Err(SandboxError::Program { .. })));
}

#[test]
fn the_process_of_a_command_at_the_terminal_is_started_before_its_plan() {
    let (Some(place), Some(tools)) = (Place::new(), Place::new()) else { return };
    let (launcher, count) = counting_launcher(&tools);
    launcher.prepare_at_terminal();
    let plan = SandboxPlan { streams: StandardStreams::Inherited, ..place.plan(["sh", "-c", "exit 3"]) };
    assert_eq!(launcher.spawn(&plan).unwrap().wait().unwrap().exit_code, Some(3));
    assert_eq!(fs::read_to_string(&count).unwrap(), "\n");
    // One that stays in the terminal's session builds no sandbox of a command that has its own.
    launcher.prepare_at_terminal();
    assert_eq!(Place::run_by(&launcher, &place.plan(["true"])).unwrap().report.exit_code, Some(0));
    assert_eq!(fs::read_to_string(&count).unwrap(), "\n\n\n");
}

#[test]
fn a_first_try_that_fails_runs_nothing_and_a_lower_tier_runs_it_once() {
    let Some(place) = Place::new() else { return };
    let made = place.path().join("made");
    let run = |lacking: &str| {
        let mut command = on_a_kernel_without(lacking)?;
        let script = format!("echo x >> {}", made.display());
        command.args(["--tier", "best", "--as-json", "--", "sh", "-c", &script]).current_dir(place.path());
        Some(command.output().unwrap())
    };
    let Some(output) = run("namespaces") else { return };
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(told["report"]["tier"]["level"], "B", "{output:?}");
    assert_eq!(fs::read_to_string(&made).unwrap(), "x\n");
    let output = run("landlock,namespaces").unwrap();
    assert!(!output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("this machine offers tier C"), "{output:?}");
    assert_eq!(fs::read_to_string(&made).unwrap(), "x\n");
}

#[test]
fn what_the_kernel_lacks_is_told_with_the_tier() {
    let Some(_place) = Place::new() else { return };
    let offered = |lacking: &str| -> Option<MachineTier> {
        let output = on_a_kernel_without(lacking)?.arg("--probe").output().unwrap();
        Some(serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}")))
    };
    let Some(tier) = offered("landlock") else { return };
    assert_eq!((tier.level, tier.landlock), (SandboxLevel::Namespaces, 0));
    assert!(tier.of_commands().to_string().contains("no Landlock"), "{tier:?}");
    assert!(tier.reasons[0].starts_with("Landlock: "), "{tier:?}");
    let tier = offered("namespaces").unwrap();
    assert!(
        tier.reasons[0].starts_with("namespaces: ") && tier.reasons[1].starts_with("bwrap: "),
        "{tier:?}"
    );
    assert!(!tier.reasons[1].contains("without telling"), "{tier:?}");
    assert_ne!(tier.level, SandboxLevel::Namespaces);
    let tier = offered("landlock,namespaces").unwrap();
    assert_eq!((tier.level, tier.reasons.len()), (SandboxLevel::Nothing, 3), "{tier:?}");
}

#[test]
fn nothing_runs_where_the_kernel_lacks_what_the_tier_is_made_of() {
    let Some(place) = Place::new() else { return };
    for (lacking, tier, runs) in [
        ("landlock", "A", true),
        ("landlock", "B", false),
        ("namespaces", "A", false),
        ("namespaces", "A'", false),
        ("landlock,namespaces", "A", false),
        ("landlock,namespaces", "B", false),
    ] {
        let Some(mut command) = on_a_kernel_without(lacking) else { return };
        let file = place.path().join("made");
        let _ = fs::remove_file(&file);
        command.args(["--tier", tier, "--", "touch"]).arg(&file).current_dir(place.path());
        let output = command.output().unwrap();
        assert_eq!((output.status.success(), file.exists()), (runs, runs), "{lacking}, {tier}: {output:?}");
    }
}

#[test]
fn without_landlock_the_other_walls_stand() {
    let Some(place) = Place::new() else { return };
    let Some(mut command) = on_a_kernel_without("landlock") else { return };
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "hush").unwrap();
    fs::create_dir(place.path().join(".git")).unwrap();
    let script = format!(
        "cat {0}/secret; echo x > {0}/new; echo x > .git/config; echo x > file; kill -0 {1}; ls -A ~",
        outside.path().display(),
        std::process::id()
    );
    let output = command
        .args(["--as-json", "--guard", ".git", "--", "sh", "-c", &script])
        .current_dir(place.path())
        .output();
    let told: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!(told["stdout"], "", "{told:#}");
    assert_eq!(told["report"]["tier"], serde_json::json!({ "level": "A", "landlock": 0 }), "{told:#}");
    assert!(place.path().join("file").exists() && !place.path().join(".git/config").exists());
    assert!(!outside.path().join("new").exists());
}

#[test]
fn no_command_runs_in_a_lower_tier_than_its_plan_allows() {
    let Some(place) = Place::new() else { return };
    let lesser: SandboxLauncher = launcher().assume_level(SandboxLevel::Landlock);
    assert!(matches!(lesser.spawn(&place.plan(["true"])), Err(SandboxError::Unavailable { .. })));
    let mut overlaid = place.plan(["true"]);
    overlaid.lowest = SandboxLevel::Landlock;
    overlaid.effects = WriteEffects::Overlay { folder: place.path().to_owned(), direct: Vec::new() };
    assert!(matches!(lesser.spawn(&overlaid), Err(SandboxError::Unavailable { .. })));
    overlaid.effects = WriteEffects::WriteThrough;
    let nothing = launcher().assume_level(SandboxLevel::Nothing);
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
    assert_eq!((outcome.report.exit_code, outcome.report.tier.level), (Some(0), SandboxLevel::Landlock));
    assert!(!Path::new(&place.path().join(".git/config")).exists());
}

#[test]
fn a_private_folder_of_any_depth_goes_with_its_command() {
    let Some(place) = Place::new() else { return };
    let script = "import os, tempfile\nfolder = tempfile.gettempdir(); os.chdir(folder); print(folder)\n\
                  for _ in range(3000): os.mkdir('d'); os.chdir('d')";
    let mut plan = place.plan(["/usr/bin/python3", "-c", script]);
    plan.lowest = SandboxLevel::Landlock;
    let mut running = launcher().assume_level(SandboxLevel::Landlock).spawn(&plan).unwrap();
    let output = reader(running.take_output());
    if running.wait().is_err() {
        return report_skip("no Landlock here");
    }
    let folder = output.join().unwrap();
    assert!(!Path::new(folder.trim()).exists(), "{folder}");
}

#[test]
fn tier_b_ends_what_runs_too_long() {
    let Some(place) = Place::new() else { return };
    let script = "import os, time\nfor n in range(20):\n  if os.fork() == 0:\n    os.setsid()\n    break\nprint('.', end='', flush=True)\ntime.sleep(60)";
    let Some(outcome) = in_tier_b(&place, script) else { return };
    assert_eq!(outcome.report.limit, Some(LimitKind::Wall));
    assert_eq!(outcome.output.len(), 21);
}

#[test]
fn the_namespaces_of_bwrap_end_with_the_command() {
    let Some(place) = Place::new() else { return };
    if !Path::new("/usr/bin/bwrap").exists() {
        report_skip("no /usr/bin/bwrap");
        return;
    }
    let script =
        "trap '' TERM; (setsid sleep 60 &) ; echo begun; head -c 3000000 /dev/zero > /dev/shm/big; sleep 60";
    let mut plan = place.plan(["sh", "-c", script]);
    plan.lowest = SandboxLevel::Bubblewrap;
    plan.limits.wall = Some(Duration::from_secs(1));
    plan.limits.scratch = 1 << 20;
    let mut running = launcher().assume_level(SandboxLevel::Bubblewrap).spawn(&plan).unwrap();
    let (output, errors) = (reader(running.take_output()), reader(running.take_errors()));
    let report = running.wait().unwrap();
    assert_eq!((report.limit, report.tier.level), (Some(LimitKind::Wall), SandboxLevel::Bubblewrap));
    assert!(report.duration < Duration::from_secs(20), "{report:?}");
    assert_eq!(output.join().unwrap(), "begun\n");
    assert!(errors.join().unwrap().contains("No space left"));
}
