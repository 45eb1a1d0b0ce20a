//! Arguments as models send them: an object or text that holds one, with meta fields and aliases among them.

use serde_json::{Map, Value};

use super::unfit::Unfit;
use super::violations::shown;
use crate::catalogue::Alias;
use crate::protocol::Why;

/// How deep arguments may nest.
const DEPTH: usize = 64;
/// How many values they may hold.
const VALUES: usize = 100_000;
/// How many bytes of text they may hold, names included.
const BYTES: usize = 64 << 20;

/// What the Tool Protocol puts beside the arguments.
#[derive(Debug, Default)]
pub(super) struct Meta {
    /// `_tool`
    pub(super) tool: Option<Value>,
    /// `_activity`
    pub(super) activity: Option<Value>,
    /// `_output`
    pub(super) output: Option<Value>,
    /// `_reasoningForCall`
    pub(super) reasoning: Option<Value>,
}

/// The arguments as an object. Text that holds one is read, and text that holds such text too: some clients
/// encode twice.
///
/// # Errors
/// What else they are, or which bound they are past; with the arguments as they came, for the log.
pub(super) fn object(arguments: Value) -> Result<Map<String, Value>, Box<(Value, Unfit)>> {
    let map = match arguments {
        Value::Null => return Ok(Map::new()),
        Value::Object(map) => map,
        Value::String(text) => read(&text, 2).map_err(|unfit| Box::new((Value::String(text), unfit)))?,
        other => {
            let unfit = Unfit::NoObject { got: shown(&other), source: None };
            return Err(Box::new((other, unfit)));
        }
    };
    let mut left = Bounds { values: VALUES, bytes: BYTES };
    match map.iter().try_for_each(|(name, value)| left.take(name, value, DEPTH)) {
        Ok(()) => Ok(map),
        Err(unfit) => Err(Box::new((Value::Object(map), unfit))),
    }
}

/// The object in `text`, which may be encoded `times` times.
fn read(text: &str, times: usize) -> Result<Map<String, Value>, Unfit> {
    if text.len() > BYTES {
        return Err(too_much("bytes of text", BYTES));
    }
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match parse(text)? {
        Value::Null => Ok(Map::new()),
        Value::Object(map) => Ok(map),
        Value::String(inner) if times > 1 => read(&inner, times - 1),
        other => Err(Unfit::NoObject { got: format!("text that holds {}", shown(&other)), source: None }),
    }
}

fn parse(text: &str) -> Result<Value, Unfit> {
    serde_json::from_str(text).map_err(|error| {
        let got = format!("{}, which is not JSON: {error}", shown(&Value::String(text.to_owned())));
        Unfit::NoObject { got, source: Some(error) }
    })
}

fn too_much(what: &'static str, limit: usize) -> Unfit {
    Unfit::TooMuch { what, limit }
}

struct Bounds {
    values: usize,
    bytes: usize,
}

impl Bounds {
    fn take(&mut self, name: &str, value: &Value, depth: usize) -> Result<(), Unfit> {
        let text = value.as_str().map_or(0, str::len);
        self.values = self.values.checked_sub(1).ok_or_else(|| too_much("values", VALUES))?;
        self.bytes =
            self.bytes.checked_sub(name.len() + text).ok_or_else(|| too_much("bytes of text", BYTES))?;
        let deeper = || depth.checked_sub(1).ok_or_else(|| too_much("levels", DEPTH));
        match value {
            Value::Array(items) => {
                let depth = deeper()?;
                items.iter().try_for_each(|item| self.take("", item, depth))
            }
            Value::Object(map) => {
                let depth = deeper()?;
                map.iter().try_for_each(|(name, value)| self.take(name, value, depth))
            }
            _ => Ok(()),
        }
    }
}

/// Takes the meta fields out.
pub(super) fn split_meta(args: &mut Map<String, Value>) -> Meta {
    if !args.keys().any(|name| name.starts_with('_')) {
        return Meta::default();
    }
    let mut take = |name: &str| args.shift_remove(name);
    Meta {
        tool: take("_tool"),
        activity: take("_activity"),
        output: take("_output"),
        reasoning: take("_reasoningForCall"),
    }
}

/// Gives each argument of an alias the tool's own name, in place, and adds what the alias takes as given. An
/// argument that is there by both names keeps both, so that the schema's check says so.
pub(super) fn translate(args: Map<String, Value>, alias: &Alias) -> Map<String, Value> {
    let own = |name: &str| alias.args.get(name).filter(|own| !args.contains_key(*own)).cloned();
    let names: Vec<Option<String>> = args.keys().map(|name| own(name)).collect();
    let mut out = Map::with_capacity(args.len() + alias.defaults.len());
    for ((name, value), own) in args.into_iter().zip(names) {
        out.insert(own.unwrap_or(name), value);
    }
    for (name, value) in &alias.defaults {
        out.entry(name).or_insert_with(|| value.clone());
    }
    out
}

/// Says that no reason was given, where the `why` is missing or blank.
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
