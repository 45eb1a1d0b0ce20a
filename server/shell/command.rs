//! Commands as data: what a script runs, at every depth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::word::Word;

/// Commands whose words hold the assignments.
const DECLARING: [&str; 5] = ["export", "declare", "typeset", "local", "readonly"];

/// One command that a script runs, or may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellCommand {
    /// The program and its arguments; empty where the script only sets variables or redirects.
    pub words: Vec<Word>,
    /// The variables that are set for it, or by it.
    pub assignments: Vec<Assignment>,
    /// The variables whose values its words take.
    pub uses: Vec<String>,
    /// Files that its streams are redirected to.
    pub redirects: Vec<Redirect>,
    /// The wrappers through which it is reached, outermost first: `sudo`, `bash -c`.
    pub via: Vec<String>,
    /// In what it stands.
    pub within: Vec<Within>,
    /// Where its standard input comes from.
    pub input: Input,
}

impl ShellCommand {
    /// The program's name without its folder, where it is known.
    pub fn program(&self) -> Option<&str> {
        let text = self.words.first()?.plain()?;
        Some(text.rsplit('/').next().unwrap_or(text))
    }

    /// The arguments.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The command as a person reads it.
    pub fn shown(&self) -> String {
        let declares = self.program().is_some_and(|name| DECLARING.contains(&name));
        let sets = self
            .assignments
            .iter()
            .filter(|_| !declares)
            .map(|set| format!("{}={}", set.name, set.value.shown()));
        let words = self.words.iter().map(Word::shown);
        let redirects = self
            .redirects
            .iter()
            .map(|redirect| format!("{}{}", redirect.kind.sign(), redirect.target.shown()));
        sets.chain(words).chain(redirects).collect::<Vec<_>>().join(" ")
    }
}

/// A construct of the shell that a command stands in.
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
pub struct Assignment {
    /// Its name, without a subscript.
    pub name: String,
    /// Its value; that of an array is computed.
    pub value: Word,
}

/// How a stream is redirected.
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

/// One redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// How.
    pub kind: RedirectKind,
    /// To which file or descriptor.
    pub target: Word,
}

/// Where a command's standard input comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Whoever runs the script has it.
    #[default]
    Inherited,
    /// A file.
    File,
    /// A text that stands in the script, where all of it is known.
    Text(Option<String>),
    /// Another command's output, where all of it is known.
    Pipe(Option<String>),
}

/// Why a script cannot be read with certainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// It is no valid script, or two readings of it differ.
    Syntax,
    /// It is too long, nested too deep, or took too long to read.
    TooMuch,
    /// A program that runs others has an option that the rules do not know.
    UnknownOption,
    /// A text that is computed would be run as a script.
    ComputedScript,
}

impl Doubt {
    /// The rule's name.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Syntax => "unclear-syntax",
            Self::TooMuch => "too-complex",
            Self::UnknownOption => "unclear-wrapper",
            Self::ComputedScript => "computed-script",
        }
    }

    /// Why, in a plain sentence.
    pub fn why(self) -> &'static str {
        match self {
            Self::Syntax => "a part of this script cannot be read with certainty",
            Self::TooMuch => "this script is too long or nested too deep to be judged",
            Self::UnknownOption => "a program that runs others has an option that the rules do not know",
            Self::ComputedScript => {
                "a text that is only known once the command runs would be run as a script"
            }
        }
    }
}

/// What a script runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Every command at every depth, in the order of the text; a wrapper stands before what it runs.
    pub commands: Vec<ShellCommand>,
    /// Why the list may not be all.
    pub doubts: Vec<Doubt>,
    /// Whether a function calls itself twice: a fork bomb.
    pub forks_without_end: bool,
}
