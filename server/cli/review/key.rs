//! The keys of the review at a terminal: those of `git add -p`, and a few more.

use crate::protocol::Act;

/// The keys for a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReviewKey {
    /// Accepts or rejects the hunk.
    Decide(Act),
    /// Rejects the hunk, with a reason for the agent; an empty one was not given with the key.
    Because(String),
    /// Accepts or rejects the hunk, and those that follow it in its file.
    Rest(Act),
    /// Edits the lines that the hunk adds, then accepts it.
    Edit,
    /// As `git add -p` splits a hunk.
    Split,
    /// Leaves the hunk waiting.
    Later,
    /// Takes the last key back.
    Undo,
    /// Lists the keys.
    Help,
    /// Ends the review; open hunks stay pending.
    Quit,
}

/// The keys that the prompt offers.
pub(super) const OFFERED: &str = "y,n,r,a,d,e,l,u,q,?";

/// The descriptions of the keys, as `?` lists them.
pub(super) const HELP: [(&str, &str); 11] = [
    ("y", "accept this hunk"),
    ("n", "reject this hunk"),
    ("r WORDS", "reject it, and tell the agent why"),
    ("a", "accept this hunk and all that follow in this file"),
    ("d", "reject this hunk and all that follow in this file"),
    ("e", "edit the lines that it adds, then accept it"),
    ("l, j", "leave it waiting, and go on"),
    ("u", "take the last answer back, within one change"),
    ("s", "a hunk here has no unchanged lines to split it at: e edits it"),
    ("q", "end the review; what is left goes on waiting"),
    ("?", "list the keys"),
];

impl ReviewKey {
    /// The key that a line means.
    pub(super) fn read(line: &str) -> Option<Self> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let key = match word {
            "y" | "yes" => Self::Decide(Act::Accept),
            "n" | "no" => Self::Decide(Act::Reject),
            "r" | "reject" => return Some(Self::Because(rest.trim().to_owned())),
            "a" => Self::Rest(Act::Accept),
            "d" => Self::Rest(Act::Reject),
            "e" | "edit" => Self::Edit,
            "s" => Self::Split,
            "l" | "j" | "later" => Self::Later,
            "u" | "undo" => Self::Undo,
            "?" | "h" | "help" => Self::Help,
            "q" | "quit" => Self::Quit,
            _ => return None,
        };
        // A key with other words after it may mean something else, so it decides nothing.
        rest.trim().is_empty().then_some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::{HELP, ReviewKey};
    use crate::protocol::Act;

    #[test]
    fn a_line_is_a_key_or_nothing() {
        assert_eq!(ReviewKey::read(" y "), Some(ReviewKey::Decide(Act::Accept)));
        assert_eq!(
            ReviewKey::read("r keep the old name "),
            Some(ReviewKey::Because("keep the old name".to_owned()))
        );
        assert_eq!(ReviewKey::read("r"), Some(ReviewKey::Because(String::new())));
        for line in ["", "yes please", "x", "Y", "accept"] {
            assert_eq!(ReviewKey::read(line), None, "{line}");
        }
    }

    #[test]
    fn the_list_of_keys_names_keys() {
        for (keys, _) in HELP {
            for key in keys.split(", ") {
                assert!(ReviewKey::read(key).is_some(), "{key}");
            }
        }
    }
}
