//! The format of a file by its name, and the formats of values by keys behind one face.

use std::ops::Range;

use serde_json::Value;

use crate::code::Language;
use crate::error::StructureError;
use crate::lines::Splice;
use crate::node::{Entry, Form, Node, Scalar};
use crate::{json, toml_text, yaml};

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileFormat {
    Data(DataFormat),
    Markdown,
    /// A table; the separator of its fields where the name says it.
    Table(Option<u8>),
    Code(Language),
}

/// A format of values by keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataFormat {
    Yaml,
    /// JSON, with the comments and trailing commas that many programs take.
    Json,
    Json5,
    Toml,
}

/// Dot files that hold JSON or YAML without saying so by an ending.
const JSON_NAMES: [&str; 5] = [".babelrc", ".eslintrc", ".jshintrc", ".swcrc", "composer.lock"];
const TOML_NAMES: [&str; 4] = ["cargo.lock", "poetry.lock", "pipfile", "uv.lock"];
const YAML_NAMES: [&str; 4] = [".clang-format", ".clang-tidy", ".clangd", ".prettierrc"];

impl FileFormat {
    /// Returns the format of a path, if it is one of those that are known.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let named = |names: &[&str]| names.contains(&name.as_str());
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        Some(match ending {
            "yaml" | "yml" => Self::Data(DataFormat::Yaml),
            "json" | "jsonc" | "code-workspace" | "webmanifest" | "geojson" | "ipynb" | "avsc"
            | "sublime-settings" => Self::Data(DataFormat::Json),
            "json5" => Self::Data(DataFormat::Json5),
            "toml" => Self::Data(DataFormat::Toml),
            "md" | "markdown" | "mdx" | "mdown" | "mkd" => Self::Markdown,
            "csv" => Self::Table(None),
            "tsv" | "tab" => Self::Table(Some(b'\t')),
            _ if named(&JSON_NAMES) => Self::Data(DataFormat::Json),
            _ if named(&TOML_NAMES) => Self::Data(DataFormat::Toml),
            _ if named(&YAML_NAMES) => Self::Data(DataFormat::Yaml),
            _ => Self::Code(Language::of_ending(ending)?),
        })
    }

    /// Returns its name and the address that fits it.
    pub(crate) fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::Data(format) => (format.name(), "key"),
            Self::Markdown => ("Markdown", "heading"),
            Self::Table(_) => ("a table", "row"),
            Self::Code(language) => (language.name(), "symbol"),
        }
    }
}

impl DataFormat {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Yaml => "YAML",
            Self::Json => "JSON",
            Self::Json5 => "JSON5",
            Self::Toml => "TOML",
        }
    }

    /// Returns whether the members of a mapping have an order that a change keeps.
    pub(crate) fn is_ordered(self) -> bool {
        self != Self::Toml
    }

    /// Reads a text: a tree for each of its documents.
    pub(crate) fn read(self, text: &str) -> Result<Vec<Node>, StructureError> {
        match self {
            Self::Yaml => yaml::read_documents(text),
            Self::Json => json::read_document(text, false).map(|node| vec![node]),
            Self::Json5 => json::read_document(text, true).map(|node| vec![node]),
            Self::Toml => toml_text::read_document(text).map(|node| vec![node]),
        }
    }

    /// The bytes of an entry.
    pub(crate) fn entry_span(self, text: &str, entry: &Entry) -> Result<Range<usize>, StructureError> {
        match self {
            Self::Toml => toml_text::entry_span(text, entry),
            Self::Yaml | Self::Json | Self::Json5 => Ok(entry.span()),
        }
    }

    /// Gives the value at a path another value. A scalar is returned where the format has a kind for it that JSON lacks.
    pub(crate) fn set(
        self,
        text: &str,
        document: &Node,
        path: &[usize],
        value: &Value,
    ) -> Result<(Vec<Splice>, Option<Scalar>), StructureError> {
        match self {
            Self::Yaml => yaml::set_value(text, document, path, value).map(|splices| (splices, None)),
            Self::Json | Self::Json5 => Ok((json::set_value(text, document, path, value), None)),
            Self::Toml => toml_text::set_value(text, document, path, value),
        }
    }

    /// Adds a member or an element at the end of the collection at a path.
    pub(crate) fn add(
        self,
        text: &str,
        document: &Node,
        path: &[usize],
        key: Option<&str>,
        value: &Value,
    ) -> Result<Vec<Splice>, StructureError> {
        match self {
            Self::Yaml => yaml::add_entry(text, document, path, key, value),
            Self::Json | Self::Json5 => Ok(json::add_entry(text, document, path, key, value)),
            Self::Toml => toml_text::add_entry(text, document, path, key, value),
        }
    }

    /// Takes the entry at a path away.
    pub(crate) fn remove(
        self,
        text: &str,
        document: &Node,
        path: &[usize],
    ) -> Result<Vec<Splice>, StructureError> {
        match self {
            Self::Yaml => yaml::remove_entry(text, document, path),
            Self::Json | Self::Json5 => Ok(json::remove_entry(text, document, path)),
            Self::Toml => toml_text::remove_entry(text, document, path),
        }
    }

    /// Returns whether a collection without entries is written anew when it gets its first one.
    pub(crate) fn replaces_empty(self, text: &str, node: &Node) -> bool {
        if self == Self::Toml {
            return node.form == Form::Inline && node.span.len() > 1 && !has_comment(text, node);
        }
        node.is_null() || !has_comment(text, node)
    }

    /// Returns whether a collection that loses its last entry is written as an empty one.
    pub(crate) fn writes_empty(self, node: &Node) -> bool {
        self == Self::Yaml && node.form == Form::Block
    }

    /// Returns whether a collection is no longer there when it loses its last entry.
    pub(crate) fn drops_empty(self, node: &Node) -> bool {
        self == Self::Toml && node.form == Form::Implied
    }
}

/// Returns whether more than blanks stands between the brackets of an empty collection.
fn has_comment(text: &str, node: &Node) -> bool {
    let inner = text.get(node.span.start + 1..node.span.end.saturating_sub(1)).unwrap_or_default();
    !inner.trim().is_empty()
}
