//! The rules of one workspace, and what they say.

use std::sync::Arc;

use serde_json::json;

use super::builtin::{self, Kind};
use super::glob::{Candidates, Globs, Union, clipped};
use super::held::Held;
use crate::base::{FileId, WorkspacePath};
use crate::protocol::{Access, Code, Fault, RuleSettings};

/// The rules of one party. No list of one party weakens that of another.
#[derive(Clone, Debug, Default)]
struct Party {
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
    parties: [Party; 2],
    /// What any rule that closes or asks speaks of: most paths are not in it.
    spoken_of: Union,
    /// What is closed for as long as something holds it.
    held: Held,
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

/// One access that a call is going to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// How the path is touched.
    pub access: Access,
    /// The path as the caller wrote it.
    pub asked: WorkspacePath,
    /// The path it leads to, symlinks followed.
    pub resolved: WorkspacePath,
    /// The regular file that stands there.
    pub file: Option<FileId>,
}

/// What the rules say of a call.
#[derive(Debug)]
pub enum Verdict {
    /// It may run.
    Allow(Grant),
    /// It may run once a person says so.
    Ask(Ask),
    /// It may not run, and why.
    Deny(Fault),
}

/// The proof that the rules allowed these accesses. Only [`Rules::judge`] makes one, directly or through
/// [`Ask::grant`].
#[derive(Debug)]
pub struct Grant {
    touches: Vec<Touch>,
    /// Paths that a rule asks about, each with that rule: the person said yes to them.
    leaves: Vec<(WorkspacePath, String)>,
}

impl Grant {
    /// What was allowed.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// Whether the person's yes reaches a path that `rule` asks about: one they were asked for, or one below it that
    /// the same rule speaks of.
    fn reaches(&self, path: &WorkspacePath, rule: &str) -> bool {
        self.leaves.iter().any(|(leave, of)| leave == path || (path.is_in(leave) && of == rule))
    }

    /// Joins two grants of one call.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let touches = self.touches.iter().chain(&other.touches).cloned().collect();
        let leaves = self.leaves.iter().chain(&other.leaves).cloned().collect();
        Self { touches, leaves }
    }
}

/// Who opens files: it decides about those that a rule asks about.
#[derive(Clone, Debug, Default)]
pub enum Opener {
    /// Nobody whom the person said yes to: a search, an index, a model.
    #[default]
    Unasked,
    /// A call, as far as its grant goes.
    Call(Arc<Grant>),
    /// The person, who decides on a change or asks for a file in their own editor.
    Person,
}

impl Opener {
    fn reaches(&self, path: &WorkspacePath, rule: &str) -> bool {
        match self {
            Self::Unasked => false,
            Self::Call(grant) => grant.reaches(path, rule),
            Self::Person => true,
        }
    }
}

/// A question to a person, with the grant that a yes gives.
#[derive(Debug)]
pub struct Ask {
    /// The rule's name and its glob.
    pub rule: String,
    /// What to ask, without the call's why.
    pub question: String,
    grant: Grant,
}

impl Ask {
    /// Takes the person's yes.
    pub fn grant(self) -> Grant {
        self.grant
    }
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
            Party {
                deny: list("rules.deny", &rules.deny),
                read_only: list("rules.read_only", &rules.read_only),
                ask: list("rules.ask", &rules.ask),
                unread: lists.unread.clone(),
            }
        });
        let allow = user.rules.unwrap_or(&none).allow.iter().map(String::as_str);
        let allow = Globs::opening("rules.allow", allow, &mut problems);
        let mut of = |kind| Globs::anywhere(&builtin::globs(kind), &mut problems);
        let (ours, version_control, sensitive) = (of(Kind::Private), of(Kind::Versions), of(Kind::Sensitive));
        let (runs, asked, warned) = (of(Kind::Never), of(Kind::Asked), of(Kind::Warned));
        let of_parties = parties.iter().flat_map(|party| [&party.deny, &party.read_only, &party.ask]);
        let closing = [&ours, &version_control, &sensitive, &runs, &asked];
        let spoken_of = Union::of(closing.into_iter().chain(of_parties));
        let held = Held::default();
        let rules =
            Self { ours, version_control, sensitive, runs, asked, warned, allow, parties, spoken_of, held };
        (rules, problems)
    }

    /// The same, and closed what is held.
    pub fn holding(self, held: Held) -> Self {
        Self { held, ..self }
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
            Some(glob) => Ruling::Ask { rule: Rule::BuiltIn(Kind::Asked).named(glob) },
            None => unread(),
        }
    }

    /// What a person should know before they accept a change of this file: that it runs programs, and when.
    pub fn warning(&self, path: &WorkspacePath) -> Option<&'static str> {
        let glob = self.warned.first(&Candidates::alone(path.as_str()))?;
        builtin::reason(Kind::Warned, glob)
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
            (&self.ours, Rule::BuiltIn(Kind::Private), true, false),
            (&person.deny, Rule::Set("rules.deny"), true, false),
            (&project.deny, Rule::Set("rules.deny"), true, false),
            (&self.sensitive, Rule::BuiltIn(Kind::Sensitive), true, true),
            (&self.version_control, Rule::BuiltIn(Kind::Versions), writes, false),
            (&person.read_only, Rule::Set("rules.read_only"), writes, false),
            (&project.read_only, Rule::Set("rules.read_only"), writes, false),
            (&self.runs, Rule::BuiltIn(Kind::Never), writes, true),
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
    /// PERMISSION_DENIED with the rule.
    pub fn permit(&self, access: Access, path: &WorkspacePath) -> Result<(), Fault> {
        match self.check(access, path) {
            Ruling::Deny { rule } => Err(denied(access, path, path, &rule)),
            Ruling::Ask { .. } | Ruling::Allow => Ok(()),
        }
    }

    /// Refuses an access that a rule denies, or asks about where `opener` has no yes to it.
    ///
    /// # Errors
    /// PERMISSION_DENIED with the rule.
    pub fn open(&self, access: Access, path: &WorkspacePath, opener: &Opener) -> Result<(), Fault> {
        match self.check(access, path) {
            Ruling::Allow => Ok(()),
            Ruling::Ask { rule } if opener.reaches(path, &rule) => Ok(()),
            Ruling::Ask { rule } => Err(unasked(access, path, &rule)),
            Ruling::Deny { rule } => Err(denied(access, path, path, &rule)),
        }
    }

    /// What the rules say of all that a call touches, by the paths asked for and by those they lead to. Who may write
    /// a path may read it: the text that a change is made on. What `before` reaches is not asked again.
    pub fn judge(&self, touches: Vec<Touch>, before: Option<&Grant>) -> Verdict {
        let mut asks: Vec<(String, String)> = Vec::new();
        let mut leaves = Vec::new();
        for touch in &touches {
            let resolved = Some(&touch.resolved).filter(|resolved| **resolved != touch.asked);
            for path in std::iter::once(&touch.asked).chain(resolved) {
                if touch.access == Access::Write
                    && let Ruling::Ask { rule } = self.check(Access::Read, path)
                {
                    leaves.push((path.clone(), rule));
                }
                match self.check(touch.access, path) {
                    Ruling::Allow => {}
                    Ruling::Deny { rule } => {
                        return Verdict::Deny(denied(touch.access, &touch.asked, &touch.resolved, &rule));
                    }
                    Ruling::Ask { rule } => {
                        let what = format!("{} {}", verb(touch.access), shown(&touch.asked, &touch.resolved));
                        leaves.push((path.clone(), rule.clone()));
                        if before.is_some_and(|before| before.reaches(path, &rule)) {
                            continue;
                        }
                        if !asks.iter().any(|(asked, _)| *asked == what) {
                            asks.push((what, rule));
                        }
                    }
                }
            }
        }
        let grant = Grant { touches, leaves };
        let Some((_, rule)) = asks.first().cloned() else { return Verdict::Allow(grant) };
        let more = asks.len().saturating_sub(ASKED);
        let mut acts: Vec<String> = asks.into_iter().take(ASKED).map(|(what, _)| what).collect();
        if more > 0 {
            acts.push(format!("and {more} more files"));
        }
        Verdict::Ask(Ask {
            question: format!("Allow to {}? Rule {rule} asks first.", acts.join(", ")),
            rule,
            grant,
        })
    }
}

/// Files that one question names.
const ASKED: usize = 20;

/// Where a rule comes from.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// A key of the settings.
    Set(&'static str),
    /// The table of built-in ones.
    BuiltIn(Kind),
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

fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
    }
}

fn shown(asked: &WorkspacePath, resolved: &WorkspacePath) -> String {
    if asked == resolved { format!("`{asked}`") } else { format!("`{asked}`, which leads to `{resolved}`") }
}

/// The fault for a file that the person would have to be asked about first.
fn unasked(access: Access, path: &WorkspacePath, rule: &str) -> Fault {
    Fault::new(Code::PermissionDenied, format!("{rule} asks before a tool may {} `{path}`", verb(access)))
        .suggest("name the file in a call of its own, as fs.read: then the person is asked")
        .detail(json!({ "rule": rule, "path": path }))
}

fn denied(access: Access, asked: &WorkspacePath, resolved: &WorkspacePath, rule: &str) -> Fault {
    let suggestion = match access {
        Access::Read => "go on without it; where something in it matters, ask the person for that part",
        Access::Write => "leave it as it is, and tell the person which change you wanted there",
    };
    let message = format!("rule {rule} refuses to {} {}", verb(access), shown(asked, resolved));
    Fault::new(Code::PermissionDenied, message)
        .fatal()
        .suggest(suggestion)
        .detail(json!({ "rule": rule, "path": asked, "resolved": resolved }))
}
