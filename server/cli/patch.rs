//! `wherefore patch`: applies a diff to a file as `patch` does, with the engine that fs.patch uses.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::print::{inert, visible};
use super::{answer, file};
use crate::base::numbers::counted;
use crate::base::text::{Decoded, Encoding, decode};
use crate::patch::{Applied, AppliedKind, Refusal, apply_to};
use crate::protocol::{Code, Fault};

mod batch;

/// Apply a diff that a model wrote to a file; exit 1 and leave the file unchanged where the diff does not apply
#[derive(Args, Debug)]
pub(super) struct PatchArgs {
    /// The file to change; it need not exist where the diff creates it
    #[arg(required_unless_present = "batch")]
    pub file: Option<PathBuf>,
    /// The diff, or `-` to read it from standard input
    #[arg(required_unless_present = "batch")]
    pub diff: Option<PathBuf>,
    /// Write the result to this path and leave FILE as it is; `-` prints the result
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Read JSON requests from standard input, one a line: {"id","path","before"|"before_b64","diff"}
    #[arg(long, conflicts_with_all = ["file", "diff", "output"])]
    pub batch: bool,
}

/// Applies the diff: exit code 0 where it stands applied, 1 with the reason on standard error and the file as it
/// was where it does not.
pub(super) fn run(args: &PatchArgs) -> ExitCode {
    let done = match (&args.file, &args.diff) {
        _ if args.batch => batch::run(),
        (Some(file), Some(diff)) => one(file, diff, args.output.as_deref()),
        _ => Err(Fault::new(Code::InvalidArgs, "patch needs a file and a diff")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => answer::told("wherefore patch", &fault),
    }
}

fn one(path: &Path, diff: &Path, output: Option<&Path>) -> Result<(), Fault> {
    let diff = read_diff(diff)?;
    let bytes = file::read(path)?;
    let before = bytes.map(|bytes| decode(bytes).ok_or_else(|| not_text(path))).transpose()?;
    let text = before.as_ref().map(|before| before.text.as_str());
    let applied = apply_to(&path.to_string_lossy(), text, &diff).map_err(refused)?;
    let encoding = before.as_ref().map_or(Encoding::Utf8, |before| before.encoding);
    let after = applied.after.as_deref().map(|after| encode(path, encoding, after)).transpose()?;
    match output {
        Some(output) if output == Path::new("-") => print(&after.unwrap_or_default())?,
        Some(output) => file::write(output, &after.unwrap_or_default())?,
        None => {
            match after {
                _ if applied.unchanged => {}
                Some(after) => file::write(path, &after)?,
                None => file::remove(path)?,
            }
            print(inert(&summary(path, &applied)).as_bytes())?;
        }
    }
    Ok(())
}

fn read_diff(path: &Path) -> Result<String, Fault> {
    let bytes = match path == Path::new("-") {
        true => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.map(|_| Some(bytes)).map_err(file::system("read", path))?
        }
        false => file::read(path)?,
    };
    let missing = || Fault::new(Code::NotFound, format!("there is no diff at {}", path.display()));
    let Decoded { text, .. } = decode(bytes.ok_or_else(missing)?).ok_or_else(|| not_text(path))?;
    Ok(text)
}

fn refused(refusal: Refusal) -> Fault {
    let hints = refusal.hints();
    Fault::new(Code::PatchMismatch, refusal.message).suggest(refusal.suggestion).hint(hints)
}

fn not_text(path: &Path) -> Fault {
    Fault::new(Code::Unsupported, format!("{} is not a text file", path.display()))
        .suggest("Name a text file; binary files cannot be patched.")
}

/// The bytes of a text in its file's encoding.
fn encode<'t>(path: &Path, encoding: Encoding, text: &'t str) -> Result<Cow<'t, [u8]>, Fault> {
    encoding.encode(text).map_err(|char| {
        let name = encoding.name();
        Fault::new(Code::Unsupported, format!("{} is in {name}, which has no `{char}`", path.display()))
            .suggest("Use only characters of the file's encoding, or convert the file first.")
    })
}

fn print(bytes: &[u8]) -> Result<(), Fault> {
    let mut out = std::io::stdout().lock();
    let done = out.write_all(bytes).and_then(|()| out.flush());
    Ok(done.map_err(file::system("write", Path::new("standard output")))?)
}

/// What was done, in a line, and a line for each hunk that a person may want to look at twice.
fn summary(path: &Path, applied: &Applied) -> String {
    let name = visible(&path.to_string_lossy());
    let mut text = match (applied.unchanged, applied.kind) {
        (true, _) => format!("{name} is as the diff leaves it already\n"),
        (false, AppliedKind::Create) => format!("made {name}\n"),
        (false, AppliedKind::Delete) => format!("deleted {name}\n"),
        (false, _) => format!("patched {name}: {}\n", counted(applied.hunks.len(), "hunk")),
    };
    for hunk in &applied.hunks {
        let moved = hunk
            .offset
            .filter(|offset| *offset != 0)
            .map(|offset| format!("{offset:+} lines from its header"));
        let said: Vec<String> = moved.into_iter().chain(hunk.loose()).collect();
        if !said.is_empty() {
            text.push_str(&format!("  hunk {} at line {}: {}\n", hunk.hunk, hunk.line, said.join(", ")));
        }
    }
    let others = applied.others.iter().map(|other| format!("the part for {} was left out", visible(other)));
    for note in applied.notes.iter().cloned().chain(others) {
        text.push_str(&format!("  note: {}\n", visible(&note)));
    }
    text
}
