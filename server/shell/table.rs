//! The table of commands that are asked for or refused, and how a command is held against it.

mod pattern;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::glob;
use crate::place::PathZone;
use crate::programs::OptionReading;
use crate::verdict::{CommandVerdict, RuleObjection};
use crate::word::ShellWord;

pub(crate) use pattern::TablePattern;

/// The built-in table.
const BUILTIN: &str = include_str!("commands.txt");

/// A table: the rules of one source.
#[derive(Clone, Debug, Default)]
pub struct CommandTable {
    /// The rows by the program, for patterns that name one.
    named: HashMap<String, Vec<usize>>,
    /// The others.
    wild: Vec<usize>,
    rows: Vec<(TablePattern, RuleObjection)>,
    variables: Vec<(String, RuleObjection)>,
    used: Vec<(String, RuleObjection)>,
    files: Vec<(String, RuleObjection)>,
}

/// The command that a pattern is compared with.
pub(crate) struct MatchSubject<'a> {
    pub(crate) program: &'a str,
    pub(crate) arguments: &'a [ShellWord],
    /// The operands among them; of each, whether it may be an option's value.
    pub(crate) operands: &'a [(&'a ShellWord, bool)],
    /// How the options among them are read.
    pub(crate) options: &'a OptionReading,
    /// Returns the zones of the paths that a text may name.
    pub(crate) zones: &'a dyn Fn(&ShellWord, &str) -> Vec<PathZone>,
    /// Returns whether a text names the home folder itself.
    pub(crate) is_home: &'a dyn Fn(&ShellWord, &str) -> bool,
}

impl CommandTable {
    /// The built-in one.
    pub fn builtin() -> &'static Self {
        static TABLE: LazyLock<CommandTable> = LazyLock::new(|| CommandTable::parse_table(BUILTIN));
        &TABLE
    }

    /// The rules of the built-in table, each with its verdict, its name and its reason, without their patterns.
    pub fn builtin_rules() -> impl Iterator<Item = RuleObjection> {
        BUILTIN.lines().filter(|line| !line.starts_with([' ', '#'])).filter_map(parse_heading)
    }

    fn parse_table(text: &str) -> Self {
        let mut table = Self::default();
        let mut objection = RuleObjection::ask("", "");
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            match line.strip_prefix("  ") {
                Some(row) => {
                    row.split("  ").map(str::trim).filter(|pattern| !pattern.is_empty()).for_each(
                        |pattern| {
                            table.add_row(pattern, objection.clone());
                        },
                    );
                }
                None => objection = parse_heading(line).unwrap_or(objection),
            }
        }
        table
    }

    /// Adds a pattern from settings. `rule` names its source; if `firm` is set, no standing permission overrides it.
    pub fn add_pattern(&mut self, pattern: &str, verdict: CommandVerdict, rule: &str, firm: bool) {
        let (pattern, why) = (pattern.trim(), "the settings name this command".to_owned());
        let rule = format!("{rule} `{pattern}`");
        self.add_row(pattern, RuleObjection { verdict, rule, why, firm, unconfined: false });
    }

    fn add_row(&mut self, pattern: &str, objection: RuleObjection) {
        if let Some(name) = pattern.strip_prefix('=') {
            self.variables.push((name.to_owned(), objection));
        } else if let Some(name) = pattern.strip_prefix('$') {
            self.used.push((name.to_owned(), objection));
        } else if pattern.starts_with('/') {
            self.files.push((pattern.to_owned(), objection));
        } else if let Some(pattern) = TablePattern::parse_pattern(pattern) {
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
    pub(crate) fn of_command<'t>(
        &'t self,
        subject: &'t MatchSubject<'_>,
    ) -> impl Iterator<Item = &'t RuleObjection> {
        let named = self.named.get(subject.program).map(Vec::as_slice).unwrap_or_default();
        let rows = named.iter().chain(&self.wild).filter_map(|at| self.rows.get(*at));
        rows.filter(|(pattern, _)| pattern.fits_subject(subject)).map(|(_, objection)| objection)
    }

    /// The rule that speaks of a variable that is set.
    pub(crate) fn of_variable(&self, name: &str) -> Option<&RuleObjection> {
        find_rule(&self.variables, name)
    }

    /// The rule that speaks of a variable that is used.
    pub(crate) fn of_use(&self, name: &str) -> Option<&RuleObjection> {
        find_rule(&self.used, name)
    }

    /// The rule that speaks of an absolute path.
    pub(crate) fn of_file(&self, path: &str) -> Option<&RuleObjection> {
        find_rule(&self.files, path)
    }
}

fn find_rule<'t>(list: &'t [(String, RuleObjection)], name: &str) -> Option<&'t RuleObjection> {
    list.iter().find(|(pattern, _)| glob::matches_pattern(pattern, name)).map(|(_, objection)| objection)
}

/// `deny NAME: why`.
fn parse_heading(line: &str) -> Option<RuleObjection> {
    let (verdict, rest) = line.split_once(' ')?;
    let (rule, why) = rest.split_once(": ")?;
    match verdict {
        "ask" => Some(RuleObjection::ask(rule, why)),
        "deny" => Some(RuleObjection::deny(rule, why)),
        "unconfined" => Some(RuleObjection::ask(rule, why).as_unconfined()),
        "unseen" => Some(RuleObjection::ask(rule, why).as_unseen()),
        _ => None,
    }
}
