//! The data that is kept of an event of the log until a span is made of it: the few fields that are sent.

use serde_json::{Map, Value};

/// Characters of a reason, a name or a path.
const LONGEST: usize = 1000;

/// The texts that the person allows to be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct WantedTexts {
    /// Reasons.
    pub whys: bool,
    /// Paths of files.
    pub paths: bool,
}

/// The fields of one event that a span needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EventFields {
    /// When, in nanoseconds since 1970.
    pub at: u64,
    pub kind: String,
    pub call: String,
    pub tool: String,
    pub door: String,
    pub agent: String,
    pub agent_session: String,
    pub own_tool: String,
    pub why: String,
    pub path: String,
    /// The status of a result, or of a proposal after a decision.
    pub status: String,
    pub policy: String,
    pub proposal: String,
    pub by: String,
    pub code: String,
    pub exit_code: Option<i64>,
    /// `latent` if no code ran.
    pub activity: String,
    pub duration_ms: f64,
    pub hunks: Vec<HunkFields>,
}

/// The decision on a hunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct HunkFields {
    pub id: String,
    pub state: String,
    pub path: String,
    pub reason: String,
}

impl EventFields {
    /// Returns whether events of this type matter for a span.
    pub(super) fn is_of(kind: &str) -> bool {
        matches!(kind, "tool_call" | "tool_result" | "tool_error" | "proposal" | "decision" | "undo")
    }

    /// Takes the needed parts of an event's fields, in the form of the log.
    pub(super) fn from_event(kind: String, body: &Map<String, Value>, at: u64, wanted: WantedTexts) -> Self {
        let WantedTexts { whys, paths } = wanted;
        let part = |key: &str| bounded_text(body.get(key));
        let mut heard = Self { at, call: part("call_id"), tool: part("tool"), ..Self::default() };
        heard.duration_ms = body.get("duration_ms").and_then(Value::as_f64).unwrap_or_default();
        match kind.as_str() {
            "tool_call" => {
                let origin = |key: &str| bounded_text(body.get("origin").and_then(|origin| origin.get(key)));
                (heard.door, heard.agent, heard.agent_session) =
                    (origin("door"), origin("agent"), origin("session"));
                heard.own_tool = origin("tool");
                let arg = |key: &str, wanted: bool| {
                    if wanted {
                        bounded_text(body.get("args").and_then(|args| args.get(key)))
                    } else {
                        String::new()
                    }
                };
                (heard.why, heard.path) = (arg("why", whys), arg("path", paths));
            }
            "tool_result" => {
                (heard.status, heard.activity) = (part("status"), part("activity"));
                // A result that a caller filled by itself has no exit code of a process.
                let result = body.get("result").filter(|_| heard.activity.is_empty());
                heard.exit_code = result.and_then(|result| result.get("exit_code")?.as_i64());
            }
            "tool_error" => heard.code = bounded_text(body.get("error").and_then(|error| error.get("code"))),
            "proposal" => (heard.proposal, heard.policy) = (part("proposal"), part("policy")),
            "decision" => {
                (heard.proposal, heard.by, heard.status) = (part("proposal"), part("by"), part("status"));
                let hunks = body.get("hunks").and_then(Value::as_array);
                heard.hunks = hunks
                    .into_iter()
                    .flatten()
                    .map(|hunk| HunkFields::from_hunk(hunk, whys, paths))
                    .collect();
            }
            _ => {}
        }
        heard.kind = kind;
        heard
    }
}

impl HunkFields {
    fn from_hunk(hunk: &Value, whys: bool, paths: bool) -> Self {
        let part = |key: &str, wanted: bool| if wanted { bounded_text(hunk.get(key)) } else { String::new() };
        Self {
            id: part("id", true),
            state: part("state", true),
            path: part("path", paths),
            reason: part("reason", whys),
        }
    }
}

/// A text, or the beginning of one that the log stores elsewhere, bounded.
fn bounded_text(value: Option<&Value>) -> String {
    let text =
        value.and_then(|value| value.as_str().or_else(|| value.get("head")?.as_str())).unwrap_or_default();
    match text.len() > LONGEST {
        true => text.chars().take(LONGEST).collect(),
        false => text.to_owned(),
    }
}
