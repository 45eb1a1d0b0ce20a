//! The verdict on a command: every command at every depth is held against the tables and the rules of paths, and the
//! strictest verdict counts.

mod checkout;
mod fetches;
mod own_program;
mod paths;
mod reach;
mod script_folders;
mod scripts;
mod settings;
mod shows_help;
mod unreadable;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::allowance::CommandAllowance;
use crate::command::{ScriptReading, ShellCommand, Within};
use crate::place::CommandPlace;
use crate::programs::{self, PathUse};
use crate::read::{read_argv, read_script};
use crate::table::{CommandTable, MatchSubject};
use crate::verdict::{CommandVerdict, RuleObjection, strictest_objection};
use crate::word::ShellWord;
pub(crate) use script_folders::ScriptFolders;

/// Guesses at one command.
const GUESSES: usize = 32;

/// The rules of paths, as the one who asks has them.
pub trait PathRules {
    /// Returns the objection to one use of an absolute path.
    fn judge(&self, used: PathUse, path: &str) -> Option<RuleObjection>;

    /// Names of files and folders that hold secrets: a pattern may stand for one that is there.
    fn secret_names(&self) -> &[String];

    /// Returns whether there is a file at an absolute path of the workspace.
    fn path_exists(&self, path: &str) -> bool;

    /// The text of a file at an absolute path of the workspace.
    fn read_text(&self, path: &str) -> Option<String>;
}

/// The rules and the context that a command is judged by.
#[derive(Clone, Copy)]
pub struct CommandRules<'a> {
    /// The place where the command runs.
    pub place: &'a CommandPlace,
    /// The tables, the built-in one among them.
    pub tables: &'a [&'a CommandTable],
    /// The rules for paths.
    pub paths: &'a dyn PathRules,
    /// The person's standing permissions.
    pub allowances: &'a [CommandAllowance],
    /// True if the command runs in a sandbox, which limits effects that the rules do not see.
    pub confined: bool,
}

/// The verdict of the rules on a command, and on each command in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// The strictest verdict of all.
    pub verdict: CommandVerdict,
    /// The rule that gives it.
    #[serde(default)]
    pub rule: Option<String>,
    /// Why, in a plain sentence.
    #[serde(default)]
    pub why: Option<String>,
    /// The commands that were found, a wrapper before what it runs.
    pub commands: Vec<JudgedCommand>,
}

/// The verdict of the rules on one command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedCommand {
    /// The command as a person reads it.
    pub command: String,
    /// Its words; an unknown part of a word is U+FFFC.
    pub argv: Vec<String>,
    /// The wrappers through which it is reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// The constructs of the shell around it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Within>,
    /// The verdict on it.
    pub verdict: CommandVerdict,
    /// The rule that gives the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl CommandRules<'_> {
    /// Judges an argument vector. It is not read as a script, but a script in it is: `bash -c`.
    pub fn judge_argv(&self, argv: &[String]) -> Judgement {
        let whole = self.allowances.iter().any(|allowance| allowance.is_argv(argv));
        self.judge_reading(&read_argv(argv, self.place), whole, &argv.join(" "))
    }

    /// Judges a script.
    pub fn judge_script(&self, text: &str) -> Judgement {
        self.judge_reading(&read_script(text, self.place), false, text)
    }

    /// If `whole` is set, a standing permission allows all of it; `text` is all of it, read or not.
    fn judge_reading(&self, reading: &ScriptReading, whole: bool, text: &str) -> Judgement {
        let mut folders = ScriptFolders::new(self.place);
        let mut all = Vec::new();
        let mut commands = Vec::new();
        let leaves = whole && reading.commands.iter().any(|command| self.leaves_workspace(&folders, command));
        let open = |objection: &RuleObjection| {
            whole && !leaves && !objection.firm && objection.verdict == CommandVerdict::Ask
        };
        for command in &reading.commands {
            let mut objections = self.objections(command, &folders);
            if self.allowances.iter().any(|allowance| allowance.covers_command(command, &folders))
                && !self.leaves_workspace(&folders, command)
            {
                objections.retain(|objection| objection.firm || objection.verdict == CommandVerdict::Deny);
            }
            objections.retain(|objection| !open(objection));
            folders.follow_folder_change(command);
            commands.push(judged_command(command, strictest_objection(&objections)));
            all.extend(strictest_objection(&objections).cloned());
        }
        let doubts = unreadable::doubt_objections(reading, text);
        all.extend(doubts.into_iter().filter(|objection| self.applies_here(objection) && !open(objection)));
        let worst = strictest_objection(&all);
        Judgement {
            verdict: worst.map_or(CommandVerdict::Allow, |worst| worst.verdict),
            rule: worst.map(|worst| worst.rule.clone()),
            why: worst.map(|worst| worst.why.clone()),
            commands,
        }
    }

    /// Returns all objections to a command.
    fn objections(&self, command: &ShellCommand, folders: &ScriptFolders) -> Vec<RuleObjection> {
        let mut all = Vec::new();
        all.extend(self.of_variables(command));
        all.extend(self.of_redirects(command, folders));
        all.extend(self.of_name(command, folders));
        for command in std::iter::once(command.clone()).chain(guess_commands(command)) {
            if let Some(program) = command.program() {
                all.extend(self.of_program(program, &command, folders));
            }
        }
        all.retain(|objection| self.applies_here(objection));
        all
    }

    /// Returns whether an objection counts at the place of the command.
    fn applies_here(&self, objection: &RuleObjection) -> bool {
        !(objection.unconfined && self.confined)
    }

    fn of_program(
        &self,
        program: &str,
        command: &ShellCommand,
        folders: &ScriptFolders,
    ) -> Vec<RuleObjection> {
        let mut all = self.of_paths(program, command, folders);
        let zones = |word: &ShellWord, text: &str| folders.zones(word, text);
        let is_home = |word: &ShellWord, text: &str| folders.is_home(word, text);
        let (arguments, operands) =
            (command.arguments(), programs::find_operands(program, command.arguments()));
        let options = &programs::option_reading(program, &operands);
        let subject = MatchSubject {
            program,
            arguments,
            operands: &operands,
            options,
            zones: &zones,
            is_home: &is_home,
        };
        for table in self.tables {
            let is_builtin = std::ptr::eq(*table, CommandTable::builtin());
            let speaks = |objection: &&RuleObjection| {
                !(is_builtin && shows_help::is_idle(program, command, objection))
            };
            all.extend(table.of_command(&subject).filter(speaks).cloned());
        }
        all.retain(|objection| match objection.rule.as_str() {
            "installs" => !self.fetches_nothing(program, command, folders),
            "network" => !self.stays_here(program, command, folders),
            _ => true,
        });
        all.extend(settings::git_objection(program, command));
        all.extend(self.checkout_objection(program, command, folders));
        all.extend(scripts::script_objection(program, command));
        all.extend(own_program::own_objection(program, command));
        all
    }

    /// Variables that are set or used.
    fn of_variables(&self, command: &ShellCommand) -> Vec<RuleObjection> {
        let set = command.assignments.iter().map(|set| set.name.as_str());
        let named: Vec<&str> = match command.program() {
            Some(
                "read" | "mapfile" | "readarray" | "unset" | "export" | "declare" | "typeset" | "local"
                | "readonly",
            )
            | Some("printf" | "getopts") => {
                command.arguments().iter().filter_map(ShellWord::plain_text).collect()
            }
            _ => Vec::new(),
        };
        let named = named.into_iter().map(|name| name.split('=').next().unwrap_or(name));
        let set: Vec<&str> = set.chain(named).collect();
        let of_set = |table: &&CommandTable| {
            set.iter().filter_map(|name| table.of_variable(name).cloned()).collect::<Vec<_>>()
        };
        let of_use = |table: &&CommandTable| {
            command.uses.iter().filter_map(|name| table.of_use(name).cloned()).collect::<Vec<_>>()
        };
        self.tables.iter().flat_map(|table| of_set(table).into_iter().chain(of_use(table))).collect()
    }
}

/// Returns possible commands if the program is computed, or if the shell splits a word of it into several.
fn guess_commands(command: &ShellCommand) -> Vec<ShellCommand> {
    let mut guesses = Vec::new();
    for (at, word) in command.words.iter().enumerate() {
        for text in word.maybe.iter().filter(|text| at == 0 || text.contains(char::is_whitespace)) {
            let mut guess = command.clone();
            guess.words.splice(at..=at, text.split_whitespace().map(ShellWord::from_text));
            guesses.push(guess);
        }
    }
    guesses.truncate(GUESSES);
    guesses
}

fn judged_command(command: &ShellCommand, worst: Option<&RuleObjection>) -> JudgedCommand {
    JudgedCommand {
        command: command.display_text(),
        argv: command.words.iter().map(|word| word.text.clone()).collect(),
        via: command.via.clone(),
        within: command.within.clone(),
        verdict: worst.map_or(CommandVerdict::Allow, |worst| worst.verdict),
        rule: worst.map(|worst| worst.rule.clone()),
        why: worst.map(|worst| worst.why.clone()),
    }
}
