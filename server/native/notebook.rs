//! A notebook's text with one cell changed. The form is nbformat 4's
//! (<https://nbformat.readthedocs.io/en/latest/format_description.html>), printed with an indent of one, as Jupyter does.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Value, json};
use thiserror::Error;

use super::{CellEdit, CellMode};

/// Why a cell cannot be changed.
#[derive(Debug, Error)]
pub enum NotebookError {
    /// The file is no JSON.
    #[error("the notebook is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It holds no list of cells.
    #[error("the notebook has no cells")]
    Shape,
    /// There is no such cell.
    #[error("the notebook has no cell {0}")]
    Cell(String),
}

/// The notebook's text with the change made.
///
/// # Errors
/// What keeps the change from being made.
pub fn with_cell(notebook: &str, edit: &CellEdit) -> Result<String, NotebookError> {
    let mut value: Value = serde_json::from_str(notebook)?;
    let cells = value.get_mut("cells").and_then(Value::as_array_mut).ok_or(NotebookError::Shape)?;
    let found = edit.cell.as_deref().map(|id| place(cells, id)).transpose()?;
    match (edit.mode, found) {
        (CellMode::Insert, after) => cells.insert(after.map_or(0, |at| at + 1), new(edit)),
        (CellMode::Replace, Some(at)) => replace(&mut cells[at], edit),
        (CellMode::Delete, Some(at)) => drop(cells.remove(at)),
        (CellMode::Replace | CellMode::Delete, None) => {
            return Err(NotebookError::Cell("without an id".into()));
        }
    }
    let mut text = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b" ")))?;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if notebook.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn place(cells: &[Value], id: &str) -> Result<usize, NotebookError> {
    let by_id = cells.iter().position(|cell| cell.get("id").and_then(Value::as_str) == Some(id));
    let by_place = || id.strip_prefix("cell-")?.parse().ok().filter(|at| *at < cells.len());
    by_id.or_else(by_place).ok_or_else(|| NotebookError::Cell(id.to_owned()))
}

/// Lines with their ends, as a notebook keeps a source.
fn lines(source: &str) -> Value {
    Value::from(source.split_inclusive('\n').collect::<Vec<_>>())
}

fn new(edit: &CellEdit) -> Value {
    let source = lines(&edit.source);
    match edit.kind.as_deref() {
        Some("markdown") => json!({ "cell_type": "markdown", "metadata": {}, "source": source }),
        _ => json!({
            "cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": source,
        }),
    }
}

/// The outputs of the old source go with it.
fn replace(cell: &mut Value, edit: &CellEdit) {
    let is_string = cell.get("source").is_some_and(Value::is_string);
    cell["source"] = if is_string { Value::from(edit.source.as_str()) } else { lines(&edit.source) };
    if let Some(kind) = &edit.kind {
        cell["cell_type"] = Value::from(kind.as_str());
    }
    if cell.get("cell_type").and_then(Value::as_str) == Some("code") {
        cell["outputs"] = json!([]);
        cell["execution_count"] = Value::Null;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &str = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"id\": \"c1\",\n   \"source\": [\n    \"x = 1\\n\",\n    \"y = 2\\n\"\n   ],\n   \"outputs\": [],\n   \"execution_count\": null\n  }\n ],\n \"nbformat\": 4\n}\n";

    #[test]
    fn a_cell_is_changed_and_the_rest_stays_as_it_was() {
        let edit =
            CellEdit { cell: Some("c1".into()), source: "x = 1\ny = 20\n".into(), ..CellEdit::default() };
        assert_eq!(with_cell(NOTEBOOK, &edit).unwrap(), NOTEBOOK.replace("y = 2\\n", "y = 20\\n"));
        let inserted = CellEdit {
            mode: CellMode::Insert,
            kind: Some("markdown".into()),
            source: "# T".into(),
            cell: None,
        };
        let text = with_cell(NOTEBOOK, &inserted).unwrap();
        assert!(text.find("# T").unwrap() < text.find("c1").unwrap(), "{text}");
        let removed = CellEdit { mode: CellMode::Delete, cell: Some("cell-0".into()), ..CellEdit::default() };
        assert!(!with_cell(NOTEBOOK, &removed).unwrap().contains("c1"));
        let unknown = CellEdit { cell: Some("c9".into()), ..CellEdit::default() };
        assert!(matches!(with_cell(NOTEBOOK, &unknown), Err(NotebookError::Cell(_))));
        assert!(with_cell("no json", &unknown).is_err());
    }
}
