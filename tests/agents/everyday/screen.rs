//! A terminal of tmux's with an agent in it: what its person sees of it now, and the keys that they press.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::place::Place;

/// How long a screen may take to show what has happened.
const SOON: Duration = Duration::from_secs(3);

/// A terminal with an agent in it.
pub(super) struct Screen {
    socket: PathBuf,
}

impl Screen {
    /// Whether this machine has tmux.
    pub(super) fn is_there() -> bool {
        Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success())
    }

    /// Runs an agent in the workspace, with these variables and nothing else of this machine's.
    pub(super) fn open(program: &Path, args: &[&str], place: &Place, variables: &[(&str, String)]) -> Self {
        let screen = Self { socket: place.beside("run").join("tmux") };
        let home = place.beside("home").display().to_string();
        let mut line = vec!["env".to_owned(), "-i".to_owned()];
        let own = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("TMPDIR", home),
            ("TERM", "tmux-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("SHELL", "/bin/bash".to_owned()),
        ];
        let variables = own.iter().chain(variables).map(|(name, value)| format!("{name}={value}"));
        line.extend(variables.chain(place.env().iter().map(|(name, value)| format!("{name}={value}"))));
        line.push(program.display().to_string());
        line.extend(args.iter().map(|arg| (*arg).to_owned()));
        let folder = place.work().display().to_string();
        let words: Vec<&str> = ["new-session", "-d", "-x", "150", "-y", "50", "-c", &folder]
            .into_iter()
            .chain(line.iter().map(String::as_str))
            .collect();
        screen.tmux(&words);
        screen
    }

    /// What is on it now.
    pub(super) fn shown(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// Whether a text is on it within a few seconds.
    pub(super) fn shows_soon(&self, text: &str) -> bool {
        let start = Instant::now();
        while start.elapsed() < SOON {
            if self.shown().contains(text) {
                return true;
            }
            thread::sleep(Duration::from_millis(100));
        }
        false
    }

    /// Presses keys, by their names in tmux.
    pub(super) fn presses(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Types a text, and sends it off once it is there.
    pub(super) fn types(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
        self.shows_soon(text);
        thread::sleep(Duration::from_millis(300));
        self.presses(&["Enter"]);
    }

    fn tmux(&self, words: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(["-f", "/dev/null"]).args(words);
        let output = command.env_remove("TMUX").env("LANG", "C.UTF-8").output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
