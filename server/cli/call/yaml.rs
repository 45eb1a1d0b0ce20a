//! A call written in YAML: its value, and the comments that stand above its keys.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

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

/// The comments of block mappings, by the path of the key that follows them or is on the same line.
fn comments(text: &str) -> BTreeMap<String, String> {
    let mut found: Map<String, Value> = Map::new();
    let mut above: Vec<(usize, String)> = Vec::new();
    let (mut waiting, mut block): (Vec<&str>, Option<usize>) = (Vec::new(), None);
    for line in text.lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        // The lines of a block scalar are a value.
        if block.is_some_and(|above| trimmed.is_empty() || indent > above) {
            continue;
        }
        block = None;
        if let Some(comment) = trimmed.strip_prefix('#') {
            waiting.push(comment.trim());
            continue;
        }
        let Some((key, rest)) = split_key(trimmed) else { continue };
        above.retain(|(other, _)| *other < indent);
        above.push((indent, key.to_owned()));
        let (value, beside) = split_comment(rest);
        waiting.extend(beside);
        if value.starts_with(['|', '>']) {
            block = Some(indent);
        }
        if !waiting.is_empty() {
            let path: Vec<&str> = above.iter().map(|(_, key)| key.as_str()).collect();
            found.insert(path.join("."), Value::String(waiting.join("\n")));
            waiting.clear();
        }
    }
    // A comment below the last key belongs to that key.
    if !waiting.is_empty() && !above.is_empty() {
        let path = above.iter().map(|(_, key)| key.as_str()).collect::<Vec<_>>().join(".");
        let before = found.get(&path).and_then(Value::as_str).map(|text| format!("{text}\n"));
        found.insert(path, Value::String(format!("{}{}", before.unwrap_or_default(), waiting.join("\n"))));
    }
    let texts = found.into_iter().filter_map(|(path, text)| Some((path, text.as_str()?.to_owned())));
    texts.collect()
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
    fn json_is_json_and_neither_is_said() {
        assert_eq!(read("{\"a\": 1}").unwrap().value, json!({ "a": 1 }));
        for (text, says) in [("{\"a\": ", "not JSON"), ("just words", "no mapping"), ("a: [", "neither JSON")]
        {
            let said = read(text).unwrap_err();
            assert!(said.contains(says), "{text}: {said}");
        }
    }
}
