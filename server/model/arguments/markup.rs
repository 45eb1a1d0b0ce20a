//! The marks that models put around calls and arguments.

use serde_json::{Map, Value};

use super::{ArgumentRepair, Repairs, UnreadableArguments};

/// Tokens that end a model's turn, which some servers leave in the text.
const ENDS: [&str; 9] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|endoftext|>",
    "<|tool_call_end|>",
    "<|call|>",
    "<|end|>",
    "</s>",
    "</tool_call>",
];

/// The text without a fence around it and tokens behind it.
pub(super) fn strip_wrapping<'a>(raw: &'a str, repairs: &mut Repairs) -> &'a str {
    let mut text = raw.trim().trim_start_matches('\u{feff}').trim_start();
    if !text.starts_with('<') {
        let whole = text;
        while let Some(rest) = ENDS.iter().find_map(|end| text.strip_suffix(end)) {
            text = rest.trim_end();
        }
        if text.len() < whole.len() {
            repairs.insert(ArgumentRepair::EndToken);
        }
    }
    match fenced_text(text) {
        Some(inner) => {
            repairs.insert(ArgumentRepair::CodeFence);
            inner
        }
        None => text,
    }
}

/// Returns the contents of a fence, or of one pair of backticks, that is the whole text.
pub(super) fn fenced_text(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix("```") {
        let inner = rest.strip_suffix("```")?;
        let word = inner.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '+'))).unwrap_or(0);
        let inner = match inner[word..].starts_with(['\n', '\r', ' ', '{', '[']) {
            true => &inner[word..],
            false => inner,
        };
        // A second fence in it: which one ends is not certain, except for a fence in a string.
        return Some(inner.trim());
    }
    let inner = text.strip_prefix('`')?.strip_suffix('`')?;
    (inner.trim_start().starts_with('{') && !inner.contains('`')).then(|| inner.trim())
}

/// The end of what the turn holds, without its tokens.
pub(super) fn without_ends(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(rest) = ENDS.iter().find_map(|end| text.strip_suffix(end)) {
        text = rest.trim_end();
    }
    text
}

/// A call that was written as tags: its name, its arguments as JSON or as members, and where it ends.
pub(super) struct TaggedCall {
    pub(super) name: String,
    pub(super) arguments: Result<Map<String, Value>, String>,
    pub(super) end: usize,
}

/// The tag that a text begins with: what it names, and where it ends. `word` is `function`, `invoke` or `parameter`.
fn read_tag<'a>(text: &'a str, word: &str) -> Option<(&'a str, usize)> {
    let rest = text.strip_prefix('<')?.strip_prefix(word)?;
    let before = 1 + word.len();
    let close = rest.find('>')?;
    let named = &rest[..close];
    let name = match named.strip_prefix('=') {
        Some(name) => name,
        None => named.strip_prefix(' ')?.trim_start().strip_prefix("name=")?,
    };
    let name = name.trim().trim_matches(['"', '\'']);
    let is_sound = !name.is_empty() && name.len() <= 200 && !name.contains(['\n', '<', '"']);
    is_sound.then_some((name, before + close + 1))
}

/// The word of the tag of a call that the text begins with.
pub(super) fn call_tag(text: &str) -> Option<&'static str> {
    ["function", "invoke"].into_iter().find(|word| read_tag(text, word).is_some())
}

/// Reads a call as `<function=NAME>…</function>` or `<invoke name="NAME">…</invoke>`.
pub(super) fn read_tagged(text: &str, word: &'static str) -> Result<TaggedCall, UnreadableArguments> {
    let Some((name, start)) = read_tag(text, word) else {
        return Err(UnreadableArguments::new("a call has no name", 0));
    };
    let close = format!("</{word}>");
    // The text of a parameter may hold the closing tag: the last one before the next call counts.
    let rest = &text[start..];
    let next = rest
        .find(&format!("<{word}="))
        .or_else(|| rest.find(&format!("<{word} name=")))
        .unwrap_or(rest.len());
    let Some(end) = rest[..next].rfind(&close) else {
        return Err(UnreadableArguments::new("a call was cut off", text.len()));
    };
    let body = rest[..end].trim_matches(['\n', '\r', ' ']);
    let arguments = match body.starts_with("<parameter") {
        true => Ok(read_parameters(body)?),
        false => Err(body.to_owned()),
    };
    Ok(TaggedCall { name: name.to_owned(), arguments, end: start + end + close.len() })
}

/// The members of `<parameter=NAME>VALUE</parameter>` one after another: each value is a text.
fn read_parameters(body: &str) -> Result<Map<String, Value>, UnreadableArguments> {
    let mut map = Map::new();
    let mut rest = body;
    while !rest.trim_start().is_empty() {
        rest = rest.trim_start();
        let Some((name, start)) = read_tag(rest, "parameter") else {
            return Err(UnreadableArguments::new(
                "something stands between the parameters of a call",
                body.len() - rest.len(),
            ));
        };
        let inside = &rest[start..];
        let next = inside.find("\n<parameter").or_else(|| inside.find("</parameter><parameter"));
        let until = next.map_or(inside.len(), |at| if inside[at..].starts_with('\n') { at } else { at + 12 });
        let value = inside[..until].trim_end();
        let value = value.strip_suffix("</parameter>").unwrap_or(value);
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let before = map.insert(name.to_owned(), Value::String(value.to_owned()));
        if before.is_some_and(|before| before != map[name]) {
            return Err(UnreadableArguments::new(format!("`{name}` stands twice, with two values"), 0));
        }
        rest = &inside[until..];
    }
    Ok(map)
}

/// The members of `<arg_key>NAME</arg_key><arg_value>VALUE</arg_value>` one after another, behind a tool's name.
pub(super) fn read_keyed(body: &str) -> Option<(String, Map<String, Value>)> {
    let at = body.find("<arg_key>").unwrap_or(body.len());
    let name = body[..at].trim();
    if name.is_empty() || name.contains([' ', '\n', '<', '{']) || at == body.len() {
        return None;
    }
    let mut map = Map::new();
    let mut rest = body[at..].trim_start();
    while !rest.is_empty() {
        let (key, after) = rest.strip_prefix("<arg_key>")?.split_once("</arg_key>")?;
        let (value, after) = after.trim_start().strip_prefix("<arg_value>")?.split_once("</arg_value>")?;
        if map.insert(key.trim().to_owned(), Value::String(value.to_owned())).is_some() {
            return None;
        }
        rest = after.trim_start();
    }
    Some((name.to_owned(), map))
}
