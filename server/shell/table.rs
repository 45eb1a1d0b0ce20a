//! The table of commands that are asked for or refused, and how a command is held against it.

mod pattern;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::glob;
use crate::place::Zone;
use crate::verdict::{CommandVerdict, Objection};
use crate::word::Word;

pub(crate) use pattern::Pattern;

/// The built-in table.
const BUILTIN: &str = include_str!("commands.txt");

/// What a table says: the rules of one source.
#[derive(Clone, Debug, Default)]
pub struct CommandTable {
    /// By the program, for patterns that name one.
    named: HashMap<String, Vec<usize>>,
    /// The others.
    wild: Vec<usize>,
    rows: Vec<(Pattern, Objection)>,
    variables: Vec<(String, Objection)>,
    used: Vec<(String, Objection)>,
    files: Vec<(String, Objection)>,
}

/// What a pattern is held against.
pub(crate) struct Subject<'a> {
    pub(crate) program: &'a str,
    pub(crate) arguments: &'a [Word],
    /// The operands among them; of each, whether it may be an option's value.
    pub(crate) operands: &'a [(&'a Word, bool)],
    /// Where the paths lie that a text may name.
    pub(crate) zones: &'a dyn Fn(&Word, &str) -> Vec<Zone>,
    /// Whether a text names the home folder itself.
    pub(crate) is_home: &'a dyn Fn(&Word, &str) -> bool,
}

impl CommandTable {
    /// The built-in one.
    pub fn builtin() -> &'static Self {
        static TABLE: LazyLock<CommandTable> = LazyLock::new(|| CommandTable::read(BUILTIN));
        &TABLE
    }

    /// The rules of the built-in table, each with its verdict, its name and its reason, without their patterns.
    pub fn builtin_rules() -> impl Iterator<Item = Objection> {
        BUILTIN.lines().filter(|line| !line.starts_with([' ', '#'])).filter_map(heading)
    }

    fn read(text: &str) -> Self {
        let mut table = Self::default();
        let mut objection = Objection::ask("", "");
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            match line.strip_prefix("  ") {
                Some(row) => {
                    row.split("  ").map(str::trim).filter(|pattern| !pattern.is_empty()).for_each(
                        |pattern| {
                            table.add(pattern, objection.clone());
                        },
                    );
                }
                None => objection = heading(line).unwrap_or(objection),
            }
        }
        table
    }

    /// Adds a pattern of somebody's settings. `rule` names where it stands; `firm` says that nobody else's word opens it.
    pub fn add_pattern(&mut self, pattern: &str, verdict: CommandVerdict, rule: &str, firm: bool) {
        let (pattern, why) = (pattern.trim(), "the settings name this command".to_owned());
        self.add(pattern, Objection { verdict, rule: format!("{rule} `{pattern}`"), why, firm });
    }

    fn add(&mut self, pattern: &str, objection: Objection) {
        if let Some(name) = pattern.strip_prefix('=') {
            self.variables.push((name.to_owned(), objection));
        } else if let Some(name) = pattern.strip_prefix('$') {
            self.used.push((name.to_owned(), objection));
        } else if pattern.starts_with('/') {
            self.files.push((pattern.to_owned(), objection));
        } else if let Some(pattern) = Pattern::read(pattern) {
            let at = self.rows.len();
            match pattern.programs.iter().any(|program| program.contains(['*', '?', '['])) {
                true => self.wild.push(at),
                false => {
                    let programs = pattern.programs.iter();
                    programs.for_each(|program| self.named.entry(program.clone()).or_default().push(at));
                }
            }
            self.rows.push((pattern, objection));
        }
    }

    /// The rules that speak of a command.
    pub(crate) fn of_command<'t>(&'t self, subject: &'t Subject<'_>) -> impl Iterator<Item = &'t Objection> {
        let named = self.named.get(subject.program).map(Vec::as_slice).unwrap_or_default();
        let rows = named.iter().chain(&self.wild).filter_map(|at| self.rows.get(*at));
        rows.filter(|(pattern, _)| pattern.fits(subject)).map(|(_, objection)| objection)
    }

    /// The rule that speaks of a variable that is set.
    pub(crate) fn of_variable(&self, name: &str) -> Option<&Objection> {
        of(&self.variables, name)
    }

    /// The rule that speaks of a variable that is used.
    pub(crate) fn of_use(&self, name: &str) -> Option<&Objection> {
        of(&self.used, name)
    }

    /// The rule that speaks of an absolute path.
    pub(crate) fn of_file(&self, path: &str) -> Option<&Objection> {
        of(&self.files, path)
    }
}

fn of<'t>(list: &'t [(String, Objection)], name: &str) -> Option<&'t Objection> {
    list.iter().find(|(pattern, _)| glob::matches(pattern, name)).map(|(_, objection)| objection)
}

/// `deny NAME: why`.
fn heading(line: &str) -> Option<Objection> {
    let (verdict, rest) = line.split_once(' ')?;
    let (rule, why) = rest.split_once(": ")?;
    match verdict {
        "ask" => Some(Objection::ask(rule, why)),
        "deny" => Some(Objection::deny(rule, why)),
        _ => None,
    }
}
