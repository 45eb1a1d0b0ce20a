//! What an applied diff came to: the text after it, and how each hunk was placed.

use serde::Serialize;

use super::Reading;

/// How closely a hunk's lines had to be read to be found, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Every line stands in the file as stated; only line ends may differ.
    Exact,
    /// Lines match when spaces and tabs at their ends are left out.
    TrailingSpace,
    /// And when letters are composed the same way and typographic quotes and dashes are plain.
    Unicode,
    /// And when no space counts: added lines take the file's indentation.
    Whitespace,
    /// Context lines were matched one by one: some are left out, mistyped, changed or wrapped otherwise.
    Aligned,
}

impl Level {
    /// How sure a match at this level is at best, from 0 to 1.
    pub(super) fn score(self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::TrailingSpace => 0.95,
            Self::Unicode => 0.92,
            Self::Whitespace | Self::Aligned => 0.9,
        }
    }
}

/// How one hunk was placed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HunkReport {
    /// Which hunk of the diff, counted from 1.
    pub hunk: usize,
    /// How closely it matched.
    pub level: Level,
    /// The line of the text before the change where it landed, counted from 1.
    pub line: usize,
    /// How many lines further down than its header said; none where the header said nothing.
    pub offset: Option<i64>,
    /// How well it matched, from 0 to 1.
    pub score: f64,
    /// In how many other places it would have fitted; none are looked for where its header is right.
    pub rivals: usize,
    /// What was undone to read it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Reading>,
}

impl HunkReport {
    /// Why a person should look twice, where the match was looser than exact or had rivals.
    pub fn loose(&self) -> Option<String> {
        let level = match self.level {
            Level::Exact => None,
            Level::TrailingSpace => Some("space at line ends differs".to_owned()),
            Level::Unicode => Some("typographic signs differ".to_owned()),
            Level::Whitespace => Some("space within lines differs".to_owned()),
            Level::Aligned => Some(format!("context differs, {:.0} % of it matches", 100.0 * self.score)),
        };
        let readings = self.readings.iter().map(|reading| reading.told().to_owned());
        // Where the header's line is right, other places are no rivals.
        let rivals = match (self.offset, self.rivals) {
            (Some(0), _) | (_, 0) => None,
            (_, 1) => Some("fits in another place too".to_owned()),
            (_, rivals) => Some(format!("fits in {rivals} other places too")),
        };
        let said: Vec<String> = level.into_iter().chain(readings).chain(rivals).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }
}

/// The effect of an applied diff on its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AppliedKind {
    /// The text of an existing file changes.
    Edit,
    /// The file is new.
    Create,
    /// The file is removed.
    Delete,
}

/// A diff that was applied.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Applied {
    /// The text after it; none where the diff deletes the file.
    pub after: Option<String>,
    /// Whether the file is changed, made or deleted.
    pub kind: AppliedKind,
    /// How each hunk was placed, in the diff's order.
    pub hunks: Vec<HunkReport>,
    /// The other files that the diff names; their sections were not used.
    pub others: Vec<String>,
    /// What the diff states that a text cannot carry, such as a file mode.
    pub notes: Vec<String>,
    /// Set where the file already stands as the diff would leave it: nothing changes.
    pub unchanged: bool,
}
