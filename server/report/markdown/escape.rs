//! Values in Markdown that a forge renders: none makes markup, a mention, a reference or a link.

use crate::base::{hidden, markdown};

/// The break after a sign that forges read as the beginning of a mention or a reference, so that they do not.
const BREAK: &str = "&#8203;";

/// Returns a line of Markdown that shows a text as plain words, cut after `limit` characters.
pub(super) fn plain_line(text: &str, limit: usize) -> String {
    break_references(&markdown::escape_markdown(text, limit))
}

/// A text inside of an HTML tag of a Markdown page, in one line, cut after `limit` characters.
pub(super) fn in_tag(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for c in hidden::shorten_to_line(text, limit).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Markdown reads these in a line of HTML too.
            '`' | '*' | '_' | '[' | ']' | '~' | '\\' | ':' | '|' => {
                out.push_str(&format!("&#{};", u32::from(c)))
            }
            c => out.push(c),
        }
    }
    break_references(&out)
}

/// A path or a command as code in a line; in a cell of a table too.
pub(super) fn inline_code(text: &str, limit: usize) -> String {
    format!("<code>{}</code>", in_tag(text, limit))
}

/// A block of code in that language, fenced so that nothing in it ends it.
pub(super) fn code_block(language: &str, text: &str) -> String {
    let text = hidden::escape_hidden(text);
    let fence = markdown::code_fence(&text);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// Breaks mentions and references that a forge would read. Entities keep their signs.
fn break_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        out.push(c);
        let next = rest.peek().copied().unwrap_or(' ');
        let is_entity = c == '#' && before == '&' && next.is_ascii_digit();
        let begins = matches!(c, '@' | '#' | '!' | '~' | '%' | '^' | '$') && !next.is_whitespace();
        // `GH-12` is a reference on GitHub; `\#` and `\@` are seen without the backslash.
        let hyphen = c == '-' && next.is_ascii_digit() && before.eq_ignore_ascii_case(&'h');
        if (begins && !is_entity) || hyphen {
            out.push_str(BREAK);
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_mentions_anybody_or_refers_to_anything() {
        let cases = [
            ("ask @octocat about #12", r"ask \@&#8203;octocat about #&#8203;12"),
            ("GH-12, a/b#3 and !4", r"GH-&#8203;12, a/b#&#8203;3 and !&#8203;4"),
            ("plain words, 100 %", "plain words, 100 %"),
        ];
        for (text, expected) in cases {
            assert_eq!(plain_line(text, 100), expected);
        }
        assert_eq!(in_tag("<b> & `x` @me", 100), "&lt;b&gt; &amp; &#96;x&#96; @&#8203;me");
        assert_eq!(inline_code("a|b", 10), "<code>a&#124;b</code>");
    }

    #[test]
    fn no_text_ends_its_block() {
        assert_eq!(code_block("diff", "+```\n@@ x"), "````diff\n+```\n@@ x\n````\n");
        assert_eq!(code_block("", "\u{202e}"), "```\n\\u{202e}\n```\n");
    }
}
