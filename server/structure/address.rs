//! Addresses of parts: how a caller names a key, a section, a cell or a symbol.

/// The address of one part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartAddress {
    /// A key of YAML, JSON or TOML, as `services.web.ports[0]`.
    Key(String),
    /// A section of Markdown by its heading and those above it, as `Usage > Options`.
    Heading(String),
    /// A row of CSV or TSV, or one cell of it.
    Cell {
        /// The row.
        row: RowAddress,
        /// The column, by its name in the header or its number from 1; the whole row where there is none.
        column: Option<String>,
    },
    /// A definition in program code, as `Parser.next`.
    Symbol(String),
}

/// The address of a row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowAddress {
    /// The row by its number; the first one after the header is 1.
    Number(usize),
    /// The one row in which a column has a value, as `id=7`; `+` is a new row at the end.
    Named(String),
}

impl PartAddress {
    /// Returns the name of the kind of address, as the caller writes it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Key(_) => "key",
            Self::Heading(_) => "heading",
            Self::Cell { .. } => "row",
            Self::Symbol(_) => "symbol",
        }
    }

    /// Returns the address in words, for a message.
    pub fn describe(&self) -> String {
        match self {
            Self::Key(key) => format!("the key `{key}`"),
            Self::Heading(heading) => format!("the heading `{heading}`"),
            Self::Symbol(symbol) => format!("the symbol `{symbol}`"),
            Self::Cell { row, column } => {
                let row = match row {
                    RowAddress::Number(number) => format!("row {number}"),
                    RowAddress::Named(named) => format!("the row `{named}`"),
                };
                match column {
                    Some(column) => format!("the column `{column}` of {row}"),
                    None => row,
                }
            }
        }
    }
}

/// A change of one part.
#[derive(Clone, Debug, PartialEq)]
pub enum PartChange {
    /// Gives a key a value; a last key or a list element that is missing is added.
    Value(serde_json::Value),
    /// Puts a text in the place of a section, a cell, a row or a symbol.
    Text(String),
    /// Puts a text in the place of what [`find_part`](crate::find_part) returns, to the letter.
    Verbatim(String),
    /// Takes the part away.
    Remove,
}
