//! The result of an applied diff: the text after it, and the placement of each hunk.

use serde::Serialize;

use super::HunkReading;

/// The strictness at which a hunk's lines were found, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchLevel {
    /// Every line is in the file as stated; only line ends may differ.
    Exact,
    /// Lines match when spaces and tabs at their ends are left out.
    TrailingSpace,
    /// In addition, letters are compared in composed form, and typographic quotes and dashes as plain ones.
    Unicode,
    /// In addition, no space counts: added lines take the file's indentation.
    Whitespace,
    /// Context lines were matched one by one: some are left out, mistyped, changed or wrapped otherwise.
    Aligned,
    /// Lines are others than the hunk states, and its changes were merged with them word by word.
    Merged,
}

impl MatchLevel {
    /// The confidence of a match at this level, at best, from 0 to 1.
    pub(super) fn score(self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::TrailingSpace => 0.95,
            Self::Unicode => 0.92,
            Self::Whitespace | Self::Aligned | Self::Merged => 0.9,
        }
    }
}

/// The placement of one hunk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HunkReport {
    /// The number of the hunk in the diff, counted from 1.
    pub hunk: usize,
    /// The strictness of the match.
    pub level: MatchLevel,
    /// The line of the text before the change where it landed, counted from 1.
    pub line: usize,
    /// The distance in lines below the header's line; none if the header states none.
    pub offset: Option<i64>,
    /// The quality of the match, from 0 to 1.
    pub score: f64,
    /// The number of other places where it would have fitted; none are looked for if its header is right.
    pub rivals: usize,
    /// The corrections that were applied to read it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<HunkReading>,
}

impl HunkReport {
    /// The reason for a person to look twice, if the match was looser than exact or had rivals.
    pub fn loose_reason(&self) -> Option<String> {
        let level = match self.level {
            MatchLevel::Exact => None,
            MatchLevel::TrailingSpace => Some("space at line ends differs".to_owned()),
            MatchLevel::Unicode => Some("typographic signs differ".to_owned()),
            MatchLevel::Whitespace => Some("space within lines differs".to_owned()),
            MatchLevel::Aligned => {
                Some(format!("context differs, {:.0} % of it matches", 100.0 * self.score))
            }
            MatchLevel::Merged => {
                Some(format!("merged word by word, {:.0} % of its words match", 100.0 * self.score))
            }
        };
        let readings = self.readings.iter().map(|reading| reading.description().to_owned());
        // If the header's line is right, other places are no rivals.
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
pub struct AppliedDiff {
    /// The text after it; `None` if the diff deletes the file.
    pub after: Option<String>,
    /// The effect on the file: changed, made or deleted.
    pub kind: AppliedKind,
    /// The placement of each hunk, in the diff's order.
    pub hunks: Vec<HunkReport>,
    /// The other files that the diff names; their sections were not used.
    pub others: Vec<String>,
    /// Statements of the diff that a text cannot carry, such as a file mode.
    pub notes: Vec<String>,
    /// True if the file already is as the diff would leave it: nothing changes.
    pub unchanged: bool,
}
