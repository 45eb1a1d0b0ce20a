//! Parts of files by their structure: a key, a section, a cell or a symbol is found, and that part alone is changed.
//!
//! Everything here is a pure function over text. A [`PartAddress`] names a part; [`find_part`] returns its bytes, and
//! [`change_part`] the text with a [`PartChange`] made. YAML, JSON and TOML have keys, Markdown has headings, CSV and TSV
//! have rows and columns, and program code has symbols. A text is read by its format's parser for the places of its
//! parts, changed at these places, and read again: a result that does not hold what was meant is refused.
//!
//! # Invariants
//!
//! - What is outside of the part stays to the byte.
//!   Test: `outside_of_a_set_value_every_byte_stays`, `a_removed_entry_leaves_the_others_as_they_were`
//! - A result that does not parse, or that does not hold what was meant, is refused.
//!   Test: `a_value_that_was_set_is_read_again`, `a_symbol_that_would_reach_further_is_refused`
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod address;
mod bracketed;
mod code;
mod error;
mod format;
mod json;
mod key_hints;
mod key_path;
mod keys;
mod lines;
mod markdown;
mod node;
mod table;
mod toml_text;
mod yaml;

use std::ops::Range;

pub use address::{PartAddress, PartChange, RowAddress};
pub use error::{StructureError, StructureErrorCode};
use format::FileFormat;

/// The mark that some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the bytes of a part of a file. `path` tells the format by its ending.
///
/// # Errors
/// A [`StructureError`] where nothing or more than one part has the address, or the file does not parse.
pub fn find_part(path: &str, text: &str, at: &PartAddress) -> Result<Range<usize>, StructureError> {
    let format = fitting_format(path, at)?;
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let range = match (format, at) {
        (FileFormat::Data(format), PartAddress::Key(key)) => keys::find_key(format, body, key),
        (FileFormat::Markdown, PartAddress::Heading(heading)) => markdown::find_heading(body, heading),
        (FileFormat::Table(separator), PartAddress::Cell { row, column }) => {
            table::find_cell(body, separator, row, column.as_deref())
        }
        (FileFormat::Code(language), PartAddress::Symbol(symbol)) => {
            code::find_symbol(language, body, symbol)
        }
        _ => Err(mismatch(format, at)),
    }?;
    let mark = text.len() - body.len();
    Ok(range.start + mark..range.end + mark)
}

/// Returns the text with a part changed. Everything else in it stays to the byte.
///
/// # Errors
/// A [`StructureError`] as of [`find_part`], and where the result would not parse or not hold what was meant.
pub fn change_part(
    path: &str,
    text: &str,
    at: &PartAddress,
    change: &PartChange,
) -> Result<String, StructureError> {
    let format = fitting_format(path, at)?;
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let change = &with_line_ends(body, change);
    let after = match (format, at) {
        (FileFormat::Data(format), PartAddress::Key(key)) => keys::change_key(format, body, key, change),
        (FileFormat::Markdown, PartAddress::Heading(heading)) => {
            markdown::change_section(body, heading, change)
        }
        (FileFormat::Table(separator), PartAddress::Cell { row, column }) => {
            table::change_cell(body, separator, row, column.as_deref(), change)
        }
        (FileFormat::Code(language), PartAddress::Symbol(symbol)) => {
            code::change_symbol(language, body, symbol, change)
        }
        _ => Err(mismatch(format, at)),
    }?;
    Ok(format!("{}{after}", &text[..text.len() - body.len()]))
}

/// A new text with the line ends of a text that has CRLF.
fn with_line_ends(text: &str, change: &PartChange) -> PartChange {
    match change {
        PartChange::Text(new) if lines::line_break(text) == "\r\n" && !new.contains('\r') => {
            PartChange::Text(new.replace('\n', "\r\n"))
        }
        other => other.clone(),
    }
}

fn fitting_format(path: &str, at: &PartAddress) -> Result<FileFormat, StructureError> {
    FileFormat::of_path(path).ok_or_else(|| {
        let known = "known are YAML, JSON and TOML; Markdown; CSV and TSV; C, Go, Java, JavaScript, Python, Rust and \
                     TypeScript";
        StructureError::new(
            StructureErrorCode::BadAddress,
            format!("the file's format is not known by its name, so `{}` finds nothing in it", at.kind()),
            error::BY_TEXT,
        )
        .with_hints([known.to_owned()])
    })
}

fn mismatch(format: FileFormat, at: &PartAddress) -> StructureError {
    let (name, kind) = format.describe();
    StructureError::new(
        StructureErrorCode::BadAddress,
        format!("the file is {name}, in which `{}` finds nothing", at.kind()),
        format!("send `{kind}` in `at`, or leave `at` out and use `find` and `replace`"),
    )
}

#[cfg(test)]
mod tests;
