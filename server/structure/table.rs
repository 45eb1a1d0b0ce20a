//! Cells and rows of CSV and TSV: quotes are kept, and added where a text needs them.

mod read;

use std::ops::Range;

use serde_json::Value;
use wherefore_base::nearest::nearest_names;

use crate::address::{PartChange, RowAddress};
use crate::error::{StructureError, StructureErrorCode, unsound};
use crate::lines::{Splice, apply_splices, line_break, line_end, line_number, lines_to_remove};
use read::{Table, read_table};

/// The place of a row or a cell.
enum TablePlace {
    Row(usize),
    Cell(usize, usize),
    /// A row behind the last.
    Behind,
}

/// Returns the bytes of a row or a cell.
pub(crate) fn find_cell(
    text: &str,
    separator: Option<u8>,
    row: &RowAddress,
    column: Option<&str>,
) -> Result<Range<usize>, StructureError> {
    let table = read_table(text, separator)?;
    match find_place(text, &table, row, column)? {
        TablePlace::Row(row) => Ok(table.rows[row].span.clone()),
        TablePlace::Cell(row, column) => Ok(table.rows[row].fields[column].span.clone()),
        TablePlace::Behind => Err(not_there("`+` is a new row and holds nothing yet", Vec::new())),
    }
}

/// Returns the text with a row or a cell changed.
pub(crate) fn change_cell(
    text: &str,
    separator: Option<u8>,
    row: &RowAddress,
    column: Option<&str>,
    change: &PartChange,
) -> Result<String, StructureError> {
    let table = read_table(text, separator)?;
    let place = find_place(text, &table, row, column)?;
    let mut wanted: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.fields.iter().map(|field| field.text.clone()).collect()).collect();
    let splices = match (&place, change) {
        (TablePlace::Cell(row, column), PartChange::Verbatim(new)) => {
            let splice = Splice::new(table.rows[*row].fields[*column].span.clone(), new.clone());
            let after = apply_splices(text, vec![splice]);
            let read = read_table(&after, Some(table.separator))?;
            let cell = read.rows.get(*row).and_then(|row| row.fields.get(*column));
            wanted[*row][*column] = cell.map(|cell| cell.text.clone()).unwrap_or_default();
            return check_table(&after, &table, &wanted);
        }
        (TablePlace::Cell(row, column), PartChange::Remove | PartChange::Text(_) | PartChange::Value(_)) => {
            let new = match change {
                PartChange::Text(new) => new.clone(),
                PartChange::Value(value) => cell_text(value)?,
                PartChange::Remove | PartChange::Verbatim(_) => String::new(),
            };
            let span = &table.rows[*row].fields[*column].span;
            let quoted = text[span.clone()].starts_with('"');
            let written = quote_cell(&new, quoted, &table);
            wanted[*row][*column] = new;
            vec![Splice::new(span.clone(), written)]
        }
        (TablePlace::Row(row), PartChange::Remove) => {
            wanted.remove(*row);
            vec![Splice::new(lines_to_remove(text, &table.rows[*row].span), "")]
        }
        (TablePlace::Row(row), PartChange::Text(new) | PartChange::Verbatim(new)) => {
            let new = new.trim_end_matches(['\n', '\r']);
            wanted[*row] = read_row(new, &table)?;
            vec![Splice::new(table.rows[*row].span.clone(), new)]
        }
        (TablePlace::Row(row), PartChange::Value(value)) => {
            let fields = &table.rows[*row].fields;
            let mut splices = Vec::new();
            for (column, new) in row_values(value, &table)? {
                let Some(field) = fields.get(column) else { continue };
                let quoted = text[field.span.clone()].starts_with('"');
                splices.push(Splice::new(field.span.clone(), quote_cell(&new, quoted, &table)));
                wanted[*row][column] = new;
            }
            splices
        }
        (TablePlace::Behind, PartChange::Text(new)) => {
            let new = new.trim_matches(['\n', '\r']);
            wanted.push(read_row(new, &table)?);
            vec![append(text, &table, new)]
        }
        (TablePlace::Behind, PartChange::Value(value)) => {
            let mut fields = vec![String::new(); wanted.first().map_or(0, Vec::len)];
            for (column, new) in row_values(value, &table)? {
                if let Some(field) = fields.get_mut(column) {
                    *field = new;
                }
            }
            let separator = char::from(table.separator).to_string();
            let written: Vec<String> = fields.iter().map(|field| quote_cell(field, false, &table)).collect();
            wanted.push(fields);
            vec![append(text, &table, &written.join(&separator))]
        }
        (TablePlace::Behind, PartChange::Remove | PartChange::Verbatim(_)) => {
            return Err(not_there("`+` is a new row and holds nothing yet", Vec::new()));
        }
    };
    check_table(&apply_splices(text, splices), &table, &wanted)
}

/// Accepts a text that reads as the fields that were meant.
fn check_table(after: &str, before: &Table, wanted: &[Vec<String>]) -> Result<String, StructureError> {
    let read = read_table(after, Some(before.separator))?;
    let fields: Vec<Vec<&str>> =
        read.rows.iter().map(|row| row.fields.iter().map(|field| field.text.as_str()).collect()).collect();
    match fields == wanted {
        true => Ok(after.to_owned()),
        false => Err(unsound("as a table the result would not hold what was meant")),
    }
}

fn append(text: &str, table: &Table, row: &str) -> Splice {
    let end = table.rows.last().map_or(0, |last| last.span.end);
    Splice::insert(line_end(text, end), format!("{}{row}", line_break(text)))
}

fn read_row(row: &str, table: &Table) -> Result<Vec<String>, StructureError> {
    let read = read_table(row, Some(table.separator))?;
    let columns = table.rows.first().map_or(0, |header| header.fields.len());
    match read.rows.as_slice() {
        [one] if one.fields.len() == columns => {
            Ok(one.fields.iter().map(|field| field.text.clone()).collect())
        }
        rows => Err(unsound(&format!(
            "the header has {columns} columns, and the new text {} rows with {} fields",
            rows.len(),
            rows.first().map_or(0, |row| row.fields.len())
        ))),
    }
}

/// The texts of a row's cells by their columns.
fn row_values(value: &Value, table: &Table) -> Result<Vec<(usize, String)>, StructureError> {
    match value {
        Value::Array(cells) if cells.len() == table.rows.first().map_or(0, |header| header.fields.len()) => {
            cells.iter().enumerate().map(|(at, cell)| Ok((at, cell_text(cell)?))).collect()
        }
        Value::Object(cells) => {
            cells.iter().map(|(name, cell)| Ok((find_column(table, name)?, cell_text(cell)?))).collect()
        }
        _ => Err(StructureError::new(
            StructureErrorCode::BadValue,
            "the value of a row is an object of columns, or a list with an element for each column",
            "send such a value, or name the `column` of one cell",
        )),
    }
}

fn cell_text(value: &Value) -> Result<String, StructureError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Null => Ok(String::new()),
        Value::Array(_) | Value::Object(_) => Err(StructureError::new(
            StructureErrorCode::BadValue,
            "a cell holds one text, not a list or an object",
            "send a text, a number or a boolean",
        )),
        other => Ok(other.to_string()),
    }
}

fn quote_cell(text: &str, quoted: bool, table: &Table) -> String {
    let single = table.rows.first().is_some_and(|header| header.fields.len() == 1);
    let needed = text.contains([char::from(table.separator), '"', '\n', '\r'])
        || text.trim() != text
        || (single && text.is_empty());
    match quoted || needed {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

fn not_there(message: impl Into<String>, hints: Vec<String>) -> StructureError {
    StructureError::new(
        StructureErrorCode::NotThere,
        message,
        "name a row by its number after the header or as `column=value`, and a column by its name in the header",
    )
    .with_hints(hints)
}

fn find_place(
    text: &str,
    table: &Table,
    row: &RowAddress,
    column: Option<&str>,
) -> Result<TablePlace, StructureError> {
    let column = column.map(|column| find_column(table, column)).transpose()?;
    let row = match row {
        RowAddress::Number(number) => *number,
        RowAddress::Named(named) if named.trim() == "+" => return Ok(TablePlace::Behind),
        RowAddress::Named(named) => match named.split_once('=') {
            Some((key, value)) => find_row(text, table, key.trim(), value.trim())?,
            None => named.trim().parse().map_err(|_| {
                StructureError::new(
                    StructureErrorCode::BadAddress,
                    format!("`{named}` names no row"),
                    "write a number, `+` for a new row, or `column=value`",
                )
            })?,
        },
    };
    let count = table.rows.len().saturating_sub(1);
    if row == 0 || row > count {
        let message = format!("row {row} is not there: the table has {count} after its header");
        return Err(not_there(message, Vec::new()));
    }
    let Some(column) = column else { return Ok(TablePlace::Row(row)) };
    let fields = table.rows[row].fields.len();
    match column < fields {
        true => Ok(TablePlace::Cell(row, column)),
        false => {
            Err(StructureError::unsupported(format!("row {row} has {fields} fields, fewer than the header"))
                .at_byte(text, table.rows[row].span.start))
        }
    }
}

/// Finds the row in which a column has a value.
fn find_row(text: &str, table: &Table, key: &str, value: &str) -> Result<usize, StructureError> {
    let column = find_column(table, key)?;
    let cells = || {
        let rows = table.rows.iter().enumerate().skip(1);
        rows.filter_map(|(at, row)| Some((at, row.fields.get(column)?.text.trim())))
    };
    let found: Vec<usize> = cells().filter(|(_, cell)| *cell == value).map(|(at, _)| at).collect();
    match found.as_slice() {
        [row] => Ok(*row),
        [] => {
            let near = nearest_names(value, cells().map(|(_, cell)| cell), 6);
            let hints = near.into_iter().map(|cell| format!("{key}={cell}")).collect();
            Err(not_there(format!("no row has `{key}` = `{value}`"), hints))
        }
        several => Err(StructureError {
            code: StructureErrorCode::Ambiguous,
            ..not_there(
                format!("{} rows have `{key}` = `{value}`", several.len()),
                several
                    .iter()
                    .take(12)
                    .map(|at| format!("row {at} (line {})", line_number(text, table.rows[*at].span.start)))
                    .collect(),
            )
        }),
    }
}

/// Finds a column by its name in the header, or its number from 1.
fn find_column(table: &Table, name: &str) -> Result<usize, StructureError> {
    let header: Vec<&str> = table
        .rows
        .first()
        .map(|row| row.fields.iter().map(|field| field.text.trim()).collect())
        .unwrap_or_default();
    let named = |same: &dyn Fn(&str) -> bool| -> Vec<usize> {
        header.iter().enumerate().filter(|(_, field)| same(field)).map(|(at, _)| at).collect()
    };
    let mut found = named(&|field| field == name.trim());
    if found.is_empty() {
        found = named(&|field| field.to_lowercase() == name.trim().to_lowercase());
    }
    match found.as_slice() {
        [column] => Ok(*column),
        [] => match name.trim().parse::<usize>() {
            Ok(number) if (1..=header.len()).contains(&number) => Ok(number - 1),
            _ => {
                let mut near = nearest_names(name, header.iter().copied(), 6);
                if near.is_empty() {
                    near = header.iter().copied().take(12).collect();
                }
                let hints = near.into_iter().map(str::to_owned).collect();
                Err(not_there(format!("the header has no column `{name}`"), hints))
            }
        },
        several => Err(StructureError {
            code: StructureErrorCode::Ambiguous,
            ..not_there(
                format!("the header has {} columns `{name}`", several.len()),
                several.iter().map(|at| format!("column {}", at + 1)).collect(),
            )
        }),
    }
}
