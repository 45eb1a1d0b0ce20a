//! Common programs: builds, interpreters, version control. Also the processes that remain when the starter of a
//! command dies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wherefore_sandbox::SandboxPlan;

use crate::place::{Place, report_skip};

/// Returns whether the sandbox shows `program` at `/usr`; else the test has nothing to run.
fn installed(program: &str) -> bool {
    let is_there = Path::new("/usr/bin").join(program).exists();
    if !is_there {
        report_skip(&format!("no /usr/bin/{program}"));
    }
    is_there
}

fn output(place: &Place, plan: &SandboxPlan) -> String {
    let outcome = place.run(plan);
    assert_eq!(outcome.report.exit_code, Some(0), "{} {:?}", outcome.errors, outcome.report);
    outcome.output
}

#[test]
fn cargo_builds_and_runs_a_program() {
    let Some(place) = Place::new() else { return };
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let (cargo, rustup) = (home.join(".cargo/bin"), home.join(".rustup"));
    if !cargo.join("cargo").exists() || !rustup.exists() {
        report_skip("no cargo in the home folder");
        return;
    }
    fs::create_dir(place.path().join("src")).unwrap();
    fs::write(place.path().join("src/main.rs"), "fn main() { println!(\"built\") }").unwrap();
    fs::write(
        place.path().join("Cargo.toml"),
        "[package]\nname = \"tiny\"\nedition = \"2024\"\n[workspace]\n",
    )
    .unwrap();
    let mut plan = place.plan(["cargo", "run", "--offline", "--quiet"]);
    plan.env.push(("PATH".into(), format!("{}:/usr/bin:/bin", cargo.display()).into()));
    plan.toolchains.extend([cargo, rustup]);
    plan.limits.wall = Some(Duration::from_secs(120));
    assert_eq!(output(&place, &plan), "built\n");
}

#[test]
fn interpreters_and_their_children_run() {
    let Some(place) = Place::new() else { return };
    let workers = "from multiprocessing import Manager, Pool
if __name__ == '__main__':
    with Pool(2) as pool, Manager() as manager:
        shared = manager.list(pool.map(abs, [-1, -2]))
        print(list(shared))";
    fs::write(place.path().join("workers.py"), workers).unwrap();
    if installed("python3") {
        assert_eq!(output(&place, &place.plan(["/usr/bin/python3", "workers.py"])), "[1, 2]\n");
        let terminal = "import os, pty; print(os.isatty(pty.openpty()[1]))";
        assert_eq!(output(&place, &place.plan(["/usr/bin/python3", "-c", terminal])), "True\n");
    }
    if installed("node") {
        let script = "console.log(require('child_process').execSync('echo child').toString().trim())";
        assert_eq!(output(&place, &place.plan(["node", "-e", script])), "child\n");
    }
}

#[test]
fn git_reads_a_repository() {
    let Some(place) = Place::new() else { return };
    if !installed("git") {
        return;
    }
    let made = Command::new("git").arg("init").arg("--quiet").arg(place.path()).status().unwrap();
    assert!(made.success());
    fs::write(place.path().join("new"), "").unwrap();
    assert_eq!(output(&place, &place.plan(["git", "status", "--short"])), "?? new\n");
    let config = fs::read(place.path().join(".git/config")).unwrap();
    assert_ne!(place.sh("git config core.fsmonitor ./bad").report.exit_code, Some(0));
    assert_eq!(fs::read(place.path().join(".git/config")).unwrap(), config);
}

#[test]
fn nothing_outlives_the_process_that_started_a_command() {
    let Some(place) = Place::new() else { return };
    for tier in ["A", "B"] {
        let mark = format!("{}{}", if tier == "A" { 3 } else { 4 }, std::process::id());
        let mut server = Command::new(env!("CARGO_BIN_EXE_sandbox-run"))
            .args(["--tier", tier, "--root"])
            .arg(place.path())
            .args(["--", "sh", "-c", &format!("trap '' TERM HUP; setsid sleep {mark} & sleep {mark}")])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let sleeping = || sleepers(&mark);
        wait_until(|| sleeping() == 2);
        server.kill().unwrap();
        server.wait().unwrap();
        wait_until(|| sleeping() == 0);
    }
}

fn sleepers(mark: &str) -> usize {
    let line = format!("sleep\0{mark}\0");
    let all = fs::read_dir("/proc").unwrap().flatten();
    all.filter(|entry| fs::read(entry.path().join("cmdline")).is_ok_and(|found| found == line.as_bytes()))
        .count()
}

fn wait_until(holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < end, "it did not come about within ten seconds");
        std::thread::sleep(Duration::from_millis(10));
    }
}
