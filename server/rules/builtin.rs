//! The paths that rules speak of without anybody saying so: a table of globs, kinds and reasons.

use std::sync::LazyLock;

/// What holds for the paths of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleKind {
    /// Ours: neither read nor written, whatever the settings say.
    Private,
    /// Version control's state: never written, whatever the settings say.
    Versions,
    /// Secrets: neither read nor written.
    Sensitive,
    /// It makes a program run, or grants something, by being there: read, never written.
    Never,
    /// It steers agents, or runs with a project's rights: a person says yes before it is written.
    Asked,
    /// It runs programs when somebody builds or installs: its hunks carry a warning.
    Warned,
}

impl RuleKind {
    /// Every kind, the strictest first.
    pub(crate) const ALL: [Self; 6] =
        [Self::Private, Self::Sensitive, Self::Versions, Self::Never, Self::Asked, Self::Warned];

    /// What a rule of this kind is called in faults, questions and the log.
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Self::Private => "private-path",
            Self::Versions => "version-control",
            Self::Sensitive => "sensitive-path",
            Self::Never => "runs-programs",
            Self::Asked => "asked-first",
            Self::Warned => "runs-when-built",
        }
    }

    /// What holds for its paths, for a person.
    pub(crate) fn holds(self) -> &'static str {
        match self {
            Self::Private => "neither read nor written, whatever the settings say",
            Self::Versions => "never written, whatever the settings say",
            Self::Sensitive => "neither read nor written, unless your `rules.allow` opens a path",
            Self::Never => "never written, unless your `rules.allow` opens a path",
            Self::Asked => "written once you say yes, or where your `rules.allow` opens a path",
            Self::Warned => "written as other files are, with a warning at each hunk",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "private" => Self::Private,
            "versions" => Self::Versions,
            "sensitive" => Self::Sensitive,
            "never" => Self::Never,
            "asked" => Self::Asked,
            "warned" => Self::Warned,
            _ => return None,
        })
    }
}

/// One glob of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BuiltinGlob {
    /// Which paths; it stands at any depth.
    pub glob: &'static str,
    /// What holds for them.
    pub kind: RuleKind,
    /// Why, in words that follow a colon.
    pub reason: &'static str,
}

/// The table, in the order of its file.
pub(crate) fn table() -> &'static [BuiltinGlob] {
    static TABLE: LazyLock<Vec<BuiltinGlob>> = LazyLock::new(|| read(include_str!("builtin.txt")));
    &TABLE
}

/// The globs of one kind.
pub(super) fn globs(kind: RuleKind) -> Vec<&'static str> {
    table().iter().filter(|entry| entry.kind == kind).map(|entry| entry.glob).collect()
}

/// Why a glob stands in the table.
pub(super) fn reason(kind: RuleKind, glob: &str) -> Option<&'static str> {
    table().iter().find(|entry| entry.kind == kind && entry.glob == glob).map(|entry| entry.reason)
}

fn read(text: &'static str) -> Vec<BuiltinGlob> {
    let mut entries = Vec::new();
    let mut heading = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let named = line.split_once(": ").and_then(|(word, reason)| Some((RuleKind::of(word)?, reason)));
        if named.is_some() {
            heading = named;
        } else if let Some((kind, reason)) = heading {
            entries.extend(line.split_whitespace().map(|glob| BuiltinGlob { glob, kind, reason }));
        }
    }
    entries
}
