//! The reason of a call.

use serde::{Deserialize, Serialize};

/// A sentence on what the caller wants to accomplish: never empty, made only by [`Why::new`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Why(String);

impl Why {
    /// The reason in `text`, or nothing if it is blank. Invisible characters alone are blank.
    pub fn new(text: &str) -> Option<Self> {
        let visible = |c: char| !(c.is_whitespace() || c.is_control() || is_invisible(c));
        text.chars().any(visible).then(|| Self(text.to_owned()))
    }

    /// The substitute for a missing reason of an agent's own tool. The session log has `null` instead.
    pub const UNSTATED: &str = "no reason given";

    /// Returns whether no reason was given.
    pub fn is_unstated(&self) -> bool {
        self.0 == Self::UNSTATED
    }

    /// The sentence as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Zero-width, joiner, filler and direction characters: they show nothing of their own.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::Why;

    #[test]
    fn blank_reasons_are_none() {
        for blank in ["", " \t\n", "\u{200b}\u{feff}", "\u{2800}", "\u{0}"] {
            assert_eq!(Why::new(blank), None, "{blank:?}");
        }
        assert_eq!(Why::new(" Find it ").map(|why| why.as_str().to_owned()), Some(" Find it ".into()));
    }
}
