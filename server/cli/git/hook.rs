//! What the hooks of `wherefore init --git` run: the note of each commit, and notes carried along where commits are rewritten.
//! It says nothing and never fails: git waits for nobody here.

mod push;

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::note::{CommitToNote, NoteWriter};
use super::repository::Repository;
use crate::cli::backend::RootArgs;
use crate::protocol::Fault;

/// How long it may take, whatever hangs.
const LIMIT: Duration = Duration::from_secs(60);
/// Commits that one rewrite carries notes to.
const REWRITTEN: usize = 1000;
/// Bytes that are read of what git tells of a rewrite, and of a message.
const LONGEST: u64 = 1 << 20;
/// The file that keeps what a squash joins until it is committed.
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
pub(super) struct HookArgs {
    #[arg(value_enum)]
    hook: GitHook,
    /// What git gives the hook; for post-commit the commit
    args: Vec<String>,
}

/// Runs it.
pub(super) fn run(args: &HookArgs) -> ExitCode {
    if args.hook != GitHook::AfterPush {
        std::thread::spawn(|| {
            std::thread::sleep(LIMIT);
            std::process::exit(0);
        });
    }
    if let Err(fault) = answer(args) {
        tracing::debug!("no note is written: {}", fault.message);
    }
    ExitCode::SUCCESS
}

fn answer(args: &HookArgs) -> Result<(), Fault> {
    let root = RootArgs::default().find()?;
    let repository = Repository(Path::new(&root));
    if !repository.is_meant()? {
        return Ok(());
    }
    let arg = |at: usize| args.args.get(at).map(String::as_str).unwrap_or_default();
    let first = arg(0);
    match args.hook {
        GitHook::Commit => committed(repository, &root, first),
        GitHook::Rewrite => rewritten(repository, &root, first == "amend"),
        GitHook::Merge if first == "1" => keep_squash(repository),
        GitHook::Merge => Ok(()),
        GitHook::Push => push::pushed(repository, &root, first, arg(1)),
        GitHook::AfterPush => push::after(repository, first, arg(1)),
    }
}

/// Notes a commit that was made and has no note yet. One that rewrites another is left to the hook that is told of both.
fn committed(repository: Repository<'_>, root: &str, revision: &str) -> Result<(), Fault> {
    let commit = repository.commit(revision)?;
    let how = repository.how(&commit);
    if how.starts_with("rebase") || how.starts_with("commit (amend)") {
        return Ok(());
    }
    let _order = repository.order()?;
    // A push that began meanwhile may have written it.
    if repository.is_noted(&commit) {
        return Ok(());
    }
    repository.take_fetched();
    let picked = how.starts_with("cherry-pick") || how.starts_with("commit (cherry-pick)");
    let sources = match picked {
        true => repository.same_author(&commit),
        false => repository.joined(&commit),
    };
    let is_own = !picked && sources.is_empty();
    let asked = CommitToNote { commit: &commit, sources: &sources, is_own, is_copy: false };
    NoteWriter::new(repository, root).write(asked).map(drop)
}

/// Carries notes from the commits that git tells of to those that took their place.
fn rewritten(repository: Repository<'_>, root: &str, is_amend: bool) -> Result<(), Fault> {
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
    let _order = repository.order()?;
    repository.take_fetched();
    let mut writer = NoteWriter::new(repository, root);
    for (commit, sources) in commits.iter().take(REWRITTEN) {
        let commit = repository.commit(commit)?;
        writer.write(CommitToNote { commit: &commit, sources, is_own: is_amend, is_copy: !is_amend })?;
    }
    Ok(())
}

/// Keeps which commits a squash joins: the person may commit with a message that does not tell.
fn keep_squash(repository: Repository<'_>) -> Result<(), Fault> {
    let message = fs::read_to_string(repository.own("SQUASH_MSG")?).unwrap_or_default();
    let named = named_commits(&message);
    if named.is_empty() {
        return Ok(());
    }
    let (file, head) = (repository.own(SQUASH)?, repository.commit("HEAD")?);
    let kept = fs::read_to_string(&file).unwrap_or_default();
    let earlier = kept.lines().skip(1).filter(|_| kept.lines().next() == Some(head.as_str()));
    let lines: Vec<&str> =
        std::iter::once(head.as_str()).chain(named.iter().map(String::as_str)).chain(earlier).collect();
    fs::write(file, lines.join("\n")).map_err(|error| Fault::internal(error.to_string()))
}

/// The commits that a message of git's names: those that a squash joins, and the one that was picked.
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
    message.lines().filter_map(named).filter(|hash| seen.insert(hash.clone())).take(REWRITTEN).collect()
}

impl Repository<'_> {
    /// Whether the command that runs the hook works on this repository, and not on one that its environment names.
    fn is_meant(self) -> Result<bool, Fault> {
        let Some(meant) = std::env::var_os("GIT_DIR") else { return Ok(true) };
        let real = |path: &Path| fs::canonicalize(path).ok();
        let here = self.0.join(self.ask(&["rev-parse", "--absolute-git-dir"])?.trim_end_matches('\n'));
        // Git starts a hook at the top of the working tree, where the path counts from.
        Ok(real(Path::new(&meant)).is_some() && real(Path::new(&meant)) == real(&here))
    }

    /// How a commit was made, as the log of what was checked out has it; nothing where none is kept.
    fn how(self, commit: &str) -> String {
        let said =
            self.ask(&["log", "-g", "--max-count=50", "--format=%H %gs", "HEAD", "--"]).unwrap_or_default();
        let of = said.lines().find_map(|line| line.strip_prefix(commit)?.strip_prefix(' '));
        of.unwrap_or_default().to_owned()
    }

    /// The noted commits with the author and the time of this one that are not in its history: what it was picked from.
    fn same_author(self, commit: &str) -> Vec<String> {
        let mut all = self.noted();
        all.push(commit.to_owned());
        let asked: String = all.iter().map(|commit| format!("{commit}\n")).collect();
        let form =
            ["log", "-z", "--no-walk=unsorted", "--ignore-missing", "--format=%H%n%at %an <%ae>", "--stdin"];
        let said = self.run(&form, Some(&asked)).unwrap_or_default();
        let commits: Vec<(&str, &str)> =
            said.split('\0').filter_map(|piece| piece.split_once('\n')).collect();
        let author = commits.iter().find(|(hash, _)| *hash == commit).map(|(_, author)| *author);
        let alike = commits.iter().filter(|(hash, of)| *hash != commit && Some(*of) == author);
        alike.map(|(hash, _)| (*hash).to_owned()).filter(|hash| !self.holds(commit, hash)).collect()
    }

    /// The commits that were joined in this one: those of the last squash, or those that its message names.
    fn joined(self, commit: &str) -> Vec<String> {
        let mut named = Vec::new();
        if let Some(file) = self.own(SQUASH).ok().filter(|file| file.exists()) {
            let kept = fs::read_to_string(&file).unwrap_or_default();
            let parents = self.parents(commit).unwrap_or_default();
            if kept.lines().next().is_some_and(|head| parents.iter().any(|parent| parent == head)) {
                named = kept.lines().skip(1).map(str::to_owned).collect();
            }
            let _ = fs::remove_file(file);
        }
        if named.is_empty() {
            let message = self.ask(&["log", "--no-walk", "--format=%B", commit]).unwrap_or_default();
            named = named_commits(&message);
        }
        let is_other = |hash: &String| self.commit(hash).is_ok_and(|hash| !self.holds(commit, &hash));
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
