//! Rust source seen as code alone: comments, texts and test modules blanked, lines kept where they are.

/// The code of `source`: what a comment, a string, a character or a `#[cfg(test)]` item holds is spaces.
pub(crate) fn code(source: &str) -> String {
    without_tests(&without_texts(source))
}

/// Blanks comments, strings and characters.
fn without_texts(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = text_end(&chars, at);
        let blank = |c: &char| if *c == '\n' { '\n' } else { ' ' };
        match end {
            Some(end) => out.extend(chars[at..end].iter().map(blank)),
            None => out.push(chars[at]),
        }
        at = end.unwrap_or(at + 1);
    }
    out
}

/// The end of the comment, string or character that begins at `at`, if one begins there.
fn text_end(chars: &[char], at: usize) -> Option<usize> {
    let rest = &chars[at..];
    let length = match rest {
        ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment(rest),
        ['r', '#' | '"', ..] if !word_before(chars, at) => raw_string(rest)?,
        ['"', ..] => quoted(rest),
        ['\'', '\\', ..] => 2 + rest[2..].iter().skip(1).position(|c| *c == '\'')? + 2,
        ['\'', _, '\'', ..] => 3,
        _ => return None,
    };
    Some(at + length.min(rest.len()))
}

/// Returns whether the character before `at` belongs to a word; `b` of a byte string does not count.
fn word_before(chars: &[char], at: usize) -> bool {
    at > 0 && chars[at - 1] != 'b' && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_')
}

/// The length of a block comment, nested ones included.
fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of `r"…"` or `r##"…"##`; nothing for a raw identifier.
fn raw_string(rest: &[char]) -> Option<usize> {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    let open = 1 + hashes;
    if rest.get(open) != Some(&'"') {
        return None;
    }
    let closes = |at: &usize| {
        rest[*at] == '"' && rest[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    Some((open + 1..rest.len()).find(closes).map_or(rest.len(), |at| at + 1 + hashes))
}

/// The length of `"…"`.
fn quoted(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != '"' {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Blanks each item behind `#[cfg(test)]`, with its braces.
fn without_tests(code: &str) -> String {
    let mut out = code.to_owned();
    while let Some(start) = out.find("#[cfg(test)]") {
        let end = item_end(&out[start..]).map_or(out.len(), |length| start + length);
        let blank: String = out[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        out.replace_range(start..end, &blank);
    }
    out
}

/// The length of an item: to its `;` or its closing brace, whichever ends it.
fn item_end(item: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in item.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at + 1),
            '}' => depth -= 1,
            ';' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[test]
fn texts_comments_and_tests_are_blank() {
    let cases = [
        ("use crate::a; // crate::b", "use crate::a;            "),
        ("let x = \"crate::b \\\" c\"; y", "let x =                ; y"),
        ("r#\"crate::b \" \"# + r\"x\"", "                 +     "),
        ("a /* b /* c */ d */ e", "a                   e"),
        ("f::<'a>('\"', '\\'', x)", "f::<'a>(   ,     , x)"),
        ("#[cfg(test)]\nmod tests { { } }\nfn x() {}", "            \n                 \nfn x() {}"),
        ("#[cfg(test)]\nmod tests;\nfn x() {}", "            \n          \nfn x() {}"),
    ];
    for (source, expected) in cases {
        assert_eq!(code(source), expected, "{source}");
    }
}
