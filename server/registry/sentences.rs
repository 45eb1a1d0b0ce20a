//! Counts the sentences of a text.

/// The abbreviations: they end with a dot and end no sentence.
#[rustfmt::skip]
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "eg", "ie", "etc", "vs", "cf", "ca", "approx", "resp", "incl", "excl", "fig", "no", "nr", "sec", "ch",
    "vol", "p", "pp", "st", "dr", "mr", "mrs", "ms", "al",
];

/// Counts sentences. A dot inside a word (`src/a.ts`, `v1.2`), after an abbreviation or after a number that begins
/// a list item ends none; a blank line or the start of a list item does.
pub(super) fn count_sentences(text: &str) -> usize {
    let inner = text.trim().trim_end_matches(['.', '!', '?']);
    if !inner.contains(['.', '!', '?', '…', '。', '！', '？', '\n']) {
        return 1;
    }
    let blocks = text.lines().fold((0, true), |(count, ended), line| {
        let line = line.trim();
        if line.is_empty() {
            return (count, true);
        }
        let item = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark)) || is_numbered(line);
        (count + usize::from(ended || item), false)
    });
    let chars: Vec<char> = text.trim().chars().collect();
    let ends = (0..chars.len()).filter(|at| ends_at(&chars, *at)).count();
    blocks.0.max(1) + ends
}

fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "))
}

/// Returns whether a sentence ends here and another one follows in the same block.
fn ends_at(chars: &[char], at: usize) -> bool {
    match chars[at] {
        '。' | '！' | '？' => chars.get(at + 1).is_some_and(|next| next.is_alphanumeric()),
        '.' | '!' | '?' | '…' => {
            let after = chars[at + 1..]
                .iter()
                .position(|c| !matches!(c, '"' | '\'' | ')' | '”' | '’' | '.' | '!' | '?'));
            let Some(gap) =
                after.map(|skip| at + 1 + skip).filter(|gap| *gap == at + 1 || !is_end_sign(chars[at + 1]))
            else {
                return false;
            };
            let blank = chars[gap..].iter().take_while(|c| c.is_whitespace());
            let breaks = blank.clone().filter(|c| **c == '\n').count();
            let next = chars.get(gap + blank.count());
            // A blank line is counted as the start of a block already.
            chars[gap].is_whitespace()
                && breaks < 2
                && next.is_some_and(|next| begins_sentence(*next, chars, at))
        }
        _ => false,
    }
}

/// Returns whether one more sign of the same end follows, which is then the one that counts.
fn is_end_sign(next: char) -> bool {
    matches!(next, '.' | '!' | '?')
}

/// Returns whether `next` begins a sentence after the sign at `at`.
fn begins_sentence(next: char, chars: &[char], at: usize) -> bool {
    if chars[at] != '.' {
        return next.is_alphanumeric();
    }
    let start = chars[..at].iter().rposition(|c| c.is_whitespace() || *c == '(').map_or(0, |space| space + 1);
    let word: String = chars[start..at].iter().collect::<String>().to_lowercase();
    let plain = word.chars().count() > 1 && word.chars().all(char::is_alphabetic);
    if ABBREVIATIONS.contains(&word.as_str()) || word.chars().all(|c| c.is_ascii_digit()) {
        return false;
    }
    next.is_alphanumeric() && (plain || (next.is_uppercase() && word.chars().count() > 1))
}

#[cfg(test)]
mod tests {
    use super::count_sentences;

    fn check(text: &str, expected: usize) {
        assert_eq!(count_sentences(text), expected, "{text:?}");
    }

    #[test]
    fn dots_that_end_nothing() {
        for one in [
            "Find where YAML Jazz is defined",
            "Find where YAML Jazz is defined.",
            "Check src/a.ts for the limit, e.g. a constant",
            "Compare v1.2 with v1.3 of the API, i.e. Their shape",
            "See whether J. Doe still owns it",
            "Wait... until it settles",
            "Why does it fail?!",
            "Rename foo.bar. to what the docs say",
            "Learn what fig. 3 shows",
            "Look for \"the end.\"",
            "Keep the list in order (a, b, etc.) while sorting",
            "Line one\ncontinued here",
            "1. only one item",
            "Fix the parser!",
            "",
        ] {
            check(one, 1);
        }
    }

    #[test]
    fn ends() {
        check("Read it. Then fix it.", 2);
        check("read it. then fix it.", 2);
        check("Does it fail? Find out! Then mend it.", 3);
        check("Open src/a.ts. Then rename it", 2);
        check("Look at it.\nThen mend it", 2);
        check("First this\n\nthen that", 2);
        check("First this.\n\nThen that.", 2);
        check("- find it\n- mend it", 2);
        check("1. find it\n2. mend it\n3. rest", 3);
        check("バグを探す。それを直す。", 2);
        check("It said \"no.\" Then it stopped", 2);
    }
}
