//! `wherefore git`: why lines are as they are, into a git note on the commit that changed them.

mod added_lines;
mod forms;
mod hook;
mod note;
pub(super) mod repository;

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use self::note::{CommitToNote, NoteWriter};
use self::repository::GitRepository;
use super::answer;
use super::backend::RootArgs;
use crate::protocol::Fault;

/// Write why lines are as they are into the repository, for others to read
#[derive(Debug, Args)]
pub(super) struct GitArgs {
    #[command(subcommand)]
    act: GitAct,
}

#[derive(Debug, Subcommand)]
enum GitAct {
    /// Write a git note on a commit: which call each line that it added or changed comes from, and why
    Note(NoteArgs),
    /// What the hooks of `wherefore init --git` run
    #[command(hide = true)]
    Hook(hook::GitHookArgs),
}

/// Arguments of `wherefore git note`.
#[derive(Debug, Args)]
struct NoteArgs {
    /// The commit
    #[arg(value_name = "COMMIT", default_value = "HEAD")]
    commit: String,
    /// Carry the notes of these commits over, too: a commit or a range that this one was made of, as main..topic
    #[arg(long, value_name = "COMMITS")]
    from: Vec<String>,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run_git_command(args: &GitArgs) -> ExitCode {
    let args = match &args.act {
        GitAct::Note(args) => args,
        GitAct::Hook(args) => return hook::run_git_hook(args),
    };
    match write_commit_note(args) {
        Ok(said) => {
            answer::write_line(&said);
            ExitCode::SUCCESS
        }
        Err(fault) => answer::write_fault("wherefore git note", &fault),
    }
}

/// Writes the note, and returns a sentence about the result.
fn write_commit_note(args: &NoteArgs) -> Result<String, Fault> {
    let root = args.root.find()?;
    let repository = GitRepository(Path::new(&root));
    let commit = repository.commit_hash(&args.commit)?;
    let sources = repository.commit_hashes(&args.from)?;
    let _order = repository.lock_notes()?;
    repository.merge_fetched_notes();
    let is_own = sources.is_empty();
    let asked = CommitToNote { commit: &commit, sources: &sources, is_own, is_copy: false };
    let noted = NoteWriter::new(repository, &root).write_note(asked)?;
    let shown = commit.get(..10).unwrap_or(&commit);
    let left_out = match noted.left_out {
        0 => String::new(),
        files => format!("; it has no room for the lines of {files} more files"),
    };
    Ok(match noted.note {
        None => format!(
            "no line of commit {shown} has a call or a person that is recorded here: no note is written{left_out}"
        ),
        Some(note) => {
            let (lines, files) = (note.line_count(), note.files.len());
            format!("noted on commit {shown}: {lines} lines of {files} files{left_out}")
        }
    })
}
