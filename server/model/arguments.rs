//! The arguments of calls as models write them: read where their meaning is certain, refused where it is not.
//!
//! Every repair is reported. A text with two readings is refused: names that occur twice with different values, text that
//! was cut off, quotes inside of quotes. Nothing is invented: what is missing stays missing.
//!
//! # Invariants
//!
//! - No argument of a call is invented, and none is read that has two meanings.
//!   Test: `arguments_are_repaired_or_refused_as_the_table_says`, `sound_json_is_never_changed`

mod chat_format;
mod fit;
mod in_text;
mod lenient;
mod markup;
mod name;
mod quotes;
mod token;

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use in_text::{TextCall, TextCalls, calls_in_text};
use lenient::LenientValue;
pub use name::tool_name;

/// The deepest nesting of text encoded in text.
const ENCODED: usize = 3;

/// Arguments that were read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepairedArguments {
    /// The arguments.
    pub value: Map<String, Value>,
    /// The repairs, each kind once; empty if the arguments were sound.
    pub repairs: Vec<ArgumentRepair>,
}

/// A repair whose outcome is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentRepair {
    /// There was no text: no arguments.
    NoText,
    /// JSON stood in a string.
    TextInText,
    /// A code fence or backticks stood around it.
    CodeFence,
    /// The marks of a call stood around it, such as `<tool_call>`.
    Markup,
    /// Tokens that end a model's turn stood behind it.
    EndToken,
    /// Comments stood in it.
    Comment,
    /// A comma stood before a closing bracket.
    TrailingComma,
    /// A comma was missing between two members.
    MissingComma,
    /// Names or texts stood in single quotes, backticks or typographic ones.
    Quotes,
    /// Names stood without quotes.
    BareName,
    /// `True`, `False` or `None` stood for JSON's words.
    PythonWord,
    /// A line break or another control character stood in a string as it is.
    ControlCharacter,
    /// A backslash stood in a string where JSON knows none.
    Backslash,
    /// A number was written as JSON does not.
    Number,
    /// The last brackets were missing.
    MissingBracket,
    /// There were brackets too many at the end.
    ExtraBracket,
    /// A name, or all of it, stood twice, with the same value.
    SameTwice,
    /// An empty object stood before it.
    EmptyBefore,
    /// An object stood around the arguments, such as `{"arguments": …}`.
    Wrapped,
    /// The arguments stood alone in a list.
    ListOfOne,
    /// A value stood in a string where the schema wants none, as `"3"` for 3, or the other way round.
    ValueInText,
    /// An optional argument was null, and may not be.
    NullForAbsent,
    /// An argument's name was written in another case, or with other separators.
    Spelling,
    /// A tool's name was written with other separators, in another case, or with a prefix.
    ToolName,
}

impl fmt::Display for ArgumentRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoText => "no text was read as no arguments",
            Self::TextInText => "JSON in a string was read",
            Self::CodeFence => "a code fence was taken off",
            Self::Markup => "the marks of a call were taken off",
            Self::EndToken => "tokens that end a turn were taken off",
            Self::Comment => "comments were left out",
            Self::TrailingComma => "a trailing comma was left out",
            Self::MissingComma => "a missing comma was added",
            Self::Quotes => "other quotes were read as double quotes",
            Self::BareName => "names without quotes were read",
            Self::PythonWord => "Python's True, False or None was read",
            Self::ControlCharacter => "control characters in a string were escaped",
            Self::Backslash => "a backslash in a string was read as it is meant",
            Self::Number => "a number in another notation was read",
            Self::MissingBracket => "missing brackets at the end were added",
            Self::ExtraBracket => "extra brackets at the end were left out",
            Self::SameTwice => "what stood twice with one value was read once",
            Self::EmptyBefore => "an empty object before the arguments was left out",
            Self::Wrapped => "an object around the arguments was taken off",
            Self::ListOfOne => "a list around the arguments was taken off",
            Self::ValueInText => "a value of another type was read as the schema has it",
            Self::NullForAbsent => "a null was read as absent",
            Self::Spelling => "an argument's name was spelt as the schema has it",
            Self::ToolName => "the tool's name was spelt as the tool has it",
        })
    }
}

/// The reason why arguments were not read: they have no meaning that is certain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}, at byte {at} of the arguments")]
pub struct UnreadableArguments {
    /// The error, as a clause.
    pub reason: String,
    /// The position where it was noticed.
    pub at: usize,
}

impl UnreadableArguments {
    pub(crate) fn new(reason: impl Into<String>, at: usize) -> Self {
        Self { reason: reason.into(), at }
    }
}

/// The repairs so far.
pub(crate) type Repairs = BTreeSet<ArgumentRepair>;

/// Reads the arguments of a call, as they came, for a tool whose arguments have this schema.
///
/// Sound JSON comes back as it is, but for what the schema makes certain. Whether the arguments satisfy the schema is for
/// the caller to check.
///
/// # Errors
/// Fails if the arguments have no certain meaning.
pub fn read_arguments(raw: &str, schema: &Value) -> Result<RepairedArguments, UnreadableArguments> {
    let mut repairs = Repairs::new();
    let value = read_object(raw, schema, &mut repairs, ENCODED)?;
    let value = fit::fit_to_schema(value, schema, &mut repairs);
    Ok(RepairedArguments { value, repairs: repairs.into_iter().collect() })
}

/// Fits arguments that are an object already to the schema of their tool, if the schema allows only one value.
pub fn fit_arguments(arguments: Map<String, Value>, schema: &Value) -> RepairedArguments {
    let mut repairs = Repairs::new();
    let value = fit::fit_to_schema(arguments, schema, &mut repairs);
    RepairedArguments { value, repairs: repairs.into_iter().collect() }
}

/// The object that a text holds.
fn read_object(
    raw: &str,
    schema: &Value,
    repairs: &mut Repairs,
    times: usize,
) -> Result<Map<String, Value>, UnreadableArguments> {
    let text = markup::strip_wrapping(raw, repairs);
    if text.is_empty() {
        repairs.insert(ArgumentRepair::NoText);
        return Ok(Map::new());
    }
    if text.starts_with('<') {
        let calls = calls_in_text(text, &|name| Some(name.to_owned()));
        return match <[TextCall; 1]>::try_from(calls.calls) {
            Ok([call]) if calls.broken.is_none() => {
                repairs.extend(call.repairs);
                read_object(&call.arguments, schema, repairs, times)
            }
            _ => Err(UnreadableArguments::new("they are markup and not one call", 0)),
        };
    }
    let read = match lenient::parse_lenient(text) {
        Ok(read) => read,
        Err(wrong) => read_doubled(text, repairs).ok_or(wrong)?,
    };
    if read.was_open && !fit::has_required(&read.value, schema) {
        return Err(UnreadableArguments::new(
            "they were cut off before the last required argument",
            text.len(),
        ));
    }
    repairs.extend(read.repairs);
    match read.value {
        Value::Object(map) => Ok(map),
        Value::Null => {
            repairs.insert(ArgumentRepair::NoText);
            Ok(Map::new())
        }
        Value::String(inner) if times > 1 => {
            repairs.insert(ArgumentRepair::TextInText);
            read_object(&inner, schema, repairs, times - 1)
        }
        Value::Array(mut items) => match (items.pop(), items.is_empty()) {
            (Some(Value::Object(map)), true) => {
                repairs.insert(ArgumentRepair::ListOfOne);
                Ok(map)
            }
            _ => Err(UnreadableArguments::new("they are a list and no object", 0)),
        },
        _ => Err(UnreadableArguments::new("they are no object", 0)),
    }
}

/// Returns the meaning of two objects, the first of which is empty or equal to the second: servers that join the
/// pieces of a stream send such.
fn read_doubled(text: &str, repairs: &mut Repairs) -> Option<LenientValue> {
    let (first, end) = lenient::parse_first(text).ok()?;
    let second = lenient::parse_lenient(&text[end..]).ok().filter(|second| second.value.is_object())?;
    let is_empty = first.value.as_object().is_some_and(Map::is_empty);
    repairs.insert(match (is_empty, first.value == second.value) {
        (_, true) => ArgumentRepair::SameTwice,
        (true, false) => ArgumentRepair::EmptyBefore,
        (false, false) => return None,
    });
    Some(second)
}

#[cfg(test)]
mod tests;
