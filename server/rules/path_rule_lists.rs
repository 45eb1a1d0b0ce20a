//! The rules of paths, and what they say of one access to one path.

use super::builtin::{self, RuleKind};
use super::builtin_lists::BuiltInLists;
use super::glob::{GlobUnion, PathGlobs, PathSpellings, clip_glob};
use super::grant::FileOpener;
use super::held_paths::HeldPaths;
use super::judge::PartyLists;
use super::refusal::AccessRefusal;
use crate::base::WorkspacePath;
use crate::protocol::{PathAccess, RuleSettings};

/// The rules of one party. No list of one party weakens that of another.
#[derive(Clone, Debug, Default)]
struct PartyRules {
    deny: PathGlobs,
    read_only: PathGlobs,
    ask: PathGlobs,
    /// The layer of settings whose rules could not be read: then every path is asked for before it is read.
    unread: Option<String>,
}

/// The lists of globs that close the paths of a workspace, or ask about them: built-in, the person's, and the project's.
#[derive(Clone, Debug)]
pub struct PathRuleLists {
    built_in: &'static BuiltInLists,
    /// The person's word alone.
    allow: PathGlobs,
    parties: [PartyRules; 2],
    /// All paths that a rule closes or asks about: most paths are not in it.
    spoken_of: GlobUnion,
    /// The rules that close an entry which a command makes.
    guarded: GlobUnion,
    /// The paths that are closed for as long as a part holds them.
    held: HeldPaths,
}

/// The ruling on one access to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathRuling {
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

impl PathRuleLists {
    /// Returns the lists of both parties; what is wrong with them goes to `problems`.
    pub(super) fn new(user: &PartyLists<'_>, project: &PartyLists<'_>, problems: &mut Vec<String>) -> Self {
        let none = RuleSettings::default();
        let loose = &project.rules.unwrap_or(&none).allow;
        if !loose.is_empty() {
            problems.push(format!(
                "`rules.allow` of the project's settings is not heard ({}): only the person's own settings can open a path",
                clip_glob(&loose.join(", "))
            ));
        }
        let parties = [(user, ""), (project, " of the project")].map(|(lists, of)| {
            let rules = lists.rules.unwrap_or(&none);
            let mut list = |name: &str, globs: &[String]| {
                PathGlobs::new(&format!("{name}{of}"), globs.iter().map(String::as_str), problems)
            };
            PartyRules {
                deny: list("rules.deny", &rules.deny),
                read_only: list("rules.read_only", &rules.read_only),
                ask: list("rules.ask", &rules.ask),
                unread: lists.unread.clone(),
            }
        });
        let allow = user.rules.unwrap_or(&none).allow.iter().map(String::as_str);
        let allow = PathGlobs::opening_list("rules.allow", allow, problems);
        let built_in = BuiltInLists::shared();
        problems.extend(built_in.problems.iter().cloned());
        let BuiltInLists { ours, version_control, sensitive, runs, asked, .. } = built_in;
        let of_parties = parties.iter().flat_map(|party| [&party.deny, &party.read_only, &party.ask]);
        let spoken_of = GlobUnion::of_lists([ours, version_control, sensitive, runs, asked], of_parties);
        let of_parties = parties.iter().flat_map(|party| [&party.deny, &party.read_only]);
        let guarded = GlobUnion::of_lists([ours, version_control, runs], of_parties);
        Self { built_in, allow, parties, spoken_of, guarded, held: HeldPaths::default() }
    }

    /// The same, and closed what is held.
    pub(super) fn with_held(self, held: HeldPaths) -> Self {
        Self { held, ..self }
    }

    /// Returns the layer of settings whose rules could not be read.
    pub(super) fn unread_party(&self) -> Option<&str> {
        self.parties.iter().find_map(|party| party.unread.as_deref())
    }

    /// Returns the ruling of the built-in rules on one access to a path outside of the workspace.
    pub(super) fn check_builtin(&self, access: PathAccess, path: &WorkspacePath) -> PathRuling {
        let candidates = PathSpellings::of_path(path.as_str());
        let writes = access == PathAccess::Write;
        let lists = [
            (&self.built_in.ours, RuleKind::Private, true),
            (&self.built_in.sensitive, RuleKind::Sensitive, true),
            (&self.built_in.version_control, RuleKind::Versions, writes),
            (&self.built_in.runs, RuleKind::Never, writes),
        ];
        let mut hits = lists.into_iter().filter(|(_, _, holds)| *holds);
        let hit = hits.find_map(|(globs, kind, _)| {
            let glob = globs.first_match(&candidates)?;
            let is_open =
                kind == RuleKind::Sensitive && globs.yields_to(&self.built_in.templates, &candidates);
            (!is_open).then(|| RuleOrigin::BuiltIn(kind).name_with_reason(glob))
        });
        hit.map_or(PathRuling::Allow, |rule| PathRuling::Deny { rule })
    }

    /// Returns the ruling on one access to one path.
    pub fn check_access(&self, access: PathAccess, path: &WorkspacePath) -> PathRuling {
        self.judge_access(access, PathWriter::Tool, path)
    }

    /// Returns the ruling on a path that a confined command writes directly: it may write the files that package
    /// managers install.
    pub(crate) fn check_direct_write(&self, path: &WorkspacePath) -> PathRuling {
        self.judge_access(PathAccess::Write, PathWriter::Command, path)
    }

    /// Returns whether a confined command must not make or change an entry where it writes directly, by the entry's own
    /// name: what lies below a closed folder is closed with that folder.
    pub(crate) fn closes_entry(&self, path: &WorkspacePath) -> bool {
        let alone = PathSpellings::without_folders(path.as_str());
        if !self.guarded.contains_path(&alone) {
            return false;
        }
        let parties = self.parties.iter().flat_map(|party| [&party.deny, &party.read_only]);
        let firm = [&self.built_in.ours, &self.built_in.version_control].into_iter().chain(parties);
        firm.into_iter().any(|globs| globs.first_match(&alone).is_some())
            || self.runs_of(PathWriter::Command, &alone).is_some()
                && self.allow.first_match(&PathSpellings::of_path(path.as_str())).is_none()
    }

    /// Returns the glob of a file that makes programs run, if it closes a path to its writer.
    fn runs_of(&self, writer: PathWriter, path: &PathSpellings) -> Option<&str> {
        match writer {
            PathWriter::Tool => self.built_in.runs.first_match(path),
            PathWriter::Command => path
                .each_alone()
                .filter(|one| {
                    self.guarded.contains_path(one) && self.built_in.installed.first_match(one).is_none()
                })
                .find_map(|one| self.built_in.runs.first_match(&one)),
        }
    }

    fn judge_access(&self, access: PathAccess, writer: PathWriter, path: &WorkspacePath) -> PathRuling {
        let candidates = PathSpellings::of_path(path.as_str());
        if let Some(rule) = self.held.refusing_rule(access, &candidates) {
            return PathRuling::Deny { rule };
        }
        let unread = || {
            let unread = self.parties.iter().find_map(|party| party.unread.as_ref());
            // A change of unknown rules is held for the person instead: that is the review rules' part.
            match unread.filter(|_| access == PathAccess::Read) {
                Some(unread) => {
                    PathRuling::Ask { rule: format!("the rules of {unread}, which cannot be read,") }
                }
                None => PathRuling::Allow,
            }
        };
        if !self.spoken_of.contains_path(&candidates) {
            return unread();
        }
        if let Some(rule) = self.closing_rule(access, writer, &candidates) {
            return PathRuling::Deny { rule };
        }
        if let Some(glob) = self.parties.iter().find_map(|party| party.ask.first_match(&candidates)) {
            return PathRuling::Ask { rule: RuleOrigin::Set("rules.ask").name_with_reason(glob) };
        }
        let asked = self.built_in.asked.first_match(&candidates).filter(|_| access == PathAccess::Write);
        match asked.filter(|_| self.allow.first_match(&candidates).is_none()) {
            Some(glob) => {
                PathRuling::Ask { rule: RuleOrigin::BuiltIn(RuleKind::Asked).name_with_reason(glob) }
            }
            None => unread(),
        }
    }

    /// Returns whether no rule speaks of a path by itself. Where that is so of each folder above it too, each access is
    /// allowed.
    pub fn is_silent_on(&self, path: &WorkspacePath) -> bool {
        let alone = PathSpellings::without_folders(path.as_str());
        let is_held = [PathAccess::Read, PathAccess::Write]
            .iter()
            .any(|access| self.held.refusing_rule(*access, &alone).is_some());
        self.unread_party().is_none() && !is_held && !self.spoken_of.contains_path(&alone)
    }

    /// Returns the warning before a person accepts a change of this file: that it runs programs, and when.
    pub fn change_warning(&self, path: &WorkspacePath) -> Option<&'static str> {
        let glob = self.built_in.warned.first_match(&PathSpellings::without_folders(path.as_str()))?;
        builtin::glob_reason(RuleKind::Warned, glob)
    }

    /// The rule that asks before this path is read, where `opener` has no yes to it.
    pub fn asking_rule(&self, path: &WorkspacePath, opener: &FileOpener) -> Option<String> {
        match self.check_access(PathAccess::Read, path) {
            PathRuling::Ask { rule } if !opener.covers_path(path, &rule) => Some(rule),
            _ => None,
        }
    }

    /// Returns whether nothing closes a path to a confined command's direct writes but the built-in rule for files that
    /// usually hold secrets.
    pub(crate) fn closes_as_secret(&self, path: &WorkspacePath) -> bool {
        let candidates = PathSpellings::of_path(path.as_str());
        let others = [&self.built_in.ours, &self.built_in.version_control];
        let lists = self.parties.iter().flat_map(|party| [&party.deny, &party.read_only]);
        let is_held = self.held.refusing_rule(PathAccess::Write, &candidates).is_some();
        self.built_in.sensitive.first_match(&candidates).is_some()
            && !is_held
            && self.runs_of(PathWriter::Command, &candidates).is_none()
            && lists.chain(others).all(|globs| globs.first_match(&candidates).is_none())
    }

    /// Returns whether any rule asks before a file is read.
    pub fn ask_at_all(&self) -> bool {
        self.parties.iter().any(|party| !party.ask.is_empty() || party.unread.is_some())
    }

    /// The rule that refuses this access.
    fn closing_rule(&self, access: PathAccess, writer: PathWriter, path: &PathSpellings) -> Option<String> {
        let writes = access == PathAccess::Write;
        let [person, project] = &self.parties;
        let lists = [
            (&self.built_in.ours, RuleOrigin::BuiltIn(RuleKind::Private), true, false),
            (&person.deny, RuleOrigin::Set("rules.deny"), true, false),
            (&project.deny, RuleOrigin::Set("rules.deny"), true, false),
            (&self.built_in.sensitive, RuleOrigin::BuiltIn(RuleKind::Sensitive), true, true),
            (&self.built_in.version_control, RuleOrigin::BuiltIn(RuleKind::Versions), writes, false),
            (&person.read_only, RuleOrigin::Set("rules.read_only"), writes, false),
            (&project.read_only, RuleOrigin::Set("rules.read_only"), writes, false),
        ];
        let hits = lists.into_iter().filter(|(_, _, holds, _)| *holds);
        let is_open = || self.allow.first_match(path).is_some();
        let of_list = hits.into_iter().find_map(|(globs, rule, _, can_be_allowed)| {
            let glob = globs.first_match(path)?;
            let is_template = || {
                matches!(rule, RuleOrigin::BuiltIn(RuleKind::Sensitive))
                    && globs.yields_to(&self.built_in.templates, path)
            };
            (!(can_be_allowed && is_open() || is_template())).then(|| rule.name_with_reason(glob))
        });
        let of_runs = || {
            let glob = self.runs_of(writer, path).filter(|_| writes && !is_open())?;
            Some(RuleOrigin::BuiltIn(RuleKind::Never).name_with_reason(glob))
        };
        of_list.or_else(of_runs)
    }

    /// Refuses an access that a rule denies. An access that a person must allow passes: the opener of the file holds a
    /// [`Grant`](super::Grant) by then.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub fn permit_access(&self, access: PathAccess, path: &WorkspacePath) -> Result<(), AccessRefusal> {
        match self.check_access(access, path) {
            PathRuling::Deny { rule } => Err(AccessRefusal::of_access(access, path, rule)),
            PathRuling::Ask { .. } | PathRuling::Allow => Ok(()),
        }
    }

    /// Refuses a path that a confined command may not write directly.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub(crate) fn permit_direct_write(&self, path: &WorkspacePath) -> Result<(), AccessRefusal> {
        match self.check_direct_write(path) {
            PathRuling::Deny { rule } => Err(AccessRefusal::of_access(PathAccess::Write, path, rule)),
            PathRuling::Ask { .. } | PathRuling::Allow => Ok(()),
        }
    }

    /// Refuses an access that a rule denies, or asks about where `opener` has no yes to it.
    ///
    /// # Errors
    /// The rule that refuses it, or that the person was not asked about.
    pub fn open_for(
        &self,
        access: PathAccess,
        path: &WorkspacePath,
        opener: &FileOpener,
    ) -> Result<(), AccessRefusal> {
        match self.check_access(access, path) {
            PathRuling::Allow => Ok(()),
            PathRuling::Ask { rule } if opener.covers_path(path, &rule) => Ok(()),
            PathRuling::Ask { rule } => Err(AccessRefusal::NotAsked { access, path: path.clone(), rule }),
            PathRuling::Deny { rule } => Err(AccessRefusal::of_access(access, path, rule)),
        }
    }
}

/// The party that writes a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathWriter {
    /// A tool, or a hunk that is accepted.
    Tool,
    /// A confined command, where its writes are direct.
    Command,
}

/// The source of a rule.
#[derive(Clone, Copy, Debug)]
enum RuleOrigin {
    /// A key of the settings.
    Set(&'static str),
    /// The table of built-in ones.
    BuiltIn(RuleKind),
}

impl RuleOrigin {
    /// Its name and its glob, and of a built-in one why it is there.
    fn name_with_reason(self, glob: &str) -> String {
        match self {
            Self::Set(name) => format!("{name} `{glob}`"),
            Self::BuiltIn(kind) => {
                let reason = builtin::glob_reason(kind, glob).unwrap_or_default();
                format!("{} `{glob}` ({reason})", kind.rule_name())
            }
        }
    }
}
