//! Calls in the tokens of a model's own chat format, which a server leaves in the text if it does not know the format:
//! [Harmony](https://cookbook.openai.com/articles/openai-harmony) of gpt-oss, Kimi K2's, and DeepSeek's.

use super::{Repairs, UnreadableArguments, lenient, markup};

/// The starts of a call, or of a part that a person is not shown.
pub(super) const MARKS: [&str; 9] = [
    "<|channel|>",
    "<|end|>",
    "<|start|>assistant",
    "<|tool_call_begin|>",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
];

/// A part that begins with a mark.
pub(super) enum ChatFormatPart {
    /// A call: its name, its arguments as JSON, and what was repaired in them.
    Call(String, String, Repairs),
    /// The model's thinking, or a token with no words.
    Unsaid,
}

/// The part that begins with `mark`, and where it ends; `None` if the mark is only mentioned.
///
/// # Errors
/// The error of a call that began, but whose text has no certain meaning.
pub(super) fn read_part(
    text: &str,
    mark: &str,
) -> Result<Option<(ChatFormatPart, usize)>, UnreadableArguments> {
    let rest = &text[mark.len()..];
    let found = match mark {
        "<|channel|>" => return read_harmony(text, mark),
        "<|tool_call_begin|>" => {
            read_named(rest, "<|tool_call_argument_begin|>", "<|tool_call_end|>", |head| {
                // The number of the call follows its name.
                let name =
                    head.rsplit_once(':').filter(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()));
                (name.map_or(head, |(name, _)| name), "")
            })?
        }
        "<｜tool▁call▁begin｜>" => {
            read_named(rest, "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", |head| {
                // Earlier models write the kind first, and the name behind the separator.
                if head == "function" { ("", "\n") } else { (head, "") }
            })?
        }
        _ => Some((ChatFormatPart::Unsaid, 0)),
    };
    Ok(found.map(|(part, end)| (part, mark.len() + end)))
}

/// A channel of Harmony: `commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>` is a call, `analysis` is
/// the model's thinking.
fn read_harmony(text: &str, mark: &str) -> Result<Option<(ChatFormatPart, usize)>, UnreadableArguments> {
    const MESSAGE: &str = "<|message|>";
    let Some(at) = text.find(MESSAGE) else { return Ok(None) };
    let head = &text[mark.len()..at];
    let body = at + MESSAGE.len();
    let channel = head.split(|c: char| c.is_whitespace() || c == '<').find(|word| !word.is_empty());
    if let Some((_, to)) = head.split_once("to=") {
        let name = to.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
        return read_call(name, &text[body..], "<|call|>")
            .map(|found| found.map(|(part, end)| (part, body + end)));
    }
    Ok(match channel {
        Some("analysis") => {
            text[body..].find("<|end|>").map(|end| (ChatFormatPart::Unsaid, body + end + "<|end|>".len()))
        }
        Some("final" | "commentary") => Some((ChatFormatPart::Unsaid, body)),
        _ => None,
    })
}

/// A call as a head, a separator and JSON. `name_of` gives the name in the head, or what ends it behind the separator.
fn read_named(
    rest: &str,
    separator: &str,
    close: &str,
    name_of: impl Fn(&str) -> (&str, &'static str),
) -> Result<Option<(ChatFormatPart, usize)>, UnreadableArguments> {
    let Some(at) = rest.find(separator) else { return Ok(None) };
    let mut body = at + separator.len();
    let name = match name_of(rest[..at].trim()) {
        ("", end) => {
            let Some(length) = rest[body..].find(end) else { return Ok(None) };
            let name = rest[body..body + length].trim();
            body += length;
            name
        }
        (name, _) => name,
    };
    read_call(name, &rest[body..], close).map(|found| found.map(|(part, end)| (part, body + end)))
}

/// The call of that name whose arguments a text begins with, in a fence or not, and where it ends, `close` included.
fn read_call(
    name: &str,
    text: &str,
    close: &str,
) -> Result<Option<(ChatFormatPart, usize)>, UnreadableArguments> {
    if name.is_empty() || name.contains(['{', '"']) || name.contains(char::is_whitespace) {
        return Ok(None);
    }
    let body = text.trim_start();
    let skipped = text.len() - body.len();
    // A string in the arguments may hold the closing token.
    for (end, _) in body.match_indices(close).take(8) {
        let mut repairs = Repairs::new();
        let read = lenient::parse_lenient(markup::strip_wrapping(&body[..end], &mut repairs)).ok();
        if let Some(read) = read.filter(|read| read.value.is_object() && !read.was_open) {
            repairs.extend(read.repairs);
            let part = ChatFormatPart::Call(name.to_owned(), read.value.to_string(), repairs);
            return Ok(Some((part, skipped + end + close.len())));
        }
    }
    let (read, end) = lenient::parse_first(body)?;
    if read.was_open || !read.value.is_object() {
        return Err(UnreadableArguments::new("a call was cut off", text.len()));
    }
    Ok(Some((ChatFormatPart::Call(name.to_owned(), read.value.to_string(), read.repairs), skipped + end)))
}
