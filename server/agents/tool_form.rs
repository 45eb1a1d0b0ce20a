//! The form of an agent's tool: its names, its action, and each argument that it takes.

use serde_json::Value;

/// A tool of an agent's own that edits, runs, reads or searches.
#[derive(Debug)]
pub struct ToolForm {
    /// Its names: the one of the version that was tried first.
    pub names: &'static [&'static str],
    /// The action.
    pub act: ActForm,
    /// The arguments. An argument that is not listed here is refused.
    pub members: &'static [FormArgument],
    /// The arguments of each item of [`ArgumentRole::Edits`].
    pub items: &'static [FormArgument],
}

/// The action of a tool on its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActForm {
    /// Replaces texts of a file.
    Replace,
    /// Writes a file whole.
    Write,
    /// Applies a patch.
    Patch,
    /// Changes a cell of a notebook.
    Cell,
    /// Runs a command.
    Command,
    /// Runs a command, or applies the patch that the command would give `apply_patch`: Codex's shell.
    PatchingCommand,
    /// Reads files or folders.
    Read,
    /// Reads the files that patterns name.
    ReadMatching,
    /// Searches the lines of files.
    Search,
}

/// An argument of a tool.
#[derive(Debug)]
pub struct FormArgument {
    /// Its spellings. There are several only if the agent refuses a call that lacks the one it reads.
    pub names: &'static [&'static str],
    /// The role of the argument in the action.
    pub part: ArgumentRole,
    /// True if the tool refuses a call without it.
    pub is_required: bool,
}

/// The role of an argument in an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentRole {
    /// The one file or folder.
    Path,
    /// Several of them, or patterns: a text or a list of texts.
    Paths,
    /// The text that is replaced.
    Old,
    /// The text to put there.
    New,
    /// A flag: every occurrence is replaced.
    All,
    /// A list of replacements.
    Edits,
    /// The file's whole text.
    Content,
    /// The patch.
    Patch,
    /// The script: a text or an argument vector.
    Script,
    /// The cell's id.
    Cell,
    /// The cell's source.
    Source,
    /// The cell's kind.
    CellKind,
    /// The change of the cell.
    CellMode,
    /// The text or pattern to search for.
    Pattern,
    /// The files to search.
    Glob,
    /// A flag: files that git ignores are searched, too.
    Ignored,
    /// A flag: a match may span lines.
    Spanning,
    /// A flag: the pattern is a literal text.
    Literal,
    /// No role: a value of this kind.
    Aside(ArgumentKind),
}

/// A kind of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A text.
    Text,
    /// A truth value.
    Flag,
    /// A number.
    Number,
    /// A text or a list of texts.
    Texts,
    /// A list.
    List,
    /// An object.
    Object,
}

impl ArgumentRole {
    fn argument_kind(self) -> ArgumentKind {
        match self {
            Self::All | Self::Ignored | Self::Spanning | Self::Literal => ArgumentKind::Flag,
            Self::Edits => ArgumentKind::List,
            Self::Paths | Self::Script => ArgumentKind::Texts,
            Self::Aside(kind) => kind,
            _ => ArgumentKind::Text,
        }
    }

    /// The expected kind in words, if the value has another.
    pub fn expected_kind(self, value: &Value) -> Option<&'static str> {
        let is_text = Value::is_string;
        // Agents accept a flag or a number that a model quotes.
        let reads_as = |test: fn(&str) -> bool| value.as_str().is_some_and(test);
        let (is_kind, words) = match self.argument_kind() {
            ArgumentKind::Text => (is_text(value), "a text"),
            ArgumentKind::Flag => {
                (value.is_boolean() || reads_as(|text| parse_flag(text).is_some()), "true or false")
            }
            ArgumentKind::Number => {
                (value.is_number() || reads_as(|text| text.parse::<f64>().is_ok()), "a number")
            }
            ArgumentKind::Texts => {
                let all = value.as_array().is_some_and(|list| list.iter().all(is_text));
                (is_text(value) || all, "a text or a list of texts")
            }
            ArgumentKind::List => (value.is_array(), "a list"),
            ArgumentKind::Object => (value.is_object(), "an object"),
        };
        (!is_kind).then_some(words)
    }
}

/// The flag that a text spells.
pub fn parse_flag(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

pub(super) const fn tool_form(
    names: &'static [&'static str],
    act: ActForm,
    members: &'static [FormArgument],
) -> ToolForm {
    ToolForm { names, act, members, items: &[] }
}

/// An argument that the tool needs.
pub(super) const fn required_argument(names: &'static [&'static str], part: ArgumentRole) -> FormArgument {
    FormArgument { names, part, is_required: true }
}

/// An argument that the tool takes.
pub(super) const fn optional_argument(names: &'static [&'static str], part: ArgumentRole) -> FormArgument {
    FormArgument { names, part, is_required: false }
}

/// An argument without a role in the action.
pub(super) const fn ignored_argument(names: &'static [&'static str], kind: ArgumentKind) -> FormArgument {
    FormArgument { names, part: ArgumentRole::Aside(kind), is_required: false }
}
