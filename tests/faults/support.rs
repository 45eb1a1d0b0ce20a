//! A project in a temporary folder, and the real binary run on it within a time limit.

use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_wherefore");

/// The longest time that any one run may take on a busy machine; a longer one hangs.
pub(crate) const LIMIT: Duration = Duration::from_secs(240);

/// The message of the async runtime if it cannot be woken.
const ASLEEP: &str = "failed to wake I/O driver";

/// The end of a process.
pub(crate) struct Ran {
    pub status: ExitStatus,
    pub out: Vec<u8>,
    pub err: String,
    pub took: Duration,
}

impl std::fmt::Debug for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let out = String::from_utf8_lossy(&self.out);
        write!(f, "{}, after {:?}, out {:.2000}, err {:.2000}", self.status, self.took, out, self.err)
    }
}

impl Ran {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub(crate) fn killed(&self) -> bool {
        self.status.signal() == Some(9)
    }

    /// Returns whether an injected error hit another call than intended, since the number of a call in a thread differs
    /// from run to run: the wake-up of the async runtime, which then panics, or the answer itself, whose loss is
    /// reported.
    pub(crate) fn met_another_call(&self) -> bool {
        [ASLEEP, "the answer cannot be written"].iter().any(|said| self.err.contains(said))
    }

    /// The one JSON value on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }

    /// The values on standard output, one a line.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let lines = self.out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_slice(line).unwrap_or_else(|_| panic!("no JSON: {self:?}")))
            .collect()
    }
}

/// Runs a command with `input` on its standard input. One that hangs is killed, with all that it started, and fails the
/// test; but one whose async runtime could not be woken any more, since the error that was put in met its wake-up, just
/// ends.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Ran {
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("it starts");
    let (mut stdin, stdout, stderr) =
        (child.stdin.take().unwrap(), child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (out, err) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let (status, hung) = std::thread::scope(|scope| {
        // A process that ends early does not read it all.
        scope.spawn(move || drop(stdin.write_all(input)));
        scope.spawn(|| collect(stdout, &out));
        scope.spawn(|| collect(stderr, &err));
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return (status, false);
            }
            let asleep = || String::from_utf8_lossy(&err.lock().unwrap()).contains(ASLEEP);
            let limit =
                if began.elapsed() > Duration::from_secs(10) && asleep() { Duration::ZERO } else { LIMIT };
            if began.elapsed() > limit {
                // strace alone would leave behind what it traces.
                let group = rustix::process::Pid::from_child(&child);
                rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
                return (child.wait().unwrap(), !asleep());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let (out, err) = (out.into_inner().unwrap(), err.into_inner().unwrap());
    let ran = Ran { status, out, err: String::from_utf8_lossy(&err).into_owned(), took: began.elapsed() };
    assert!(!hung, "it hangs: {ran:?}");
    assert!(!ran.err.contains("panicked") || ran.met_another_call(), "it panicked: {ran:?}");
    ran
}

/// Reads to the end; what came so far can be looked at.
fn collect(mut from: impl Read, into: &Mutex<Vec<u8>>) {
    let mut piece = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut piece) {
        into.lock().unwrap().extend_from_slice(&piece[..length]);
    }
}

/// A folder with a project in `root`, and places of its own for settings and sockets.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// A project that holds these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(project.root()).unwrap();
        files.iter().for_each(|(path, text)| project.put(path, text));
        project
    }

    /// A copy of this one, our own folder included.
    pub(crate) fn copy(&self) -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        let copied = Command::new("cp").arg("-a").arg(self.root()).arg(project.root()).status().unwrap();
        assert!(copied.success());
        project
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// A path next to the project, outside of it.
    pub(crate) fn beside(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// The person's state folder.
    pub(crate) fn state(&self) -> PathBuf {
        self.beside("home/.local/state/wherefore")
    }

    /// The folder of what this machine keeps of the project; there once something was written.
    pub(crate) fn kept(&self) -> PathBuf {
        let mut roots = std::fs::read_dir(self.state().join("roots")).unwrap();
        roots.next().unwrap().unwrap().path()
    }

    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.path(path)).ok()
    }

    /// A command in the project, with nothing of the person who runs the test.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.root()).env("HOME", self.beside("home")).env("TMPDIR", self.folder.path());
        for name in ["XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs a subcommand on the project.
    pub(crate) fn wherefore(&self, args: &[&str]) -> Ran {
        run(self.command(BINARY).args(args).arg("--root").arg(self.root()), b"")
    }

    /// Makes one call.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Ran {
        self.wherefore(&["call", tool, &with_why(arguments).to_string()])
    }

    /// Makes calls in one process; gives an envelope each.
    pub(crate) fn batch(&self, calls: &[(&str, Value)]) -> Vec<Value> {
        let line = |(tool, arguments): &(&str, Value)| {
            format!("{}\n", json!({ "tool": tool, "arguments": with_why(arguments) }))
        };
        let lines: String = calls.iter().map(line).collect();
        let ran = self.batch_of(lines.as_bytes());
        let answers = ran.lines();
        assert_eq!(answers.len(), calls.len(), "an answer each: {ran:?}");
        answers
    }

    /// Makes the calls that `lines` spell.
    pub(crate) fn batch_of(&self, lines: &[u8]) -> Ran {
        let ran = run(self.command(BINARY).args(["call", "--batch", "--root"]).arg(self.root()), lines);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        ran
    }

    /// The next calls work, the log is intact, and no temporary file is left in the project.
    pub(crate) fn is_well(&self, after: &str) {
        let probe = json!({ "path": "probe.txt", "content": format!("after {after}\n") });
        for answer in self.batch(&[("fs.ls", json!({ "path": "." })), ("fs.write", probe)]) {
            assert_eq!(answer["status"], "ok", "after {after}: {answer}");
        }
        let verified = self.wherefore(&["log", "verify"]);
        assert_eq!(verified.code(), Some(0), "after {after}: {verified:?}");
        let all = [tree(&self.root()), tree(&self.kept())].concat();
        let left: Vec<String> = all.into_iter().map(|entry| entry.0).collect();
        let ours = |path: &&String| path.contains(".wherefore-tmp-") || path.starts_with("tmp/");
        assert_eq!(left.iter().find(ours), None, "left behind after {after}");
    }
}

/// Arguments with a reason where they lack one.
pub(crate) fn with_why(arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    if arguments.get("why").is_none() {
        arguments["why"] = json!("Keep the fixture's promise for the reader of this test");
    }
    arguments
}

/// Everything below a folder: path, kind and mode, and content or where a link leads. Sorted; links are not followed.
pub(crate) fn tree(folder: &Path) -> Vec<(String, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(at) = todo.pop() {
        for entry in std::fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let stat = path.symlink_metadata().unwrap();
            let content = match stat.file_type() {
                kind if kind.is_file() => std::fs::read(&path).unwrap(),
                kind if kind.is_symlink() => {
                    std::fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                }
                _ => Vec::new(),
            };
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            found.push((name, stat.mode(), content));
            if stat.is_dir() {
                todo.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns whether this runs as root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Does `work` for every item, two at a time.
pub(crate) fn in_pairs<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let (even, odd) = (items.iter().step_by(2), items.iter().skip(1).step_by(2));
    std::thread::scope(|scope| {
        let other = scope.spawn(|| odd.for_each(&work));
        even.for_each(&work);
        other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

/// Numbers that look random and are the same in every run.
pub(crate) struct Dice(pub u64);

impl Dice {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// At most `most` of `items`, evenly chosen; all of them where `WHEREFORE_FAULTS=all`.
pub(crate) fn sample<T: Clone>(items: &[T], most: usize) -> Vec<T> {
    let all = std::env::var("WHEREFORE_FAULTS").is_ok_and(|value| value == "all");
    if all || items.len() <= most {
        return items.to_vec();
    }
    (0..most).map(|at| items[at * items.len() / most].clone()).collect()
}

/// Prints, past the test's captured output, that something could not be tried here.
pub(crate) fn skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}");
}
