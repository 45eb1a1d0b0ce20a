//! The line of a position in a text, and whether the lines around it are code.

/// Bytes on either side that are looked at.
const AROUND: usize = 400;
/// Bytes of a line that are looked at.
const LONGEST: usize = 1024;

/// The properties of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineContext {
    /// True if the position begins it, except for indentation and the marks of lists and settings.
    pub(super) first: bool,
    /// True if it, or a line near it, is code.
    pub(super) code: bool,
}

/// The end of the line that holds `at`: a line feed, or one that is written as `\n`.
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    let at = at.min(text.len());
    let rest = &text[at..text.len().min(at + LONGEST)];
    let feed = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    let written = memchr::memmem::find(&rest[..feed], b"\\n").unwrap_or(feed);
    at + feed.min(written)
}

/// The end of the value that begins at `at` on a line that ends at `end`: without a comment, space, or a closing quote.
pub(super) fn value_end(text: &[u8], at: usize, end: usize) -> usize {
    let line = &text[at..end];
    let comment =
        [&b" #"[..], b" ;", b" //", b"\t#"].iter().filter_map(|mark| memchr::memmem::find(line, mark)).min();
    let line = line[..comment.unwrap_or(line.len())].trim_ascii_end();
    at + line.len()
}

/// Returns the properties of the line of the name at `at`.
pub(super) fn line_context(text: &[u8], at: usize, quoted: bool) -> LineContext {
    let from = at.saturating_sub(AROUND);
    let start = memchr::memrchr2(b'\n', b'\r', &text[from..at]).map_or(from, |found| from + found + 1);
    let start = memchr::memmem::rfind(&text[start..at], b"\\n").map_or(start, |found| start + found + 2);
    let lead = text[start..at].trim_ascii();
    let listed =
        [&b""[..], b"-", b"*", b"export", b"set", b"\"", b"'", b"- \"", b"+", b"- -", b">", b"set -x"]
            .contains(&lead);
    let whole = start == from && from > 0;
    let first = listed && !whole && !quoted;
    LineContext { first, code: first && is_code(text, start) }
}

/// Returns whether the line of the name at `at`, or a line near it, is code.
pub(super) fn is_in_code(text: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(AROUND);
    is_code(text, memchr::memrchr(b'\n', &text[from..at]).map_or(from, |found| from + found + 1))
}

/// Returns whether lines near the one that starts at `start` are code.
fn is_code(text: &[u8], start: usize) -> bool {
    let from = memchr::memrchr(b'\n', &text[..start.saturating_sub(AROUND)]).map_or(0, |at| at + 1);
    let to = text.len().min(start + AROUND);
    let lines = text[from..to].split(|b| *b == b'\n');
    lines.map(<[u8]>::trim_ascii).any(is_code_line)
}

fn is_code_line(line: &[u8]) -> bool {
    const WORDS: [&str; 33] = [
        "let ",
        "const ",
        "var ",
        "def ",
        "fn ",
        "func ",
        "function ",
        "class ",
        "import ",
        "from ",
        "return",
        "if ",
        "elif ",
        "for ",
        "while ",
        "struct ",
        "interface ",
        "type ",
        "pub ",
        "async ",
        "package ",
        "use ",
        "public ",
        "private ",
        "protected ",
        "self.",
        "this.",
        "try:",
        "with ",
        "val ",
        "enum ",
        "#include",
        "raise ",
    ];
    if line.starts_with(b"#") && !line.starts_with(b"#include")
        || line.starts_with(b";")
        || line.starts_with(b"//")
    {
        return false;
    }
    let call =
        line.windows(2).any(|two| two[1] == b'(' && (two[0].is_ascii_alphanumeric() || two[0] == b'_'));
    call || line.ends_with(b"{")
        || line.ends_with(b";")
        || line.ends_with(b"}")
        || line.ends_with(b"->")
        || WORDS.iter().any(|word| line.starts_with(word.as_bytes()))
}

/// Returns whether an opening parenthesis comes before `at` on its line: the following text is an argument.
pub(super) fn is_call(text: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(AROUND);
    let line = memchr::memrchr(b'\n', &text[from..at]).map_or(from, |found| from + found + 1);
    text[line..at].contains(&b'(')
}
