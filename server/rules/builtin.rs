//! The paths that rules speak of without anybody saying so: a table of globs, kinds and reasons. The files of agents that
//! have a profile come from it.

use std::sync::LazyLock;

use crate::agents;

/// The kind of a built-in rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleKind {
    /// Ours: neither read nor written, whatever the settings say.
    Private,
    /// Version control's state: never written, whatever the settings say.
    Versions,
    /// Secrets: neither read nor written.
    Sensitive,
    /// An example of a file that holds secrets: as any other file, though the globs of [`RuleKind::Sensitive`] speak of
    /// its name.
    Template,
    /// It makes a program run, or grants something, by being there: read, never written.
    Never,
    /// A package manager puts there what `Never` closes: a confined command writes it, no tool does.
    Installed,
    /// It steers agents, or runs with a project's rights: a person has to agree before it is written.
    Asked,
    /// It runs programs when somebody builds or installs: its hunks carry a warning.
    Warned,
}

impl RuleKind {
    /// Every kind, the strictest first.
    pub(crate) const ALL: [Self; 8] = [
        Self::Private,
        Self::Sensitive,
        Self::Template,
        Self::Versions,
        Self::Never,
        Self::Installed,
        Self::Asked,
        Self::Warned,
    ];

    /// Returns the name of a rule of this kind in faults, questions and the log.
    pub(crate) fn rule_name(self) -> &'static str {
        match self {
            Self::Private => "private-path",
            Self::Versions => "version-control",
            Self::Sensitive => "sensitive-path",
            Self::Template => "template",
            Self::Never => "runs-programs",
            Self::Installed => "installed",
            Self::Asked => "asked-first",
            Self::Warned => "runs-when-built",
        }
    }

    /// Describes the effect of the rule on its paths, for a person.
    pub(crate) fn describe_effect(self) -> &'static str {
        match self {
            Self::Private => "neither read nor written, whatever the settings say",
            Self::Template => {
                "read and written as other files are, though `sensitive-path` speaks of the name"
            }
            Self::Versions => "never written, whatever the settings say",
            Self::Sensitive => "neither read nor written, unless your `rules.allow` opens a path",
            Self::Never => "never written, unless your `rules.allow` opens a path",
            Self::Installed => {
                "left where a confined command writes directly, though `runs-programs` closes it to tools"
            }
            Self::Asked => "written once you say yes, or where your `rules.allow` opens a path",
            Self::Warned => "written as other files are, with a warning at each hunk",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "private" => Self::Private,
            "versions" => Self::Versions,
            "sensitive" => Self::Sensitive,
            "template" => Self::Template,
            "never" => Self::Never,
            "installed" => Self::Installed,
            "asked" => Self::Asked,
            "warned" => Self::Warned,
            _ => return None,
        })
    }
}

/// A glob of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BuiltinGlob {
    /// The glob of the paths; it matches at any depth.
    pub glob: &'static str,
    /// The kind of the rule for them.
    pub kind: RuleKind,
    /// Why, in words that follow a colon.
    pub reason: &'static str,
}

/// The table: the globs of its file in their order, then those of the known agents.
pub(crate) fn builtin_table() -> &'static [BuiltinGlob] {
    static TABLE: LazyLock<Vec<BuiltinGlob>> = LazyLock::new(|| {
        let mut table = parse_table(include_str!("builtin.txt"));
        for agent in agents::ALL {
            let files = &agent.own_files;
            table.extend(files.programs.iter().map(|glob| BuiltinGlob {
                glob,
                kind: RuleKind::Never,
                reason: "agents take programs to run, and what they may do unasked, from it",
            }));
            table.extend(files.instructions.iter().map(|glob| BuiltinGlob {
                glob,
                kind: RuleKind::Asked,
                reason: "coding agents follow what it says",
            }));
        }
        table
    });
    &TABLE
}

/// The globs of one kind.
pub(super) fn globs_of_kind(kind: RuleKind) -> Vec<&'static str> {
    builtin_table().iter().filter(|entry| entry.kind == kind).map(|entry| entry.glob).collect()
}

/// Returns the reason of a glob in the table.
pub(super) fn glob_reason(kind: RuleKind, glob: &str) -> Option<&'static str> {
    builtin_table().iter().find(|entry| entry.kind == kind && entry.glob == glob).map(|entry| entry.reason)
}

fn parse_table(text: &'static str) -> Vec<BuiltinGlob> {
    let mut entries = Vec::new();
    let mut heading = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let named =
            line.split_once(": ").and_then(|(word, reason)| Some((RuleKind::from_word(word)?, reason)));
        if named.is_some() {
            heading = named;
        } else if let Some((kind, reason)) = heading {
            entries.extend(line.split_whitespace().map(|glob| BuiltinGlob { glob, kind, reason }));
        }
    }
    entries
}
