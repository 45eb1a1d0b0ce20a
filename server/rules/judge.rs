//! The rules of one workspace, and what they say.

use globset::GlobSet;
use serde_json::json;

use super::builtin;
use super::glob::{Candidates, Globs};
use crate::base::{FileId, WorkspacePath};
use crate::protocol::{Access, Code, Fault, RuleSettings};

/// The rules that hold in a workspace: the built-in ones, the person's, and the project's.
#[derive(Clone, Debug)]
pub struct Rules {
    ours: Globs,
    version_control: Globs,
    deny: Globs,
    sensitive: Globs,
    read_only: Globs,
    runs: Globs,
    ask: Globs,
    allow: Globs,
    /// What any rule but `allow` speaks of: most paths are not in it.
    spoken_of: Option<GlobSet>,
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
}

impl Grant {
    /// What was allowed.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
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
    /// The rules from the person's settings and the project's, and what is wrong with them: globs that are
    /// none, and an `allow` of the project's, which is not heard.
    pub fn new(user: &RuleSettings, project: &RuleSettings) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        if !project.allow.is_empty() {
            problems.push(format!(
                "`rules.allow` of the project's settings is not heard ({}): only the person's own settings can open a path",
                project.allow.join(", ")
            ));
        }
        let mut both = |user: &[String], project: &[String]| {
            Globs::new(user.iter().chain(project).map(String::as_str), &mut problems)
        };
        let deny = both(&user.deny, &project.deny);
        let read_only = both(&user.read_only, &project.read_only);
        let ask = both(&user.ask, &project.ask);
        let allow = both(&user.allow, &[]);
        let mut anywhere = |globs| Globs::anywhere(globs, &mut problems);
        let ours = anywhere(builtin::OURS);
        let version_control = anywhere(builtin::VERSION_CONTROL);
        let sensitive = anywhere(builtin::SENSITIVE);
        let runs = anywhere(builtin::RUNS);
        let spoken_of = Globs::union([&ours, &version_control, &deny, &sensitive, &read_only, &runs, &ask]);
        let rules = Self { ours, version_control, deny, sensitive, read_only, runs, ask, allow, spoken_of };
        (rules, problems)
    }

    /// What the rules say of one access to one path.
    pub fn check(&self, access: Access, path: &WorkspacePath) -> Ruling {
        let path = Candidates::of(path.as_str());
        if self.spoken_of.as_ref().is_some_and(|spoken_of| !path.any_in(spoken_of)) {
            return Ruling::Allow;
        }
        if let Some(rule) = self.closed(access, &path) {
            return Ruling::Deny { rule };
        }
        match self.ask.first(&path) {
            Some(glob) => Ruling::Ask { rule: named("rules.ask", glob) },
            None => Ruling::Allow,
        }
    }

    /// The rule that refuses this access.
    fn closed(&self, access: Access, path: &Candidates) -> Option<String> {
        let writes = access == Access::Write;
        let lists = [
            (&self.ours, "private-path", true, false),
            (&self.deny, "rules.deny", true, false),
            (&self.sensitive, "sensitive-path", true, true),
            (&self.version_control, "version-control", writes, false),
            (&self.read_only, "rules.read_only", writes, false),
            (&self.runs, "runs-programs", writes, true),
        ];
        let hits = lists.into_iter().filter(|(_, _, holds, _)| *holds);
        hits.into_iter().find_map(|(globs, name, _, can_be_allowed)| {
            let glob = globs.first(path)?;
            let open = can_be_allowed && self.allow.first(path).is_some();
            (!open).then(|| named(name, glob))
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

    /// What the rules say of all that a call touches, by the paths asked for and by those they lead to.
    pub fn judge(&self, touches: Vec<Touch>) -> Verdict {
        let mut asks: Vec<(String, String)> = Vec::new();
        for touch in &touches {
            let resolved = Some(&touch.resolved).filter(|resolved| **resolved != touch.asked);
            for path in std::iter::once(&touch.asked).chain(resolved) {
                match self.check(touch.access, path) {
                    Ruling::Allow => {}
                    Ruling::Deny { rule } => {
                        return Verdict::Deny(denied(touch.access, &touch.asked, &touch.resolved, &rule));
                    }
                    Ruling::Ask { rule } => {
                        let what = format!("{} {}", verb(touch.access), shown(&touch.asked, &touch.resolved));
                        if !asks.iter().any(|(asked, _)| *asked == what) {
                            asks.push((what, rule));
                        }
                    }
                }
            }
        }
        let grant = Grant { touches };
        let Some((_, rule)) = asks.first().cloned() else { return Verdict::Allow(grant) };
        let acts: Vec<String> = asks.into_iter().map(|(what, _)| what).collect();
        Verdict::Ask(Ask { question: format!("Allow to {}? (rule {rule})", acts.join(", ")), rule, grant })
    }
}

fn named(name: &str, glob: &str) -> String {
    format!("{name} `{glob}`")
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
