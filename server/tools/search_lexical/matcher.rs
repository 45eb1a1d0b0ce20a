//! The pattern of a search, compiled within bounds.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use crate::protocol::{Code, Fault};

/// Bytes that a compiled pattern may take.
const LARGEST: usize = 10 << 20;

/// Compiles a query. The engine is linear in the text whatever the pattern.
///
/// # Errors
/// INVALID_ARGS for a pattern that does not parse (with the place) or grows too large.
pub fn build(query: &str, case: &str, literal: bool) -> Result<RegexMatcher, Fault> {
    let mut builder = RegexMatcherBuilder::new();
    builder.size_limit(LARGEST).dfa_size_limit(LARGEST).line_terminator(Some(b'\n')).fixed_strings(literal);
    match case {
        "insensitive" => builder.case_insensitive(true),
        "smart" => builder.case_smart(true),
        _ => builder.case_insensitive(false),
    };
    builder.build(query).map_err(|error| {
        Fault::new(Code::InvalidArgs, format!("the query is no regular expression: {error}"))
            .suggest("mend the expression, or set `literal` to search for the text as it stands")
    })
}
