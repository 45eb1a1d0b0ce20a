//! The calls in a piece of code, found without a parser of its language: a name, then arguments in parentheses; in Ruby and
//! Perl without them too.

use super::CodeLanguage;

/// A call in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CodeCall<'c> {
    /// The name with the expression before its dots.
    pub(super) name: &'c str,
    /// The expression that it is called on, if that is itself a call: `Path('x').unlink()`.
    pub(super) owner: Option<&'c str>,
    /// Its arguments.
    pub(super) arguments: Vec<&'c str>,
}

/// The calls of Ruby and Perl without parentheses that matter here: all other calls of that form are skipped.
const BARE: [&str; 18] = [
    "unlink",
    "rmtree",
    "remove_tree",
    "rm_rf",
    "rm_r",
    "rm_f",
    "rm",
    "rmdir",
    "remove_dir",
    "remove_entry",
    "delete",
    "system",
    "exec",
    "spawn",
    "popen",
    "glob",
    "find",
    "finddepth",
];
/// Bytes that are looked back at for what a method is called on, and of a statement without parentheses.
const NEAR: usize = 2000;
/// The deepest nesting of brackets.
const DEEPEST: usize = 60;

/// The calls of `code`, at most `most`.
pub(super) fn find_calls(language: CodeLanguage, code: &str, most: usize) -> Vec<CodeCall<'_>> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < most {
        let byte = bytes[at];
        if byte == b'`' && matches!(language, CodeLanguage::Ruby | CodeLanguage::Perl | CodeLanguage::Php) {
            let end = string_end(bytes, at);
            found.extend(code.get(at..end).map(|text| CodeCall {
                name: "`",
                owner: None,
                arguments: vec![text],
            }));
            at = end;
        } else if byte == b'%' && language == CodeLanguage::Ruby && bytes.get(at + 1) == Some(&b'x') {
            found.extend(call_at(language, code, at, at + 2));
            at += 2;
        } else if matches!(byte, b'"' | b'\'' | b'`') {
            at = string_end(bytes, at);
        } else if byte == b'#' && is_comment(language, bytes, at) {
            at = line_end(bytes, at);
        } else if is_name(byte) || byte == b'$' {
            let end = name_end(bytes, at);
            found.extend(call_at(language, code, at, end));
            at = end.max(at + 1);
        } else if byte == b'.' && bytes.get(at + 1).copied().is_some_and(is_name) {
            // A method of the expression before it: a call, or a text.
            let end = name_end(bytes, at + 1);
            let owner = code.get(owner_start(bytes, at)..at);
            found.extend(call_at(language, code, at + 1, end).map(|call| CodeCall { owner, ..call }));
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

/// The call of the name at `start..end`, if it is one.
fn call_at(language: CodeLanguage, code: &str, start: usize, end: usize) -> Option<CodeCall<'_>> {
    let bytes = code.as_bytes();
    let name = code.get(start..end)?;
    let owner =
        name.rfind(['.', '>']).and_then(|dot| name.get(..dot)).map(|owner| owner.trim_end_matches('-'));
    let spaces = bytes.get(end..)?.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let open = end + spaces;
    let made = |arguments| Some(CodeCall { name, owner, arguments });
    let last = name.rsplit(['.', ':', '>']).next().unwrap_or(name);
    let is_bare = matches!(language, CodeLanguage::Ruby | CodeLanguage::Perl) && BARE.contains(&last);
    match bytes.get(open) {
        Some(open_byte @ (b'{' | b'[' | b'(' | b'/' | b'|' | b'!'))
            if matches!(name, "qx" | "%x") && spaces == 0 =>
        {
            let close = match open_byte {
                b'{' => b'}',
                b'[' => b']',
                b'(' => b')',
                other => *other,
            };
            let length = bytes.get(open + 1..)?.iter().position(|byte| *byte == close)?;
            // A text without quotes of its own.
            Some(CodeCall { name: "qx", owner: None, arguments: vec![code.get(open..=open + 1 + length)?] })
        }
        Some(b'(') => made(split_list(code.get(open + 1..closing_bracket(bytes, open)?)?)),
        Some(b'`') if name == "$" => made(vec![code.get(open..string_end(bytes, open))?]),
        Some(b'[') if name == "Dir" => made(split_list(code.get(open + 1..closing_bracket(bytes, open)?)?)),
        Some(_) if spaces > 0 && is_bare => {
            let end = (open..=code.len().min(open + NEAR)).rev().find(|end| code.is_char_boundary(*end))?;
            let rest = code.get(open..end)?;
            let length = statement_end(rest);
            let text = rest.get(..length)?.trim();
            let text = text.split(" if ").next().unwrap_or(text).split(" for ").next().unwrap_or(text);
            made(split_list(text))
        }
        None | Some(b';' | b'\n' | b'}' | b')' | b']' | b' ') if is_bare => made(Vec::new()),
        _ => None,
    }
}

/// The parts of a list, parted by commas outside of brackets and quotes.
pub(super) fn split_list(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'\'' | b'`' => at = string_end(bytes, at),
            b'(' | b'[' | b'{' => at = closing_bracket(bytes, at).map_or(bytes.len(), |end| end + 1),
            b',' => {
                parts.extend(text.get(start..at));
                at += 1;
                start = at;
            }
            _ => at += 1,
        }
    }
    parts.extend(text.get(start..));
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Returns the position where the bracket at `open` is closed.
fn closing_bracket(bytes: &[u8], open: usize) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, open);
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'\'' | b'`' => {
                at = string_end(bytes, at);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 1 => return Some(at),
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return None;
        }
        at += 1;
    }
    None
}

/// Returns the position after the string that begins at `at`; three quotes begin one that ends with three.
pub(super) fn string_end(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let triple = bytes.get(at..at + 3).is_some_and(|three| three.iter().all(|byte| *byte == quote));
    let width = if triple { 3 } else { 1 };
    let mut end = at + width;
    while end < bytes.len() {
        if bytes[end] == b'\\' {
            end += 2;
        } else if bytes.get(end..end + width).is_some_and(|next| next.iter().all(|byte| *byte == quote)) {
            return end + width;
        } else {
            end += 1;
        }
    }
    bytes.len()
}

/// Returns the start of the expression that ends before `end`: a call with its name, a text, or brackets.
fn owner_start(bytes: &[u8], end: usize) -> usize {
    let mut at = end;
    let mut depth = 0_usize;
    while at > end.saturating_sub(NEAR) {
        let byte = bytes[at - 1];
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' if depth == 0 => break,
            b'(' | b'[' | b'{' => depth -= 1,
            _ if depth > 0 => {}
            byte if is_name(byte) || matches!(byte, b'.' | b'"' | b'\'' | b':' | b'/' | b'~') => {}
            _ => break,
        }
        at -= 1;
    }
    at
}

/// Returns the position after a name with its dots: `os.path.join`, `FileUtils::rm_rf`, `$self->x`.
fn name_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        let joins = match byte {
            b'.' => next.is_some_and(is_name),
            b':' => next == Some(b':') || bytes.get(at - 1) == Some(&b':') && next.is_some_and(is_name),
            b'-' => next == Some(b'>'),
            b'>' => bytes.get(at - 1) == Some(&b'-'),
            byte => is_name(*byte),
        };
        if !joins {
            break;
        }
        at += 1;
    }
    at
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_comment(language: CodeLanguage, bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    language != CodeLanguage::JavaScript
        && before.is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b';')
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

/// Returns the end of a statement without parentheses.
fn statement_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'\'' | b'`' => at = string_end(bytes, at),
            b'(' | b'[' => at = closing_bracket(bytes, at).map_or(bytes.len(), |end| end + 1),
            b';' | b'\n' | b'}' | b')' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}
