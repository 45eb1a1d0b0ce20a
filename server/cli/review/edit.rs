//! The lines that a hunk adds, edited in the person's own editor.

use std::io::Write;
use std::process::Command;

use crate::protocol::{ChangeKind, Hunk, ProposedFile};

/// Opens the person's editor on the lines that a hunk adds; returns the lines when it ends.
///
/// # Errors
/// A sentence: that the hunk adds no text, which editor is missing, that it failed, or that it left the lines unchanged
/// or empty.
pub(super) fn edit_hunk(file: &ProposedFile, hunk: &Hunk) -> Result<String, String> {
    if !matches!(file.kind, ChangeKind::Edit | ChangeKind::Create) {
        return Err("this hunk adds no text; accept or reject it".to_owned());
    }
    // The editor finds the language by the ending of the file's name.
    let ending = file.path.as_str().rsplit_once('.').map(|(_, ending)| format!(".{ending}"));
    let ending = ending.filter(|ending| !ending.contains('/')).unwrap_or_default();
    let mut page =
        tempfile::Builder::new().prefix("wherefore-").suffix(&ending).tempfile().map_err(error_text)?;
    page.write_all(hunk.new.concat().as_bytes()).and_then(|()| page.flush()).map_err(error_text)?;
    let path = page.into_temp_path();
    let program = editor_command();
    // As git does it: the setting may hold options, which a shell takes apart.
    let script = format!("{program} \"$@\"");
    let status =
        Command::new("sh").args(["-c", &script, &program]).arg(&path).status().map_err(error_text)?;
    if !status.success() {
        return Err(format!("`{program}` ended with {status}; VISUAL or EDITOR names another editor"));
    }
    let text = std::fs::read_to_string(&path).map_err(error_text)?;
    match text {
        // A person who leaves the editor without a change may have wanted to stop.
        same if same == hunk.new.concat() => Err("the lines are as they were; y accepts them".to_owned()),
        none if none.trim().is_empty() => Err("no line is left; n rejects the hunk".to_owned()),
        text => Ok(text),
    }
}

fn editor_command() -> String {
    let set = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
