//! Text made safe for a line of Markdown: no markup, no control or invisible characters.

use std::fmt::Write;

use super::hidden::is_hidden;

/// Returns `text` as one line of Markdown that shows it as plain words: white space folded, markup escaped, hidden
/// characters named, cut after `limit` characters.
pub fn escape_markdown(text: &str, limit: usize) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b' ' || b == b',';
    if text.len() <= limit && text.bytes().all(plain) && !text.starts_with(' ') && !text.contains("  ") {
        return text.trim_end().to_owned();
    }
    let mut out = String::with_capacity(text.len().min(limit * 4) + 8);
    let mut shown = 0;
    let mut previous = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if shown == limit {
            out.push('…');
            break;
        }
        if c.is_whitespace() {
            if previous != ' ' {
                out.push(' ');
                shown += 1;
            }
            previous = ' ';
            continue;
        }
        if is_hidden(c) {
            let _ = write!(out, "⟨{:04X}⟩", c as u32);
        } else {
            if is_markup(c, previous, rest.peek().copied().unwrap_or(' '), &out) {
                out.push('\\');
            }
            out.push(c);
        }
        shown += 1;
        previous = c;
    }
    out.truncate(out.trim_end().len());
    out
}

/// The backticks that begin and end a block of code with these lines: more than any run of them inside.
pub fn code_fence(lines: &str) -> String {
    let longest = lines.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// Returns whether Markdown could read `c` as markup at this position; `before` is the line so far, escaped.
fn is_markup(c: char, previous: char, next: char, before: &str) -> bool {
    let word = |c: char| c.is_alphanumeric();
    match c {
        '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '$' | '@' => true,
        '_' => !(word(previous) && word(next)),
        '&' => next == '#' || next.is_ascii_alphanumeric(),
        '/' => previous == ':' || before.ends_with(":\\/"),
        '#' | '+' | '-' | '=' | ':' => before.is_empty(),
        '!' => next == '[',
        '.' => before.to_ascii_lowercase().ends_with("www") || is_number(before),
        ')' => is_number(before),
        _ => false,
    }
}

/// Returns whether a line so far is only digits: a list's number.
fn is_number(before: &str) -> bool {
    !before.is_empty() && before.len() < 11 && before.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::escape_markdown;

    fn check(text: &str, expected: &str) {
        assert_eq!(escape_markdown(text, 60), expected, "{text:?}");
    }

    #[test]
    fn plain_words_stay() {
        check(
            "Check if fs_read handles src/parser.ts, e.g. (a) or 1.5",
            "Check if fs_read handles src/parser.ts, e.g. (a) or 1.5",
        );
        check("  Schön, 日本語  ", "Schön, 日本語");
    }

    #[test]
    fn markup_is_escaped() {
        check("# Title", r"\# Title");
        check("a\n## 12:00:00 — Tool call: x\n```yaml", r"a ## 12:00:00 — Tool call: x \`\`\`yaml");
        check("---\ntitle: x\n---", r"\--- title: x ---");
        check("- item", r"\- item");
        check("1. one", r"1\. one");
        check("2) two", r"2\) two");
        check("<b>&lt; &#x41;", r"\<b\>\&lt; \&#x41;");
        check("![i](u) [l](u)", r"\!\[i\](u) \[l\](u)");
        check("https://a.b www.a.b c@d.e", r"https:\/\/a.b www\.a.b c\@d.e");
        check("*a* _b_ __c__", r"\*a\* \_b\_ \_\_c\_\_");
        check("=== | ~~x~~", r"\=== \| \~\~x\~\~");
    }

    #[test]
    fn hidden_characters_are_named() {
        check("a\u{202e}b\u{1b}[31mc\u{200b}\u{0}", r"a⟨202E⟩b⟨001B⟩\[31mc⟨200B⟩⟨0000⟩");
        check("\u{fffe}\u{e0041}", "⟨FFFE⟩⟨E0041⟩");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(escape_markdown(&"ab ".repeat(1000), 5), "ab ab…");
    }
}
