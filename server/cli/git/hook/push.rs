//! Sends the notes of the last commits along with a push: they may be written only after git has read which notes it sends.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{LONGEST, note_new_commit};
use crate::cli::answer;
use crate::cli::git::repository::GitRepository;
use crate::cli::print::visible_line;
use crate::protocol::Fault;

/// The notes, here and on the remote.
const NOTES: &str = "refs/notes/wherefore";
/// The longest time that a push waits for notes that are being written.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest time to wait for the end of a push before the remaining notes are sent.
const LONGEST_PUSH: Duration = Duration::from_secs(600);
/// Seconds in which the note of a commit is written, or not at all.
const RECENT: i64 = 60;
/// The interval at which the end of a push is checked.
const PAUSE: Duration = Duration::from_millis(20);

/// Sends the notes along with a push to a remote that gets notes. `push` is the process of that push.
pub(super) fn push_notes_along(
    repository: GitRepository<'_>,
    root: &str,
    remote: &str,
    push: &str,
) -> Result<(), Fault> {
    let mut told = String::new();
    let _ = std::io::stdin().take(LONGEST).read_to_string(&mut told);
    if !is_real_push(push) {
        return Ok(());
    }
    if !repository.pushes_notes(remote) {
        if repository.has_notes() && !repository.pushes_notes_anywhere() {
            answer::write_note(&format!(
                "wherefore: the notes on your commits do not go to {}, which was added after `wherefore init --git`: run \
                 that again, and they are pushed and fetched",
                visible_line(remote)
            ));
        }
        return Ok(());
    }
    let order = repository.lock_notes_within(PATIENCE)?;
    // The hook of the last commit may not have begun.
    if order.is_ours() && repository.is_just_made("HEAD") {
        drop(order);
        note_new_commit(repository, root, "HEAD")?;
    }
    let Ok(now) = repository.run_git(&["rev-parse", "--verify", "--quiet", NOTES]) else { return Ok(()) };
    let now = now.trim();
    let sent = told.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let sent = sent.filter(|words| words.first() == Some(&NOTES)).find_map(|words| words.get(1).copied());
    match sent {
        Some(sent) if sent == now => Ok(()),
        // Two pushes of one ref are in each other's way.
        Some(_) => spawn_sender(repository.0, remote, push),
        None if repository.has_remote_notes(remote, now) => Ok(()),
        None => repository.send_notes(remote),
    }
}

/// Sends the notes once a push is over.
pub(super) fn send_after_push(repository: GitRepository<'_>, remote: &str, push: &str) -> Result<(), Fault> {
    let since = Instant::now();
    while is_running(push) && since.elapsed() < LONGEST_PUSH {
        std::thread::sleep(PAUSE);
    }
    repository.send_notes(remote)
}

/// Starts a process that waits for the end of a push and sends the notes then.
fn spawn_sender(root: &Path, remote: &str, push: &str) -> Result<(), Fault> {
    use std::os::unix::process::CommandExt;
    let failed = |error: std::io::Error| Fault::internal(error.to_string());
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(["git", "hook", "after-push", "--", remote, push]).current_dir(root).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(failed)
}

fn is_running(process: &str) -> bool {
    let process = process.parse().ok().and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
}

/// Returns whether a push is no dry run: git runs its hook for a dry run, too.
fn is_real_push(push: &str) -> bool {
    let Ok(pid) = push.parse::<u32>() else { return false };
    let words = match std::fs::read(format!("/proc/{pid}/cmdline")) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).replace('\0', " "),
        Err(_) => {
            let said = Command::new("ps").args(["-o", "args=", "-p", &pid.to_string()]).output();
            said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned()).unwrap_or_default()
        }
    };
    is_push_command(&words)
}

/// Returns whether a command line pushes, and is no dry run.
fn is_push_command(words: &str) -> bool {
    let is_rehearsal = |word: &str| match word.strip_prefix('-') {
        Some(long) if long.starts_with('-') => "--dry-run".starts_with(word) && word.len() > "--d".len(),
        Some(short) => short.contains('n'),
        None => false,
    };
    let mut words = words.split_whitespace().skip_while(|word| *word != "push").peekable();
    words.peek().is_some() && !words.any(is_rehearsal)
}

impl GitRepository<'_> {
    /// Returns whether the settings send notes to a remote.
    fn pushes_notes(self, remote: &str) -> bool {
        let said =
            self.run_git(&["config", "--get-all", &format!("remote.{remote}.push")]).unwrap_or_default();
        said.lines().any(|value| value.trim_start_matches('+').starts_with(NOTES))
    }

    /// Returns whether any remote gets notes with a push.
    fn pushes_notes_anywhere(self) -> bool {
        let remotes = self.run_git(&["remote"]).unwrap_or_default();
        remotes.lines().any(|remote| self.pushes_notes(remote))
    }

    /// Returns whether there are notes to be pushed.
    fn has_notes(self) -> bool {
        self.run_git(&["rev-parse", "--verify", "--quiet", NOTES]).is_ok()
    }

    /// Returns whether a commit was made a moment ago, so that its note may not be written yet.
    fn is_just_made(self, revision: &str) -> bool {
        let said = self.run_git(&["log", "--no-walk", "--format=%H %ct", revision]).unwrap_or_default();
        let Some((commit, time)) = said.trim().split_once(' ') else { return false };
        let age = time.parse().map(|time: i64| jiff::Timestamp::now().as_second() - time);
        // A commit that came by a pull is noted by its author.
        let how = self.creation_log(commit);
        let is_made = how.starts_with("commit") || how.starts_with("cherry-pick");
        is_made && age.is_ok_and(|age| age.abs() <= RECENT)
    }

    /// Returns whether a remote has these notes, by the last fetch.
    fn has_remote_notes(self, remote: &str, notes: &str) -> bool {
        let there = format!("refs/notes/remotes/{remote}/wherefore");
        self.run_git(&["rev-parse", "--verify", "--quiet", &there]).is_ok_and(|there| there.trim() == notes)
    }

    /// Sends the notes alone, past the hooks.
    fn send_notes(self, remote: &str) -> Result<(), Fault> {
        let what = format!("{NOTES}:{NOTES}");
        self.run_git(&["push", "--no-verify", "--quiet", "--", remote, &what]).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rehearsal_is_told_from_a_push() {
        for push in
            ["git push", "/usr/bin/git -c x=y push -q origin main", "git push --force-with-lease -u o m"]
        {
            assert!(is_push_command(push), "{push}");
        }
        for other in
            ["git push -n", "git push -qn origin", "git push --dry-run", "git push --dry o", "", "sh -c x"]
        {
            assert!(!is_push_command(other), "{other}");
        }
    }
}
