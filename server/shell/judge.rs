//! The verdict on a command: every command at every depth is held against the tables and the rules of paths, and the
//! strictest verdict counts.

mod located;
mod paths;
mod scripts;
mod settings;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::allow::Allowance;
use crate::command::{Doubt, Reading, ShellCommand, Within};
use crate::place::Place;
use crate::programs::{self, PathUse};
use crate::read::{read_argv, read_script};
use crate::table::{CommandTable, Subject};
use crate::verdict::{CommandVerdict, Objection, strictest};
use crate::word::{Word, WordKind};
pub(crate) use located::Folders;

/// Guesses at one command.
const GUESSES: usize = 32;

/// The rules of paths, as the one who asks has them.
pub trait PathRules {
    /// What they say of one use of an absolute path.
    fn judge(&self, used: PathUse, path: &str) -> Option<Objection>;

    /// Names of files and folders that hold secrets: a pattern that may stand for one is held to be one.
    fn secret_names(&self) -> &[String];
}

/// All that a command is judged by.
#[derive(Clone, Copy)]
pub struct CommandRules<'a> {
    /// Where the command runs.
    pub place: &'a Place,
    /// The tables, the built-in one among them.
    pub tables: &'a [&'a CommandTable],
    /// What holds for paths.
    pub paths: &'a dyn PathRules,
    /// What the person has allowed for always.
    pub allowances: &'a [Allowance],
}

/// What the rules say of a command, and of each command in it.
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

/// What the rules say of one command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedCommand {
    /// The command as a person reads it.
    pub command: String,
    /// Its words; what is not known in one is U+FFFC.
    pub argv: Vec<String>,
    /// The wrappers through which it is reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// In what it stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Within>,
    /// What becomes of it.
    pub verdict: CommandVerdict,
    /// The rule that says so.
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
        self.judge(&read_argv(argv, self.place), whole)
    }

    /// Judges a script.
    pub fn judge_script(&self, text: &str) -> Judgement {
        self.judge(&read_script(text, self.place), false)
    }

    /// `whole` says that the person has allowed all of it for always.
    fn judge(&self, reading: &Reading, whole: bool) -> Judgement {
        let mut folders = Folders::new(self.place);
        let mut all = Vec::new();
        let mut commands = Vec::new();
        let leaves = whole && reading.commands.iter().any(|command| self.leaves(&folders, command));
        let open = |objection: &Objection| {
            whole && !leaves && !objection.firm && objection.verdict == CommandVerdict::Ask
        };
        for command in &reading.commands {
            let mut objections = self.objections(command, &folders);
            if self.allowances.iter().any(|allowance| allowance.holds(command, &folders))
                && !self.leaves(&folders, command)
            {
                objections.retain(|objection| objection.firm || objection.verdict == CommandVerdict::Deny);
            }
            objections.retain(|objection| !open(objection));
            folders.follow(command);
            commands.push(judged(command, strictest(&objections)));
            all.extend(strictest(&objections).cloned());
        }
        all.extend(doubts(reading).into_iter().filter(|objection| !open(objection)));
        let worst = strictest(&all);
        Judgement {
            verdict: worst.map_or(CommandVerdict::Allow, |worst| worst.verdict),
            rule: worst.map(|worst| worst.rule.clone()),
            why: worst.map(|worst| worst.why.clone()),
            commands,
        }
    }

    /// All that speaks against a command.
    fn objections(&self, command: &ShellCommand, folders: &Folders) -> Vec<Objection> {
        let mut all = Vec::new();
        all.extend(self.of_variables(command));
        all.extend(self.of_redirects(command, folders));
        all.extend(of_name(command));
        for command in std::iter::once(command.clone()).chain(guesses(command)) {
            if let Some(program) = command.program() {
                all.extend(self.of_program(program, &command, folders));
            }
        }
        all
    }

    fn of_program(&self, program: &str, command: &ShellCommand, folders: &Folders) -> Vec<Objection> {
        let mut all = self.of_paths(program, command, folders);
        let zones = |word: &Word, text: &str| folders.zones(word, text);
        let is_home = |word: &Word, text: &str| folders.is_home(word, text);
        let (arguments, operands) = (command.arguments(), programs::operands(program, command.arguments()));
        let subject = Subject { program, arguments, operands: &operands, zones: &zones, is_home: &is_home };
        for table in self.tables {
            all.extend(table.of_command(&subject).cloned());
        }
        all.extend(settings::of_git(program, command));
        all.extend(scripts::of_text(program, command));
        all
    }

    /// Variables that are set or used.
    fn of_variables(&self, command: &ShellCommand) -> Vec<Objection> {
        let set = command.assignments.iter().map(|set| set.name.as_str());
        let named: Vec<&str> = match command.program() {
            Some(
                "read" | "mapfile" | "readarray" | "unset" | "export" | "declare" | "typeset" | "local"
                | "readonly",
            )
            | Some("printf" | "getopts") => command.arguments().iter().filter_map(Word::plain).collect(),
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

/// What a command may be where its program is computed, or where the shell splits a word of it in several.
fn guesses(command: &ShellCommand) -> Vec<ShellCommand> {
    let mut guesses = Vec::new();
    for (at, word) in command.words.iter().enumerate() {
        for text in word.maybe.iter().filter(|text| at == 0 || text.contains(char::is_whitespace)) {
            let mut guess = command.clone();
            guess.words.splice(at..=at, text.split_whitespace().map(Word::known));
            guesses.push(guess);
        }
    }
    guesses.truncate(GUESSES);
    guesses
}

/// What speaks against a program's name.
fn of_name(command: &ShellCommand) -> Option<Objection> {
    let word = command.words.first()?;
    if word.kind != WordKind::Known || word.derived {
        return Some(Objection::ask(
            "computed-command",
            "which program runs is only known once the command runs",
        ));
    }
    let odd = |c: char| !c.is_ascii() || c.is_ascii_control();
    word.text.chars().any(odd).then(|| {
        Objection::ask(
            "odd-program",
            "the program's name holds characters that look like others or are not seen",
        )
    })
}

fn doubts(reading: &Reading) -> Vec<Objection> {
    let doubt = |doubt: &Doubt| Objection::ask(doubt.rule(), doubt.why());
    let fork = reading.forks_without_end.then(|| {
        Objection::deny("fork-bomb", "a function starts itself again and again until the machine stops")
    });
    fork.into_iter().chain(reading.doubts.iter().map(doubt)).collect()
}

fn judged(command: &ShellCommand, worst: Option<&Objection>) -> JudgedCommand {
    JudgedCommand {
        command: command.shown(),
        argv: command.words.iter().map(|word| word.text.clone()).collect(),
        via: command.via.clone(),
        within: command.within.clone(),
        verdict: worst.map_or(CommandVerdict::Allow, |worst| worst.verdict),
        rule: worst.map(|worst| worst.rule.clone()),
        why: worst.map(|worst| worst.why.clone()),
    }
}
