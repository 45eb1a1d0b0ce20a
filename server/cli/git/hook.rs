//! The hooks of `wherefore init --git`: they write the note of each commit, and copy notes where commits are rewritten.
//! They never fail, and print only that notes do not go to a remote: git waits for no answer here.
//!
//! # Invariants
//!
//! - No commit waits for a hook of wherefore, and none fails by one.
//!   Test: `a_commit_waits_for_no_program_that_is_missing_or_hangs`,
//!   `a_persons_hooks_run_as_before_and_all_is_taken_back`

mod push;

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::note::{CommitToNote, NoteWriter};
use super::repository::GitRepository;
use crate::cli::backend::RootArgs;
use crate::protocol::Fault;

/// The time limit of the hook, even if git hangs.
const LIMIT: Duration = Duration::from_secs(60);
/// The number of commits that a rewrite carries notes to at most.
const MAX_REWRITTEN: usize = 1000;
/// Bytes that are read of git's list of rewritten commits, and of a message.
const LONGEST: u64 = 1 << 20;
/// The file that records the commits of a squash until it is committed.
const SQUASH: &str = "WHEREFORE_SQUASH";

/// A hook of git's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GitHook {
    #[value(name = "post-commit")]
    Commit,
    #[value(name = "post-rewrite")]
    Rewrite,
    #[value(name = "post-merge")]
    Merge,
    #[value(name = "pre-push")]
    Push,
    /// Waits for the end of a push.
    #[value(name = "after-push")]
    AfterPush,
}

/// Arguments of `wherefore git hook`.
#[derive(Debug, Args)]
pub(super) struct GitHookArgs {
    #[arg(value_enum)]
    hook: GitHook,
    /// What git gives the hook; for post-commit the commit
    args: Vec<String>,
}

/// Runs it.
pub(super) fn run_git_hook(args: &GitHookArgs) -> ExitCode {
    if args.hook != GitHook::AfterPush {
        std::thread::spawn(|| {
            std::thread::sleep(LIMIT);
            std::process::exit(0);
        });
    }
    if let Err(fault) = handle_hook(args) {
        tracing::debug!("no note is written: {}", fault.message);
    }
    ExitCode::SUCCESS
}

fn handle_hook(args: &GitHookArgs) -> Result<(), Fault> {
    let root = RootArgs::default().find()?;
    let repository = GitRepository(Path::new(&root));
    if !repository.is_target_of_hook()? {
        return Ok(());
    }
    let arg = |at: usize| args.args.get(at).map(String::as_str).unwrap_or_default();
    let first = arg(0);
    match args.hook {
        GitHook::Commit => note_new_commit(repository, &root, first),
        GitHook::Rewrite => carry_notes(repository, &root, first == "amend"),
        GitHook::Merge if first == "1" => keep_squash(repository),
        GitHook::Merge => Ok(()),
        GitHook::Push => push::push_notes_along(repository, &root, first, arg(1)),
        GitHook::AfterPush => push::send_after_push(repository, first, arg(1)),
    }
}

/// Writes the note of a new commit that has none yet. A commit that rewrites another is left to the hook that gets both.
fn note_new_commit(repository: GitRepository<'_>, root: &str, revision: &str) -> Result<(), Fault> {
    let commit = repository.commit_hash(revision)?;
    let how = repository.creation_log(&commit);
    if how.starts_with("rebase") || how.starts_with("commit (amend)") {
        return Ok(());
    }
    let _order = repository.lock_notes()?;
    // A push that began meanwhile may have written it.
    if repository.has_note(&commit) {
        return Ok(());
    }
    repository.merge_fetched_notes();
    let picked = how.starts_with("cherry-pick") || how.starts_with("commit (cherry-pick)");
    let sources = match picked {
        true => repository.same_author(&commit),
        false => repository.joined_commits(&commit),
    };
    let is_own = !picked && sources.is_empty();
    let asked = CommitToNote { commit: &commit, sources: &sources, is_own, is_copy: false };
    NoteWriter::new(repository, root).write_note(asked).map(drop)
}

/// Carries notes from the rewritten commits that git lists to the commits that replaced them.
fn carry_notes(repository: GitRepository<'_>, root: &str, is_amend: bool) -> Result<(), Fault> {
    let mut told = String::new();
    let _ = std::io::stdin().take(LONGEST).read_to_string(&mut told);
    let mut commits: Vec<(&str, Vec<String>)> = Vec::new();
    for line in told.lines() {
        let mut words = line.split_whitespace();
        let (Some(old), Some(new)) = (words.next(), words.next()) else { continue };
        match commits.iter_mut().find(|(known, _)| *known == new) {
            Some((_, olds)) => olds.insert(0, old.to_owned()),
            None => commits.push((new, vec![old.to_owned()])),
        }
    }
    let _order = repository.lock_notes()?;
    repository.merge_fetched_notes();
    let mut writer = NoteWriter::new(repository, root);
    for (commit, sources) in commits.iter().take(MAX_REWRITTEN) {
        let commit = repository.commit_hash(commit)?;
        writer.write_note(CommitToNote { commit: &commit, sources, is_own: is_amend, is_copy: !is_amend })?;
    }
    Ok(())
}

/// Keeps which commits a squash joins: the person may commit with a message that does not tell.
fn keep_squash(repository: GitRepository<'_>) -> Result<(), Fault> {
    let message = fs::read_to_string(repository.git_path("SQUASH_MSG")?).unwrap_or_default();
    let named = named_commits(&message);
    if named.is_empty() {
        return Ok(());
    }
    let (file, head) = (repository.git_path(SQUASH)?, repository.commit_hash("HEAD")?);
    let kept = fs::read_to_string(&file).unwrap_or_default();
    let earlier = kept.lines().skip(1).filter(|_| kept.lines().next() == Some(head.as_str()));
    let lines: Vec<&str> =
        std::iter::once(head.as_str()).chain(named.iter().map(String::as_str)).chain(earlier).collect();
    fs::write(file, lines.join("\n")).map_err(|error| Fault::internal(error.to_string()))
}

/// The commits that a message of git names: those that a squash joins, and the one that was picked.
fn named_commits(message: &str) -> Vec<String> {
    let is_hash =
        |word: &&str| matches!(word.len(), 40 | 64) && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    let picked = |line: &'_ str| -> Option<String> {
        let hash = line.strip_prefix("(cherry picked from commit ")?.strip_suffix(')')?;
        Some(hash.to_owned())
    };
    let named = |line: &str| {
        let joined = line.strip_prefix("commit ").map(str::to_owned);
        joined.or_else(|| picked(line)).filter(|hash| is_hash(&hash.as_str()))
    };
    let mut seen = HashSet::new();
    message.lines().filter_map(named).filter(|hash| seen.insert(hash.clone())).take(MAX_REWRITTEN).collect()
}

impl GitRepository<'_> {
    /// Returns whether the git command that runs the hook works on this repository, and not on another that its
    /// environment names.
    fn is_target_of_hook(self) -> Result<bool, Fault> {
        let Some(meant) = std::env::var_os("GIT_DIR") else { return Ok(true) };
        let real = |path: &Path| fs::canonicalize(path).ok();
        let here = self.0.join(self.run_git(&["rev-parse", "--absolute-git-dir"])?.trim_end_matches('\n'));
        // Git starts a hook at the top of the working tree, where the path counts from.
        Ok(real(Path::new(&meant)).is_some() && real(Path::new(&meant)) == real(&here))
    }

    /// The way in which a commit was made, by the reflog; an empty text if there is no entry.
    fn creation_log(self, commit: &str) -> String {
        let said = self
            .run_git(&["log", "-g", "--max-count=50", "--format=%H %gs", "HEAD", "--"])
            .unwrap_or_default();
        let of = said.lines().find_map(|line| line.strip_prefix(commit)?.strip_prefix(' '));
        of.unwrap_or_default().to_owned()
    }

    /// The noted commits with the same author and time that are not in the commit's history: the originals of a cherry-pick.
    fn same_author(self, commit: &str) -> Vec<String> {
        let mut all = self.noted_commits();
        all.push(commit.to_owned());
        let asked: String = all.iter().map(|commit| format!("{commit}\n")).collect();
        let form =
            ["log", "-z", "--no-walk=unsorted", "--ignore-missing", "--format=%H%n%at %an <%ae>", "--stdin"];
        let said = self.run_git_with_input(&form, Some(&asked)).unwrap_or_default();
        let commits: Vec<(&str, &str)> =
            said.split('\0').filter_map(|piece| piece.split_once('\n')).collect();
        let author = commits.iter().find(|(hash, _)| *hash == commit).map(|(_, author)| *author);
        let alike = commits.iter().filter(|(hash, of)| *hash != commit && Some(*of) == author);
        alike
            .map(|(hash, _)| (*hash).to_owned())
            .filter(|hash| !self.history_contains(commit, hash))
            .collect()
    }

    /// The commits that were joined in this one: those of the last squash, or those that its message names.
    fn joined_commits(self, commit: &str) -> Vec<String> {
        let mut named = Vec::new();
        if let Some(file) = self.git_path(SQUASH).ok().filter(|file| file.exists()) {
            let kept = fs::read_to_string(&file).unwrap_or_default();
            let parents = self.parents(commit).unwrap_or_default();
            if kept.lines().next().is_some_and(|head| parents.iter().any(|parent| parent == head)) {
                named = kept.lines().skip(1).map(str::to_owned).collect();
            }
            let _ = fs::remove_file(file);
        }
        if named.is_empty() {
            let message = self.run_git(&["log", "--no-walk", "--format=%B", commit]).unwrap_or_default();
            named = named_commits(&message);
        }
        let is_other =
            |hash: &String| self.commit_hash(hash).is_ok_and(|hash| !self.history_contains(commit, &hash));
        named.into_iter().filter(is_other).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_named_by_the_lines_that_git_writes() {
        let (one, two) = ("1".repeat(40), "a".repeat(64));
        let message =
            format!("Squashed commit of the following:\n\ncommit {one}\nAuthor: A\n\n    commit {two}\n");
        assert_eq!(named_commits(&message), [one]);
        assert_eq!(
            named_commits(&format!(
                "Fix\n\n(cherry picked from commit {two})\n(cherry picked from commit {two})"
            )),
            [two]
        );
        assert!(named_commits("commit x\ncommit 123\n(cherry picked from commit --all)").is_empty());
    }
}
