//! Calls that a model wrote into its words, since its server or itself knows no native ones.
//!
//! Marks such as `<tool_call>` make a call certain, if they stand outside of thinking, of code and of quotes. JSON
//! without marks is a call if it is the whole text, or the fence at its end, and names a tool that is there. Prose that
//! mentions a call is none.

use serde_json::{Map, Value};

use super::chat_format::{self, ChatFormatPart};
use super::quotes::QuotedParts;
use super::{ArgumentRepair, Repairs, UnreadableArguments, lenient, markup, tool_name};

/// Names under which JSON holds a tool's name, and its arguments.
const NAMES: [&str; 5] = ["name", "tool", "tool_name", "function", "_tool"];
const ARGUMENTS: [&str; 7] = ["arguments", "parameters", "args", "input", "params", "tool_input", "kwargs"];
/// Lists of calls.
const LISTS: [&str; 2] = ["tool_calls", "calls"];
/// The starts of a call.
const MARKS: [&str; 9] = [
    "<tool_call>",
    "<|tool_call|>",
    "<|tool_call_start|>",
    "<function=",
    "<function name=",
    "<invoke name=",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    "<tool_calls>",
];
/// Calls that are read of one text.
const MOST: usize = 1000;

/// A call in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCall {
    /// The tool's name, as it was written.
    pub name: String,
    /// The text of the arguments.
    pub arguments: String,
    /// The repairs that it took to find it.
    pub repairs: Vec<ArgumentRepair>,
}

/// The calls in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextCalls {
    /// The calls, in order.
    pub calls: Vec<TextCall>,
    /// The words around them.
    pub prose: String,
    /// The error of a call that began, but whose text has no certain meaning.
    pub broken: Option<UnreadableArguments>,
}

/// Finds the calls in a model's words. `resolve` gives the tool that a name or an alias means.
pub fn calls_in_text(text: &str, resolve: &dyn Fn(&str) -> Option<String>) -> TextCalls {
    let said = spoken_text(text);
    let mut found = TextCalls { prose: text.to_owned(), ..TextCalls::default() };
    let Some(said) = said else { return found };
    let (said, is_fenced) = match markup::fenced_text(markup::without_ends(said)) {
        Some(inner) if MARKS.iter().any(|mark| inner.starts_with(mark)) => (inner, true),
        _ => (said, false),
    };
    let mut search = CallSearch { text: said, at: 0, found: &mut found, prose: String::new() };
    search.read_marked();
    let prose = std::mem::take(&mut search.prose);
    if !found.calls.is_empty() || found.broken.is_some() {
        if is_fenced {
            found.calls.iter_mut().for_each(|call| call.repairs.push(ArgumentRepair::CodeFence));
        }
        found.prose = prose.trim().to_owned();
        return found;
    }
    if let Some((calls, prose)) = read_unmarked(said, resolve) {
        found.calls = calls;
        found.prose = prose;
    }
    found
}

/// Returns the part of a model's text after its thinking, or `None` if it only thinks.
fn spoken_text(text: &str) -> Option<&str> {
    let said = text.rsplit_once("</think>").map_or(text, |(_, said)| said);
    (!said.contains("<think>")).then_some(said)
}

/// A search for marked calls.
struct CallSearch<'a, 'b> {
    text: &'a str,
    at: usize,
    found: &'b mut TextCalls,
    prose: String,
}

impl CallSearch<'_, '_> {
    fn read_marked(&mut self) {
        let quoted = QuotedParts::find_in(self.text);
        let (mut from, mut left) = (0, MOST);
        while let Some((at, mark)) = next_mark(self.text, from).filter(|_| left > 0) {
            left -= 1;
            if quoted.is_quoted_at(self.text, at) {
                from = at + mark.len();
                continue;
            }
            match marked_call(&self.text[at..], mark) {
                Ok(None) => from = at + mark.len(),
                Ok(Some((calls, length))) => {
                    self.prose.push_str(&self.text[self.at..at]);
                    self.found.calls.extend(calls);
                    (self.at, from) = (at + length, at + length);
                }
                Err(broken) => {
                    self.found.broken = Some(UnreadableArguments::new(broken.reason, at + broken.at));
                    break;
                }
            }
        }
        self.prose.push_str(&self.text[self.at..]);
    }
}

fn next_mark(text: &str, from: usize) -> Option<(usize, &'static str)> {
    let rest = text.get(from..)?;
    let mut places = rest.match_indices(['<', '[']).map(|(at, _)| from + at);
    let mark = |at: usize| {
        let mut marks = MARKS.iter().chain(&chat_format::MARKS);
        marks.find(|mark| text[at..].starts_with(**mark)).map(|mark| (at, *mark))
    };
    places.find_map(mark)
}

type Marked = Option<(Vec<TextCall>, usize)>;

/// The calls that begin with a mark and where they end; nothing if the mark is only mentioned.
fn marked_call(text: &str, mark: &str) -> Result<Marked, UnreadableArguments> {
    let rest = &text[mark.len()..];
    match mark {
        "<tool_call>" => read_closed(text, mark, "</tool_call>"),
        "<tool_calls>" => read_closed(text, mark, "</tool_calls>"),
        "<|tool_call|>" => read_closed(text, mark, "<|/tool_call|>"),
        "<|tool_call_start|>" => read_closed(text, mark, "<|tool_call_end|>"),
        "<|python_tag|>" => read_python(rest).map(|found| found.map(|calls| (calls, text.len()))),
        "[TOOL_CALLS]" => read_mistral(rest).map(|found| found.map(|(calls, end)| (calls, mark.len() + end))),
        mark if chat_format::MARKS.contains(&mark) => {
            let found = chat_format::read_part(text, mark)?;
            Ok(found.map(|(part, end)| match part {
                ChatFormatPart::Call(name, arguments, repairs) => {
                    (vec![make_call(name, arguments, repairs)], end)
                }
                ChatFormatPart::Unsaid => (Vec::new(), end),
            }))
        }
        _ => read_tagged(text).map(|found| found.map(|(call, end)| (vec![call], end))),
    }
}

/// A call between two marks.
fn read_closed(text: &str, open: &str, close: &str) -> Result<Marked, UnreadableArguments> {
    let rest = &text[open.len()..];
    let body = rest.trim_start();
    let skipped = rest.len() - body.len();
    if markup::call_tag(body).is_some() {
        return read_tags(body, close)
            .map(|found| found.map(|(calls, end)| (calls, open.len() + skipped + end)));
    }
    if !body.starts_with(['{', '[', '`']) {
        let is_keyed = body.find('<').is_some_and(|at| body[at..].starts_with("<arg_key>"));
        let Some(end) = is_keyed.then(|| body.find(close)).flatten() else { return Ok(None) };
        let Some((name, map)) = markup::read_keyed(&body[..end]) else { return Ok(None) };
        let call = make_call(name, Value::Object(map).to_string(), Repairs::new());
        return Ok(Some((vec![call], open.len() + skipped + end + close.len())));
    }
    // A string in it may hold the closing mark.
    let mut wrong = None;
    for (end, _) in body.match_indices(close).take(8) {
        let mut repairs = Repairs::new();
        let inside = markup::strip_wrapping(&body[..end], &mut repairs);
        match lenient::parse_lenient(inside) {
            Ok(read) => {
                repairs.extend(read.repairs);
                let calls = calls_of(&read.value, &repairs).ok_or_else(|| {
                    UnreadableArguments::new("a call has no name or no arguments", open.len())
                })?;
                return Ok(Some((calls, open.len() + skipped + end + close.len())));
            }
            Err(error) => drop(wrong.get_or_insert(error)),
        }
    }
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    let (read, end) = lenient::parse_first(body)?;
    if read.was_open {
        return Err(UnreadableArguments::new("a call was cut off", text.len()));
    }
    let calls = calls_of(&read.value, &read.repairs)
        .ok_or_else(|| UnreadableArguments::new("a call has no name or no arguments", open.len()))?;
    Ok(Some((calls, open.len() + skipped + end)))
}

/// Calls as tags, one after another, and the mark behind them.
fn read_tags(body: &str, close: &str) -> Result<Marked, UnreadableArguments> {
    let (mut calls, mut end) = (Vec::new(), 0);
    loop {
        let space = body[end..].len() - body[end..].trim_start().len();
        let at = end + space;
        if let Some(rest) = body[at..].strip_prefix(close) {
            return Ok(Some((calls, body.len() - rest.len())));
        }
        match read_tagged(&body[at..])? {
            Some((call, length)) => {
                calls.push(call);
                end = at + length;
            }
            None => return Ok(Some((calls, end))),
        }
    }
}

fn read_tagged(text: &str) -> Result<Option<(TextCall, usize)>, UnreadableArguments> {
    let Some(word) = markup::call_tag(text) else { return Ok(None) };
    let tagged = markup::read_tagged(text, word)?;
    let arguments = match tagged.arguments {
        Ok(map) => Value::Object(map).to_string(),
        Err(body) => {
            lenient::parse_lenient(if body.is_empty() { "{}" } else { &body })?;
            body
        }
    };
    Ok(Some((make_call(tagged.name, arguments, Repairs::new()), tagged.end)))
}

/// Reads JSON behind `<|python_tag|>`, several with `;` between them. Python itself is not read as a call.
fn read_python(rest: &str) -> Result<Option<Vec<TextCall>>, UnreadableArguments> {
    let mut rest = markup::without_ends(rest);
    if !rest.starts_with(['{', '[']) {
        return Ok(None);
    }
    let mut calls = Vec::new();
    while !rest.is_empty() {
        let (read, end) = lenient::parse_first(rest)?;
        let more = calls_of(&read.value, &read.repairs).filter(|_| !read.was_open);
        calls.extend(more.ok_or_else(|| UnreadableArguments::new("a call has no name or was cut off", 0))?);
        rest = rest[end..].trim_start().trim_start_matches(';').trim_start();
    }
    Ok(Some(calls))
}

/// Reads the text behind `[TOOL_CALLS]`: a list of calls, or a name with its arguments.
fn read_mistral(rest: &str) -> Result<Option<(Vec<TextCall>, usize)>, UnreadableArguments> {
    let body = rest.trim_start();
    let skipped = rest.len() - body.len();
    if body.starts_with(['[', '{']) {
        let (read, end) = lenient::parse_first(body)?;
        let calls = calls_of(&read.value, &read.repairs).filter(|_| !read.was_open);
        let calls = calls.ok_or_else(|| UnreadableArguments::new("a call has no name or was cut off", 0))?;
        return Ok(Some((calls, skipped + end)));
    }
    let Some(at) = body.find('{') else { return Ok(None) };
    let name = body[..at].trim().trim_end_matches("[ARGS]").trim();
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Ok(None);
    }
    let (read, end) = lenient::parse_first(&body[at..])?;
    if read.was_open {
        return Err(UnreadableArguments::new("a call was cut off", rest.len()));
    }
    let call = make_call(name.to_owned(), read.value.to_string(), read.repairs);
    Ok(Some((vec![call], skipped + at + end)))
}

/// The calls that a value holds: one, a list, or an object with a list.
fn calls_of(value: &Value, repairs: &Repairs) -> Option<Vec<TextCall>> {
    match value {
        Value::Array(items) if !items.is_empty() && items.len() <= MOST => {
            items.iter().map(|item| call_of(item, repairs)).collect()
        }
        Value::Object(map) if map.len() == 1 && LISTS.iter().any(|list| map.contains_key(*list)) => {
            calls_of(map.values().next()?, repairs)
        }
        one => call_of(one, repairs).map(|call| vec![call]),
    }
}

fn call_of(value: &Value, repairs: &Repairs) -> Option<TextCall> {
    let map = value.as_object()?;
    if let Some(inner @ Value::Object(_)) = map.get("function") {
        return call_of(inner, repairs);
    }
    let mut names = NAMES.iter().filter_map(|name| map.get(*name).and_then(Value::as_str));
    let name = names.next()?;
    if let Some(tool) = map.get("_tool").and_then(Value::as_str) {
        // The Tool Protocol's form: the arguments are next to the name.
        let own: Map<String, Value> = map
            .iter()
            .filter(|(name, _)| *name != "_tool")
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        return Some(make_call(tool.to_owned(), Value::Object(own).to_string(), repairs.clone()));
    }
    let mut given = ARGUMENTS.iter().filter_map(|name| map.get(*name));
    let (Some(arguments), None) = (given.next(), given.next()) else {
        // A tool that wants nothing is called by its name alone.
        return (map.len() == 1).then(|| make_call(name.to_owned(), String::new(), repairs.clone()));
    };
    let text = match arguments {
        Value::String(text) => text.clone(),
        Value::Object(_) => arguments.to_string(),
        Value::Null => String::new(),
        _ => return None,
    };
    Some(make_call(name.to_owned(), text, repairs.clone()))
}

fn make_call(name: String, arguments: String, mut repairs: Repairs) -> TextCall {
    repairs.insert(ArgumentRepair::Markup);
    TextCall { name, arguments, repairs: repairs.into_iter().collect() }
}

/// Reads calls that no markup encloses: the whole text, or the fences at its end after words that announce them. Returns
/// them and the text before.
fn read_unmarked(said: &str, resolve: &dyn Fn(&str) -> Option<String>) -> Option<(Vec<TextCall>, String)> {
    let text = markup::without_ends(said);
    let known = |calls: &Vec<TextCall>| {
        let is_known = |call: &TextCall| tool_name(&call.name, resolve).is_some();
        calls.iter().all(|call| !call.arguments.is_empty() && is_known(call))
    };
    if text.starts_with(['{', '[']) {
        let read = lenient::parse_lenient(text).ok().filter(|read| !read.was_open)?;
        return calls_of(&read.value, &read.repairs).filter(known).map(|calls| (calls, String::new()));
    }
    let (lead, fences) = QuotedParts::fences_at_end(text)?;
    if QuotedParts::is_example(lead) {
        return None;
    }
    let mut calls = Vec::new();
    for fence in fences {
        let mut repairs = Repairs::from([ArgumentRepair::CodeFence]);
        let read = lenient::parse_lenient(markup::strip_wrapping(fence, &mut repairs))
            .ok()
            .filter(|read| !read.was_open)?;
        repairs.extend(read.repairs);
        calls.extend(calls_of(&read.value, &repairs)?);
    }
    (!calls.is_empty() && known(&calls)).then(|| (calls, lead.trim().to_owned()))
}
