//! A search pattern, compiled within limits.

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast;
use thiserror::Error;

use super::plan::TrigramPlan;

/// Bytes that a compiled expression may take.
const LARGEST: usize = 10 << 20;

/// Bytes that the engine may keep of the states it met.
const LARGEST_CACHE: usize = 64 << 20;

/// Bytes of the longest pattern that a plan is made for.
const LONGEST_PLANNED: usize = 1 << 14;

/// The deepest nesting of groups.
const DEEPEST: u32 = 250;

/// The treatment of capitals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CaseSensitivity {
    /// They count.
    #[default]
    Sensitive,
    /// They do not count.
    Insensitive,
    /// They count if the pattern has one.
    Smart,
}

/// The reason why a pattern cannot be searched for.
#[derive(Debug, Error)]
pub enum QueryError {
    /// It does not parse.
    #[error("the query is no regular expression: {reason} at column {column}:\n  {shown}\n  {caret:>width$}", caret = "^", width = *column)]
    Syntax {
        /// The error at that place.
        reason: String,
        /// The column of the character, counted from 1.
        column: usize,
        /// The line of the pattern with the character.
        shown: String,
    },
    /// It parses, and exceeds the limits of the engine.
    #[error("the query cannot be searched for: {0}")]
    Refused(String),
}

/// A pattern, ready to be sought.
#[derive(Clone, Debug)]
pub struct LineQuery {
    matcher: RegexMatcher,
    plan: TrigramPlan,
}

impl LineQuery {
    /// Compiles a pattern in Rust's syntax, or the text itself if `literal` is set. The engine is linear in the text
    /// whatever the pattern.
    ///
    /// # Errors
    /// Fails if it does not parse, with the column, if it holds a line end or a NUL, and if it grows too large.
    pub fn new(pattern: &str, case: CaseSensitivity, literal: bool) -> Result<Self, QueryError> {
        let escaped = literal.then(|| regex_syntax::escape(pattern));
        let expression = escaped.as_deref().unwrap_or(pattern);
        let hir = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .multi_line(true)
            .nest_limit(DEEPEST)
            .case_insensitive(case != CaseSensitivity::Sensitive)
            .build()
            .parse(expression)
            .map_err(|error| syntax_error(&error))?;
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .unicode(true)
            .line_terminator(Some(b'\n'))
            .ban_byte(Some(0))
            .nest_limit(DEEPEST)
            .size_limit(LARGEST)
            .dfa_size_limit(LARGEST_CACHE)
            .fixed_strings(literal)
            .case_insensitive(case == CaseSensitivity::Insensitive)
            .case_smart(case == CaseSensitivity::Smart);
        let matcher = builder.build(pattern).map_err(|error| QueryError::Refused(error.to_string()))?;
        let plan = if pattern.len() > LONGEST_PLANNED {
            TrigramPlan::All
        } else {
            TrigramPlan::from_expression(&hir)
        };
        Ok(Self { matcher, plan })
    }

    /// Returns whether a line of the text matches.
    pub fn is_in(&self, text: &[u8]) -> bool {
        // The engine in memory has no error to give.
        self.matcher.is_match(text).unwrap_or(true)
    }

    /// Returns the matcher of single lines.
    pub fn matcher(&self) -> &RegexMatcher {
        &self.matcher
    }

    /// Returns the conditions on a text that matches.
    pub fn plan(&self) -> &TrigramPlan {
        &self.plan
    }
}

fn syntax_error(error: &regex_syntax::Error) -> QueryError {
    let (reason, pattern, span) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.pattern(), *error.span()),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.pattern(), *error.span()),
        other => return QueryError::Refused(other.to_string()),
    };
    let ast::Position { line, column, .. } = span.start;
    let shown = pattern.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    QueryError::Syntax { reason, column, shown: shown.replace(char::is_control, " ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_points_at_its_column() {
        let error = LineQuery::new("ab(c", CaseSensitivity::Sensitive, false).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the query is no regular expression: unclosed group at column 3:\n  ab(c\n    ^"
        );
    }

    #[test]
    fn what_grows_too_large_is_refused() {
        let error = LineQuery::new(r"(\w{500}){500}", CaseSensitivity::Sensitive, false).unwrap_err();
        assert!(matches!(error, QueryError::Refused(_)), "{error}");
        let deep = "(".repeat(10_000) + &")".repeat(10_000);
        assert!(LineQuery::new(&deep, CaseSensitivity::Sensitive, false).is_err());
    }

    #[test]
    fn a_line_end_cannot_be_sought() {
        for pattern in ["a\nb", r"a\nb", r"\x00"] {
            assert!(LineQuery::new(pattern, CaseSensitivity::Sensitive, false).is_err(), "{pattern:?}");
        }
        assert!(LineQuery::new("a\nb", CaseSensitivity::Sensitive, true).is_err());
        assert!(LineQuery::new("a(b", CaseSensitivity::Sensitive, true).is_ok());
    }
}
