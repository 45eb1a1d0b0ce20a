//! The person's repository, read and written by their own git.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::base::hidden::shorten_to_line;
use crate::execution::LineNotes;
use crate::protocol::{Code, Fault};

/// The ref that holds the notes.
const NOTES: &str = "--ref=refs/notes/wherefore";
/// The refs of others' notes, as fetched.
const FETCHED: &str = "refs/notes/remotes/*/wherefore";
/// Bytes that are read of git's output.
const LONGEST: u64 = 64 << 20;
/// The number of attempts to write a note while another process holds the ref.
const TRIES: usize = 10;
/// The longest time to wait for another process.
const WAIT: Duration = Duration::from_secs(30);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(50);
/// Environment variables of a hook that belong to the git command which runs it, not to the repository.
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
pub(super) struct NoteLock {
    /// The repository's own folder, locked.
    _folder: File,
    is_ours: bool,
}

impl NoteLock {
    /// Returns whether no other process writes notes meanwhile.
    pub(super) fn is_ours(&self) -> bool {
        self.is_ours
    }
}

/// The repository at the root of a workspace.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct GitRepository<'r>(pub(in crate::cli) &'r Path);

impl GitRepository<'_> {
    /// The hash of a commit.
    ///
    /// # Errors
    /// NOT_FOUND where the revision names none.
    pub(super) fn commit_hash(self, revision: &str) -> Result<String, Fault> {
        let asked = format!("{revision}^{{commit}}");
        let said = self.run_git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &asked]);
        let hash = said.map(|said| said.trim().to_owned());
        hash.ok().filter(|hash| !hash.is_empty()).ok_or_else(|| {
            let message = format!("{} names no commit here", shorten_to_line(revision, 200));
            Fault::new(Code::NotFound, message).with_suggestion("name a commit of this repository, as HEAD~1")
        })
    }

    /// The commits that revisions or ranges name, the newest first.
    ///
    /// # Errors
    /// An error where one names no commit, or git cannot be run.
    pub(super) fn commit_hashes(self, revisions: &[String]) -> Result<Vec<String>, Fault> {
        let is_range = |revision: &String| revision.contains("..");
        let mut all = Vec::new();
        for revision in revisions {
            if is_range(revision) && !revision.starts_with('-') {
                let said =
                    self.run_git(&["rev-list", "--max-count=1000", "--end-of-options", revision, "--"])?;
                all.extend(said.lines().map(str::to_owned));
            } else {
                all.push(self.commit_hash(revision)?);
            }
        }
        Ok(all)
    }

    /// The parents of a commit.
    ///
    /// # Errors
    /// An error where git cannot be run or fails.
    pub(super) fn parents(self, commit: &str) -> Result<Vec<String>, Fault> {
        let said = self.run_git(&["rev-list", "--parents", "--max-count=1", commit])?;
        Ok(said.split_whitespace().skip(1).map(str::to_owned).collect())
    }

    /// Returns whether the history of `later` holds `commit`.
    pub(super) fn history_contains(self, later: &str, commit: &str) -> bool {
        self.run_git(&["merge-base", "--is-ancestor", commit, later]).is_ok()
    }

    /// The path of a file of the repository's own folder for this working tree.
    ///
    /// # Errors
    /// An error where git cannot be run or fails.
    pub(in crate::cli) fn git_path(self, name: &str) -> Result<PathBuf, Fault> {
        Ok(self.0.join(self.run_git(&["rev-parse", "--git-path", name])?.trim_end_matches('\n')))
    }

    /// The folder that all working trees of the repository share.
    ///
    /// # Errors
    /// An error where git cannot be run, or there is no repository.
    pub(in crate::cli) fn common_dir(self) -> Result<PathBuf, Fault> {
        Ok(self.0.join(self.run_git(&["rev-parse", "--git-common-dir"])?.trim_end_matches('\n')))
    }

    /// Waits until no other wherefore process writes notes of the repository. After the limit it goes on anyway: git
    /// keeps its refs consistent.
    ///
    /// # Errors
    /// An error where there is no repository.
    pub(super) fn lock_notes(self) -> Result<NoteLock, Fault> {
        self.lock_notes_within(WAIT)
    }

    /// Waits like [`Self::lock_notes`], for `limit` at most.
    ///
    /// # Errors
    /// An error where there is no repository.
    pub(super) fn lock_notes_within(self, limit: Duration) -> Result<NoteLock, Fault> {
        let folder = File::open(self.common_dir()?).map_err(|error| Fault::internal(error.to_string()))?;
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
        Ok(NoteLock { _folder: folder, is_ours })
    }

    /// The notes of commits. An unknown commit has none.
    ///
    /// # Errors
    /// An error where git cannot be run or fails.
    pub(super) fn read_notes(self, commits: &[String]) -> Result<LineNotes, Fault> {
        let all =
            ["log", "-z", "--no-walk=unsorted", "--ignore-missing", "--no-show-signature", "--no-color"];
        let of = ["--no-patch", "--notes=refs/notes/wherefore", "--notes=refs/notes/remotes/*/wherefore"];
        let asked: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
        let said = self.run_git_with_input(
            &[&all[..], &of, &["--format=tformat:%H%n%N", "--stdin"]].concat(),
            Some(&asked),
        )?;
        Ok(LineNotes::parse_notes(&said))
    }

    /// The commits that have notes here.
    pub(super) fn noted_commits(self) -> Vec<String> {
        let said = self.run_git(&["notes", NOTES, "list"]).unwrap_or_default();
        said.lines().filter_map(|line| line.split_once(' ')).map(|(_, commit)| commit.to_owned()).collect()
    }

    /// Returns whether a commit has a note of wherefore here.
    pub(super) fn has_note(self, commit: &str) -> bool {
        self.run_git(&["notes", NOTES, "list", commit]).is_ok()
    }

    /// Merges the fetched notes of others, so that the own notes can be pushed. If both have a note on a commit, the
    /// own one stays.
    pub(super) fn merge_fetched_notes(self) {
        let fetched = self.run_git(&["for-each-ref", "--format=%(refname)", FETCHED]).unwrap_or_default();
        for other in fetched.lines() {
            // If the merge fails, the notes are read from the fetched ref.
            let _ = self.run_git(&["notes", NOTES, "merge", "-q", "-s", "ours", other]);
        }
    }

    /// Writes the note of a commit.
    ///
    /// # Errors
    /// An error where git cannot be run or fails.
    pub(super) fn write_note(self, commit: &str, text: &str) -> Result<(), Fault> {
        self.put_note("wherefore", commit, text)
    }

    /// Writes a note of a commit under `refs/notes/NAME`.
    ///
    /// # Errors
    /// An error where git cannot be run or fails.
    pub(super) fn put_note(self, name: &str, commit: &str, text: &str) -> Result<(), Fault> {
        let under = format!("--ref=refs/notes/{name}");
        let put = || {
            self.run_git_with_input(&["notes", &under, "add", "-f", "-F", "-", commit], Some(text)).map(drop)
        };
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

    /// Returns whether a commit has no note under `refs/notes/NAME`, or one that this program wrote.
    pub(super) fn is_ours(self, name: &str, commit: &str) -> bool {
        let under = format!("--ref=refs/notes/{name}");
        let there = self.run_git(&["notes", &under, "show", commit]);
        there.map_or(true, |text| text.contains(&format!("\"git_ai_version\": \"{} ", super::forms::PROGRAM)))
    }

    /// The output of git for `args`.
    ///
    /// # Errors
    /// An error where git cannot be run or fails.
    pub(in crate::cli) fn run_git(self, args: &[&str]) -> Result<String, Fault> {
        self.run_git_with_input(args, None)
    }

    /// The output of git for `args`, with `input` as its standard input.
    ///
    /// # Errors
    /// An error where git cannot be run, fails, or writes more than the limit.
    pub(super) fn run_git_with_input(self, args: &[&str], input: Option<&str>) -> Result<String, Fault> {
        Ok(String::from_utf8_lossy(&self.git_output(args, input)?).into_owned())
    }

    /// The bytes that git writes for `args`, given `input`.
    ///
    /// # Errors
    /// An error where git cannot be run, fails, or writes more than the limit.
    pub(super) fn git_output(self, args: &[&str], input: Option<&str>) -> Result<Vec<u8>, Fault> {
        let failed = |error: std::io::Error| {
            Fault::new(Code::Unsupported, format!("git cannot be run: {error}"))
                .with_suggestion("install git")
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
            // If git ends early, its standard error has the reason.
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
                .with_suggestion("notes are for commits of fewer changes"));
        }
        let output = child.wait_with_output().map_err(failed)?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Fault::new(
                Code::Unsupported,
                format!("git says no: {}", shorten_to_line(words.trim(), 400)),
            )
            .with_suggestion("run git there by hand"));
        }
        Ok(said)
    }
}
