//! A notebook's text with one cell changed, and the rest of it byte for byte as it was. The form is nbformat 4's
//! (<https://nbformat.readthedocs.io/en/latest/format_description.html>).

use std::borrow::Cow;

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Value, json};
use thiserror::Error;

use super::json_text::JsonText;
use super::{CellEdit, CellMode};
use crate::base::hash;

/// The reason why a cell cannot be changed.
#[derive(Debug, Error)]
pub enum NotebookError {
    /// The file is no JSON.
    #[error("the notebook is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It holds no list of cells.
    #[error("the notebook has no list of cells, as a notebook of nbformat 4 has")]
    Shape,
    /// There is no such cell.
    #[error("the notebook has no cell {0}")]
    Cell(String),
}

/// The notebook's text with the change made.
///
/// # Errors
/// The reason why the change cannot be made.
pub fn with_cell(notebook: &str, edit: &CellEdit) -> Result<String, NotebookError> {
    let mut whole = JsonText::parse(notebook)?;
    let layout = NotebookLayout::of(&whole);
    let cells_text =
        whole.member_value("cells").filter(|cells| cells.starts_with('[')).ok_or(NotebookError::Shape)?;
    let cells_text = cells_text.to_owned();
    let mut cells = JsonText::parse(&cells_text)?;
    let found = edit.cell.as_deref().map(|id| find_cell(&cells, id)).transpose()?;
    match (edit.mode, found) {
        (CellMode::Insert, after) => {
            let at = after.map_or(0, |at| at + 1);
            let lead = cells.item_lead(at).map_or_else(|| layout.lead_at_level(2), str::to_owned);
            let cell =
                layout.print_value(&new_cell(edit, has_ids(&whole).then(|| new_id(&cells, edit))), &lead);
            cells.insert_item(at, cell?, [&lead, &layout.lead_at_level(1)]);
        }
        (CellMode::Replace, Some(at)) => {
            let cell = cells.values().nth(at).unwrap_or_default().to_owned();
            cells.set_item(at, replace_source(&cell, edit, &layout)?);
        }
        (CellMode::Delete, Some(at)) => cells.remove_item(at),
        (CellMode::Replace | CellMode::Delete, None) => {
            return Err(NotebookError::Cell("without an id".into()));
        }
    }
    whole.set_member("cells", cells.to_string());
    let body = notebook.trim();
    let (before, after) = notebook.split_once(body).unwrap_or_default();
    Ok(format!("{before}{whole}{after}"))
}

/// The place of a cell by its id, else by its number.
fn find_cell(cells: &JsonText<'_>, id: &str) -> Result<usize, NotebookError> {
    let by_id =
        cells.values().position(|cell| member_value(cell, "id").as_ref().and_then(Value::as_str) == Some(id));
    let by_place = || id.strip_prefix("cell-")?.parse().ok().filter(|at| *at < cells.len());
    by_id.or_else(by_place).ok_or_else(|| NotebookError::Cell(id.to_owned()))
}

/// The value of a member of an object, given the object's text.
fn member_value(object: &str, name: &str) -> Option<Value> {
    let object = JsonText::parse(object).ok()?;
    serde_json::from_str(object.member_value(name)?).ok()
}

/// Returns whether each cell of the notebook must have an id: since nbformat 4.5; before it, none may.
fn has_ids(whole: &JsonText<'_>) -> bool {
    let number =
        |name: &str| whole.member_value(name).and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    (number("nbformat"), number("nbformat_minor")) >= (4, 5)
}

/// An id that no cell has. The same edit of the same notebook gets the same one.
fn new_id(cells: &JsonText<'_>, edit: &CellEdit) -> String {
    let taken: Vec<Value> = cells.values().filter_map(|cell| member_value(cell, "id")).collect();
    let mut seed = format!("{}\n{}\n{}", edit.cell.as_deref().unwrap_or_default(), cells.len(), edit.source);
    loop {
        let mut id = hash::short_hash(seed.as_bytes());
        id.truncate(8);
        if !taken.iter().any(|taken| taken.as_str() == Some(&id)) {
            return id;
        }
        seed.push('\n');
    }
}

/// The lines of a source with their ends, as a notebook keeps them.
fn source_lines(source: &str) -> Vec<&str> {
    source.split_inclusive('\n').collect()
}

fn new_cell(edit: &CellEdit, id: Option<String>) -> Value {
    let source = source_lines(&edit.source);
    let mut cell = match edit.kind.as_deref() {
        Some(kind) if kind != "code" => json!({ "cell_type": kind, "metadata": {}, "source": source }),
        _ => json!({
            "cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": source,
        }),
    };
    if let (Some(id), Some(members)) = (id, cell.as_object_mut()) {
        members.insert("id".into(), id.into());
        members.sort_keys();
    }
    cell
}

/// A cell's text with another source, and its kind if that changes. The outputs of the old source are removed, and so
/// are members that cells of the new kind may not have.
fn replace_source(cell: &str, edit: &CellEdit, layout: &NotebookLayout) -> Result<String, NotebookError> {
    let mut text = JsonText::parse(cell)?;
    let source = match text.member_value("source") {
        Some(source) if source.starts_with('"') => Value::from(edit.source.as_str()).to_string(),
        source => print_lines(source.unwrap_or("[]"), edit, text.item_lead(1).unwrap_or_default(), layout)?,
    };
    text.set_member("source", source);
    let was = member_value(cell, "cell_type").and_then(|kind| kind.as_str().map(str::to_owned));
    let kind = edit.kind.as_deref().or(was.as_deref()).unwrap_or("code");
    if was.as_deref() != Some(kind) {
        text.set_member("cell_type", Value::from(kind).to_string());
    }
    if kind == "code" {
        text.remove_member("attachments");
        text.set_member("execution_count", "null");
        if member_value(cell, "outputs")
            .is_none_or(|outputs| outputs.as_array().is_none_or(|outputs| !outputs.is_empty()))
        {
            text.set_member("outputs", "[]");
        }
    } else {
        text.remove_member("execution_count");
        text.remove_member("outputs");
    }
    Ok(text.to_string())
}

/// The list of the source's lines. Lines at its start and end that stay are written as they were.
fn print_lines(
    was: &str,
    edit: &CellEdit,
    member_lead: &str,
    layout: &NotebookLayout,
) -> Result<String, NotebookError> {
    let old = JsonText::parse(was)?;
    let old_lines: Vec<&str> = old.values().collect();
    let new_lines = source_lines(&edit.source);
    let equal =
        |(old, new): (&&str, &&str)| serde_json::from_str::<String>(old).is_ok_and(|old| old == **new);
    let head = old_lines.iter().zip(&new_lines).take_while(|pair| equal(*pair)).count();
    let rest = old_lines[head..].iter().rev().zip(new_lines[head..].iter().rev());
    let tail = rest.take_while(|pair| equal(*pair)).count();
    let (old_count, new_count) = (old_lines.len(), new_lines.len());
    let values = new_lines.iter().enumerate().map(|(at, line)| match at {
        _ if at < head => Cow::from(old_lines[at]),
        _ if at >= new_count - tail => Cow::from(old_lines[old_count + at - new_count]),
        _ => Cow::from(Value::from(*line).to_string()),
    });
    let deeper =
        if member_lead.contains('\n') { format!("{member_lead}{}", layout.unit) } else { String::new() };
    let lead = old.item_lead(0).unwrap_or(&deeper);
    Ok(JsonText::of_values(values.collect(), lead, member_lead).to_string())
}

/// The layout of a notebook: how its lines end, and by how much a level is indented.
struct NotebookLayout {
    /// The line end; none if the notebook is on one line.
    end: &'static str,
    unit: String,
}

impl NotebookLayout {
    fn of(whole: &JsonText<'_>) -> Self {
        let lead = whole.item_lead(0).unwrap_or_default();
        let end = match lead {
            _ if lead.contains("\r\n") => "\r\n",
            _ if lead.contains('\n') => "\n",
            _ => "",
        };
        Self { end, unit: lead.trim_start_matches(['\r', '\n']).to_owned() }
    }

    /// The space before a value of that level.
    fn lead_at_level(&self, level: usize) -> String {
        if self.end.is_empty() { String::new() } else { format!("{}{}", self.end, self.unit.repeat(level)) }
    }

    /// The text of a value after the indentation `lead_at_level`.
    fn print_value(&self, value: &Value, lead: &str) -> Result<String, NotebookError> {
        if !lead.contains('\n') {
            return Ok(value.to_string());
        }
        let mut text = Vec::new();
        value.serialize(&mut Serializer::with_formatter(
            &mut text,
            PrettyFormatter::with_indent(self.unit.as_bytes()),
        ))?;
        // No text of JSON holds a line end.
        Ok(String::from_utf8_lossy(&text).replace('\n', lead))
    }
}

#[cfg(test)]
mod tests;
