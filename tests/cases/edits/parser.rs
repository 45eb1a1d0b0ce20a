//! Reads sums, such as `1 + 2`.

use std::fmt;

/// The largest number of terms.
pub const MOST_TERMS: usize = 64;

/// A reason why a text is no sum.
#[derive(Debug, PartialEq)]
pub enum SumError {
    Empty,
    TooMany(usize),
    NoNumber(String),
}

impl fmt::Display for SumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "nothing to add"),
            Self::TooMany(count) => write!(f, "{count} terms are too many"),
            Self::NoNumber(word) => write!(f, "{word:?} is no number"),
        }
    }
}

/// A reader of sums.
pub struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    /// Makes a reader.
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the next term.
    #[inline]
    pub fn next(&mut self) -> Option<&'t str> {
        let rest = self.text.get(self.at..)?;
        let end = rest.find('+').unwrap_or(rest.len());
        self.at += end + 1;
        Some(rest[..end].trim())
    }

    /// Returns what is left.
    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }
}

/// Adds the terms of a text.
pub fn sum(text: &str) -> Result<f64, SumError> {
    let mut parser = Parser::new(text);
    let mut total = 0.0;
    let mut count = 0;
    while let Some(term) = parser.next() {
        count += 1;
        if count > MOST_TERMS {
            return Err(SumError::TooMany(count));
        }
        total += term.parse::<f64>().map_err(|_| SumError::NoNumber(term.to_owned()))?;
    }
    Ok(total)
}
