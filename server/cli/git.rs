//! `wherefore git`: why lines are as they are, into a git note on the commit that changed them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use clap::{Args, Subcommand};

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use crate::base::hidden::short;
use crate::protocol::{Code, Fault, LineBy, LineNote, LineWhys};
use crate::requests::Why;
use crate::requests::why::WhyParams;

/// The ref that holds the notes.
const NOTES: &str = "--ref=refs/notes/wherefore";

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
}

/// Arguments of `wherefore git note`.
#[derive(Debug, Args)]
struct NoteArgs {
    /// The commit
    #[arg(value_name = "COMMIT", default_value = "HEAD")]
    commit: String,
    #[command(flatten)]
    root: RootArgs,
}

/// Runs it.
pub(super) fn run(args: &GitArgs) -> ExitCode {
    let GitAct::Note(args) = &args.act;
    match note(args) {
        Ok(said) => {
            answer::line(&said);
            ExitCode::SUCCESS
        }
        Err(fault) => answer::told("wherefore git note", &fault),
    }
}

/// Writes the note, and says what became of it.
fn note(args: &NoteArgs) -> Result<String, Fault> {
    let root = args.root.find()?;
    let repository = Repository(Path::new(&root));
    let commit = repository.commit(&args.commit)?;
    let mut note = LineNote::on(&commit);
    let mut target = RequestTarget::open(&root)?;
    for path in repository.changed(&commit)? {
        let params = WhyParams { path: path.clone(), commits: true, ..WhyParams::default() };
        match target.ask::<Why>(params) {
            Ok(whys) => add(&mut note, &path, &whys),
            // What is closed or gone by now, and what holds no text, has no place in a note.
            Err(fault) if left_out(fault.code) => {}
            Err(fault) => return Err(fault),
        }
    }
    let shown = commit.get(..10).unwrap_or(&commit);
    if note.files.is_empty() {
        return Ok(format!(
            "no line of commit {shown} has a call or a person that is recorded here: no note is written"
        ));
    }
    let text = serde_json::to_string(&note).map_err(|error| Fault::internal(error.to_string()))?;
    LineNote::read(&text, &commit).map_err(|problem| {
        Fault::new(Code::Unsupported, format!("the note on commit {shown} is not written: {problem}"))
            .suggest("notes are for commits of fewer changes")
    })?;
    repository.run(&["notes", NOTES, "add", "-f", "-F", "-", &commit], Some(&text))?;
    let lines: u32 = note.files.values().flatten().map(|(first, last, ..)| last - first + 1).sum();
    Ok(format!("noted on commit {shown}: {lines} lines of {} files", note.files.len()))
}

fn left_out(code: Code) -> bool {
    matches!(code, Code::PermissionDenied | Code::NotFound | Code::Unsupported | Code::InvalidArgs)
}

/// Adds what is known of the lines that the commit changed in a file.
fn add(note: &mut LineNote, path: &str, whys: &LineWhys) {
    for group in &whys.groups {
        let (Some(commit), Some(first)) = (&group.commit, group.commit_line) else { continue };
        if *commit != note.commit || matches!(group.by, LineBy::Git | LineBy::Unknown) {
            continue;
        }
        let call = group.call.and_then(|at| whys.calls.get(at as usize)).and_then(|call| {
            let known = note.calls.iter().position(|known| known == call);
            let at = known.unwrap_or_else(|| {
                note.calls.push(call.clone());
                note.calls.len() - 1
            });
            u32::try_from(at).ok()
        });
        let lines = (first, first + (group.end - group.start), group.by, call);
        note.files.entry(path.to_owned()).or_default().push(lines);
    }
}

/// The person's repository, and git as they have it.
struct Repository<'r>(&'r Path);

impl Repository<'_> {
    /// The hash of a commit.
    fn commit(&self, revision: &str) -> Result<String, Fault> {
        let asked = format!("{revision}^{{commit}}");
        let said = self.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &asked], None);
        let hash = said.map(|said| said.trim().to_owned());
        hash.ok().filter(|hash| !hash.is_empty()).ok_or_else(|| {
            let message = format!("{} names no commit here", short(revision, 200));
            Fault::new(Code::NotFound, message).suggest("name a commit of this repository, as HEAD~1")
        })
    }

    /// The files that a commit added or changed.
    fn changed(&self, commit: &str) -> Result<Vec<String>, Fault> {
        let all = ["diff-tree", "--root", "--no-commit-id", "--name-only", "--relative", "-r", "-m", "-z"];
        let listed = self.run(&[&all[..], &["--diff-filter=d", commit]].concat(), None)?;
        let mut paths: Vec<String> =
            listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    fn run(&self, args: &[&str], input: Option<&str>) -> Result<String, Fault> {
        let failed = |error: std::io::Error| {
            Fault::new(Code::Unsupported, format!("git cannot be run: {error}")).suggest("install git")
        };
        let mut git = Command::new("git");
        git.arg("-C")
            .arg(self.0)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = git.spawn().map_err(failed)?;
        if let Some(mut pipe) = child.stdin.take() {
            // Where git ends early, it says why.
            let _ = pipe.write_all(input.unwrap_or_default().as_bytes());
        }
        let output = child.wait_with_output().map_err(failed)?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Fault::new(Code::Unsupported, format!("git says no: {}", short(words.trim(), 400)))
                .suggest("run git there by hand"));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
