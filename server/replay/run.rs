//! Makes the calls of a session again, one after the other, and compares what the two logs say of each.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::caller::{ReplayCaller, decide_as_then};
use super::compare::{ResultDifference, find_differences};
use super::copy::WorkspaceCopy;
use super::recording::{SessionCall, SessionRecording};
use super::rewind::rewind_copy;
use crate::base::ProposalId;
use crate::hub::{Hub, ServedFolder};
use crate::journal::{LogKeeper, LogReader};
use crate::protocol::{Door, Fault, Origin, Policy, RawCall};

/// The outcome of a repeated call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayOutcome {
    /// As it went the first time.
    Same,
    /// Otherwise.
    Differs,
    /// It could not be made again.
    NotRun,
}

/// A call that was made again.
#[derive(Clone, Debug, Serialize)]
pub struct RepeatedCall {
    /// Its id in the log.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The reason that was given for it.
    pub why: String,
    /// The outcome.
    pub outcome: ReplayOutcome,
    /// The differences of its results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<ResultDifference>,
    /// The reason why it was not run, or a further note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The report of a replay.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayReport {
    /// The session.
    pub session: String,
    /// Files that were put back as they were before the session.
    pub rewound: usize,
    /// Its calls, in order.
    pub calls: Vec<RepeatedCall>,
    /// The problems of the log, and the files that could not be put back, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

impl ReplayReport {
    /// Returns the number of calls with that outcome.
    pub fn count_outcome(&self, outcome: ReplayOutcome) -> usize {
        self.calls.iter().filter(|call| call.outcome == outcome).count()
    }
}

/// Makes the calls of a recording again in a copy of the workspace at `root`. `state` is the person's state folder,
/// which has the checkpoints of the session.
///
/// # Errors
/// The error that keeps the copy from being used.
pub async fn replay_calls(
    recording: &SessionRecording,
    copy: &WorkspaceCopy,
    root: &Path,
    state: Option<&Path>,
) -> Result<ReplayReport, Fault> {
    let rewound = rewind_copy(copy.root(), root, state, &recording.session)?;
    let hub = copy.open_hub()?;
    hub.settle_servers().await;
    let folder = hub.folder_at(None)?;
    let mut made = Vec::new();
    for call in &recording.calls {
        made.push(repeat_call(&hub, &folder, call).await);
    }
    let session = folder.session().log().journal()?;
    let log = Path::new(folder.root()).join(crate::base::OWN_DIR).join("sessions").join(session.session());
    hub.close();
    let log = LogReader::open(&log, &LogKeeper::none(None))?;
    let now = SessionRecording::read_log(&log)?;
    let roots = (&*recording.root, folder.root());
    let calls =
        recording.calls.iter().zip(made).map(|(then, made)| compare_call(then, made, &now, roots)).collect();
    let problems = recording.problems.iter().cloned().chain(rewound.left).collect();
    Ok(ReplayReport { session: recording.session.clone(), rewound: rewound.files, calls, problems })
}

/// A call that was made: its id in the log of the replay, and what could not be decided as it was.
type RepeatedResult = Option<(String, Vec<String>)>;

/// Makes one call, and has it decided on as it was; nothing where it cannot be made as it was.
async fn repeat_call(hub: &Hub, folder: &Arc<ServedFolder>, call: &SessionCall) -> RepeatedResult {
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
            ..Origin::from_door(Door::Cli)
        },
        policy,
        root: Some(folder.root().to_owned()),
        ..RawCall::default()
    };
    let caller = Arc::new(ReplayCaller::new(hub, call));
    let envelope = folder.pipeline().call_tool(raw, Some(caller.clone())).await;
    let mut problems = caller.problems();
    let proposal =
        envelope.result.as_ref().and_then(|result| result.get("proposal")?.as_str().map(ProposalId::from));
    if let Some(proposal) = proposal.filter(|_| !call.later_decisions.is_empty()) {
        problems.extend(decide_as_then(hub, &proposal, &call.later_decisions).await);
    }
    Some((envelope.call_id.to_string(), problems))
}

/// Compares the two logs' records of a call.
fn compare_call(
    then: &SessionCall,
    made: RepeatedResult,
    now: &SessionRecording,
    roots: (&str, &str),
) -> RepeatedCall {
    let why = then.args.get("why").and_then(Value::as_str).unwrap_or_default().to_owned();
    let base = RepeatedCall {
        call_id: then.id.clone(),
        tool: then.tool.clone(),
        why,
        outcome: ReplayOutcome::NotRun,
        differences: Vec::new(),
        note: None,
    };
    let not_run = |note: &str| RepeatedCall { note: Some(note.to_owned()), ..base.clone() };
    let Some((id, problems)) = made else { return not_run("a secret was taken out of its arguments") };
    let Some(was) = &then.outcome else { return not_run("the log does not say how it ended") };
    let found = now.calls.iter().find(|call| call.id == id).and_then(|call| call.outcome.as_ref());
    let Some(is) = found else { return not_run("the log of the replay does not say how it ended") };
    let code = |ended: &Value| ended.pointer("/error/code").and_then(Value::as_str).map(str::to_owned);
    if matches!(code(is).as_deref(), Some("PERMISSION_DENIED" | "NOT_AUTHORIZED")) && code(was) != code(is) {
        let said = is.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
        return not_run(&format!("the rules do not let it run unasked: {said}"));
    }
    let differences = find_differences(was, is, roots);
    let outcome = if differences.is_empty() { ReplayOutcome::Same } else { ReplayOutcome::Differs };
    let note = (!problems.is_empty()).then(|| problems.join("; "));
    RepeatedCall { outcome, differences, note, ..base }
}
