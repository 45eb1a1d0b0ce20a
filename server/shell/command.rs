//! Commands as data: what a script runs, at every depth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::output::known_output;
use crate::unclear::unclear_piece;
use crate::word::ShellWord;

/// Commands whose words hold the assignments.
const DECLARING: [&str; 5] = ["export", "declare", "typeset", "local", "readonly"];

/// A command that a script runs, or may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellCommand {
    /// The program and its arguments; empty if the script only sets variables or redirects.
    pub words: Vec<ShellWord>,
    /// The variables that are set for it, or by it.
    pub assignments: Vec<VariableAssignment>,
    /// The variables whose values its words take.
    pub uses: Vec<String>,
    /// Files that its streams are redirected to.
    pub redirects: Vec<StreamRedirect>,
    /// The wrappers through which it is reached, outermost first: `sudo`, `bash -c`.
    pub via: Vec<String>,
    /// The constructs around it.
    pub within: Vec<Within>,
    /// The source of its standard input.
    pub input: CommandInput,
}

impl ShellCommand {
    /// The program's name without its folder, if it is known.
    pub fn program(&self) -> Option<&str> {
        let text = self.words.first()?.plain_text()?;
        Some(text.rsplit('/').next().unwrap_or(text))
    }

    /// The arguments.
    pub fn arguments(&self) -> &[ShellWord] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The command as a person reads it.
    pub fn display_text(&self) -> String {
        let declares = self.program().is_some_and(|name| DECLARING.contains(&name));
        let sets = self
            .assignments
            .iter()
            .filter(|_| !declares)
            .map(|set| format!("{}={}", set.name, set.value.display_text()));
        let words = self.words.iter().map(ShellWord::display_text);
        let redirects = self
            .redirects
            .iter()
            .map(|redirect| format!("{}{}", redirect.kind.sign(), redirect.target.display_text()));
        sets.chain(words).chain(redirects).collect::<Vec<_>>().join(" ")
    }
}

/// A construct of the shell around a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Within {
    /// `$(…)` or backquotes.
    Substitution,
    /// `<(…)` or `>(…)`.
    ProcessSubstitution,
    /// A here-document that the shell expands, or that a shell runs.
    HereDocument,
    /// The body of a function.
    Function,
    /// A command of a pipeline after the first, or the rest of it.
    Pipeline,
}

/// A variable that a script sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableAssignment {
    /// Its name, without a subscript.
    pub name: String,
    /// Its value; that of an array is computed.
    pub value: ShellWord,
}

/// The kinds of redirections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `>&` and `<&` with a descriptor.
    Duplicate,
}

impl RedirectKind {
    fn sign(self) -> &'static str {
        match self {
            Self::Read => "<",
            Self::Write => ">",
            Self::Append => ">>",
            Self::Duplicate => ">&",
        }
    }
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamRedirect {
    /// How.
    pub kind: RedirectKind,
    /// The file or the descriptor.
    pub target: ShellWord,
}

/// The source of a command's standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CommandInput {
    /// The standard input of the script.
    #[default]
    Inherited,
    /// A file.
    File,
    /// A text in the script, if all of it is known.
    Text(Option<String>),
    /// Another command's output, if all of it is known.
    Pipe(Option<String>),
}

/// The reason why a script cannot be read with certainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScriptDoubt {
    /// It is no valid script, or two readings of it differ.
    Syntax,
    /// It is too long, nested too deep, or took too long to read.
    TooMuch,
    /// A program that runs others has an option that the rules do not know.
    UnknownOption,
    /// A text that is computed would be run as a script.
    ComputedScript,
}

impl ScriptDoubt {
    /// The rule's name.
    pub fn rule_name(self) -> &'static str {
        match self {
            Self::Syntax => "unclear-syntax",
            Self::TooMuch => "too-complex",
            Self::UnknownOption => "unclear-wrapper",
            Self::ComputedScript => "computed-script",
        }
    }

    /// Why, in a plain sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Syntax => "wherefore cannot tell what this script does",
            Self::TooMuch => {
                "wherefore cannot tell what this script does: it is too long or nested too deep; shorter commands can be read"
            }
            Self::UnknownOption => {
                "wherefore cannot tell what this runs: a program that runs others has an option that the rules do not know"
            }
            Self::ComputedScript => {
                "wherefore cannot tell what this script does: it runs a text that is only known once the command runs"
            }
        }
    }
}

/// The result of reading a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptReading {
    /// Every command at every depth, in the order of the text; a wrapper comes before the commands that it runs.
    pub commands: Vec<ShellCommand>,
    /// The reasons why the list may be incomplete.
    pub doubts: Vec<ScriptDoubt>,
    /// The first piece that is no valid script, or has two readings.
    pub unclear: Option<String>,
    /// True if a function calls itself twice: a fork bomb.
    pub forks_without_end: bool,
}

impl ScriptReading {
    /// Notes a piece that is no valid script, or has two readings.
    pub(crate) fn doubt_piece(&mut self, piece: &str) {
        if self.unclear.is_none() {
            self.unclear = unclear_piece(piece);
        }
        self.add_doubt(ScriptDoubt::Syntax);
    }

    /// Notes a reason why the list may be incomplete.
    pub(crate) fn add_doubt(&mut self, doubt: ScriptDoubt) {
        if !self.doubts.contains(&doubt) {
            self.doubts.push(doubt);
        }
    }

    /// Returns the output of the command before in a pipeline, if it is known: the one after the first `before`.
    pub(crate) fn pipe_input(&self, before: usize) -> CommandInput {
        let written = match self.commands.get(before..) {
            Some([command]) => known_output(command),
            _ => None,
        };
        CommandInput::Pipe(written)
    }
}
