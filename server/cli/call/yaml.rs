//! A call written in YAML: its value, and the comments that stand above its keys and the items of its lists.

use std::collections::BTreeMap;

use serde_json::Value;

/// The document that a text holds.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CommentedText {
    /// The value.
    pub(super) value: Value,
    /// The comments by the path of the key that they follow or precede, as `args.path`.
    pub(super) comments: BTreeMap<String, String>,
}

/// Reads JSON, or else YAML with its comments.
///
/// # Errors
/// Why the text is neither.
pub(super) fn read(text: &str) -> Result<CommentedText, String> {
    let json = match serde_json::from_str(text) {
        Ok(value) => return Ok(CommentedText { value, ..CommentedText::default() }),
        Err(error) => error,
    };
    if text.trim_start().starts_with(['{', '[', '"']) {
        return Err(format!("it is not JSON: {json}"));
    }
    match serde_saphyr::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => Ok(CommentedText { value, comments: comments(text) }),
        Ok(_) => Err("it is no mapping of names to values".to_owned()),
        Err(error) => Err(format!("it is neither JSON ({json}) nor YAML: {error}")),
    }
}

/// The comments of block mappings and lists, by the path of the key or the item that follows them or is on the same line.
fn comments(text: &str) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut place = TextPlace::default();
    let (mut waiting, mut block): (Vec<&str>, Option<usize>) = (Vec::new(), None);
    for line in text.lines() {
        let mut rest = line.trim_start();
        let mut indent = line.len() - rest.len();
        // The lines of a block scalar are a value.
        if block.is_some_and(|above| rest.is_empty() || indent > above) {
            continue;
        }
        block = None;
        if let Some(comment) = rest.strip_prefix('#') {
            waiting.push(comment.trim());
            continue;
        }
        let mut path = None;
        while rest == "-" || rest.starts_with("- ") {
            place.enter_item(indent);
            path = path.or_else(|| Some(place.path()));
            let inner = rest[1..].trim_start();
            (block, indent) =
                (inner.starts_with(['|', '>']).then_some(indent), indent + rest.len() - inner.len());
            rest = inner;
        }
        let value = match split_key(rest) {
            Some((key, value)) => {
                place.enter_key(indent, key);
                path = path.or_else(|| Some(place.path()));
                if value.starts_with(['|', '>']) {
                    block = Some(indent);
                }
                value
            }
            None => rest,
        };
        let Some(path) = path else { continue };
        waiting.extend(split_comment(value).1);
        if !waiting.is_empty() {
            found.insert(path, waiting.join("\n"));
            waiting.clear();
        }
    }
    // A comment below the last key belongs to that key.
    if !waiting.is_empty() && !place.0.is_empty() {
        let text = waiting.join("\n");
        found.entry(place.path()).and_modify(|before| *before = format!("{before}\n{text}")).or_insert(text);
    }
    found
}

/// The keys and items around a line, each with its column. An item stands behind the key of its list in the same column.
#[derive(Debug, Default)]
struct TextPlace(Vec<((usize, bool), String)>);

impl TextPlace {
    fn enter_key(&mut self, column: usize, key: &str) {
        self.0.retain(|(at, _)| *at < (column, false));
        self.0.push(((column, false), key.to_owned()));
    }

    fn enter_item(&mut self, column: usize) {
        let before = self.0.iter().find(|(at, _)| *at == (column, true));
        let next = before.and_then(|(_, item)| item.parse::<usize>().ok()).map_or(0, |before| before + 1);
        self.0.retain(|(at, _)| *at < (column, true));
        self.0.push(((column, true), next.to_string()));
    }

    /// Their names with dots between.
    fn path(&self) -> String {
        self.0.iter().map(|(_, part)| part.as_str()).collect::<Vec<_>>().join(".")
    }
}

/// The key at the start of a line and what follows it; nothing where the line holds none.
fn split_key(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let is_key = rest.is_empty() || rest.starts_with(' ');
    let key = key.trim().trim_matches(['"', '\'']);
    (is_key && !key.is_empty() && !key.starts_with(['-', '{', '['])).then_some((key, rest.trim()))
}

/// A value and the comment behind it, outside of quotes.
fn split_comment(rest: &str) -> (&str, Option<&str>) {
    let mut quote = None;
    let mut before = ' ';
    for (at, letter) in rest.char_indices() {
        match (quote, letter) {
            (None, '"' | '\'') if before == ' ' => quote = Some(letter),
            (Some(open), close) if open == close && before != '\\' => quote = None,
            (None, '#') if before == ' ' => {
                return (rest[..at].trim_end(), Some(rest[at + 1..].trim()));
            }
            _ => {}
        }
        before = letter;
    }
    (rest, None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_belong_to_the_key_below_them() {
        let text = "# The audit\npath: src/parser.ts # the parser\nrange:\n  # From here\n  start: 3\n\
                    content: |\n  # no comment: a value\n  x: y\nwhy: \"Check # what it does\"\n# The end\n";
        let read = read(text).unwrap();
        assert_eq!(read.value["content"], "# no comment: a value\nx: y\n");
        assert_eq!(read.value["why"], "Check # what it does");
        let expected = [("path", "The audit\nthe parser"), ("range.start", "From here"), ("why", "The end")];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(read.comments, expected.into());
    }

    #[test]
    fn comments_belong_to_the_item_below_them() {
        let text = "cmd:\n  # The program\n  - cargo\n  - test # all of them\nhot:\n# The parser\n- path: a.rs\n  # It fails\n  why: x\n\
                    # Its tests\n- path: b.rs # in short\n- - |\n    # no comment\n  # Deeper\n  - c\nwhy: Run it\n";
        let expected = [
            ("cmd.0", "The program"),
            ("cmd.1", "all of them"),
            ("hot.0", "The parser"),
            ("hot.0.why", "It fails"),
            ("hot.1", "Its tests\nin short"),
            ("hot.2.1", "Deeper"),
        ];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(read(text).unwrap().comments, expected.into());
    }

    #[test]
    fn json_is_json_and_neither_is_said() {
        assert_eq!(read("{\"a\": 1}").unwrap().value, json!({ "a": 1 }));
        for (text, says) in [("{\"a\": ", "not JSON"), ("just words", "no mapping"), ("a: [", "neither JSON")]
        {
            let said = read(text).unwrap_err();
            assert!(said.contains(says), "{text}: {said}");
        }
    }
}
