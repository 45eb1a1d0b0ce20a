//! Texts that bash calculates: expressions, and subscripts of arrays. It expands such a text twice.

use super::{ScannedText, UnclearScript, WordUnit, scan_expanding, scan_loose};
use crate::variables::ScriptVariables;

/// Finds what is expanded in a piece of script that bash calculates: quotes hide a substitution there from the first time
/// that it is expanded, and not from the second.
pub(crate) fn scan_calculated(text: &str, variables: &ScriptVariables) -> Result<ScannedText, UnclearScript> {
    let mut found = scan_loose(text, variables)?;
    add_second(&mut found, variables)?;
    Ok(found)
}

/// Adds what is found where a text is expanded once more after its quotes are gone.
pub(super) fn add_second(found: &mut ScannedText, variables: &ScriptVariables) -> Result<(), UnclearScript> {
    let char_of = |unit: &WordUnit| match unit {
        WordUnit::Char { c, .. } => Some(*c),
        WordUnit::Quotes => None,
        // Any text that is no expression.
        WordUnit::Hole(..) => Some('0'),
    };
    let text: String = found.units.iter().filter_map(char_of).collect();
    if text.contains("$(") || text.contains('`') {
        let mut more = scan_expanding(&text, variables)?;
        found.scripts.append(&mut more.scripts);
        found.expands_twice |= more.expands_twice;
    }
    Ok(())
}

/// Returns whether an operator of `${x…}` takes a part of the value by position: `:1:2`.
pub(super) fn is_slice(operator: &str) -> bool {
    operator.strip_prefix(':').is_some_and(|rest| !rest.starts_with(['-', '=', '+', '?']))
}
