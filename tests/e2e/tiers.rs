//! Reports for a person and an agent on a kernel without Landlock or user namespaces, and the commands that run there:
//! as the user of the tests, and as an ordinary user.

use std::os::unix::fs::lchown;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::{place, wherefore};
use crate::support::report_skip;

/// An ordinary user.
const NOBODY: u32 = 65534;

/// A kernel that lacks something, and who asks it.
struct Machine {
    folder: TempDir,
    lacking: &'static str,
    is_nobody: bool,
}

impl Machine {
    /// `None`: this machine cannot pretend to be one, or is none that confines anything.
    fn without(lacking: &'static str, is_nobody: bool) -> Option<Self> {
        let machine = Self { folder: place(), lacking, is_nobody };
        if is_nobody {
            ["work/.git", "work/a.txt", "work", "home", "run", ""].iter().for_each(|path| {
                let _ = lchown(machine.folder.path().join(path), Some(NOBODY), Some(NOBODY));
            });
        }
        let whole = wherefore(machine.folder.path(), &["doctor"]).output().unwrap();
        let pretends = machine.try_run(&["--version"]).is_ok_and(|output| output.status.success());
        if !pretends || !text(&whole.stdout).contains("tier A (namespaces, Landlock and seccomp)") {
            report_skip("no tier A here, or no way to pretend that it is not there");
            return None;
        }
        Some(machine)
    }

    fn try_run(&self, args: &[&str]) -> std::io::Result<Output> {
        let plain = wherefore(self.folder.path(), args);
        let mut command = if self.is_nobody {
            let mut command = Command::new("setpriv");
            let user = NOBODY.to_string();
            command.args(["--reuid", &user, "--regid", &user, "--clear-groups", "/usr/bin/python3"]);
            command
        } else {
            Command::new("/usr/bin/python3")
        };
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/server/sandbox/tests/runs/without.py");
        command.args([script, self.lacking]).arg(plain.get_program()).args(plain.get_args());
        command.current_dir(self.folder.path().join("work"));
        for (name, value) in plain.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.output()
    }

    fn run(&self, args: &[&str]) -> Output {
        self.try_run(args).unwrap()
    }

    /// The output of `doctor` about the sandbox.
    fn doctor(&self) -> String {
        text(&self.run(&["doctor"]).stdout)
    }

    /// The answer to `terminal.run`, whose command makes a file.
    fn call(&self) -> Value {
        let args = json!({ "cmd": ["touch", "made"], "why": "Learn whether a command runs here at all" });
        let output = self.run(&["call", "terminal.run", &args.to_string()]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    fn made(&self) -> bool {
        self.folder.path().join("work/made").exists()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Each of them, as the user of the tests and as an ordinary user.
fn machines(lacking: &'static str) -> Vec<Machine> {
    let is_root = Path::new("/proc/self")
        .metadata()
        .is_ok_and(|found| std::os::unix::fs::MetadataExt::uid(&found) == 0);
    let users: &[bool] = if is_root { &[false, true] } else { &[false] };
    users.iter().filter_map(|is_nobody| Machine::without(lacking, *is_nobody)).collect()
}

#[test]
fn without_landlock_a_command_runs_in_namespaces_and_its_answer_says_so() {
    for machine in machines("landlock") {
        let doctor = machine.doctor();
        assert!(doctor.contains("tier A (namespaces and seccomp; this kernel has no Landlock)"), "{doctor}");
        let answer = machine.call();
        assert_eq!(
            answer["sandbox"], "tier A (namespaces and seccomp; this kernel has no Landlock)",
            "{answer:#}"
        );
        assert!(machine.made());
    }
}

#[test]
fn without_namespaces_nothing_runs_before_the_person_says_yes() {
    for machine in machines("namespaces") {
        let doctor = machine.doctor();
        assert!(doctor.contains("tier B (Landlock and seccomp): each command asks you"), "{doctor}");
        assert!(doctor.contains("bwrap: "), "{doctor}");
        let answer = machine.call();
        assert_eq!(answer["code"], "PERMISSION_DENIED", "{answer:#}");
        assert!(answer.to_string().contains("what it changes may be written at once"), "{answer:#}");
        let confined = machine.run(&["sandbox", "--", "touch", "made"]);
        assert_eq!(confined.status.code(), Some(125), "{confined:?}");
        assert!(!machine.made());
        let file = machine.folder.path().join("work/a.txt").canonicalize().unwrap();
        let code = json!({ "code": format!("open({file:?}).read()"), "why": "Learn what an interpreter reads in the lower tier" });
        let output = machine.run(&["call", "python.exec", &code.to_string()]);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        assert_eq!(
            (&answer["return_value"], &answer["sandbox"]),
            (&json!("one\ntwo\nthree\n"), &json!("tier B (Landlock and seccomp)")),
            "{output:?}"
        );
    }
}

#[test]
fn without_both_no_command_runs_and_the_answer_says_how_to_mend_it() {
    for machine in machines("landlock,namespaces") {
        let doctor = machine.doctor();
        assert!(doctor.contains("no command is run"), "{doctor}");
        let answer = machine.call();
        assert_eq!(answer["code"], "SANDBOX_UNAVAILABLE", "{answer:#}");
        for reason in ["namespaces: ", "bwrap: ", "Landlock: "] {
            assert!(answer.to_string().contains(reason) && doctor.contains(reason), "{answer:#}\n{doctor}");
        }
        let confined = machine.run(&["sandbox", "--", "touch", "made"]);
        assert_eq!(confined.status.code(), Some(125), "{confined:?}");
        assert!(!machine.made());
    }
}
