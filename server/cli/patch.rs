//! `wherefore patch`: applies a diff to a file as `patch` does, with the engine that fs.patch uses.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::print::{escape_hidden, visible_line};
use super::{answer, file};
use crate::base::numbers::format_count;
use crate::base::text::{DecodedText, TextEncoding, decode_text};
use crate::patch::{AppliedDiff, AppliedKind, PatchRefusal, apply_to_named_file, merge_into_named_file};
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
    /// Merge word by word where FILE has other lines than the diff states; where both change the same words, nothing is changed
    #[arg(long, conflicts_with = "batch")]
    pub merge: bool,
    /// Read JSON requests from standard input, one a line: {"id","path","before"|"before_b64","diff"}
    #[arg(long, conflicts_with_all = ["file", "diff", "output"])]
    pub batch: bool,
}

/// Applies the diff. Exit code 0 if it applies; 1 if not, with the reason on standard error and the file unchanged.
pub(super) fn run_patch(args: &PatchArgs) -> ExitCode {
    let done = match (&args.file, &args.diff) {
        _ if args.batch => batch::run_batch(),
        (Some(file), Some(diff)) => patch_file(file, diff, args),
        _ => Err(Fault::new(Code::InvalidArgs, "patch needs a file and a diff")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => answer::write_fault("wherefore patch", &fault),
    }
}

fn patch_file(path: &Path, diff: &Path, args: &PatchArgs) -> Result<(), Fault> {
    let diff = read_diff(diff)?;
    let bytes = file::read_file(path)?;
    let before = bytes.map(|bytes| decode_text(bytes).ok_or_else(|| not_text(path))).transpose()?;
    let text = before.as_ref().map(|before| before.text.as_str());
    let name = path.to_string_lossy();
    let applied = match args.merge {
        true => merge_into_named_file(&name, text, &diff).map_err(refusal_fault)?,
        false => apply_to_named_file(&name, text, &diff).map_err(|refusal| {
            let merges = merge_into_named_file(&name, text, &diff).is_ok();
            refusal_fault(if merges { advise_merge(refusal) } else { refusal })
        })?,
    };
    let encoding = before.as_ref().map_or(TextEncoding::Utf8, |before| before.encoding);
    let after = applied.after.as_deref().map(|after| encode_text(path, encoding, after)).transpose()?;
    match args.output.as_deref() {
        Some(output) if output == Path::new("-") => print_bytes(&after.unwrap_or_default())?,
        Some(output) => file::write_file(output, &after.unwrap_or_default())?,
        None => {
            match after {
                _ if applied.unchanged => {}
                Some(after) => file::write_file(path, &after)?,
                None => file::remove_file(path)?,
            }
            print_bytes(escape_hidden(&applied_summary(path, &applied)).as_bytes())?;
        }
    }
    Ok(())
}

fn read_diff(path: &Path) -> Result<String, Fault> {
    let bytes = match path == Path::new("-") {
        true => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.map(|_| Some(bytes)).map_err(file::system_error("read", path))?
        }
        false => file::read_file(path)?,
    };
    let missing = || Fault::new(Code::NotFound, format!("there is no diff at {}", path.display()));
    let DecodedText { text, .. } = decode_text(bytes.ok_or_else(missing)?).ok_or_else(|| not_text(path))?;
    Ok(text)
}

/// Adds the way out that is there where a merge would do.
fn advise_merge(refusal: PatchRefusal) -> PatchRefusal {
    let suggestion = format!("{} `wherefore patch --merge` puts it in word by word.", refusal.suggestion)
        .trim_start()
        .to_owned();
    PatchRefusal { suggestion, ..refusal }
}

fn refusal_fault(refusal: PatchRefusal) -> Fault {
    let hints = refusal.to_hints();
    Fault::new(Code::PatchMismatch, refusal.message).with_suggestion(refusal.suggestion).with_hints(hints)
}

fn not_text(path: &Path) -> Fault {
    Fault::new(Code::Unsupported, format!("{} is not a text file", path.display()))
        .with_suggestion("Name a text file; binary files cannot be patched.")
}

/// The bytes of a text in its file's encoding.
fn encode_text<'t>(path: &Path, encoding: TextEncoding, text: &'t str) -> Result<Cow<'t, [u8]>, Fault> {
    encoding.encode_text(text).map_err(|char| {
        let name = encoding.name();
        Fault::new(Code::Unsupported, format!("{} is in {name}, which has no `{char}`", path.display()))
            .with_suggestion("Use only characters of the file's encoding, or convert the file first.")
    })
}

fn print_bytes(bytes: &[u8]) -> Result<(), Fault> {
    let mut out = std::io::stdout().lock();
    let done = out.write_all(bytes).and_then(|()| out.flush());
    Ok(done.map_err(file::system_error("write", Path::new("standard output")))?)
}

/// The result in one line, and a line for each hunk that needs attention.
fn applied_summary(path: &Path, applied: &AppliedDiff) -> String {
    let name = visible_line(&path.to_string_lossy());
    let mut text = match (applied.unchanged, applied.kind) {
        (true, _) => format!("{name} is as the diff leaves it already\n"),
        (false, AppliedKind::Create) => format!("made {name}\n"),
        (false, AppliedKind::Delete) => format!("deleted {name}\n"),
        (false, _) => format!("patched {name}: {}\n", format_count(applied.hunks.len(), "hunk")),
    };
    for hunk in &applied.hunks {
        let moved = hunk
            .offset
            .filter(|offset| *offset != 0)
            .map(|offset| format!("{offset:+} lines from its header"));
        let said: Vec<String> = moved.into_iter().chain(hunk.loose_reason()).collect();
        if !said.is_empty() {
            text.push_str(&format!("  hunk {} at line {}: {}\n", hunk.hunk, hunk.line, said.join(", ")));
        }
    }
    let others =
        applied.others.iter().map(|other| format!("the part for {} was left out", visible_line(other)));
    for note in applied.notes.iter().cloned().chain(others) {
        text.push_str(&format!("  note: {}\n", visible_line(&note)));
    }
    text
}
