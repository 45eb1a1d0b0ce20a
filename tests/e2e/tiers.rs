//! Reports for a person and an agent on a kernel without Landlock or user namespaces, and the commands that run there:
//! as the user of the tests, and as an ordinary user.

use std::os::unix::fs::lchown;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::{place, until, wherefore};
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
        // It is this user's; the other makes one.
        let _ = std::fs::remove_dir_all(machine.folder.path().join("run/wherefore"));
        let pretends = machine.try_run(&["--version"]).is_ok_and(|output| output.status.success());
        if !pretends || !text(&whole.stdout).contains("tier A (namespaces, Landlock and seccomp)") {
            report_skip("no tier A here, or no way to pretend that it is not there");
            return None;
        }
        Some(machine)
    }

    fn try_run(&self, args: &[&str]) -> std::io::Result<Output> {
        self.command(args).output()
    }

    /// Makes a folder of the workspace that the user may write.
    fn make_folder(&self, name: &str) {
        let folder = self.folder.path().join("work").join(name);
        std::fs::create_dir(&folder).unwrap();
        if self.is_nobody {
            lchown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    /// The records of commands that write in place.
    fn records(&self) -> Vec<PathBuf> {
        let roots = std::fs::read_dir(self.folder.path().join("home/.local/state/wherefore/roots"));
        let records = roots.unwrap().flatten().map(|root| root.path().join("in-place"));
        records
            .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten())
            .map(|entry| entry.path())
            .collect()
    }

    /// Writes the person's settings.
    fn configure(&self, text: &str) {
        let folder = self.folder.path().join("home/.config/wherefore");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
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
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
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
fn without_namespaces_a_command_runs_in_place_and_is_undone() {
    for machine in machines("namespaces") {
        let doctor = machine.doctor();
        assert!(
            doctor.contains("tier B (Landlock and seccomp): commands write in place unasked"),
            "{doctor}"
        );
        assert!(doctor.contains("bwrap: "), "{doctor}");
        let at = |path: &str| machine.folder.path().join("work").join(path);
        machine.make_folder("sub");
        // No rule reads what stands in a file.
        let script = "echo four >> a.txt; echo x > sub/made; echo x > .git/hooks; touch top";
        std::fs::write(at("sub/script.sh"), script).unwrap();
        let args = json!({
            "cmd": ["sh", "sub/script.sh"],
            "why": "Learn what a command changes where nothing keeps it apart",
        });
        let output = machine.run(&["call", "terminal.run", &args.to_string()]);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["status"], "applied", "{answer:#}");
        assert_eq!(answer["sandbox"], "tier B (Landlock and seccomp)", "{answer:#}");
        // The folder holds `.git`, so Landlock lets nothing be made in it.
        assert!(answer["left_out"].to_string().contains("no command can make"), "{answer:#}");
        assert!(at("sub/made").exists() && !at("top").exists() && !at(".git/hooks").exists());
        let undone = machine.run(&["undo"]);
        assert!(undone.status.success() && !at("sub/made").exists(), "{undone:?}");
        assert_eq!(std::fs::read_to_string(at("a.txt")).unwrap(), "one\ntwo\nthree\n");
        // A person's own command is not run where it cannot be confined as they expect it.
        let confined = machine.run(&["sandbox", "--", "touch", "sub/made"]);
        assert_eq!(confined.status.code(), Some(125), "{confined:?}");
        assert!(!at("sub/made").exists());
        let file = at("a.txt").canonicalize().unwrap();
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
fn without_namespaces_nothing_runs_unasked_where_the_settings_say_so() {
    for machine in machines("namespaces") {
        for (word, code, words) in [
            ("ask", "PERMISSION_DENIED", "what it changes may be written at once"),
            ("refuse", "PERMISSION_DENIED", "without_overlay"),
        ] {
            machine.configure(&format!("[sandbox]\nwithout_overlay = \"{word}\"\n"));
            let answer = machine.call();
            assert_eq!(answer["code"], code, "{word}: {answer:#}");
            assert!(answer.to_string().contains(words), "{word}: {answer:#}");
            assert!(!machine.made());
        }
    }
}

#[test]
fn what_a_killed_server_left_is_taken_in_by_the_next() {
    for machine in machines("namespaces") {
        let at = |path: &str| machine.folder.path().join("work").join(path);
        machine.make_folder("sub");
        let args = json!({
            "cmd": ["sh", "-c", "echo four >> a.txt; echo x > sub/made; sleep 60"],
            "why": "Be killed while a command writes in place",
        });
        let mut killed = machine.command(&["call", "terminal.run", &args.to_string()]).spawn().unwrap();
        until("the command writes", || at("sub/made").exists());
        killed.kill().unwrap();
        killed.wait().unwrap();
        assert_eq!(machine.records().len(), 1, "what was kept is there");
        let mut server = machine.command(&["serve", "--root", "."]).spawn().unwrap();
        // A server ends with its last client, so none comes before.
        until("the changes are taken in", || machine.records().is_empty());
        let status = text(&machine.run(&["status"]).stdout);
        assert!(status.contains("2 hunks that nobody has looked at"), "{status}");
        let undone = machine.run(&["undo"]);
        assert!(undone.status.success(), "{undone:?}");
        server.kill().unwrap();
        server.wait().unwrap();
        assert_eq!(std::fs::read_to_string(at("a.txt")).unwrap(), "one\ntwo\nthree\n");
        assert!(!at("sub/made").exists());
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
