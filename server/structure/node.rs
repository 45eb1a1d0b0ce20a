//! The tree of a YAML, JSON or TOML text: each value with its place, and its shape without places.

use std::ops::Range;

use serde_json::Value;

/// A value with its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its bytes, without an anchor or a tag before it.
    pub span: Range<usize>,
    pub content: Content,
    pub form: Form,
    /// The anchor and the tag before it, as they are written.
    pub properties: Option<Range<usize>>,
    pub anchor: Option<String>,
    pub tag: Option<String>,
}

/// The kind of a value.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Map(Vec<Entry>),
    List(Vec<Entry>),
    Scalar(Scalar),
    /// A YAML alias with its name.
    Alias(String),
}

/// A scalar, by its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Json(Value),
    /// A value that JSON lacks, such as a date, in its plain form.
    Other(String),
}

/// A member of a mapping or an element of a list.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The key; empty for an element.
    pub key: String,
    /// The bytes of the key; an empty range for an element.
    pub key_span: Range<usize>,
    /// The first byte that belongs to it: the key, the dash, or the value.
    pub start: usize,
    pub value: Node,
    /// False for a YAML key that is no scalar.
    pub named: bool,
}

/// The way in which a value is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A scalar, or a collection between brackets.
    Inline,
    /// A block scalar of YAML.
    BlockScalar,
    /// A collection of YAML by its indentation.
    Block,
    /// A table of TOML under a header; the range of its own lines.
    Section(Range<usize>),
    /// A table of TOML that headers or dotted keys imply, or an array of tables.
    Implied,
}

impl Node {
    pub(crate) fn new(span: Range<usize>, content: Content, form: Form) -> Self {
        Self { span, content, form, properties: None, anchor: None, tag: None }
    }

    /// Returns the members or elements.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.content {
            Content::Map(entries) | Content::List(entries) => entries,
            Content::Scalar(_) | Content::Alias(_) => &[],
        }
    }

    pub(crate) fn is_map(&self) -> bool {
        matches!(self.content, Content::Map(_))
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self.content, Content::List(_))
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.content, Content::Scalar(Scalar::Json(Value::Null)))
    }

    /// Returns whether nothing is written for it.
    pub(crate) fn is_unwritten(&self) -> bool {
        self.span.is_empty() && self.is_null()
    }

    /// Returns its shape.
    pub(crate) fn to_shape(&self) -> Shape {
        let kind = match &self.content {
            Content::Map(entries) => ShapeKind::Map(
                entries.iter().map(|entry| (entry.key.clone(), entry.value.to_shape())).collect(),
            ),
            Content::List(entries) => {
                ShapeKind::List(entries.iter().map(|entry| entry.value.to_shape()).collect())
            }
            Content::Scalar(scalar) => ShapeKind::Scalar(scalar.clone()),
            Content::Alias(name) => ShapeKind::Alias(name.clone()),
        };
        Shape { anchor: self.anchor.clone(), tag: self.tag.clone(), kind }
    }

    /// Returns the node at a path of positions of entries.
    pub(crate) fn descend(&self, path: &[usize]) -> &Node {
        path.iter().fold(self, |node, at| node.entries().get(*at).map_or(node, |entry| &entry.value))
    }
}

impl Entry {
    /// The bytes of the entry with its key or dash.
    pub(crate) fn span(&self) -> Range<usize> {
        let properties = self.value.properties.as_ref().map_or(0, |properties| properties.end);
        self.start..self.value.span.end.max(self.key_span.end).max(properties)
    }

    /// The byte behind which its value is written, where its key has a sign behind it.
    pub(crate) fn behind_key(&self, text: &str, sign: char) -> Option<usize> {
        let rest = &text[self.key_span.end..];
        let blank = rest.len() - rest.trim_start().len();
        rest.trim_start().starts_with(sign).then_some(self.key_span.end + blank + 1)
    }
}

/// A value without its place: what is compared before and after a change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    anchor: Option<String>,
    tag: Option<String>,
    kind: ShapeKind,
}

#[derive(Clone, Debug, PartialEq)]
enum ShapeKind {
    Map(Vec<(String, Shape)>),
    List(Vec<Shape>),
    Scalar(Scalar),
    Alias(String),
}

/// A change of a shape at the last position of a path.
pub(crate) enum ShapeChange {
    Set(Shape),
    Add(String, Shape),
    Remove,
    /// Takes the key and the value for nothing, to compare what is outside of them.
    Blank,
}

impl Shape {
    /// The shape of a JSON value.
    pub(crate) fn of_value(value: &Value) -> Self {
        let kind = match value {
            Value::Object(members) => ShapeKind::Map(
                members.iter().map(|(key, value)| (key.clone(), Self::of_value(value))).collect(),
            ),
            Value::Array(elements) => ShapeKind::List(elements.iter().map(Self::of_value).collect()),
            other => ShapeKind::Scalar(Scalar::Json(other.clone())),
        };
        Self { anchor: None, tag: None, kind }
    }

    /// The shape of a scalar.
    pub(crate) fn of_scalar(scalar: Scalar) -> Self {
        Self { anchor: None, tag: None, kind: ShapeKind::Scalar(scalar) }
    }

    /// Returns the shape with a change made at a path. An anchor stays at its place.
    pub(crate) fn change_at(mut self, path: &[usize], change: ShapeChange) -> Self {
        let Some((last, above)) = path.split_last() else {
            return match change {
                ShapeChange::Set(new) => Self { anchor: self.anchor, ..new },
                _ => self,
            };
        };
        let last = *last;
        let mut parent = &mut self;
        for at in above {
            let inner = match &mut parent.kind {
                ShapeKind::Map(members) => members.get_mut(*at).map(|(_, value)| value),
                ShapeKind::List(elements) => elements.get_mut(*at),
                ShapeKind::Scalar(_) | ShapeKind::Alias(_) => None,
            };
            let Some(inner) = inner else { return self };
            parent = inner;
        }
        match &mut parent.kind {
            ShapeKind::Map(members) => change_member(members, last, change),
            ShapeKind::List(elements) => change_element(elements, last, change),
            ShapeKind::Scalar(_) | ShapeKind::Alias(_) => {}
        }
        self
    }

    /// Returns whether two shapes are the same: numbers by their value, members of mappings in any order where the
    /// format gives them none.
    pub(crate) fn is_same(&self, other: &Self, ordered: bool) -> bool {
        self.anchor == other.anchor
            && self.tag == other.tag
            && match (&self.kind, &other.kind) {
                (ShapeKind::Map(one), ShapeKind::Map(two)) => {
                    let (mut one, mut two): (Vec<_>, Vec<_>) = (one.iter().collect(), two.iter().collect());
                    if !ordered {
                        one.sort_by(|a, b| a.0.cmp(&b.0));
                        two.sort_by(|a, b| a.0.cmp(&b.0));
                    }
                    one.len() == two.len()
                        && one.iter().zip(two).all(|(a, b)| a.0 == b.0 && a.1.is_same(&b.1, ordered))
                }
                (ShapeKind::List(one), ShapeKind::List(two)) => {
                    one.len() == two.len() && one.iter().zip(two).all(|(a, b)| a.is_same(b, ordered))
                }
                (ShapeKind::Scalar(Scalar::Json(one)), ShapeKind::Scalar(Scalar::Json(two))) => {
                    is_same_value(one, two)
                }
                (one, two) => one == two,
            }
    }
}

fn change_member(members: &mut Vec<(String, Shape)>, at: usize, change: ShapeChange) {
    match change {
        ShapeChange::Add(key, new) if at <= members.len() => members.insert(at, (key, new)),
        ShapeChange::Remove if at < members.len() => drop(members.remove(at)),
        ShapeChange::Set(new) => {
            if let Some((_, old)) = members.get_mut(at) {
                *old = Shape { anchor: old.anchor.take(), ..new };
            }
        }
        ShapeChange::Blank => {
            if let Some(old) = members.get_mut(at) {
                *old = (String::new(), Shape::of_value(&Value::Null));
            }
        }
        ShapeChange::Add(..) | ShapeChange::Remove => {}
    }
}

fn change_element(elements: &mut Vec<Shape>, at: usize, change: ShapeChange) {
    match change {
        ShapeChange::Add(_, new) if at <= elements.len() => elements.insert(at, new),
        ShapeChange::Remove if at < elements.len() => drop(elements.remove(at)),
        ShapeChange::Set(new) => {
            if let Some(old) = elements.get_mut(at) {
                *old = Shape { anchor: old.anchor.take(), ..new };
            }
        }
        ShapeChange::Blank => {
            if let Some(old) = elements.get_mut(at) {
                *old = Shape::of_value(&Value::Null);
            }
        }
        ShapeChange::Add(..) | ShapeChange::Remove => {}
    }
}

fn is_same_value(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(a), Value::Number(b)) => {
            let whole = |number: &serde_json::Number| {
                number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
            };
            match (whole(a), whole(b)) {
                (Some(a), Some(b)) => a == b,
                _ => a.as_f64() == b.as_f64(),
            }
        }
        _ => one == two,
    }
}
