//! The table of hidden characters for the plugins, made from the one in `base::hidden`.

use std::fmt::Write;

use crate::base::hidden::is_hidden;

const HEAD: [&str; 2] = [
    "Characters that nobody sees: the table of server/base/hidden.rs, generated. Do not edit;",
    "`WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.",
];

/// The hidden characters as ranges of code points, first and last.
fn hidden_ranges() -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for code in 0..=u32::from(char::MAX) {
        // A surrogate cannot occur in a text: a range continues over it.
        let Some(c) = char::from_u32(code) else { continue };
        if !is_hidden(c) {
            continue;
        }
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => ranges.push((code, code)),
        }
    }
    ranges
}

/// As a regular expression.
pub(super) fn typescript_table() -> String {
    let mut out = HEAD.map(|line| format!("// {line}\n")).concat();
    out.push_str("\nexport const HIDDEN = new RegExp(\n  '[' +\n");
    for (first, last) in hidden_ranges() {
        // Writing to a string never fails.
        let _ = writeln!(out, "    '\\\\u{{{first:x}}}-\\\\u{{{last:x}}}' +");
    }
    out.push_str("    ']',\n  'gu',\n);\n");
    out
}

/// As pairs of numbers.
pub(super) fn lua_table() -> String {
    let mut out = HEAD.map(|line| format!("-- {line}\n")).concat();
    out.push_str("\n---@type integer[][] first and last code point of each range, in order\nreturn {\n");
    for (first, last) in hidden_ranges() {
        let _ = writeln!(out, "  {{ 0x{first:x}, 0x{last:x} }},");
    }
    out.push_str("}\n");
    out
}
