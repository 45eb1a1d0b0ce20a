//! Arguments as models send them: an object or text that holds one, with meta fields and aliases among them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::unfit_call::UnfitCall;
use super::violations::shown_value;
use crate::catalogue::ToolAlias;
use crate::protocol::Why;

/// The depth to which arguments may nest.
const DEPTH: usize = 64;
/// The number of values that they may hold.
const VALUES: usize = 100_000;
/// The number of bytes of text that they may hold, including names.
const BYTES: usize = 64 << 20;

/// The meta fields of the Tool Protocol among the arguments.
#[derive(Debug, Default)]
pub(super) struct CallMeta {
    /// `_tool`
    pub(super) tool: Option<Value>,
    /// `_activity`
    pub(super) activity: Option<Value>,
    /// `_output`
    pub(super) output: Option<Value>,
    /// `_reasoningForCall`
    pub(super) reasoning: Option<Value>,
    /// `_comments`
    pub(super) comments: Option<Value>,
}

/// Returns the arguments as an object. Text that holds one is read, and text that holds such text too: some clients
/// encode twice.
///
/// # Errors
/// The kind of other arguments, or the bound that they exceed; with the original arguments, for the log.
pub(super) fn read_object(arguments: Value) -> Result<Map<String, Value>, Box<(Value, UnfitCall)>> {
    let map = match arguments {
        Value::Null => return Ok(Map::new()),
        Value::Object(map) => map,
        Value::String(text) => {
            read_nested(&text, 2).map_err(|unfit| Box::new((Value::String(text), unfit)))?
        }
        other => {
            let unfit = UnfitCall::NoObject { got: shown_value(&other), source: None };
            return Err(Box::new((other, unfit)));
        }
    };
    let mut left = ArgumentBounds { values: VALUES, bytes: BYTES };
    match map.iter().try_for_each(|(name, value)| left.take_value(name, value, DEPTH)) {
        Ok(()) => Ok(map),
        Err(unfit) => Err(Box::new((Value::Object(map), unfit))),
    }
}

/// The object in `text`, which may be encoded `times` times.
fn read_nested(text: &str, times: usize) -> Result<Map<String, Value>, UnfitCall> {
    if text.len() > BYTES {
        return Err(too_much("bytes of text", BYTES));
    }
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match parse_json(text)? {
        Value::Null => Ok(Map::new()),
        Value::Object(map) => Ok(map),
        Value::String(inner) if times > 1 => read_nested(&inner, times - 1),
        other => {
            Err(UnfitCall::NoObject { got: format!("text that holds {}", shown_value(&other)), source: None })
        }
    }
}

fn parse_json(text: &str) -> Result<Value, UnfitCall> {
    serde_json::from_str(text).map_err(|error| {
        let got = format!("{}, which is not JSON: {error}", shown_value(&Value::String(text.to_owned())));
        UnfitCall::NoObject { got, source: Some(error) }
    })
}

fn too_much(what: &'static str, limit: usize) -> UnfitCall {
    UnfitCall::TooMuch { what, limit }
}

struct ArgumentBounds {
    values: usize,
    bytes: usize,
}

impl ArgumentBounds {
    fn take_value(&mut self, name: &str, value: &Value, depth: usize) -> Result<(), UnfitCall> {
        let text = value.as_str().map_or(0, str::len);
        self.values = self.values.checked_sub(1).ok_or_else(|| too_much("values", VALUES))?;
        self.bytes =
            self.bytes.checked_sub(name.len() + text).ok_or_else(|| too_much("bytes of text", BYTES))?;
        let deeper = || depth.checked_sub(1).ok_or_else(|| too_much("levels", DEPTH));
        match value {
            Value::Array(items) => {
                let depth = deeper()?;
                items.iter().try_for_each(|item| self.take_value("", item, depth))
            }
            Value::Object(map) => {
                let depth = deeper()?;
                map.iter().try_for_each(|(name, value)| self.take_value(name, value, depth))
            }
            _ => Ok(()),
        }
    }
}

/// Takes the meta fields out.
pub(super) fn split_meta(args: &mut Map<String, Value>) -> CallMeta {
    if !args.keys().any(|name| name.starts_with('_')) {
        return CallMeta::default();
    }
    let mut take = |name: &str| args.shift_remove(name);
    CallMeta {
        tool: take("_tool"),
        activity: take("_activity"),
        output: take("_output"),
        reasoning: take("_reasoningForCall"),
        comments: take("_comments"),
    }
}

/// A model's comments by the path of the argument that they are about: a text for each, or one text for the call as a
/// whole.
///
/// # Errors
/// [`UnfitCall::Comments`] if they are anything else.
pub(super) fn read_comments(comments: Option<Value>) -> Result<BTreeMap<String, String>, UnfitCall> {
    let of_argument = |path: &str| match path.starts_with("args.") {
        true => path.to_owned(),
        false => format!("args.{path}"),
    };
    let wrong = |got: &Value| UnfitCall::Comments { got: shown_value(got) };
    match comments {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(Value::String(text)) => Ok(BTreeMap::from([("args.why".to_owned(), text)])),
        Some(Value::Object(members)) => members
            .iter()
            .map(|(path, text)| Ok((of_argument(path), text.as_str().ok_or_else(|| wrong(text))?.to_owned())))
            .collect(),
        Some(other) => Err(wrong(&other)),
    }
}

/// Gives each argument of an alias the tool's own name, in place, and adds the alias's default arguments. An argument
/// that is there by both names keeps both, so that the schema's check reports it.
pub(super) fn translate_alias(args: Map<String, Value>, alias: &ToolAlias) -> Map<String, Value> {
    let own = |name: &str| alias.args.get(name).filter(|own| !args.contains_key(*own)).cloned();
    let names: Vec<Option<String>> = args.keys().map(|name| own(name)).collect();
    let mut out = Map::with_capacity(args.len() + alias.defaults.len());
    for ((name, value), own) in args.into_iter().zip(names) {
        out.insert(own.unwrap_or(name), value);
    }
    for (name, value) in &alias.defaults {
        // A null means the same as its absence.
        if out.get(name).is_none_or(Value::is_null) {
            out.insert(name.clone(), value.clone());
        }
    }
    out
}

/// Marks that no reason was given, where the `why` is missing or blank.
pub(super) fn state_no_why(args: &mut Map<String, Value>) {
    if args.get("why").and_then(Value::as_str).and_then(Why::new).is_none() {
        args.insert("why".to_owned(), Value::String(Why::UNSTATED.to_owned()));
    }
}

/// Puts `_reasoningForCall` in the place of a `why` that is missing or blank, and gives it back where both say
/// something and it is not the same.
pub(super) fn place_why(args: &mut Map<String, Value>, reasoning: Option<Value>) -> Option<String> {
    let reasoning = reasoning?;
    match args.get("why") {
        Some(Value::String(why)) if Why::new(why).is_some() => {
            reasoning.as_str().filter(|second| second != why).map(str::to_owned)
        }
        _ => {
            args.insert("why".to_owned(), reasoning);
            None
        }
    }
}
