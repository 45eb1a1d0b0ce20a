//! The working set and the hints on it: the files that matter now, how much, and by whose advice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The advice of a hint on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// It matters now.
    Hot,
    /// It does not matter now.
    Cold,
}

/// A person's action on a file of the working set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HintAct {
    /// Marks it as relevant now.
    Hot,
    /// Marks it as not relevant.
    Cold,
    /// Keeps it in the set until it is unpinned.
    Pin,
    /// Pins it no longer.
    Unpin,
    /// Takes every hint on it back.
    Clear,
}

/// The outcome of a hint.
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

/// The effect of a hint, or of the server's cleanup, on a file of the working set.
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

/// A hint with its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HintOutcome {
    /// The file, relative to the root.
    pub path: String,
    /// The advice: `hot`, `cold`, `pin`, `unpin`, `clear`; `drop` if the set was cleaned up.
    #[schemars(with = "String")]
    pub advice: HintKind,
    /// The outcome of the hint.
    pub outcome: Outcome,
    /// The reason, as a sentence.
    pub reason: String,
}

/// The role of a file in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Code.
    Source,
    /// Code that checks other code.
    Test,
    /// Prose for people.
    Doc,
    /// Material for reference: data, settings, generated and vendored text.
    Reference,
    /// A shortened substitute for other files.
    Summary,
}

impl Role {
    /// Every role, in the order of their default priority.
    pub const ALL: [Self; 5] = [Self::Summary, Self::Source, Self::Test, Self::Doc, Self::Reference];

    /// The word used in files, answers and the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Test => "test",
            Self::Doc => "doc",
            Self::Reference => "reference",
            Self::Summary => "summary",
        }
    }
}

/// The part of a file that is cut if it does not fit.
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
    pub fn as_str(self) -> &'static str {
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
    /// The importance of the file, from 0 to 1.
    pub hotness: f64,
    /// The reasons why it matters, a phrase each, the weightiest first.
    pub reasons: Vec<String>,
    /// True if it is pinned to the set.
    pub pinned: bool,
    /// The hint on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// The role of the file.
    pub role: Role,
    /// Its place in a context, 1 first; by its hotness when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u32>,
    /// The part of it that is cut if it does not fit into a context.
    pub truncate_strategy: Truncate,
    /// True if the editor has it open.
    pub open: bool,
    /// True if it is open with unsaved text.
    pub unsaved: bool,
    /// Hunks in it that wait for a decision.
    pub pending_hunks: u32,
    /// About how many tokens it holds: a quarter of its characters. Absent if there is no such file.
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
    /// Problems of `hot.yml`, `cold.yml` and `working-set.yml`, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Params of `wherefore/hint`: a person's advice on one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HintParams {
    /// The file, relative to the root or absolute.
    pub path: String,
    /// The action.
    pub advice: HintAct,
    /// The reason, for readers of the working set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/collect`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollectAnswer {
    /// The files that left, and why.
    pub dropped: Vec<HintOutcome>,
}
