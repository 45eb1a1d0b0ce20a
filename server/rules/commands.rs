//! Rules for commands: the patterns of both parties, what the person allows for always, and the rules of paths as commands
//! meet them.

use std::sync::LazyLock;

use wherefore_shell::{
    AllowScope, Allowance, CommandRules, CommandTable, CommandVerdict, Judgement, Objection, PathRules,
    PathUse, Place,
};

use super::builtin::{self, RuleKind};
use super::judge::{Rules, Ruling};
use crate::base::{WorkspacePath, person};
use crate::protocol::{Access, AllowedCommand, CommandRuleSettings};

/// Stands for a workspace or a home folder that nobody named.
const NOWHERE: &str = "/nonexistent";

/// What holds for commands, beside the built-in table.
#[derive(Clone, Debug)]
pub(super) struct CommandBook {
    table: CommandTable,
    allowances: Vec<Allowance>,
    place: Place,
}

impl Default for CommandBook {
    fn default() -> Self {
        let home = person::home().and_then(|home| home.to_str().map(str::to_owned));
        let place = Place::new(NOWHERE, home.as_deref().unwrap_or(NOWHERE));
        Self { table: CommandTable::default(), allowances: Vec::new(), place }
    }
}

impl CommandBook {
    /// The patterns of both parties and what the person allows; what is wrong with them goes to `problems`.
    pub(super) fn new(
        person: &CommandRuleSettings,
        project: &CommandRuleSettings,
        problems: &mut Vec<String>,
    ) -> Self {
        let mut book = Self::default();
        for (settings, of, firm) in [(person, "", false), (project, " of the project", true)] {
            let lists =
                [("deny", &settings.deny, CommandVerdict::Deny), ("ask", &settings.ask, CommandVerdict::Ask)];
            for (list, patterns, verdict) in lists {
                let rule = format!("rules.commands.{list}{of}");
                patterns.iter().for_each(|pattern| book.table.add_pattern(pattern, verdict, &rule, firm));
            }
        }
        if !project.allow.is_empty() {
            problems.push(
                "`rules.commands.allow` of the project's settings is not heard: only the person's own settings can allow \
                 a command"
                    .to_owned(),
            );
        }
        for allowed in &person.allow {
            match allowance(allowed) {
                Ok(allowance) => book.allowances.push(allowance),
                Err(wrong) => {
                    problems.push(format!("an entry of rules.commands.allow is not heard: {wrong}"))
                }
            }
        }
        book
    }

    /// The same, for commands that run in the workspace at `root`.
    pub(super) fn at(self, root: &str) -> Self {
        let place = Place::new(root, &self.place.home);
        Self { place, ..self }
    }
}

/// An entry of the person's settings.
fn allowance(allowed: &AllowedCommand) -> Result<Allowance, &'static str> {
    let program =
        || allowed.program.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect();
    let scope = match (allowed.argv.is_empty(), &allowed.program, &allowed.path) {
        (false, None, None) if allowed.flags.is_empty() => AllowScope::Argv(allowed.argv.clone()),
        (true, Some(_), None) => AllowScope::Program { program: program(), flags: allowed.flags.clone() },
        (true, Some(_), Some(path)) if allowed.flags.is_empty() => {
            AllowScope::Path { program: program(), path: path.clone() }
        }
        _ => return Err("it takes `argv` alone, `program` with `flags`, or `program` with `path`"),
    };
    match allowed.why.trim().is_empty() {
        true => Err("it has no `why`"),
        false => Ok(Allowance { scope, why: allowed.why.clone() }),
    }
}

impl Rules {
    /// What the rules say of an argument vector, and of each command that it runs.
    pub fn judge_argv(&self, argv: &[String]) -> Judgement {
        self.with_command_rules(&[], |rules| rules.judge_argv(argv))
    }

    /// Whether an argument vector that the rules ask about would run unasked, had the person allowed it for always.
    pub(super) fn can_be_allowed(&self, argv: &[String]) -> bool {
        let allowance = Allowance { scope: AllowScope::Argv(argv.to_vec()), why: String::new() };
        let judgement = self.with_command_rules(&[allowance], |rules| rules.judge_argv(argv));
        judgement.verdict == CommandVerdict::Allow
    }

    /// What the rules say of a script, and of each command in it.
    pub fn judge_script(&self, text: &str) -> Judgement {
        self.with_command_rules(&[], |rules| rules.judge_script(text))
    }

    fn with_command_rules(
        &self,
        more: &[Allowance],
        judge: impl Fn(&CommandRules<'_>) -> Judgement,
    ) -> Judgement {
        let book = self.command_book();
        let allowances = [&book.allowances, more].concat();
        let tables = [CommandTable::builtin(), &book.table];
        let mut judgement = judge(&CommandRules {
            place: &book.place,
            tables: &tables,
            paths: self,
            allowances: &allowances,
        });
        if let Some(unread) = self.unread()
            && judgement.verdict < CommandVerdict::Ask
        {
            judgement.verdict = CommandVerdict::Ask;
            judgement.rule = Some("unread-rules".to_owned());
            judgement.why = Some(format!("the rules of {unread} cannot be read"));
        }
        judgement
    }
}

impl PathRules for Rules {
    fn judge(&self, used: PathUse, path: &str) -> Option<Objection> {
        let access = match used {
            PathUse::Read => Access::Read,
            PathUse::Write | PathUse::Move => Access::Write,
        };
        let root = &self.command_book().place.root;
        let inside = path.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix('/'));
        let clean = |path: &str| WorkspacePath::clean(path).filter(|path| !path.is_root());
        let ruling = match inside {
            Some(inside) => self.check(access, &clean(inside)?),
            None => self.check_builtin(access, &clean(path.trim_start_matches('/'))?),
        };
        let named = |rule: String| match rule.split_once(" (") {
            Some((rule, why)) => (rule.to_owned(), why.trim_end_matches(')').to_owned()),
            None => (rule, "a rule speaks of a path that it names".to_owned()),
        };
        match ruling {
            Ruling::Allow => None,
            Ruling::Ask { rule } => Some(named(rule)).map(|(rule, why)| Objection::ask(&rule, why).firm()),
            Ruling::Deny { rule } => Some(named(rule)).map(|(rule, why)| Objection::deny(&rule, why)),
        }
    }

    fn secret_names(&self) -> &[String] {
        static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
            let sensitive =
                builtin::globs(RuleKind::Sensitive).into_iter().chain(builtin::globs(RuleKind::Versions));
            let names = sensitive.filter_map(|glob| glob.rsplit('/').next());
            let names = names.map(|name| name.trim_end_matches('*'));
            names.filter(|name| !name.contains(['*', '?', '[', '{'])).map(str::to_owned).collect()
        });
        &NAMES
    }
}
