//! Checks that a diff is applied as a whole: parts that would be ignored are refused.

use super::hunk::FileSection;
use super::parse::{ParsedDiff, parse_diff};
use super::{PatchRefusal, RefusalCode, explain};

/// Refuses a diff for one file that has parts for others too.
pub fn refuse_other_files(path: &str, others: Vec<String>) -> PatchRefusal {
    let message = format!("the diff is for {path} and also for {}; nothing is changed", others.join(", "));
    let advice = "Send each file's part in a call of its own, with that file's path, or all of them as `git diff` writes \
                  them, and no path.";
    PatchRefusal { files: others, ..PatchRefusal::new(RefusalCode::OtherFile, path, message, advice) }
}

/// Refuses a diff with a line of a change outside of hunks.
pub(super) fn refuse_stray_line(path: &str, line: &str) -> PatchRefusal {
    let shown: String = line.chars().take(80).collect();
    let message = format!("the line {shown:?} of the diff stands in no hunk, so nothing says where it goes");
    let advice = "Put it below an `@@` line with the lines around it, or leave it out. Inside of a hunk each line begins \
                  with a space, `-` or `+`.";
    PatchRefusal::new(RefusalCode::Unsupported, path, message, advice)
}

/// Refuses a diff with a block whose file is not certain, by the line above it.
pub(super) fn refuse_unsure_name(path: &str, line: &str) -> PatchRefusal {
    let shown: String = line.chars().take(80).collect();
    let message = format!(
        "the line {shown:?} above a SEARCH/REPLACE block may name its file, but not for certain; nothing is changed"
    );
    let advice = "Put the path of the file, and nothing else, on the line above each block: `src/main.rs`. Leave other \
                  words about files out between the blocks.";
    PatchRefusal::new(RefusalCode::OtherFile, path, message, advice)
}

/// Checks that the parts that `diff --git` lines open are all that a diff has.
///
/// # Errors
/// The refusal that names the other parts, or a line in none.
pub fn check_git(diff: &str) -> Result<(), PatchRefusal> {
    let ParsedDiff { sections, format, stray: line, unsure } = parse_diff(diff, "");
    if let Some(format) = format {
        return Err(explain::unknown_format("these files", format));
    }
    if let Some(line) = line {
        return Err(refuse_stray_line("", line));
    }
    if let Some(unsure) = unsure {
        return Err(refuse_unsure_name("", unsure.line));
    }
    let mut part: Option<&FileSection> = None;
    let mut beside = Vec::new();
    for section in &sections {
        if section.git {
            part = Some(section);
        } else if part.is_none_or(|part| part.display_name() != section.display_name()) {
            beside.push(section.display_name());
        }
    }
    if beside.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the diff has parts with no `diff --git` line beside some with one: {}; nothing is changed",
        beside.join(", ")
    );
    let advice = "Begin each file's part with a `diff --git` line, as `git diff` does, or send it in a call of its own with \
                  that file's path.";
    Err(PatchRefusal { files: beside, ..PatchRefusal::new(RefusalCode::OtherFile, "", message, advice) })
}
