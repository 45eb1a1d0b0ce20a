//! Standing permissions of a person. They allow commands that the rules ask about, never commands that the rules
//! refuse.

use crate::command::ShellCommand;
use crate::judge::ScriptFolders;
use crate::word::{ShellWord, WordKind};

/// A command that a person has allowed for always.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandAllowance {
    /// The extent of the permission.
    pub scope: AllowScope,
    /// The person's reason.
    pub why: String,
}

/// The extent of a person's permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowScope {
    /// This argument vector, and no other.
    Argv(Vec<String>),
    /// A program, with its subcommand, and no other options than these.
    Program {
        /// The first words.
        program: Vec<String>,
        /// The options that may stand in it.
        flags: Vec<String>,
    },
    /// A program, with its subcommand, whose other operands all lie at or below a path of the workspace.
    Path {
        /// The first words.
        program: Vec<String>,
        /// The path, relative to the root.
        path: String,
    },
}

impl CommandAllowance {
    /// Returns whether it allows exactly this argument vector.
    pub(crate) fn is_argv(&self, argv: &[String]) -> bool {
        matches!(&self.scope, AllowScope::Argv(allowed) if allowed == argv)
    }

    /// Returns whether it allows a command. All of the command has to be known.
    pub(crate) fn covers_command(&self, command: &ShellCommand, folders: &ScriptFolders) -> bool {
        let is_known = |word: &ShellWord| word.kind == WordKind::Known && !word.derived;
        if !command.words.iter().all(is_known) || !command.assignments.is_empty() || !command.uses.is_empty()
        {
            return false;
        }
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let rest = |program: &[String]| {
            let starts =
                words.len() >= program.len() && program.iter().zip(&words).all(|(one, other)| one == other);
            (starts && !program.is_empty()).then(|| &words[program.len()..])
        };
        match &self.scope {
            AllowScope::Argv(allowed) => *allowed == words,
            AllowScope::Program { program, flags } => rest(program).is_some_and(|rest| {
                rest.iter().all(|word| !word.starts_with('-') || flags.iter().any(|flag| flag == word))
            }),
            AllowScope::Path { program, path } => rest(program).is_some_and(|rest| {
                let operands: Vec<&&str> = rest.iter().filter(|word| !word.starts_with('-')).collect();
                !operands.is_empty() && operands.iter().all(|operand| folders.is_below(operand, path))
            }),
        }
    }
}
