//! The rules of one workspace, and what they say of one access to one path.

use super::builtin::{self, RuleKind};
use super::commands::CommandBook;
use super::glob::{Candidates, Globs, Union, clipped};
use super::grant::Opener;
use super::held::Held;
use super::refusal::Refusal;
use crate::base::WorkspacePath;
use crate::protocol::{Access, RuleSettings};

/// The rules of one party. No list of one party weakens that of another.
#[derive(Clone, Debug, Default)]
struct PartyRules {
    deny: Globs,
    read_only: Globs,
    ask: Globs,
    /// Whose rules could not be read: then every path is asked for before it is read.
    unread: Option<String>,
}

/// The rules that hold in a workspace: the built-in ones, the person's, and the project's.
#[derive(Clone, Debug)]
pub struct Rules {
    ours: Globs,
    version_control: Globs,
    sensitive: Globs,
    runs: Globs,
    asked: Globs,
    warned: Globs,
    /// The person's word alone.
    allow: Globs,
    parties: [PartyRules; 2],
    /// What any rule that closes or asks speaks of: most paths are not in it.
    spoken_of: Union,
    /// What is closed for as long as something holds it.
    held: Held,
    commands: CommandBook,
}

/// One party's rules as they were read.
#[derive(Clone, Debug, Default)]
pub struct Lists<'a> {
    /// What was read.
    pub rules: Option<&'a RuleSettings>,
    /// Where some of them could not be read, the name of what holds them.
    pub unread: Option<String>,
}

/// What the rules say of one access to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// No rule is against it.
    Allow,
    /// A person decides.
    Ask {
        /// The rule's name and its glob.
        rule: String,
    },
    /// Refused.
    Deny {
        /// The rule's name and its glob.
        rule: String,
    },
}

impl Rules {
    /// The rules from the person's settings and the project's, and what is wrong with them: globs that cannot be
    /// compiled, and an `allow` of the project's, which is not heard.
    pub fn new(user: &RuleSettings, project: &RuleSettings) -> (Self, Vec<String>) {
        let lists = |rules| Lists { rules: Some(rules), unread: None };
        Self::of(&lists(user), &lists(project))
    }

    /// The same, where settings may be unread.
    pub fn of(user: &Lists<'_>, project: &Lists<'_>) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        let none = RuleSettings::default();
        let loose = &project.rules.unwrap_or(&none).allow;
        if !loose.is_empty() {
            problems.push(format!(
                "`rules.allow` of the project's settings is not heard ({}): only the person's own settings can open a path",
                clipped(&loose.join(", "))
            ));
        }
        let parties = [(user, ""), (project, " of the project")].map(|(lists, of)| {
            let rules = lists.rules.unwrap_or(&none);
            let mut list = |name: &str, globs: &[String]| {
                Globs::new(&format!("{name}{of}"), globs.iter().map(String::as_str), &mut problems)
            };
            PartyRules {
                deny: list("rules.deny", &rules.deny),
                read_only: list("rules.read_only", &rules.read_only),
                ask: list("rules.ask", &rules.ask),
                unread: lists.unread.clone(),
            }
        });
        let allow = user.rules.unwrap_or(&none).allow.iter().map(String::as_str);
        let allow = Globs::opening("rules.allow", allow, &mut problems);
        let mut of = |kind| Globs::anywhere(&builtin::globs(kind), &mut problems);
        let (ours, version_control, sensitive) =
            (of(RuleKind::Private), of(RuleKind::Versions), of(RuleKind::Sensitive));
        let (runs, asked, warned) = (of(RuleKind::Never), of(RuleKind::Asked), of(RuleKind::Warned));
        let of_parties = parties.iter().flat_map(|party| [&party.deny, &party.read_only, &party.ask]);
        let closing = [&ours, &version_control, &sensitive, &runs, &asked];
        let spoken_of = Union::of(closing.into_iter().chain(of_parties));
        let held = Held::default();
        let of_commands =
            |lists: &Lists<'_>| lists.rules.map(|rules| rules.commands.clone()).unwrap_or_default();
        let commands = CommandBook::new(&of_commands(user), &of_commands(project), &mut problems);
        #[rustfmt::skip]
        let rules =
            Self { ours, version_control, sensitive, runs, asked, warned, allow, parties, spoken_of, held, commands };
        (rules, problems)
    }

    /// The same, and closed what is held.
    pub fn holding(self, held: Held) -> Self {
        Self { held, ..self }
    }

    /// The same, for commands that run in the workspace at `root`.
    pub fn rooted(self, root: &str) -> Self {
        Self { commands: self.commands.at(root), ..self }
    }

    pub(super) fn command_book(&self) -> &CommandBook {
        &self.commands
    }

    /// Whose rules could not be read.
    pub(super) fn unread(&self) -> Option<&str> {
        self.parties.iter().find_map(|party| party.unread.as_deref())
    }

    /// What the built-in rules say of one access to a path that lies outside of the workspace.
    pub(super) fn check_builtin(&self, access: Access, path: &WorkspacePath) -> Ruling {
        let candidates = Candidates::of(path.as_str());
        let writes = access == Access::Write;
        let lists = [
            (&self.ours, RuleKind::Private, true),
            (&self.sensitive, RuleKind::Sensitive, true),
            (&self.version_control, RuleKind::Versions, writes),
            (&self.runs, RuleKind::Never, writes),
        ];
        let mut hits = lists.into_iter().filter(|(_, _, holds)| *holds);
        let hit =
            hits.find_map(|(globs, kind, _)| Some(Rule::BuiltIn(kind).named(globs.first(&candidates)?)));
        hit.map_or(Ruling::Allow, |rule| Ruling::Deny { rule })
    }

    /// What the rules say of one access to one path.
    pub fn check(&self, access: Access, path: &WorkspacePath) -> Ruling {
        let candidates = Candidates::of(path.as_str());
        if let Some(rule) = self.held.refuses(access, &candidates) {
            return Ruling::Deny { rule };
        }
        let unread = || {
            let unread = self.parties.iter().find_map(|party| party.unread.as_ref());
            // A change of unknown rules is held for the person instead: that is the review rules' part.
            match unread.filter(|_| access == Access::Read) {
                Some(unread) => Ruling::Ask { rule: format!("the rules of {unread}, which cannot be read,") },
                None => Ruling::Allow,
            }
        };
        if !self.spoken_of.holds(&candidates) {
            return unread();
        }
        if let Some(rule) = self.closed(access, &candidates) {
            return Ruling::Deny { rule };
        }
        if let Some(glob) = self.parties.iter().find_map(|party| party.ask.first(&candidates)) {
            return Ruling::Ask { rule: Rule::Set("rules.ask").named(glob) };
        }
        let asked = self.asked.first(&candidates).filter(|_| access == Access::Write);
        match asked.filter(|_| self.allow.first(&candidates).is_none()) {
            Some(glob) => Ruling::Ask { rule: Rule::BuiltIn(RuleKind::Asked).named(glob) },
            None => unread(),
        }
    }

    /// What a person should know before they accept a change of this file: that it runs programs, and when.
    pub fn warning(&self, path: &WorkspacePath) -> Option<&'static str> {
        let glob = self.warned.first(&Candidates::alone(path.as_str()))?;
        builtin::reason(RuleKind::Warned, glob)
    }

    /// The rule that asks before this path is read, where `opener` has no yes to it.
    pub fn asks(&self, path: &WorkspacePath, opener: &Opener) -> Option<String> {
        match self.check(Access::Read, path) {
            Ruling::Ask { rule } if !opener.reaches(path, &rule) => Some(rule),
            _ => None,
        }
    }

    /// Whether any rule asks before a file is read.
    pub fn ask_at_all(&self) -> bool {
        self.parties.iter().any(|party| !party.ask.is_empty() || party.unread.is_some())
    }

    /// The rule that refuses this access.
    fn closed(&self, access: Access, path: &Candidates) -> Option<String> {
        let writes = access == Access::Write;
        let [person, project] = &self.parties;
        let lists = [
            (&self.ours, Rule::BuiltIn(RuleKind::Private), true, false),
            (&person.deny, Rule::Set("rules.deny"), true, false),
            (&project.deny, Rule::Set("rules.deny"), true, false),
            (&self.sensitive, Rule::BuiltIn(RuleKind::Sensitive), true, true),
            (&self.version_control, Rule::BuiltIn(RuleKind::Versions), writes, false),
            (&person.read_only, Rule::Set("rules.read_only"), writes, false),
            (&project.read_only, Rule::Set("rules.read_only"), writes, false),
            (&self.runs, Rule::BuiltIn(RuleKind::Never), writes, true),
        ];
        let hits = lists.into_iter().filter(|(_, _, holds, _)| *holds);
        hits.into_iter().find_map(|(globs, rule, _, can_be_allowed)| {
            let glob = globs.first(path)?;
            let open = can_be_allowed && self.allow.first(path).is_some();
            (!open).then(|| rule.named(glob))
        })
    }

    /// Refuses an access that a rule denies. One that a person must allow passes: whoever opens the file holds
    /// a [`Grant`] by then.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub fn permit(&self, access: Access, path: &WorkspacePath) -> Result<(), Refusal> {
        match self.check(access, path) {
            Ruling::Deny { rule } => Err(Refusal::of(access, path, rule)),
            Ruling::Ask { .. } | Ruling::Allow => Ok(()),
        }
    }

    /// Refuses an access that a rule denies, or asks about where `opener` has no yes to it.
    ///
    /// # Errors
    /// The rule that refuses it, or that the person was not asked about.
    pub fn open(&self, access: Access, path: &WorkspacePath, opener: &Opener) -> Result<(), Refusal> {
        match self.check(access, path) {
            Ruling::Allow => Ok(()),
            Ruling::Ask { rule } if opener.reaches(path, &rule) => Ok(()),
            Ruling::Ask { rule } => Err(Refusal::Unasked { access, path: path.clone(), rule }),
            Ruling::Deny { rule } => Err(Refusal::of(access, path, rule)),
        }
    }
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// A key of the settings.
    Set(&'static str),
    /// The table of built-in ones.
    BuiltIn(RuleKind),
}

impl Rule {
    /// Its name and its glob, and of a built-in one why it is there.
    fn named(self, glob: &str) -> String {
        match self {
            Self::Set(name) => format!("{name} `{glob}`"),
            Self::BuiltIn(kind) => {
                let reason = builtin::reason(kind, glob).unwrap_or_default();
                format!("{} `{glob}` ({reason})", kind.rule())
            }
        }
    }
}
