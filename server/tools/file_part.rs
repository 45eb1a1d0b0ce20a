//! The part of a file that `at` names, for the tools that read and change one.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::count::Count;
use crate::base::WorkspacePath;
use crate::protocol::{Code, Fault};
use crate::structure::{PartAddress, RowAddress, StructureError, StructureErrorCode};

/// Lines shown around the place of a fault.
const AROUND: usize = 12;

/// The address of a part: one of `key`, `heading`, `row` and `symbol`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PartInput {
    key: Option<String>,
    heading: Option<String>,
    row: Option<RowInput>,
    column: Option<String>,
    symbol: Option<String>,
}

/// A row by its number or by a column's value.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum RowInput {
    Number(Count),
    Named(String),
}

impl PartInput {
    /// Returns the address.
    ///
    /// # Errors
    /// INVALID_ARGS where it is not exactly one.
    pub(super) fn to_address(&self) -> Result<PartAddress, Fault> {
        let Self { key, heading, row, column, symbol } = self;
        let row = row.as_ref().map(|row| match row {
            RowInput::Number(number) => RowAddress::Number(number.as_usize()),
            RowInput::Named(named) => match named.trim().parse() {
                Ok(number) => RowAddress::Number(number),
                Err(_) => RowAddress::Named(named.clone()),
            },
        });
        let mut addresses = [
            key.clone().map(PartAddress::Key),
            heading.clone().map(PartAddress::Heading),
            row.map(|row| PartAddress::Cell { row, column: column.clone() }),
            symbol.clone().map(PartAddress::Symbol),
        ]
        .into_iter()
        .flatten();
        match (addresses.next(), addresses.next()) {
            (Some(address), None) if column.is_none() || self.row.is_some() => Ok(address),
            _ => Err(Fault::new(Code::InvalidArgs, "`at` names one part: by `key`, `heading`, `row` or `symbol`")
                .with_suggestion(
                    "give exactly one of them; `column` goes with `row`, as {\"row\": \"id=7\", \"column\": \"price\"}",
                )),
        }
    }
}

/// The fault of a part that is not found or not changed, with the read that shows the file there.
pub(super) fn part_fault(path: &WorkspacePath, error: StructureError) -> Fault {
    let code = match error.code {
        StructureErrorCode::NotThere | StructureErrorCode::Ambiguous => Code::NoMatch,
        StructureErrorCode::BadAddress | StructureErrorCode::BadValue => Code::InvalidArgs,
        StructureErrorCode::Unreadable | StructureErrorCode::Unsupported => Code::PatchMismatch,
    };
    let mut read =
        json!({ "path": path, "why": "See the file as it stands, to name the part or change its text" });
    if let Some(line) = error.line {
        read["range"] = json!({ "start": line.saturating_sub(AROUND / 4).max(1), "end": line + AROUND });
    }
    let details =
        json!({ "line": error.line, "column": error.column, "reason": format!("{:?}", error.code) });
    Fault::new(code, format!("{path}: {}", error.message))
        .with_suggestion(error.suggestion)
        .with_hints(error.hints)
        .with_details(details)
        .with_next_action(json!({ "tool": "fs.read", "arguments": read }))
}

/// Returns the lines of a part, counted from 1; nothing where other text stands in its lines.
pub(super) fn whole_lines(text: &str, part: &Range<usize>) -> Option<(u64, u64)> {
    let start = text[..part.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[part.end..].find('\n').map_or(text.len(), |end| part.end + end);
    let behind = text[part.end..end].trim_start().trim_start_matches([',', ';']).trim();
    let comment = behind.is_empty() || ["#", "//", "/*"].iter().any(|sign| behind.starts_with(sign));
    let alone = text[start..part.start].trim_start_matches('\u{feff}').trim().is_empty() && comment;
    alone.then(|| (line_of(text, part.start), line_of(text, part.end.saturating_sub(1).max(part.start))))
}

/// Returns the line of a byte, counted from 1.
pub(super) fn line_of(text: &str, at: usize) -> u64 {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{PartInput, whole_lines};

    #[test]
    fn an_address_is_exactly_one() {
        let read = |value: Value| serde_json::from_value::<PartInput>(value).unwrap().to_address();
        for good in [json!({ "key": "a" }), json!({ "row": "3", "column": "b" }), json!({ "row": 3 })] {
            assert!(read(good.clone()).is_ok(), "{good}");
        }
        for bad in [
            json!({}),
            json!({ "key": "a", "symbol": "b" }),
            json!({ "column": "a" }),
            json!({ "key": "a", "column": "b" }),
        ] {
            assert!(read(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_part_has_lines_of_its_own_or_not() {
        assert_eq!(whole_lines("a\n  b: 1, # c\nd\n", &(4..8)), Some((2, 2)));
        assert_eq!(whole_lines("a\nb\nc\n", &(2..5)), Some((2, 3)));
        assert_eq!(whole_lines("a,b\n", &(0..1)), None);
        assert_eq!(whole_lines("{\"a\": 1}\n", &(1..7)), None);
    }
}
