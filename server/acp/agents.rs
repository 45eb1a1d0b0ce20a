//! What is known of agents by name: how they write, and where they show their model what they are told.
//!
//! Seen with gemini-cli 0.61, qwen-code 0.24, OpenCode 1.18, claude-agent-acp 0.101 and codex-acp 2.6. An agent that is not known is
//! taken to write by itself as soon as it is allowed to, and to check nothing.

use serde_json::Value;

/// How an agent goes about an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manners {
    /// What the answer to a permission is where all of a change is in place already.
    pub(super) in_place: InPlace,
    /// How the agent is told what became of a change that it asked permission for.
    pub(super) telling: Telling,
    /// Whether it shows its model the words of an error that its write is answered.
    pub(super) shows_errors: bool,
    /// Whether it takes any error of a read for a failure, so that a file that is not there has to read as empty.
    pub(super) reads_missing_as_empty: bool,
    /// The id of the mode in which it asks permission for every edit, where it has others that do not.
    pub(super) asks_in: Option<&'static str>,
}

/// What a permission is answered where all of its change was accepted, and written by us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InPlace {
    /// Nothing is decided at the permission: the agent writes through the editor, and the change is decided there.
    DecidedAtWrite,
    /// Yes: the agent writes the whole text that stands there already.
    Allowed,
    /// Yes: the agent reads the text once more, changes it, and writes it through the editor.
    ReadAgain,
    /// No, with words: the agent would make its change once more, on top.
    Told,
}

/// How words reach the model with a permission that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Telling {
    /// The agent shows its model the id of an option that it does not know, in the tool's result.
    ByOption,
    /// Nowhere: they follow as soon as its turn ends, as a turn of their own.
    ByTurn,
}

impl Manners {
    /// Those of the agent that calls itself so.
    pub(super) fn of(name: &str) -> Self {
        let unknown = Self {
            in_place: InPlace::Told,
            telling: Telling::ByTurn,
            shows_errors: true,
            reads_missing_as_empty: false,
            asks_in: None,
        };
        match name {
            "gemini-cli" => Self {
                in_place: InPlace::ReadAgain,
                telling: Telling::ByOption,
                shows_errors: false,
                reads_missing_as_empty: true,
                ..unknown
            },
            "qwen-code" => Self { in_place: InPlace::DecidedAtWrite, ..unknown },
            "OpenCode" => Self { in_place: InPlace::Allowed, ..unknown },
            "@agentclientprotocol/claude-agent-acp" => {
                Self { telling: Telling::ByOption, asks_in: Some("default"), ..unknown }
            }
            "@agentclientprotocol/codex-acp" => Self { asks_in: Some("read-only"), ..unknown },
            _ => unknown,
        }
    }
}

/// The name and the version that an agent gave in its answer to `initialize`.
pub(super) fn named(initialized: &Value) -> Option<(String, Option<String>)> {
    let info = initialized.get("agentInfo")?;
    let name = info.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())?;
    Some((name.to_owned(), info.get("version").and_then(Value::as_str).map(str::to_owned)))
}
