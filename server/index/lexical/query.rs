//! What is searched for, compiled within bounds.

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast;
use thiserror::Error;

use super::plan::Plan;

/// Bytes that a compiled expression may take.
const LARGEST: usize = 10 << 20;

/// Bytes that the engine may keep of the states it met.
const LARGEST_CACHE: usize = 64 << 20;

/// Bytes of the longest pattern that a plan is made for.
const LONGEST_PLANNED: usize = 1 << 14;

/// How deep groups may stand in each other.
const DEEPEST: u32 = 250;

/// Whether capitals count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Case {
    /// They do.
    #[default]
    Sensitive,
    /// They do not.
    Insensitive,
    /// They do where the pattern has one.
    Smart,
}

/// Why a pattern cannot be searched for.
#[derive(Debug, Error)]
pub enum QueryError {
    /// It does not parse.
    #[error("the query is no regular expression: {reason} at column {column}:\n  {shown}\n  {caret:>width$}", caret = "^", width = *column)]
    Syntax {
        /// What is wrong there.
        reason: String,
        /// The character it stands at, counted from 1.
        column: usize,
        /// The line of the pattern that it stands in.
        shown: String,
    },
    /// It parses, and is more than the engine takes.
    #[error("the query cannot be searched for: {0}")]
    Refused(String),
}

/// A pattern, ready to be sought.
#[derive(Clone, Debug)]
pub struct Query {
    matcher: RegexMatcher,
    plan: Plan,
}

impl Query {
    /// Compiles a pattern in Rust's syntax, or the text itself where `literal` is set. The engine is linear in the text
    /// whatever the pattern.
    ///
    /// # Errors
    /// Where it does not parse, with the column, where it holds a line end or a NUL, and where it grows too large.
    pub fn new(pattern: &str, case: Case, literal: bool) -> Result<Self, QueryError> {
        let escaped = literal.then(|| regex_syntax::escape(pattern));
        let expression = escaped.as_deref().unwrap_or(pattern);
        let hir = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .multi_line(true)
            .nest_limit(DEEPEST)
            .case_insensitive(case != Case::Sensitive)
            .build()
            .parse(expression)
            .map_err(|error| syntax(&error))?;
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
            .case_insensitive(case == Case::Insensitive)
            .case_smart(case == Case::Smart);
        let matcher = builder.build(pattern).map_err(|error| QueryError::Refused(error.to_string()))?;
        let plan = if pattern.len() > LONGEST_PLANNED { Plan::All } else { Plan::of(&hir) };
        Ok(Self { matcher, plan })
    }

    /// Whether a line of the text holds it.
    pub fn is_in(&self, text: &[u8]) -> bool {
        // The engine in memory has no error to give.
        self.matcher.is_match(text).unwrap_or(true)
    }

    /// What finds it in a line.
    pub fn matcher(&self) -> &RegexMatcher {
        &self.matcher
    }

    /// What a text that holds it must hold.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

fn syntax(error: &regex_syntax::Error) -> QueryError {
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
        let error = Query::new("ab(c", Case::Sensitive, false).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the query is no regular expression: unclosed group at column 3:\n  ab(c\n    ^"
        );
    }

    #[test]
    fn what_grows_too_large_is_refused() {
        let error = Query::new(r"(\w{500}){500}", Case::Sensitive, false).unwrap_err();
        assert!(matches!(error, QueryError::Refused(_)), "{error}");
        let deep = "(".repeat(10_000) + &")".repeat(10_000);
        assert!(Query::new(&deep, Case::Sensitive, false).is_err());
    }

    #[test]
    fn a_line_end_cannot_be_sought() {
        for pattern in ["a\nb", r"a\nb", r"\x00"] {
            assert!(Query::new(pattern, Case::Sensitive, false).is_err(), "{pattern:?}");
        }
        assert!(Query::new("a\nb", Case::Sensitive, true).is_err());
        assert!(Query::new("a(b", Case::Sensitive, true).is_ok());
    }
}
