//! The languages whose grammars the program carries.

use tree_sitter::{Parser, Tree};

use crate::error::StructureError;

/// A language of program code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Go,
    Java,
    /// JavaScript, with the elements of JSX. TypeScript's grammar reads it.
    JavaScript,
    Python,
    Rust,
    TypeScript,
    Tsx,
}

impl Language {
    /// Returns the language of a file name's ending.
    pub(crate) fn of_ending(ending: &str) -> Option<Self> {
        Some(match ending {
            "c" | "h" => Self::C,
            "go" => Self::Go,
            "java" => Self::Java,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "py" | "pyi" => Self::Python,
            "rs" => Self::Rust,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Python => "Python",
            Self::Rust => "Rust",
            Self::TypeScript | Self::Tsx => "TypeScript",
        }
    }

    /// Reads a text. The parser goes on behind what it cannot read, and marks it in the tree.
    pub(super) fn parse(self, text: &str) -> Result<Tree, StructureError> {
        let grammar: tree_sitter::Language = match self {
            Self::C => tree_sitter_c::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::JavaScript | Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        };
        let mut parser = Parser::new();
        let read = parser.set_language(&grammar).ok().and_then(|()| parser.parse(text, None));
        read.ok_or_else(|| {
            StructureError::unsupported(format!("the grammar of {} cannot read the file", self.name()))
        })
    }

    /// Returns whether a line of code begins a comment.
    pub(super) fn begins_comment(self, line: &str) -> bool {
        match self {
            Self::Python => line.starts_with('#'),
            _ => line.starts_with("//") || line.starts_with("/*"),
        }
    }

    /// Returns whether a line of code begins an attribute, an annotation or a decorator.
    pub(super) fn begins_attribute(self, line: &str) -> bool {
        match self {
            Self::Rust => line.starts_with("#["),
            Self::C => line.starts_with("[["),
            Self::Go => false,
            _ => line.starts_with('@') && !line.starts_with("@interface"),
        }
    }
}
