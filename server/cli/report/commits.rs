//! A range of commits, mapped to calls: those that changed the commits' files, in the commits' time.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::Timestamp;

use super::read::ReportRequest;
use crate::base::hidden::shorten_to_line;
use crate::protocol::{Code, Fault};
use crate::report::ReportScope;

/// Bytes of git's answer that are read.
const LARGEST: usize = 64 << 20;

/// The report request for a range of commits.
///
/// # Errors
/// INVALID_ARGS for a range that git does not know; NOT_FOUND where it holds no commit.
pub(super) fn request_of_commits(root: &Path, range: &str) -> Result<ReportRequest, Fault> {
    if range.starts_with('-') {
        return Err(range_fault(range, "a range does not begin with `-`"));
    }
    let listed =
        run_git(root, range, &["log", "--format=%x00%ct", "--name-only", "-z", "--no-renames", "-m"])?;
    let mut scope = ReportScope::default();
    let mut paths = HashSet::new();
    let mut commits = 0_usize;
    let mut until = None;
    let mut next_is_time = false;
    for piece in listed.split('\0') {
        let piece = piece.trim_start_matches('\n');
        match piece {
            "" => next_is_time = true,
            piece if next_is_time && piece.bytes().all(|byte| byte.is_ascii_digit()) => {
                commits += 1;
                until = until.max(parse_seconds(piece));
                next_is_time = false;
            }
            piece => {
                next_is_time = false;
                paths.insert(path_below_root(root, piece));
            }
        }
    }
    if commits == 0 {
        let fault = Fault::new(Code::NotFound, format!("{} holds no commit", shorten_to_line(range, 200)));
        return Err(fault.with_suggestion("name a range that holds some, as main..HEAD"));
    }
    scope.since = boundary_time(root, range);
    // A commit is dated to the second that it was made in.
    scope.until = until.and_then(|until| until.checked_add(jiff::SignedDuration::from_secs(1)).ok());
    scope.paths = Some(paths);
    let words = format!(
        "{} ({commits} {})",
        shorten_to_line(range, 200),
        if commits == 1 { "commit" } else { "commits" }
    );
    Ok(ReportRequest::of_times(&words, scope).with_note(
        "The calls were found by the times and the files of the commits, not line by line: a change that was written \
         over before the commit is among them."
            .to_owned(),
    ))
}

/// The time of the newest commit before the range; none if the range begins the history.
fn boundary_time(root: &Path, range: &str) -> Option<Timestamp> {
    let listed = run_git(root, range, &["log", "--format=%m %ct", "--boundary"]).ok()?;
    listed.lines().filter_map(|line| parse_seconds(line.strip_prefix("- ")?)).max()
}

/// A time in seconds.
fn parse_seconds(text: &str) -> Option<Timestamp> {
    Timestamp::from_second(text.trim().parse::<i64>().ok()?).ok()
}

/// A path of git's, relative to the workspace where that lies below the repository.
fn path_below_root(root: &Path, path: &str) -> String {
    let top = root.ancestors().find(|folder| folder.join(".git").exists());
    let prefix =
        top.and_then(|top| root.strip_prefix(top).ok()).filter(|prefix| !prefix.as_os_str().is_empty());
    let inside = prefix.and_then(|prefix| Path::new(path).strip_prefix(prefix).ok());
    inside.map_or_else(|| path.to_owned(), |inside| inside.to_string_lossy().into_owned())
}

/// The output of `git` for a range.
fn run_git(root: &Path, range: &str, args: &[&str]) -> Result<String, Fault> {
    let ran = Command::new("git")
        .arg("-C")
        .arg(root)
        .args([
            "--no-pager",
            "--no-optional-locks",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "log.showSignature=false",
        ])
        .args(args)
        .args(["--no-color", "--no-ext-diff", "--no-textconv", "--end-of-options", range, "--"])
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .output();
    let output = ran.map_err(|error| {
        Fault::new(Code::NotFound, format!("git does not run: {error}"))
            .with_suggestion("install git, or name a session or a time: --since 2h")
    })?;
    if !output.status.success() {
        return Err(range_fault(range, &shorten_to_line(&String::from_utf8_lossy(&output.stderr), 300)));
    }
    if output.stdout.len() > LARGEST {
        return Err(range_fault(range, "it is larger than what is read"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn range_fault(range: &str, why: &str) -> Fault {
    Fault::new(
        Code::InvalidArgs,
        format!("{} is no range of commits here: {why}", shorten_to_line(range, 200)),
    )
    .with_suggestion("name one as main..HEAD, a session (`wherefore log --list`), or a time: --since 2h")
}
