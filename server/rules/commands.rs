//! Rules for commands: the patterns of both parties, what the person allows for always, and the rules of paths as commands
//! meet them.

use std::path::Path;
use std::sync::LazyLock;

use wherefore_shell::{
    AllowScope, CommandAllowance, CommandPlace, CommandRules, CommandTable, CommandVerdict, Judgement,
    PathRules, PathUse, RuleObjection,
};

use super::builtin::{self, RuleKind};
use super::judge::WorkspaceRules;
use super::path_rule_lists::PathRuling;
use super::public::holds_public;
use crate::base::{WorkspacePath, person};
use crate::protocol::{AllowedCommand, CommandRuleSettings, PathAccess};

/// The placeholder for an unnamed workspace or home folder.
const NOWHERE: &str = "/nonexistent";
/// Files outside of every workspace that tools do not read, whatever command names them.
const ACCOUNTS: [&str; 6] = [
    "/etc/passwd",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/master.passwd",
    "/etc/sudoers",
    "/etc/security/opasswd",
];
/// Bytes of the longest text of the workspace that a verdict looks into.
const LONGEST: u64 = 1 << 20;

/// The command rules of a workspace, in addition to the built-in table.
#[derive(Clone, Debug)]
pub(super) struct CommandBook {
    table: CommandTable,
    allowances: Vec<CommandAllowance>,
    place: CommandPlace,
}

impl Default for CommandBook {
    fn default() -> Self {
        let home = person::home_dir().and_then(|home| home.to_str().map(str::to_owned));
        let place = CommandPlace::new(NOWHERE, home.as_deref().unwrap_or(NOWHERE));
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
            match parse_allowance(allowed) {
                Ok(allowance) => book.allowances.push(allowance),
                Err(wrong) => {
                    problems.push(format!("an entry of rules.commands.allow is not heard: {wrong}"))
                }
            }
        }
        book
    }

    /// The same, for commands that run in the workspace at `root`.
    pub(super) fn in_workspace(self, root: &str) -> Self {
        let place = CommandPlace::new(root, &self.place.home);
        Self { place, ..self }
    }
}

/// An entry of the person's settings.
fn parse_allowance(allowed: &AllowedCommand) -> Result<CommandAllowance, &'static str> {
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
        false => Ok(CommandAllowance { scope, why: allowed.why.clone() }),
    }
}

impl WorkspaceRules {
    /// Judges an argument vector, and each command that it runs.
    pub fn judge_argv(&self, argv: &[String]) -> Judgement {
        self.with_command_rules(&[], true, |rules| rules.judge_argv(argv))
    }

    /// Judges an argument vector that runs outside of the sandbox: a command that is allowed only because the sandbox
    /// bounds it is asked about.
    pub fn judge_unconfined_argv(&self, argv: &[String]) -> Judgement {
        self.with_command_rules(&[], false, |rules| rules.judge_argv(argv))
    }

    /// Returns whether an argument vector that the rules ask about would run unasked, had the person allowed it for
    /// always.
    pub(super) fn can_be_allowed(&self, argv: &[String]) -> bool {
        let allowance = CommandAllowance { scope: AllowScope::Argv(argv.to_vec()), why: String::new() };
        let judgement = self.with_command_rules(&[allowance], true, |rules| rules.judge_argv(argv));
        judgement.verdict == CommandVerdict::Allow
    }

    /// Judges a script, and each command in it.
    pub fn judge_script(&self, text: &str) -> Judgement {
        self.with_command_rules(&[], true, |rules| rules.judge_script(text))
    }

    /// Judges a script that runs outside of the sandbox: a command that is allowed only because the sandbox bounds it
    /// is asked about.
    pub fn judge_unconfined_script(&self, text: &str) -> Judgement {
        self.with_command_rules(&[], false, |rules| rules.judge_script(text))
    }

    fn with_command_rules(
        &self,
        more: &[CommandAllowance],
        confined: bool,
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
            confined,
        });
        if let Some(unread) = self.paths().unread_party()
            && judgement.verdict < CommandVerdict::Ask
        {
            judgement.verdict = CommandVerdict::Ask;
            judgement.rule = Some("unread-rules".to_owned());
            judgement.why = Some(format!("the rules of {unread} cannot be read"));
        }
        judgement
    }
}

impl PathRules for WorkspaceRules {
    fn judge(&self, used: PathUse, path: &str) -> Option<RuleObjection> {
        let access = match used {
            PathUse::Read => PathAccess::Read,
            PathUse::Write | PathUse::Move => PathAccess::Write,
        };
        if ACCOUNTS.contains(&path) {
            let why = "it lists this machine's accounts or their secrets, and lies outside of the workspace";
            return Some(RuleObjection::deny("sensitive-path", why.to_owned()));
        }
        let root = &self.command_book().place.root;
        let inside = path.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix('/'));
        let clean = |path: &str| WorkspacePath::from_relative(path).filter(|path| !path.is_root());
        let ruling = match inside {
            Some(inside) => self.paths().check_access(access, &clean(inside)?),
            None => self.paths().check_builtin(access, &clean(path.trim_start_matches('/'))?),
        };
        let named = |rule: String| match rule.split_once(" (") {
            Some((rule, why)) => (rule.to_owned(), why.trim_end_matches(')').to_owned()),
            None => (rule, "a rule speaks of a path that it names".to_owned()),
        };
        match ruling {
            PathRuling::Allow => None,
            PathRuling::Ask { rule } => {
                Some(named(rule)).map(|(rule, why)| RuleObjection::ask(&rule, why).as_firm())
            }
            PathRuling::Deny { rule } => {
                let (rule, why) = named(rule);
                let objection = RuleObjection::deny(&rule, why);
                // In the sandbox a command is shown the very bytes that are judged.
                let is_public =
                    access == PathAccess::Read && inside.is_some() && holds_public(Path::new(path));
                Some(if is_public { objection.as_unseen() } else { objection })
            }
        }
    }

    fn secret_names(&self) -> &[String] {
        static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
            let sensitive = builtin::globs_of_kind(RuleKind::Sensitive)
                .into_iter()
                .chain(builtin::globs_of_kind(RuleKind::Versions));
            let names = sensitive.filter_map(|glob| glob.rsplit('/').next());
            let names = names.map(|name| name.trim_end_matches('*'));
            names.filter(|name| !name.contains(['*', '?', '[', '{'])).map(str::to_owned).collect()
        });
        &NAMES
    }

    fn path_exists(&self, path: &str) -> bool {
        is_inside(self, path) && std::fs::symlink_metadata(path).is_ok()
    }

    fn read_text(&self, path: &str) -> Option<String> {
        let is_text = is_inside(self, path)
            && std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
        is_text.then(|| std::fs::read_to_string(path).ok()).flatten()
    }
}

fn is_inside(rules: &WorkspaceRules, path: &str) -> bool {
    let root = &rules.command_book().place.root;
    path.strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with('/'))
}
