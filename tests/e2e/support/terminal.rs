//! A program in a terminal of its own, as a person uses it: keys go in, what the screen shows comes out.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::agent::until;
use super::skip::report_skip;

/// The environment variables of the test's folders, so that nothing of the machine's is used.
const XDG: [&str; 5] =
    ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"];

/// The editor that `tests/run` put into `.e2e/`, unless it or the terminal to run it in is missing.
pub(crate) fn installed(folder: &str, program: &str) -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join(".e2e").join(folder).join(program);
    let missing = match (program.exists(), Terminal::is_there()) {
        (false, _) => folder,
        (true, false) => "tmux",
        (true, true) => return Some(program),
    };
    report_skip(&format!("{missing} is not installed (tests/run installs it): its tests pass over"));
    None
}

/// A terminal of 120 columns and 40 rows, kept by tmux.
pub(crate) struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    /// Returns whether a terminal can be had.
    pub(crate) fn is_there() -> bool {
        Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success())
    }

    /// Runs a program in `FOLDER/work`, with `FOLDER/home` and `FOLDER/run`, and with ours first on its path.
    pub(crate) fn run(folder: &Path, program: &Path, args: &[&str]) -> Self {
        // The server of an earlier one in this folder may still be ending.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let terminal = Self { socket: folder.join(format!("run/tmux-{count}")) };
        let mut command = terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40"]);
        for name in XDG {
            command.env_remove(name);
        }
        let ours = Path::new(env!("CARGO_BIN_EXE_wherefore")).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([ours.to_path_buf()].into_iter().chain(std::env::split_paths(&path)));
        command.env("PATH", path.unwrap()).env("HOME", folder.join("home")).env("TMPDIR", folder.join("run"));
        command.env("XDG_RUNTIME_DIR", folder.join("run")).env("SHELL", "/bin/sh");
        let started = command.current_dir(folder.join("work")).arg(program).args(args).output().unwrap();
        assert!(started.status.success(), "{started:?}");
        // It stays to be looked at when the program has ended.
        terminal.tell(&["set-option", "remain-on-exit", "on"]);
        terminal
    }

    /// Presses keys, by tmux's names for them: `Enter`, `C-x`, `a`.
    pub(crate) fn keys(&self, keys: &[&str]) {
        self.tell(&[&["send-keys", "--"], keys].concat());
    }

    /// Types a text.
    pub(crate) fn types(&self, text: &str) {
        self.tell(&["send-keys", "-l", "--", text]);
    }

    /// The text of the screen, a line per row, without trailing blanks.
    pub(crate) fn screen(&self) -> String {
        let shown = self.tell(&["capture-pane", "-p"]);
        String::from_utf8_lossy(&shown.stdout).lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// The text of the screen, with its colour codes.
    pub(crate) fn styled(&self) -> String {
        String::from_utf8_lossy(&self.tell(&["capture-pane", "-e", "-p"]).stdout).into_owned()
    }

    /// Gives it another size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.tell(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// Waits until the screen is as wanted; the screen.
    pub(crate) fn shows(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let mut screen = String::new();
        let looked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            until(what, || {
                screen = self.screen();
                wanted(&screen)
            });
        }));
        assert!(looked.is_ok(), "the screen does not show {what}:\n{screen}");
        screen
    }

    /// Waits until the screen shows a text.
    pub(crate) fn sees(&self, text: &str) -> String {
        self.shows(&format!("{text:?}"), |screen| screen.contains(text))
    }

    fn tell(&self, args: &[&str]) -> Output {
        let output = self.tmux(args).output().unwrap();
        assert!(output.status.success(), "tmux {args:?}: {output:?}");
        output
    }

    fn tmux(&self, args: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").arg("-u").arg("-S").arg(&self.socket).args(args);
        command
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It ends the program too, as a terminal that is closed does.
        let _ = self.tmux(&["kill-server"]).output();
    }
}
