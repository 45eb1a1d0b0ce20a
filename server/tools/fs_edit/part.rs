//! A part of a file changed by its address: a new value or text, a text found inside of it, or the part taken away.

use super::{EditInput, EditedText, find_and_replace};
use crate::base::WorkspacePath;
use crate::patch::{AppliedDiff, AppliedKind};
use crate::protocol::{Code, Fault};
use crate::structure::{PartAddress, PartChange, StructureError, change_part, find_part};
use crate::tools::file_part::{line_of, part_fault};

/// Returns the text with the part at an address changed.
///
/// # Errors
/// NO_MATCH and PATCH_MISMATCH as the part is not there or the text does not parse; INVALID_ARGS for arguments that do not
/// go together.
pub(super) fn edit_part(
    path: &WorkspacePath,
    text: &str,
    at: &PartAddress,
    input: &EditInput,
) -> Result<EditedText, Fault> {
    let fault = |error: StructureError| part_fault(path, error);
    if input.find.is_none() && (input.all || input.regex || input.expected_count.is_some()) {
        return Err(Fault::new(Code::InvalidArgs, "`all`, `regex` and `expected_count` go with `find`")
            .with_suggestion("leave them out: `at` names one part"));
    }
    let change = match (&input.find, &input.replace, &input.value, input.remove) {
        (Some(_), Some(_), None, false) => {
            let edited = edit_inside(path, text, at, input)?;
            return Ok(edited);
        }
        (None, Some(new), None, false) => PartChange::Text(new.clone()),
        (None, None, Some(value), false) => PartChange::Value(value.clone()),
        (None, None, None, true) => PartChange::Remove,
        _ => {
            let message =
                "with `at` the change is one of `value`, `replace`, `find` with `replace`, and `remove`";
            return Err(Fault::new(Code::InvalidArgs, message).with_suggestion(
                "give one of them: `value` for a key, `replace` for a section, a cell or a symbol",
            ));
        }
    };
    let after = change_part(path.as_str(), text, at, &change).map_err(fault)?;
    Ok(edited_text(text, after, 1))
}

/// Finds and replaces inside of a part.
fn edit_inside(
    path: &WorkspacePath,
    text: &str,
    at: &PartAddress,
    input: &EditInput,
) -> Result<EditedText, Fault> {
    let part = find_part(path.as_str(), text, at).map_err(|error| part_fault(path, error))?;
    let inner = &text[part.clone()];
    // Blank lines in the place of what stands above, so that a refusal and a placement name the file's lines.
    let above = usize::try_from(line_of(text, part.start)).unwrap_or(1).saturating_sub(1);
    let masks = !input.regex && input.find.as_deref().is_some_and(|find| !find.trim().is_empty());
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mask = if masks { newline.repeat(above) } else { String::new() };
    let edited = find_and_replace(path.as_str(), &format!("{mask}{inner}"), input)?;
    let Some(after) = edited.applied.after.as_deref().filter(|_| !edited.applied.unchanged) else {
        return Ok(EditedText { replaced: 0, ..edited });
    };
    let Some(new) = after.strip_prefix(mask.as_str()) else {
        return Err(Fault::new(
            Code::PatchMismatch,
            format!("{path}: `find` reaches beyond {}", at.describe()),
        )
        .with_suggestion("find a text that stands inside of the part, or leave `at` out"));
    };
    let change = PartChange::Verbatim(new.to_owned());
    let after = change_part(path.as_str(), text, at, &change).map_err(|error| part_fault(path, error))?;
    let applied = AppliedDiff { after: Some(after), ..edited.applied };
    Ok(EditedText { applied, ..edited })
}

fn edited_text(before: &str, after: String, replaced: usize) -> EditedText {
    let unchanged = before == after;
    let applied = AppliedDiff {
        unchanged,
        after: Some(after),
        kind: AppliedKind::Edit,
        hunks: Vec::new(),
        others: Vec::new(),
        notes: Vec::new(),
    };
    EditedText { applied, replaced: if unchanged { 0 } else { replaced } }
}
