//! The texts of commands, in the form in which agents' rules compare them.

/// Returns whether a pattern, in which `*` matches any text, matches a whole text.
pub(super) fn matches_wildcard(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = pattern.contains('*').then(|| parts.next_back()).flatten() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// A command without the variables that are set for it.
pub(super) fn without_assignments(command: &str) -> &str {
    let mut rest = command.trim_start();
    while let Some((word, after)) = rest.split_once(char::is_whitespace) {
        let Some((name, value)) = word.split_once('=') else { break };
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name || value.contains(['"', '\'', '$', '`']) {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_covers_a_whole_text() {
        for (pattern, text, expected) in [
            ("make", "make", true),
            ("make", "make x", false),
            ("make *", "make x", true),
            ("make*", "make", true),
            ("* -v", "node -v", true),
            ("git * main", "git push origin main", true),
            ("git * main", "git main", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("a*b*", "a x b y", true),
        ] {
            assert_eq!(matches_wildcard(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn assignments_before_a_command_are_left_out() {
        for (command, expected) in [
            ("FOO=1 BAR= make x", "make x"),
            ("make FOO=1", "make FOO=1"),
            ("FOO=1", "FOO=1"),
            ("A=$(x) make", "A=$(x) make"),
        ] {
            assert_eq!(without_assignments(command), expected);
        }
    }
}
