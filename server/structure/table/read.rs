//! The fields of a table with their places.

use std::ops::Range;

use csv_core::{ReadFieldResult, ReaderBuilder};

use crate::error::{StructureError, unreadable};

/// A table by its rows; the first is the header.
pub(super) struct Table {
    pub separator: u8,
    pub rows: Vec<TableRow>,
}

/// A row with its fields.
pub(super) struct TableRow {
    /// Its bytes, without the line end.
    pub span: Range<usize>,
    pub fields: Vec<TableField>,
}

/// A field with its quotes.
pub(super) struct TableField {
    pub span: Range<usize>,
    /// Its text without quotes.
    pub text: String,
}

/// Reads a table. The separator is taken from the header where it is not given.
pub(super) fn read_table(text: &str, separator: Option<u8>) -> Result<Table, StructureError> {
    let separator = separator.unwrap_or_else(|| guess_separator(text));
    let mut reader = ReaderBuilder::new().delimiter(separator).build();
    let mut rows: Vec<TableRow> = Vec::new();
    let mut fields: Vec<TableField> = Vec::new();
    let mut buffer = vec![0; 4096];
    let mut value = Vec::new();
    let (mut at, mut start) = (0, 0);
    loop {
        let (result, read, written) = reader.read_field(&text.as_bytes()[at..], &mut buffer);
        at += read;
        value.extend_from_slice(&buffer[..written]);
        let ends = match result {
            // At the end of the text the reader is asked once more, with nothing.
            ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => continue,
            ReadFieldResult::End => break,
            ReadFieldResult::Field { record_end } => record_end,
        };
        let field = field_at(text, start..at, separator, ends, fields.is_empty());
        let written = &text[field.clone()];
        if written.starts_with('"') && (written.len() == 1 || !written.ends_with('"')) {
            return Err(unreadable(
                "a table",
                text,
                field.start,
                "a quote is not closed, or text stands behind it",
            ));
        }
        fields.push(TableField { span: field, text: String::from_utf8_lossy(&value).into_owned() });
        value.clear();
        start = at;
        if ends {
            let fields = std::mem::take(&mut fields);
            let span = fields.first().map_or(at, |field| field.span.start)
                ..fields.last().map_or(at, |field| field.span.end);
            rows.push(TableRow { span, fields });
        }
    }
    if rows.is_empty() {
        return Err(unreadable("a table", text, 0, "it has no header"));
    }
    Ok(Table { separator, rows })
}

/// The bytes of a field, of what the reader took for it: line ends before the row and what ended the field are not its own.
fn field_at(text: &str, taken: Range<usize>, separator: u8, ends: bool, first: bool) -> Range<usize> {
    let mut written = &text[taken.clone()];
    let mut start = taken.start;
    if first {
        let inner = written.trim_start_matches(['\r', '\n']);
        start += written.len() - inner.len();
        written = inner;
    }
    let inner = match ends {
        true => {
            let inner = written.strip_suffix('\n').unwrap_or(written);
            inner.strip_suffix('\r').unwrap_or(inner)
        }
        false => written.strip_suffix(char::from(separator)).unwrap_or(written),
    };
    start..start + inner.len()
}

/// The separator that the header has most.
fn guess_separator(text: &str) -> u8 {
    let header = text.trim_start().lines().next().unwrap_or_default();
    let mut quoted = false;
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0), (b'|', 0)];
    for byte in header.bytes() {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(separator, _)| !quoted && *separator == byte) {
            *count += 1;
        }
    }
    let best = counts.iter().rev().max_by_key(|(_, count)| *count);
    best.filter(|(_, count)| *count > 0).map_or(b',', |(separator, _)| *separator)
}
