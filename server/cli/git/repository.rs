//! The person's repository, and git as they have it: read and written as they would by hand.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::base::hidden::short;
use crate::execution::LineNotes;
use crate::protocol::{Code, Fault};

/// The ref that holds the notes.
const NOTES: &str = "--ref=refs/notes/wherefore";
/// What was fetched of others' notes.
const FETCHED: &str = "refs/notes/remotes/*/wherefore";
/// Bytes that are read of what git says.
const LONGEST: u64 = 64 << 20;
/// How often a note is tried where another process holds the ref.
const TRIES: usize = 10;
/// How long another process is waited for.
const WAIT: Duration = Duration::from_secs(30);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(50);
/// What a hook finds in its environment that is of the command that git runs, not of the repository.
const OF_HOOKS: [&str; 12] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_EDITOR",
];

/// The turn of a process that writes notes.
#[derive(Debug)]
pub(super) struct NoteOrder {
    /// The repository's own folder, locked.
    _folder: File,
    is_ours: bool,
}

impl NoteOrder {
    /// Whether no other process writes notes meanwhile.
    pub(super) fn is_ours(&self) -> bool {
        self.is_ours
    }
}

/// The repository at the root of a workspace.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Repository<'r>(pub(in crate::cli) &'r Path);

impl Repository<'_> {
    /// The hash of a commit.
    ///
    /// # Errors
    /// NOT_FOUND where the revision names none.
    pub(super) fn commit(self, revision: &str) -> Result<String, Fault> {
        let asked = format!("{revision}^{{commit}}");
        let said = self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &asked]);
        let hash = said.map(|said| said.trim().to_owned());
        hash.ok().filter(|hash| !hash.is_empty()).ok_or_else(|| {
            let message = format!("{} names no commit here", short(revision, 200));
            Fault::new(Code::NotFound, message).suggest("name a commit of this repository, as HEAD~1")
        })
    }

    /// The commits that revisions or ranges name, the newest first.
    ///
    /// # Errors
    /// Where one names none, or git cannot be run.
    pub(super) fn commits(self, revisions: &[String]) -> Result<Vec<String>, Fault> {
        let is_range = |revision: &String| revision.contains("..");
        let mut all = Vec::new();
        for revision in revisions {
            if is_range(revision) && !revision.starts_with('-') {
                let said = self.ask(&["rev-list", "--max-count=1000", "--end-of-options", revision, "--"])?;
                all.extend(said.lines().map(str::to_owned));
            } else {
                all.push(self.commit(revision)?);
            }
        }
        Ok(all)
    }

    /// The parents of a commit.
    ///
    /// # Errors
    /// Where git cannot be run, or says no.
    pub(super) fn parents(self, commit: &str) -> Result<Vec<String>, Fault> {
        let said = self.ask(&["rev-list", "--parents", "--max-count=1", commit])?;
        Ok(said.split_whitespace().skip(1).map(str::to_owned).collect())
    }

    /// Whether the history of `later` holds `commit`.
    pub(super) fn holds(self, later: &str, commit: &str) -> bool {
        self.ask(&["merge-base", "--is-ancestor", commit, later]).is_ok()
    }

    /// The path of a file of the repository's own folder for this working tree.
    ///
    /// # Errors
    /// Where git cannot be run, or says no.
    pub(in crate::cli) fn own(self, name: &str) -> Result<PathBuf, Fault> {
        Ok(self.0.join(self.ask(&["rev-parse", "--git-path", name])?.trim_end_matches('\n')))
    }

    /// The folder that all working trees of the repository share.
    ///
    /// # Errors
    /// Where git cannot be run, or there is no repository.
    pub(in crate::cli) fn shared(self) -> Result<PathBuf, Fault> {
        Ok(self.0.join(self.ask(&["rev-parse", "--git-common-dir"])?.trim_end_matches('\n')))
    }

    /// Waits until no other process of ours writes notes of the repository. Who waits too long goes on: git keeps its refs whole.
    ///
    /// # Errors
    /// Where there is no repository.
    pub(super) fn order(self) -> Result<NoteOrder, Fault> {
        self.order_within(WAIT)
    }

    /// The same, for whoever waits so long at the most.
    ///
    /// # Errors
    /// Where there is no repository.
    pub(super) fn order_within(self, limit: Duration) -> Result<NoteOrder, Fault> {
        let folder = File::open(self.shared()?).map_err(|error| Fault::internal(error.to_string()))?;
        let since = Instant::now();
        let is_ours = loop {
            if folder.try_lock().is_ok() {
                break true;
            }
            if since.elapsed() >= limit {
                break false;
            }
            std::thread::sleep(PAUSE);
        };
        Ok(NoteOrder { _folder: folder, is_ours })
    }

    /// The notes of commits. One that is not here has none.
    ///
    /// # Errors
    /// Where git cannot be run, or says no.
    pub(super) fn notes(self, commits: &[String]) -> Result<LineNotes, Fault> {
        let all =
            ["log", "-z", "--no-walk=unsorted", "--ignore-missing", "--no-show-signature", "--no-color"];
        let of = ["--no-patch", "--notes=refs/notes/wherefore", "--notes=refs/notes/remotes/*/wherefore"];
        let asked: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
        let said =
            self.run(&[&all[..], &of, &["--format=tformat:%H%n%N", "--stdin"]].concat(), Some(&asked))?;
        Ok(LineNotes::read(&said))
    }

    /// The commits that have notes here.
    pub(super) fn noted(self) -> Vec<String> {
        let said = self.ask(&["notes", NOTES, "list"]).unwrap_or_default();
        said.lines().filter_map(|line| line.split_once(' ')).map(|(_, commit)| commit.to_owned()).collect()
    }

    /// Whether a commit has a note of ours here.
    pub(super) fn is_noted(self, commit: &str) -> bool {
        self.ask(&["notes", NOTES, "list", commit]).is_ok()
    }

    /// Takes what was fetched of others' notes in, so that ours can be pushed. Of two on one commit ours stays.
    pub(super) fn take_fetched(self) {
        let fetched = self.ask(&["for-each-ref", "--format=%(refname)", FETCHED]).unwrap_or_default();
        for other in fetched.lines() {
            // Where it cannot be done, the notes are read where they are.
            let _ = self.ask(&["notes", NOTES, "merge", "-q", "-s", "ours", other]);
        }
    }

    /// Writes the note of a commit.
    ///
    /// # Errors
    /// Where git cannot be run, or says no.
    pub(super) fn note(self, commit: &str, text: &str) -> Result<(), Fault> {
        self.put_note("wherefore", commit, text)
    }

    /// Writes a note of a commit under `refs/notes/NAME`.
    ///
    /// # Errors
    /// Where git cannot be run, or says no.
    pub(super) fn put_note(self, name: &str, commit: &str, text: &str) -> Result<(), Fault> {
        let under = format!("--ref=refs/notes/{name}");
        let put = || self.run(&["notes", &under, "add", "-f", "-F", "-", commit], Some(text)).map(drop);
        let mut done = put();
        for _ in 1..TRIES {
            if done.is_ok() {
                break;
            }
            std::thread::sleep(PAUSE);
            done = put();
        }
        done
    }

    /// Whether a commit has no note under `refs/notes/NAME`, or one that this program wrote.
    pub(super) fn is_ours(self, name: &str, commit: &str) -> bool {
        let under = format!("--ref=refs/notes/{name}");
        let there = self.ask(&["notes", &under, "show", commit]);
        there.map_or(true, |text| text.contains(&format!("\"git_ai_version\": \"{} ", super::forms::PROGRAM)))
    }

    /// What git says to `args`.
    ///
    /// # Errors
    /// Where git cannot be run, or says no.
    pub(in crate::cli) fn ask(self, args: &[&str]) -> Result<String, Fault> {
        self.run(args, None)
    }

    /// What git says to `args`, given `input`.
    ///
    /// # Errors
    /// Where git cannot be run, says no, or says more than is read.
    pub(super) fn run(self, args: &[&str], input: Option<&str>) -> Result<String, Fault> {
        Ok(String::from_utf8_lossy(&self.said(args, input)?).into_owned())
    }

    /// The bytes that git writes for `args`, given `input`.
    ///
    /// # Errors
    /// Where git cannot be run, says no, or says more than is read.
    pub(super) fn said(self, args: &[&str], input: Option<&str>) -> Result<Vec<u8>, Fault> {
        let failed = |error: std::io::Error| {
            Fault::new(Code::Unsupported, format!("git cannot be run: {error}")).suggest("install git")
        };
        let mut git = Command::new("git");
        for name in OF_HOOKS {
            git.env_remove(name);
        }
        git.arg("-C")
            .arg(self.0)
            .args(args)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = git.spawn().map_err(failed)?;
        if let (Some(mut pipe), Some(input)) = (child.stdin.take(), input) {
            // Where git ends early, it says why.
            let _ = pipe.write_all(input.as_bytes());
        }
        let mut said = Vec::new();
        if let Some(pipe) = child.stdout.take() {
            pipe.take(LONGEST + 1).read_to_end(&mut said).map_err(failed)?;
        }
        if said.len() as u64 > LONGEST {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Fault::new(Code::Unsupported, "git says more than is read of one commit")
                .suggest("notes are for commits of fewer changes"));
        }
        let output = child.wait_with_output().map_err(failed)?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Fault::new(Code::Unsupported, format!("git says no: {}", short(words.trim(), 400)))
                .suggest("run git there by hand"));
        }
        Ok(said)
    }
}
