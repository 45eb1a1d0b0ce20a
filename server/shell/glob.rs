//! Patterns of texts: `*` is any text, `?` any character, `[a-c]` one of several.

/// Returns whether all of `text` matches `pattern`.
pub(crate) fn matches_pattern(pattern: &str, text: &str) -> bool {
    let plain = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    match text.strip_prefix(&pattern[..plain]) {
        Some(rest) if plain < pattern.len() => matches_wild(&pattern[plain..], rest),
        rest => rest.is_some_and(str::is_empty),
    }
}

fn matches_wild(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut of) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while of < text.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, of));
            at += 1;
        } else if let Some(length) = match_one(&pattern[at.min(pattern.len())..], text[of]) {
            (at, of) = (at + length, of + 1);
        } else if let Some((back, taken)) = star {
            (at, of) = (back + 1, taken + 1);
            star = Some((back, taken + 1));
        } else {
            return false;
        }
    }
    pattern[at.min(pattern.len())..].iter().all(|c| *c == '*')
}

/// Returns the length of the part of the pattern that matches this character, if it does.
fn match_one(pattern: &[char], c: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '[' => {
            let end = pattern.iter().skip(2).position(|c| *c == ']').map(|at| at + 2);
            let Some(end) = end else { return (c == '[').then_some(1) };
            let (class, negated) = match pattern[1] {
                '!' | '^' if end > 2 => (&pattern[2..end], true),
                _ => (&pattern[1..end], false),
            };
            let range = |pair: &[char]| pair[1] == '-' && (pair[0]..=pair[2]).contains(&c);
            let inside = class.contains(&c) || class.windows(3).any(range);
            (inside != negated).then_some(end + 1)
        }
        plain => (*plain == c).then_some(1),
    }
}
