//! A terminal with an agent in it, of which a person sees the screen and types.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::model::PATIENCE;
use crate::place::Place;

/// A terminal, made by `script` of util-linux.
pub(crate) struct Terminal {
    child: Child,
    log: PathBuf,
}

impl Terminal {
    /// Runs a command in the workspace, with the place's environment and the command's own variables.
    pub(crate) fn open(command: Command, place: &Place) -> Self {
        let quoted = |word: &std::ffi::OsStr| format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"));
        let words = std::iter::once(command.get_program()).chain(command.get_args()).map(quoted);
        let line = format!("stty rows 50 cols 150; exec {}", words.collect::<Vec<_>>().join(" "));
        let log = place.beside("logs").join("terminal.log");
        let output = File::create(&log).unwrap();
        let mut terminal = Command::new("script");
        terminal.args(["-q", "-e", "-f", "-c", &line, "/dev/null"]).current_dir(place.work()).env_clear();
        terminal
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8");
        terminal.envs(place.env()).envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        terminal.stdin(Stdio::piped()).stdout(output.try_clone().unwrap()).stderr(output);
        Self { child: terminal.spawn().unwrap(), log }
    }

    /// All that was shown so far, without what moves the cursor.
    pub(crate) fn screen(&self) -> String {
        let shown = String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned();
        let mut text = String::new();
        let mut rest = shown.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '\u{1b}' if rest.peek() == Some(&'[') => {
                    rest.next();
                    let end = rest.by_ref().find(|c| c.is_ascii_alphabetic());
                    // A move of the cursor to the right counts as spaces.
                    if end == Some('C') {
                        text.push(' ');
                    }
                }
                c => text.push(c),
            }
        }
        text
    }

    /// Waits until one of some texts was shown.
    fn shows_any(&mut self, texts: &[&str]) {
        let start = Instant::now();
        while !texts.iter().any(|text| self.screen().contains(text)) {
            let ended = self.child.try_wait().unwrap();
            assert!(
                ended.is_none() && start.elapsed() < PATIENCE,
                "{texts:?} is not shown: {}",
                self.screen()
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until a text was shown.
    pub(crate) fn shows(&mut self, text: &str) {
        self.shows_any(&[text]);
    }

    /// Types.
    pub(crate) fn types(&mut self, keys: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(keys.as_bytes()).and_then(|()| stdin.flush()).unwrap();
        thread::sleep(Duration::from_millis(700));
    }

    /// Gives a prompt, once one can be given. What is shown before, as a note about keys, is passed by.
    pub(crate) fn prompts(&mut self, ready: &[&str], prompt: &str) {
        let notes = ["Enter to continue", "Enter to confirm", "Press Enter", "Do you want to continue"];
        self.shows_any(&[ready, &notes].concat());
        thread::sleep(Duration::from_secs(2));
        for note in notes {
            if self.screen().contains(note) {
                // The second choice, where there is one, changes nothing on this machine.
                if note == "Do you want to continue" {
                    self.types("\u{1b}[B");
                }
                self.types("\r");
            }
        }
        self.shows_any(ready);
        thread::sleep(Duration::from_secs(1));
        // A screen that is drawn for the first time may take no keys yet.
        for _ in 0..5 {
            self.types(prompt);
            if self.screen().contains(prompt) {
                break;
            }
        }
        self.types("\r");
    }

    /// The person leaves the agent.
    pub(crate) fn leaves(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
