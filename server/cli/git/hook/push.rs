//! Before a push: the notes of the last commits go along, though they are written beside the commit and git has read by now
//! which notes it sends.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{LONGEST, committed};
use crate::cli::git::repository::Repository;
use crate::protocol::Fault;

/// The notes, here and on the remote.
const NOTES: &str = "refs/notes/wherefore";
/// How long a push waits for notes that are being written.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a push may take of which the rest is sent after it.
const LONGEST_PUSH: Duration = Duration::from_secs(600);
/// Seconds in which the note of a commit is written, or not at all.
const RECENT: i64 = 60;
/// How often it is asked whether it is over.
const PAUSE: Duration = Duration::from_millis(20);

/// Has the notes go along with a push to a remote, where notes are pushed to it. `push` is the process of that push.
pub(super) fn pushed(repository: Repository<'_>, root: &str, remote: &str, push: &str) -> Result<(), Fault> {
    let mut told = String::new();
    let _ = std::io::stdin().take(LONGEST).read_to_string(&mut told);
    if !repository.pushes_notes(remote) || !is_in_earnest(push) {
        return Ok(());
    }
    let order = repository.order_within(PATIENCE)?;
    // The hook of the last commit may not have begun.
    if order.is_ours() && repository.is_just_made("HEAD") {
        drop(order);
        committed(repository, root, "HEAD")?;
    }
    let Ok(now) = repository.ask(&["rev-parse", "--verify", "--quiet", NOTES]) else { return Ok(()) };
    let now = now.trim();
    let sent = told.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let sent = sent.filter(|words| words.first() == Some(&NOTES)).find_map(|words| words.get(1).copied());
    match sent {
        Some(sent) if sent == now => Ok(()),
        // Two pushes of one ref are in each other's way.
        Some(_) => send_after(repository.0, remote, push),
        None if repository.is_there(remote, now) => Ok(()),
        None => repository.send(remote),
    }
}

/// Sends the notes once a push is over.
pub(super) fn after(repository: Repository<'_>, remote: &str, push: &str) -> Result<(), Fault> {
    let since = Instant::now();
    while is_running(push) && since.elapsed() < LONGEST_PUSH {
        std::thread::sleep(PAUSE);
    }
    repository.send(remote)
}

/// Starts a process that waits for the end of a push and sends the notes then.
fn send_after(root: &Path, remote: &str, push: &str) -> Result<(), Fault> {
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

/// Whether a push is known to be no rehearsal: git runs its hook then, too.
fn is_in_earnest(push: &str) -> bool {
    let Ok(pid) = push.parse::<u32>() else { return false };
    let words = match std::fs::read(format!("/proc/{pid}/cmdline")) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).replace('\0', " "),
        Err(_) => {
            let said = Command::new("ps").args(["-o", "args=", "-p", &pid.to_string()]).output();
            said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned()).unwrap_or_default()
        }
    };
    is_meant_so(&words)
}

/// Whether the words of a command push, and not only say what would be pushed.
fn is_meant_so(words: &str) -> bool {
    let is_rehearsal = |word: &str| match word.strip_prefix('-') {
        Some(long) if long.starts_with('-') => "--dry-run".starts_with(word) && word.len() > "--d".len(),
        Some(short) => short.contains('n'),
        None => false,
    };
    let mut words = words.split_whitespace().skip_while(|word| *word != "push").peekable();
    words.peek().is_some() && !words.any(is_rehearsal)
}

impl Repository<'_> {
    /// Whether the settings send notes to a remote.
    fn pushes_notes(self, remote: &str) -> bool {
        let said = self.ask(&["config", "--get-all", &format!("remote.{remote}.push")]).unwrap_or_default();
        said.lines().any(|value| value.trim_start_matches('+').starts_with(NOTES))
    }

    /// Whether a commit was made a moment ago, so that its note may not have been begun.
    fn is_just_made(self, revision: &str) -> bool {
        let said = self.ask(&["log", "--no-walk", "--format=%H %ct", revision]).unwrap_or_default();
        let Some((commit, time)) = said.trim().split_once(' ') else { return false };
        let age = time.parse().map(|time: i64| jiff::Timestamp::now().as_second() - time);
        // What came by a pull is noted by whoever made it.
        let how = self.how(commit);
        let is_made = how.starts_with("commit") || how.starts_with("cherry-pick");
        is_made && age.is_ok_and(|age| age.abs() <= RECENT)
    }

    /// Whether a remote has these notes, as far as is known here.
    fn is_there(self, remote: &str, notes: &str) -> bool {
        let there = format!("refs/notes/remotes/{remote}/wherefore");
        self.ask(&["rev-parse", "--verify", "--quiet", &there]).is_ok_and(|there| there.trim() == notes)
    }

    /// Sends the notes alone, past the hooks.
    fn send(self, remote: &str) -> Result<(), Fault> {
        let what = format!("{NOTES}:{NOTES}");
        self.ask(&["push", "--no-verify", "--quiet", "--", remote, &what]).map(drop)
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
            assert!(is_meant_so(push), "{push}");
        }
        for other in
            ["git push -n", "git push -qn origin", "git push --dry-run", "git push --dry o", "", "sh -c x"]
        {
            assert!(!is_meant_so(other), "{other}");
        }
    }
}
