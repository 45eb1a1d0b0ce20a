//! Makes the calls of a session again, one after the other, and compares what the two logs say of each.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::caller::{ReplayCaller, decide};
use super::compare::{Difference, differences};
use super::copy::WorkspaceCopy;
use super::recorded::{RecordedCall, Recording};
use super::rewind::rewind;
use crate::base::ProposalId;
use crate::hub::{Folder, Hub};
use crate::journal::{Keeper, Log};
use crate::protocol::{Door, Fault, Origin, Policy, RawCall};

/// How a call went the second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// As it went the first time.
    Same,
    /// Otherwise.
    Differs,
    /// It could not be made again.
    NotRun,
}

/// A call that was made again.
#[derive(Clone, Debug, Serialize)]
pub struct CallAgain {
    /// Its id in the log.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The reason that was given for it.
    pub why: String,
    /// How it went.
    pub outcome: Outcome,
    /// Where its results differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// Why it was not run, or what else is to be known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What came of a replay.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayReport {
    /// The session.
    pub session: String,
    /// Files that were put back as they were before the session.
    pub rewound: usize,
    /// Its calls, in order.
    pub calls: Vec<CallAgain>,
    /// What was wrong with the log, or could not be put back, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

impl ReplayReport {
    /// How many calls went so.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.calls.iter().filter(|call| call.outcome == outcome).count()
    }
}

/// Makes the calls of a recording again in a copy of the workspace at `root`. `state` is the person's state folder, which
/// has what the session changed.
///
/// # Errors
/// What keeps the copy from being worked in.
pub async fn replay(
    recording: &Recording,
    copy: &WorkspaceCopy,
    root: &Path,
    state: Option<&Path>,
) -> Result<ReplayReport, Fault> {
    let rewound = rewind(copy.root(), root, state, &recording.session)?;
    let hub = copy.hub()?;
    hub.settle().await;
    let folder = hub.folder(None)?;
    let mut made = Vec::new();
    for call in &recording.calls {
        made.push(again(&hub, &folder, call).await);
    }
    let session = folder.session().log().journal()?;
    let log = Path::new(folder.root()).join(crate::base::OURS).join("sessions").join(session.session());
    hub.close();
    let log = Log::open(&log, &Keeper::none(None))?;
    let now = Recording::read(&log)?;
    let roots = (&*recording.root, folder.root());
    let calls =
        recording.calls.iter().zip(made).map(|(then, made)| judged(then, made, &now, roots)).collect();
    let problems = recording.problems.iter().cloned().chain(rewound.left).collect();
    Ok(ReplayReport { session: recording.session.clone(), rewound: rewound.files, calls, problems })
}

/// A call that was made: its id in the log of the replay, and what could not be decided as it was.
type Made = Option<(String, Vec<String>)>;

/// Makes one call, and has it decided on as it was; nothing where it cannot be made as it was.
async fn again(hub: &Hub, folder: &Arc<Folder>, call: &RecordedCall) -> Made {
    if call.is_redacted() {
        return None;
    }
    let policy = match call.policy.as_deref() {
        Some("auto") => Some(Policy::Auto),
        Some("deny") => Some(Policy::Deny),
        Some("hold") => Some(Policy::Hold),
        Some(_) => Some(Policy::Ask),
        None => None,
    };
    let raw = RawCall {
        tool: call.tool.clone(),
        arguments: Value::Object(call.args.clone()),
        origin: Origin {
            agent: Some(format!("wherefore-replay/{}", env!("CARGO_PKG_VERSION"))),
            ..Origin::door(Door::Cli)
        },
        policy,
        root: Some(folder.root().to_owned()),
        ..RawCall::default()
    };
    let caller = Arc::new(ReplayCaller::new(hub, call));
    let envelope = folder.pipeline().call(raw, Some(caller.clone())).await;
    let mut problems = caller.problems();
    let proposal =
        envelope.result.as_ref().and_then(|result| result.get("proposal")?.as_str().map(ProposalId::from));
    if let Some(proposal) = proposal.filter(|_| !call.decided_later.is_empty()) {
        problems.extend(decide(hub, &proposal, &call.decided_later).await);
    }
    Some((envelope.call_id.to_string(), problems))
}

/// What the two logs say of a call.
fn judged(then: &RecordedCall, made: Made, now: &Recording, roots: (&str, &str)) -> CallAgain {
    let why = then.args.get("why").and_then(Value::as_str).unwrap_or_default().to_owned();
    let base = CallAgain {
        call_id: then.id.clone(),
        tool: then.tool.clone(),
        why,
        outcome: Outcome::NotRun,
        differences: Vec::new(),
        note: None,
    };
    let not_run = |note: &str| CallAgain { note: Some(note.to_owned()), ..base.clone() };
    let Some((id, problems)) = made else { return not_run("a secret was taken out of its arguments") };
    let Some(was) = &then.ended else { return not_run("the log does not say how it ended") };
    let found = now.calls.iter().find(|call| call.id == id).and_then(|call| call.ended.as_ref());
    let Some(is) = found else { return not_run("the log of the replay does not say how it ended") };
    let code = |ended: &Value| ended.pointer("/error/code").and_then(Value::as_str).map(str::to_owned);
    if matches!(code(is).as_deref(), Some("PERMISSION_DENIED" | "NOT_AUTHORIZED")) && code(was) != code(is) {
        let said = is.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
        return not_run(&format!("the rules do not let it run unasked: {said}"));
    }
    let differences = differences(was, is, roots);
    let outcome = if differences.is_empty() { Outcome::Same } else { Outcome::Differs };
    let note = (!problems.is_empty()).then(|| problems.join("; "));
    CallAgain { outcome, differences, note, ..base }
}
