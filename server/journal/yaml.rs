//! YAML as the log holds it: a small emitter whose output reads back exactly, and the reading.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value};

use crate::base::hidden::is_hidden;

/// The most columns of a mapping or list on one line.
const WIDTH: usize = 120;
/// Nesting that a block may have; what is deeper is sealed before it comes here.
pub(super) const MAX_DEPTH: usize = 48;

/// Comments by the path of the key they stand above. Emitting one takes it out.
pub(super) type KeyComments = BTreeMap<String, String>;

/// Writes a block's mapping, with the comments whose key is found.
pub(super) fn write_mapping(out: &mut String, map: &Map<String, Value>, comments: &mut KeyComments) {
    YamlEmitter { out, comments }.write_entries(map, 0, "");
}

/// The lines that a value takes below a key.
pub(super) fn lines(value: &Value) -> usize {
    let mut out = String::new();
    YamlEmitter { out: &mut out, comments: &mut KeyComments::new() }.write_value(value, 0, "");
    out.bytes().filter(|b| *b == b'\n').count()
}

/// Writes YAML, and takes out each comment that it writes.
struct YamlEmitter<'a> {
    out: &'a mut String,
    comments: &'a mut KeyComments,
}

impl YamlEmitter<'_> {
    /// Writes a mapping's entries at `indent`. `path` names the mapping.
    fn write_entries(&mut self, map: &Map<String, Value>, indent: usize, path: &str) {
        for (key, value) in map {
            self.write_entry(key, value, indent, path);
        }
    }

    /// Writes one entry of a mapping.
    fn write_entry(&mut self, key: &str, value: &Value, indent: usize, path: &str) {
        if self.comments.is_empty() {
            write_indent(self.out, indent);
            write_key(self.out, key);
            return self.write_value(value, indent, if indent == 0 { key } else { "" });
        }
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        if let Some(text) = self.comments.remove(&path) {
            write_comment(self.out, &text, indent);
        }
        write_indent(self.out, indent);
        write_key(self.out, key);
        self.write_value(value, indent, &path);
    }

    /// Writes the value after a key or a dash, to the end of its last line.
    fn write_value(&mut self, value: &Value, indent: usize, path: &str) {
        match value {
            Value::Object(map) if map.is_empty() => self.out.push_str(" {}\n"),
            Value::Array(items) if items.is_empty() => self.out.push_str(" []\n"),
            _ if self.flows(value, indent, path) => {
                self.out.push(' ');
                write_scalar(self.out, value);
                self.out.push('\n');
            }
            Value::Object(map) => {
                self.out.push('\n');
                self.write_entries(map, indent + 2, path);
            }
            Value::Array(items) => {
                self.out.push('\n');
                for (at, item) in items.iter().enumerate() {
                    self.write_item(item, indent + 2, &format!("{path}.{at}"));
                }
            }
            Value::String(text) if is_literal(text) => write_literal(self.out, text, indent + 2),
            value => {
                self.out.push(' ');
                write_scalar(self.out, value);
                self.out.push('\n');
            }
        }
    }

    /// Returns whether a mapping or list is short enough for one line. A call's arguments and a fault are written line by line.
    fn flows(&self, value: &Value, indent: usize, path: &str) -> bool {
        let apart = indent == 0 && matches!(path, "args" | "error");
        let below = |comment: &String| comment.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        (value.is_object() || value.is_array())
            && !apart
            && !self.comments.keys().any(below)
            && flow_width(value, WIDTH.saturating_sub(indent)).is_some()
    }

    /// Writes an item of a list. `path` names the item.
    fn write_item(&mut self, value: &Value, indent: usize, path: &str) {
        if let Some(text) = self.comments.remove(path) {
            write_comment(self.out, &text, indent);
        }
        if let Value::Object(map) = value
            && let Some(first) = map.keys().next()
            && !self.flows(value, indent, path)
        {
            if self.comments.contains_key(&format!("{path}.{first}")) {
                write_indent(self.out, indent);
                self.out.push_str("-\n");
                return self.write_entries(map, indent + 2, path);
            }
            let dash = self.out.len() + indent;
            self.write_entries(map, indent + 2, path);
            return self.out.replace_range(dash..=dash, "-");
        }
        write_indent(self.out, indent);
        self.out.push('-');
        self.write_value(value, indent, path);
    }
}

/// Returns whether a comment can be placed as `#` lines above its key or its item of a list: that is there, and the text is
/// shown whole, with no hidden character.
pub(super) fn takes_comment(body: &Map<String, Value>, path: &str, text: &str) -> bool {
    const LONGEST: usize = 2048;
    let shown = text.len() <= LONGEST && text.chars().all(|c| c == '\n' || !is_hidden(c));
    shown && !text.is_empty() && has_path(body, path)
}

fn has_path(map: &Map<String, Value>, path: &str) -> bool {
    map.iter().any(|(key, value)| path.strip_prefix(key.as_str()).is_some_and(|rest| is_below(value, rest)))
}

/// Returns whether a value has the part that the rest of a path names: nothing, or a dot and what follows.
fn is_below(value: &Value, rest: &str) -> bool {
    let Some(path) = rest.strip_prefix('.') else { return rest.is_empty() };
    match value {
        Value::Object(inner) => has_path(inner, path),
        Value::Array(items) => {
            let (at, rest) = path.split_at(path.find('.').unwrap_or(path.len()));
            let item = at.parse::<usize>().ok().filter(|index| index.to_string() == at);
            item.and_then(|index| items.get(index)).is_some_and(|item| is_below(item, rest))
        }
        _ => false,
    }
}

fn write_comment(out: &mut String, text: &str, indent: usize) {
    for line in text.split('\n') {
        write_indent(out, indent);
        out.push_str("# ");
        out.push_str(line);
        out.push('\n');
    }
}

/// The columns of a mapping or list on one line, where they are no more than `room`, none of its texts has several lines,
/// and no mark of a stored value is cut from it.
fn flow_width(value: &Value, room: usize) -> Option<usize> {
    let mut width = 0;
    let mut add = |columns: usize| {
        width += columns;
        (width <= room).then_some(())
    };
    match value {
        Value::String(text) if text.trim_end_matches('\n').contains('\n') => return None,
        Value::String(text) => add(text.chars().count() + 2)?,
        Value::Array(items) => {
            for item in items {
                add(flow_width(item, room)? + 2)?;
            }
        }
        // The mark of a stored value is for programs: it takes a line, however long.
        Value::Object(map) if map.contains_key(super::seal::SEALED) => add(8)?,
        Value::Object(map) => {
            for (key, item) in map {
                add(key.chars().count() + flow_width(item, room)? + 4)?;
            }
        }
        _ => add(6)?,
    }
    Some(width + 2)
}

/// Writes a value on one line.
pub(super) fn write_scalar(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => self::write_number(out, number),
        Value::String(text) if is_plain(text) => out.push_str(text),
        Value::String(text) => write_quoted(out, text),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_scalar(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_key(out, key);
                out.push(' ');
                write_scalar(out, item);
            }
            out.push('}');
        }
    }
}

fn write_number(out: &mut String, number: &serde_json::Number) {
    let text = number.to_string();
    match text.split_once('e') {
        None => out.push_str(&text),
        Some((digits, power)) => {
            out.push_str(digits);
            if !digits.contains('.') {
                out.push_str(".0");
            }
            out.push('e');
            if !power.starts_with('-') {
                out.push('+');
            }
            out.push_str(power.trim_start_matches('+'));
        }
    }
}

/// Writes a key, in quotes where YAML needs them, and a colon without a space after it.
fn write_key(out: &mut String, key: &str) {
    if is_plain(key) {
        out.push_str(key);
    } else {
        write_quoted(out, key);
    }
    out.push(':');
}

/// Returns whether text reads back as itself without quotes, in every YAML: a name or a path.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(first) = bytes.first() else { return false };
    (first.is_ascii_alphabetic() || *first == b'_')
        && bytes.len() <= 120
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'-'))
        && !is_word(text)
}

/// Returns whether some YAML reads the word as something other than itself.
fn is_word(text: &str) -> bool {
    const WORDS: [&str; 13] =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity", "_"];
    text.len() <= 8 && WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Writes a double-quoted scalar.
pub(super) fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    let mut clean = 0;
    for (at, c) in text.char_indices() {
        if c.is_ascii() && !c.is_ascii_control() && c != '"' && c != '\\' {
            continue;
        }
        if !c.is_ascii() && !is_hidden(c) {
            continue;
        }
        out.push_str(&text[clean..at]);
        clean = at + c.len_utf8();
        let _ = match (c, c as u32) {
            ('"', _) => out.write_str("\\\""),
            ('\\', _) => out.write_str("\\\\"),
            ('\n', _) => out.write_str("\\n"),
            ('\t', _) => out.write_str("\\t"),
            ('\r', _) => out.write_str("\\r"),
            (_, code @ ..=0xff) => write!(out, "\\x{code:02x}"),
            (_, code @ ..=0xffff) => write!(out, "\\u{code:04x}"),
            (_, code) => write!(out, "\\U{code:08x}"),
        };
    }
    out.push_str(&text[clean..]);
    out.push('"');
}

/// Returns whether text may be a literal block: several lines, one of them more than white space, and only visible
/// characters.
fn is_literal(text: &str) -> bool {
    text.trim_end_matches('\n').contains('\n')
        && text.bytes().any(|b| !matches!(b, b' ' | b'\t' | b'\n'))
        && text.chars().all(|c| c == '\n' || c == '\t' || !is_hidden(c))
}

/// Writes a literal block. Its header states the indentation if its first line cannot show that, and how many of the
/// final line ends belong to it: none (`-`), one, or all (`+`).
fn write_literal(out: &mut String, text: &str, indent: usize) {
    let indicator = if text.starts_with([' ', '\t', '\n']) { "2" } else { "" };
    let chomp = match text.len() - text.trim_end_matches('\n').len() {
        0 => "-",
        1 => "",
        _ => "+",
    };
    let _ = writeln!(out, " |{indicator}{chomp}");
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if !line.is_empty() {
            write_indent(out, indent);
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn write_indent(out: &mut String, indent: usize) {
    const SPACES: &str = "                                                                ";
    let mut left = indent;
    while left > 0 {
        let part = left.min(SPACES.len());
        out.push_str(&SPACES[..part]);
        left -= part;
    }
}

/// Reads a block's mapping.
///
/// # Errors
/// A description of the problem.
pub(super) fn read_mapping(text: &str) -> Result<Map<String, Value>, String> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 2 * MAX_DEPTH,
            max_anchors: 0,
            max_aliases: 0,
            simple_key_max_lookahead: text.len(),
            max_events: usize::MAX,
            max_nodes: usize::MAX,
        },
        emit_comments: false,
        merge_keys: serde_saphyr::options::MergeKeyPolicy::AsOrdinary,
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::Error,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())
}

/// The comments of a block's YAML, by the path of the key or the item of a list below each.
pub(super) fn read_comments(text: &str) -> KeyComments {
    let mut found = KeyComments::new();
    let mut above: Vec<&str> = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut literal = usize::MAX;
    for line in text.lines() {
        let mut body = line.trim_start_matches(' ');
        let mut indent = line.len() - body.len();
        if body.is_empty() || indent >= literal {
            continue;
        }
        literal = usize::MAX;
        if let Some(comment) = body.strip_prefix('#') {
            above.push(comment.strip_prefix(' ').unwrap_or(comment));
            continue;
        }
        if body == "-" || body.starts_with("- ") {
            let before =
                path.iter().find(|(at, _)| *at == indent).and_then(|(_, item)| item.parse::<usize>().ok());
            path.retain(|(at, _)| *at < indent);
            path.push((indent, before.map_or(0, |before| before + 1).to_string()));
            place_comment(&mut found, &path, &mut above);
            body = body[1..].trim_start();
            indent += 2;
        }
        path.retain(|(at, _)| *at < indent);
        if body.starts_with('|') {
            literal = indent - 1;
            continue;
        }
        let Some((key, rest)) = split_key(body) else { continue };
        if rest.starts_with(" |") {
            literal = indent + 1;
        }
        path.push((indent, key));
        place_comment(&mut found, &path, &mut above);
    }
    found
}

/// Places the lines of a comment above the key or item that a path ends with.
fn place_comment(found: &mut KeyComments, path: &[(usize, String)], above: &mut Vec<&str>) {
    if !above.is_empty() {
        let name = path.iter().map(|(_, part)| part.as_str()).collect::<Vec<_>>().join(".");
        found.insert(name, above.join("\n"));
        above.clear();
    }
}

/// Splits a line after its key's colon. A scalar item has no key.
fn split_key(line: &str) -> Option<(String, &str)> {
    if !line.starts_with('"') {
        let (key, rest) = line.split_once(':')?;
        return Some((key.to_owned(), rest));
    }
    let mut escaped = false;
    let end = line.bytes().skip(1).position(|b| {
        let end = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        end
    })?;
    let (key, rest) = line.split_at(end + 2);
    let key = serde_saphyr::from_str::<String>(key).ok()?;
    Some((key, rest.strip_prefix(':')?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn written(value: Value) -> String {
        let mut out = String::new();
        write_mapping(&mut out, value.as_object().unwrap(), &mut KeyComments::new());
        out
    }

    #[test]
    fn comments_of_items_stand_above_them_and_read_back() {
        let long = "x".repeat(WIDTH);
        let value = json!({ "args": {
            "cmd": ["echo", "a: b", "two\nlines\n"],
            "hot": [{ "path": "a.rs", "why": long }, { "path": "b.rs", "text": "one\n# two\n", "why": long }, [1, 2]],
            "why": "x",
        } });
        let paths = "cmd.0 cmd.1 cmd.2 hot.0 hot.0.path hot.0.why hot.1.why hot.2 hot.2.1 why".split(' ');
        let comments: KeyComments =
            paths.map(|path| (format!("args.{path}"), format!("On {path}\nin two lines"))).collect();
        let body = value.as_object().unwrap();
        assert!(comments.iter().all(|(path, text)| takes_comment(body, path, text)), "{comments:?}");
        for absent in ["args.cmd.3", "args.cmd.01", "args.cmd.x", "args.cmd.0.a", "args.hot.0.none"] {
            assert!(!takes_comment(body, absent, "x"), "{absent}");
        }
        let (mut out, mut left) = (String::new(), comments.clone());
        write_mapping(&mut out, body, &mut left);
        assert_eq!(left, KeyComments::new(), "{out}");
        assert_eq!(serde_saphyr::from_str::<Value>(&out).unwrap(), value, "{out}");
        assert_eq!(read_comments(&out), comments, "{out}");
    }

    #[test]
    fn a_diff_with_an_empty_context_line_stands_line_by_line() {
        let diff = "--- a/x.py\n+++ b/x.py\n@@ -1,4 +1,4 @@\n import os\n \n \t\n-a = 1\n+a = 2\n";
        let text = written(json!({ "args": { "diff": diff }, "files": { "x.py": diff }, "status": "ok" }));
        assert!(text.starts_with("args:\n  diff: |\n    --- a/x.py\n"), "{text}");
        assert!(text.contains("\n     import os\n     \n     \t\n    -a = 1\n"), "{text}");
        assert_eq!(read_mapping(&text).unwrap()["args"]["diff"], diff);
        for (text, header) in [("a\nb\n\n", "|+"), ("\n a\nb", "|2-"), ("a\n ", "|-"), (" a\n\t\n", "|2")] {
            let yaml = written(json!({ "k": text, "next": 1 }));
            assert_eq!(yaml.lines().next(), Some(format!("k: {header}").as_str()), "{text:?}");
        }
        for text in [" \n ", "one line\n", "\n\n", "a\r\nb\n", "a\n\u{202e}b"] {
            assert!(written(json!({ "k": text })).starts_with("k: \""), "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn texts_of_any_lines_read_back_exactly(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("\n"), Just(" "), Just("\t"), Just("a"), Just("- "), Just("+b"), Just("#"), Just("k: v"),
                    Just("@@ -1 +1 @@"), Just("|"), Just("```"), Just("..."), Just("---"), Just("\r"), Just("ü"),
                    Just("\""), Just("{"), Just("%"),
                ],
                0..14,
            ),
        ) {
            let text = parts.concat();
            let value = json!({
                "args": { "text": text, "list": [text, [text], { "in": text, "n": 1 }] },
                text.clone(): text,
                "next": 1,
            });
            let yaml = written(value.clone());
            prop_assert_eq!(Value::Object(read_mapping(&yaml).map_err(TestCaseError::fail)?), value);
        }
    }
}
