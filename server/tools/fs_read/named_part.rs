//! A part of a text by its address: its lines, or the part alone where other text stands in these.

use super::{FileText, ReadRequest, read_file, read_output, read_window};
use crate::base::WorkspacePath;
use crate::protocol::{Code, Fault};
use crate::registry::ActivityOutput;
use crate::session::CallScope;
use crate::structure::{PartAddress, find_part};
use crate::tools::file_part::{line_of, part_fault, whole_lines};
use crate::workspace::read_lines;

/// Reads the part at an address, up to the limit of an answer.
///
/// # Errors
/// NOT_FOUND if there is no such file, NO_MATCH if the part is not there, and the fault of reading it.
pub(super) fn read_part(
    scope: &CallScope,
    path: &WorkspacePath,
    at: &PartAddress,
    numbers: bool,
) -> Result<ActivityOutput<FileText>, Fault> {
    let Some(snapshot) = scope.read_text(path)? else {
        return Err(Fault::new(Code::NotFound, format!("there is no file {path}"))
            .with_suggestion("list its folder to see what is there"));
    };
    let text = snapshot.text.as_str();
    let part = find_part(path.as_str(), text, at).map_err(|error| part_fault(path, error))?;
    if let Some(range) = whole_lines(text, &part) {
        return read_file(scope, path, ReadRequest { range: Some(range), numbers });
    }
    let range = Some((line_of(text, part.start), line_of(text, part.end)));
    let asked = ReadRequest { range, numbers };
    let lines = read_lines(text.as_bytes(), text.len() as u64, read_window(scope, asked))
        .map_err(|error| super::read_fault(path, &error))?;
    let limit = scope.settings().limits.output_bytes;
    let end = text.floor_char_boundary(part.end.min(part.start.saturating_add(limit)));
    let lines = lines.map(|lines| crate::workspace::FileLines {
        content: text[part.start..end].to_owned(),
        truncated: end < part.end,
        cut: end < part.end,
        encoding: snapshot.encoding,
        hash: Some(snapshot.hash.clone()),
        ..lines
    });
    read_output(scope, path, asked, lines, snapshot.unsaved)
}
