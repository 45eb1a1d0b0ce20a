//! YAML as a tree whose keys and values know their lines: definitions, and the files of the working set.

use std::fmt;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::Spanned;
use serde_saphyr::budget::BudgetBreach;

/// Bytes of the largest definition.
const BYTES: usize = 256 << 10;
/// The depth to which a definition may nest.
const DEPTH: usize = 40;

/// A problem of a file, and the line to mend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DefinitionProblem {
    /// The file, as it was handed in.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The broken rule, as a constant name.
    pub rule: &'static str,
    /// The problem and its remedy.
    pub message: String,
    /// True if the definition counts all the same.
    pub is_warning: bool,
}

/// A value with the line of its key, or its own where it has none.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlNode {
    /// The line, counted from 1.
    pub line: u32,
    /// Its content.
    pub kind: NodeKind,
}

/// The content of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A text, number, truth value or nothing.
    Scalar(Value),
    /// Its items.
    List(Vec<YamlNode>),
    /// Its entries, in order.
    Map(Vec<NodeEntry>),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeEntry {
    /// The key.
    pub key: String,
    /// The key's line.
    pub line: u32,
    /// The value.
    pub value: YamlNode,
}

/// Reads one document.
///
/// # Errors
/// A problem for a text that is not YAML, for a key that appears twice, and for exceeded bounds.
pub fn read_yaml(path: &str, text: &str) -> Result<YamlNode, DefinitionProblem> {
    let problem = |line, rule, message| {
        let path = path.to_owned();
        DefinitionProblem { path, line, rule, message, is_warning: false }
    };
    if text.len() > BYTES {
        let message = format!("the file has {} bytes; a definition has at most {BYTES}", text.len());
        return Err(problem(1, "size", message));
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 50_000,
            max_nodes: 20_000,
            max_depth: DEPTH,
            max_aliases: 100,
            max_anchors: 100,
            max_recorded_anchor_events: 5_000,
            max_documents: 1,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 10_000,
            max_replay_stack_depth: 8,
            max_alias_expansions_per_anchor: 100,
        },
        strict_booleans: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options::<Spanned<UnplacedNode>>(text, options).map(place_node).map_err(
        |error| {
            let line = error.location().map_or(1, |at| at.line());
            let message = match &error {
                serde_saphyr::Error::Budget { breach, .. } => describe_breach(breach),
                error => error.to_string(),
            };
            let rule = if message.contains("duplicate") { "duplicate-key" } else { "yaml" };
            problem(u32::try_from(line).unwrap_or(u32::MAX).max(1), rule, message)
        },
    )
}

/// Describes an exceeded bound, and what to do about it.
fn describe_breach(breach: &BudgetBreach) -> String {
    match breach {
        BudgetBreach::Documents { .. } => {
            "a second document begins here: a file holds one, so list its definitions as items of one list, or put each into \
             a file of its own"
                .to_owned()
        }
        BudgetBreach::Depth { .. } => format!("it nests deeper than {DEPTH} levels"),
        breach => format!("it holds more than a definition may: {breach:?}; put it into several files"),
    }
}

/// A value whose line is known only to what is around it.
struct UnplacedNode(NodeKind);

fn place_node(node: Spanned<UnplacedNode>) -> YamlNode {
    YamlNode { line: line_of(&node), kind: node.value.0 }
}

fn line_of<T>(at: &Spanned<T>) -> u32 {
    u32::try_from(at.referenced.line()).unwrap_or(u32::MAX).max(1)
}

impl<'de> Deserialize<'de> for UnplacedNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyKind).map(Self)
    }
}

struct AnyKind;

impl<'de> Visitor<'de> for AnyKind {
    type Value = NodeKind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<NodeKind, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number that is not finite"))?;
        Ok(NodeKind::Scalar(Value::Number(number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(Value::String(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<NodeKind, E> {
        Ok(NodeKind::Scalar(Value::String(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<NodeKind, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Spanned<UnplacedNode>>()? {
            list.push(place_node(item));
        }
        Ok(NodeKind::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<NodeKind, A::Error> {
        let mut map = Vec::new();
        while let Some((key, value)) = entries.next_entry::<Spanned<String>, Spanned<UnplacedNode>>()? {
            // A problem with a value is shown at its key, not on the next line where it begins.
            let line = line_of(&key);
            map.push(NodeEntry { line, key: key.value, value: YamlNode { line, ..place_node(value) } });
        }
        Ok(NodeKind::Map(map))
    }
}

impl YamlNode {
    /// The value without its lines.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Scalar(value) => value.clone(),
            NodeKind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            NodeKind::Map(entries) => {
                let members = entries.iter().map(|entry| (entry.key.clone(), entry.value.to_value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    /// The entry of that key.
    pub fn entry(&self, key: &str) -> Option<&NodeEntry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The entry of that key, if a value stands behind it: a key with nothing but a comment states nothing.
    pub(super) fn stated_entry(&self, key: &str) -> Option<&NodeEntry> {
        self.entry(key).filter(|entry| entry.value.kind != NodeKind::Scalar(Value::Null))
    }

    /// Every entry; none where it is no map.
    pub fn entries(&self) -> &[NodeEntry] {
        if let NodeKind::Map(entries) = &self.kind { entries } else { &[] }
    }

    /// The text, where it is one.
    pub fn text(&self) -> Option<&str> {
        if let NodeKind::Scalar(Value::String(text)) = &self.kind { Some(text) } else { None }
    }

    /// The line of what a JSON pointer names, or of the nearest thing around it.
    pub(super) fn line_at(&self, pointer: &str) -> u32 {
        let (mut node, mut line) = (self, self.line);
        for part in pointer.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            (node, line) = match &node.kind {
                NodeKind::Map(_) => match node.entry(&part) {
                    Some(entry) => (&entry.value, entry.line),
                    None => return line,
                },
                NodeKind::List(items) => match part.parse::<usize>().ok().and_then(|at| items.get(at)) {
                    Some(item) => (item, item.line),
                    None => return line,
                },
                NodeKind::Scalar(_) => return line,
            };
        }
        line
    }
}
