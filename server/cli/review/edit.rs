//! The lines that a hunk adds, edited in the person's own editor.

use std::io::Write;
use std::process::Command;

use crate::protocol::{ChangeKind, Hunk, ProposedFile};

/// Opens the person's editor on the lines that a hunk adds; gives what they are when it ends.
///
/// # Errors
/// A sentence: that the hunk adds no text, which editor is missing, that it failed, that it left the lines as they were or
/// none.
pub(super) fn edited(file: &ProposedFile, hunk: &Hunk) -> Result<String, String> {
    if !matches!(file.kind, ChangeKind::Edit | ChangeKind::Create) {
        return Err("this hunk adds no text; accept or reject it".to_owned());
    }
    // The ending of the file's name tells the editor its language.
    let ending = file.path.as_str().rsplit_once('.').map(|(_, ending)| format!(".{ending}"));
    let ending = ending.filter(|ending| !ending.contains('/')).unwrap_or_default();
    let mut page = tempfile::Builder::new().prefix("wherefore-").suffix(&ending).tempfile().map_err(told)?;
    page.write_all(hunk.new.concat().as_bytes()).and_then(|()| page.flush()).map_err(told)?;
    let path = page.into_temp_path();
    let program = editor();
    // As git does it: the setting may hold options, which a shell takes apart.
    let script = format!("{program} \"$@\"");
    let status = Command::new("sh").args(["-c", &script, &program]).arg(&path).status().map_err(told)?;
    if !status.success() {
        return Err(format!("`{program}` ended with {status}; VISUAL or EDITOR names another editor"));
    }
    let text = std::fs::read_to_string(&path).map_err(told)?;
    match text {
        // Who leaves an editor so may have meant to stop.
        same if same == hunk.new.concat() => Err("the lines are as they were; y accepts them".to_owned()),
        none if none.trim().is_empty() => Err("no line is left; n rejects the hunk".to_owned()),
        text => Ok(text),
    }
}

fn editor() -> String {
    let set = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}
