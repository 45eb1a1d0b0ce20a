//! The working set and the hints on it: which files matter now, how much, and who said so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a hint says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// It matters now.
    Hot,
    /// It does not.
    Cold,
}

/// What a person does with a file of the working set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HintAct {
    /// Says that it matters now.
    Hot,
    /// Says that it does not.
    Cold,
    /// Keeps it in the set until it is unpinned.
    Pin,
    /// Pins it no longer.
    Unpin,
    /// Takes every hint on it back.
    Clear,
}

/// What became of a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It counts from now on.
    Honoured,
    /// It does not count yet.
    Deferred,
    /// It does not count: something weighs more.
    Overridden,
    /// It was turned around: the file is hot.
    Promoted,
    /// The file left the working set.
    Dropped,
}

/// What a hint, or the server that cleaned up, did to a file of the working set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HintKind {
    /// It was called hot.
    Hot,
    /// It was called cold.
    Cold,
    /// It was pinned.
    Pin,
    /// It was unpinned.
    Unpin,
    /// Every hint on it was taken back.
    Clear,
    /// It left the set.
    Drop,
}

impl From<Advice> for HintKind {
    fn from(advice: Advice) -> Self {
        match advice {
            Advice::Hot => Self::Hot,
            Advice::Cold => Self::Cold,
        }
    }
}

impl From<HintAct> for HintKind {
    fn from(act: HintAct) -> Self {
        match act {
            HintAct::Hot => Self::Hot,
            HintAct::Cold => Self::Cold,
            HintAct::Pin => Self::Pin,
            HintAct::Unpin => Self::Unpin,
            HintAct::Clear => Self::Clear,
        }
    }
}

/// One hint with what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HintOutcome {
    /// The file, relative to the root.
    pub path: String,
    /// What was advised: `hot`, `cold`, `pin`, `unpin`, `clear`; `drop` where the set was cleaned up.
    #[schemars(with = "String")]
    pub advice: HintKind,
    /// What became of it.
    pub outcome: Outcome,
    /// Why, as a sentence.
    pub reason: String,
}

/// What a file is in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Code.
    Source,
    /// Code that checks other code.
    Test,
    /// Prose for people.
    Doc,
    /// What is looked things up in: data, settings, generated and vendored text.
    Reference,
    /// What stands for other files, shortened.
    Summary,
}

impl Role {
    /// Every role, in the order of their default priority.
    pub const ALL: [Self; 5] = [Self::Summary, Self::Source, Self::Test, Self::Doc, Self::Reference];

    /// The word used in files, answers and the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Test => "test",
            Self::Doc => "doc",
            Self::Reference => "reference",
            Self::Summary => "summary",
        }
    }
}

/// Which part of a file is cut where it does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Truncate {
    /// None: it is left out whole.
    Never,
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

impl Truncate {
    /// Every strategy.
    pub const ALL: [Self; 4] = [Self::Never, Self::Start, Self::Middle, Self::End];

    /// The word used in files, answers and the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A file that matters now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkingFile {
    /// Its path, relative to the root.
    pub path: String,
    /// How much it matters, from 0 to 1.
    pub hotness: f64,
    /// Why it matters, a phrase each, the weightiest first.
    pub reasons: Vec<String>,
    /// Whether it stays in the set whatever happens.
    pub pinned: bool,
    /// The hint that stands on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// What it is.
    pub role: Role,
    /// Its place in a context, 1 first; by its hotness when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u32>,
    /// Which part of it is cut where it does not fit into a context.
    pub truncate_strategy: Truncate,
    /// Whether the editor has it open.
    pub open: bool,
    /// Whether it is open with text that is not saved.
    pub unsaved: bool,
    /// Hunks in it that wait for a decision.
    pub pending_hunks: u32,
    /// About how many tokens it holds: a quarter of its characters. Absent where there is no such file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// Answer of `wherefore/workingSet`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkingSetAnswer {
    /// The files that matter now, the hottest first.
    pub files: Vec<WorkingFile>,
    /// Tokens that a context of it may hold.
    pub budget: u64,
    /// About how many tokens its files hold together: a quarter of their characters.
    pub tokens: u64,
    /// What is wrong with `hot.yml`, `cold.yml` and `working-set.yml`, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Params of `wherefore/hint`: a person's word on one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HintParams {
    /// The file, relative to the root or absolute.
    pub path: String,
    /// What is done with it.
    pub advice: HintAct,
    /// Why, for whoever reads the working set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The workspace folder meant, where a server has several: an absolute path inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/collect`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollectAnswer {
    /// The files that left, and why.
    pub dropped: Vec<HintOutcome>,
}
