//! The rules judge what a call will touch; what they ask goes to a person.
//!
//! # Invariants
//!
//! - No call runs that the rules did not judge, and no module but `pipeline/permit.rs` asks them to.
//!   Test: `calls_are_permitted_in_one_file`
//! - No command runs unconfined, and no host is reached, without a yes or a consent. Nor does a command of
//!   `terminal.run` or of a definition run without a yes where its changes cannot be kept apart, unless the settings say that
//!   they are reviewed afterwards.
//!   Test: `where_changes_cannot_be_kept_apart_each_command_asks`, `a_person_is_asked_before_a_command_runs`,
//!   `no_command_runs_where_nobody_is_there_to_ask`

use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::approvals::SessionApprovals;
use super::client_question::ask_client;
use super::lasting_permission::{keep_permission, offered_consent, word_for_always};
use crate::base::WorkspacePath;
use crate::base::hidden::{escape_lines, escape_to_line};
use crate::ports::HostGate;
use crate::proposals::person_message;
use crate::protocol::{
    AskParams, ChangeKind, Code, Event, Fault, NetworkTarget, PathAccess, PathContent, Unanswered,
};
use crate::registry::{
    ActivityConsent, CallDraft, ChangeContent, CheckedCall, PermittedCall, find_made_repository,
};
use crate::rules::{Allowable, Grant, LastingPermission, PathTouch, RuleQuestion, RuleVerdict, Touch};
use crate::session::{CallScope, WorkspaceSession};

const ALLOW: &str = "Allow";
const SESSION: &str = "Allow for this session";
const DENY: &str = "Deny";

/// Permits a call, or returns why not.
///
/// # Errors
/// PERMISSION_DENIED where a path leaves the workspace, a rule or a person refuses, or there is no one to ask;
/// CANCELLED where it is cancelled before they answer; and the reason why its tool cannot run here at all, before the
/// person is asked.
pub(super) async fn permit_call(
    session: &WorkspaceSession,
    scope: &CallScope,
    call: CheckedCall,
    approvals: &SessionApprovals,
) -> Result<PermittedCall, Fault> {
    call.ensure_ready()?;
    let call = call.settle_unlayered(scope.settings().sandbox.without_overlay)?;
    let look = |access, asked: &str| path_touch(scope, access, scope.parse_path(asked)?);
    let known = approvals.grant_for(&call);
    let verdict = scope.files().paths().rules().judge_call(call, look, known.as_deref())?;
    match verdict {
        RuleVerdict::Ask(ask) if is_allowed_at_caller(scope, &ask) => {
            let (call_id, rule) = (ask.subject().id().clone(), ask.rule.clone());
            session.log().write_event(Event::UserApproval {
                call_id,
                rule,
                granted: true,
                unanswered: None,
                by_client: false,
            })?;
            Ok(ask.take_yes())
        }
        verdict => settle_verdict(session, scope, verdict, approvals).await,
    }
}

/// The scope in which a call that reaches the network can come to further hosts; any other call keeps its own.
pub(super) fn with_further_hosts(
    session: &Arc<WorkspaceSession>,
    scope: CallScope,
    permitted: &PermittedCall,
    approvals: &Arc<SessionApprovals>,
) -> CallScope {
    if permitted.call().effects().network.is_empty() {
        return scope;
    }
    scope.with_hosts(Arc::new(FurtherHosts {
        session: session.clone(),
        scope: scope.clone(),
        call: permitted.call().clone(),
        grant: Mutex::new(permitted.grant().clone()),
        approvals: approvals.clone(),
    }))
}

/// Judges the hosts that a running call comes to. The question holds the call's slot.
#[derive(Debug)]
struct FurtherHosts {
    session: Arc<WorkspaceSession>,
    scope: CallScope,
    call: CheckedCall,
    /// The grant of the call, with the hosts that were allowed since it began.
    grant: Mutex<Arc<Grant>>,
    approvals: Arc<SessionApprovals>,
}

impl HostGate for FurtherHosts {
    fn reach<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async move {
            let granted = self.grant.lock().clone();
            if has_host_grant(&granted, host) {
                return Ok(());
            }
            let before = match self.approvals.hosts_of(&self.call) {
                Some(hosts) => Arc::new(hosts.join_later(Grant::clone(&granted))),
                None => granted,
            };
            let verdict = self.scope.files().paths().rules().judge_host(self.call.clone(), host, &before);
            let permitted = settle_verdict(&self.session, &self.scope, verdict, &self.approvals).await?;
            let mut grant = self.grant.lock();
            *grant = Arc::new(grant.join_later(Grant::clone(permitted.grant())));
            Ok(())
        })
    }
}

/// Returns whether a grant was for this very host, or for any.
fn has_host_grant(grant: &Grant, host: &str) -> bool {
    grant.touches().iter().any(|touch| match touch {
        Touch::Network { reached: NetworkTarget::Host(declared), .. } => declared == host,
        Touch::Network { reached: NetworkTarget::Any, .. } => true,
        Touch::Path(_) | Touch::Command { .. } | Touch::Processes => false,
    })
}

/// Judges a permitted call once more where the rules changed while it waited. Returns the scope in which it runs.
///
/// # Errors
/// As [`permit_call`].
pub(super) async fn renew_permit(
    session: &WorkspaceSession,
    mut scope: CallScope,
    mut permitted: PermittedCall,
    approvals: &SessionApprovals,
) -> Result<(CallScope, PermittedCall), Fault> {
    while let Some(renewed) = scope.with_current_rules() {
        let look = |access, asked: &str| path_touch(&renewed, access, renewed.parse_path(asked)?);
        let before = permitted.grant().clone();
        let call = permitted.into_subject().settle_unlayered(renewed.settings().sandbox.without_overlay)?;
        let verdict = renewed.files().paths().rules().judge_call(call, look, Some(&before))?;
        permitted = settle_verdict(session, &renewed, verdict, approvals).await?;
        scope = renewed;
    }
    Ok((scope.with_grant(permitted.grant()), permitted))
}

/// Judges the changes of a draft, which may be more than its call declared, such as the contents of a folder that is
/// copied. Returns the paths that the draft writes.
///
/// # Errors
/// As [`permit_call`].
pub(super) async fn permit_draft(
    session: &WorkspaceSession,
    scope: &CallScope,
    permitted: PermittedCall,
    draft: &CallDraft,
    approvals: &SessionApprovals,
) -> Result<(PermittedCall, Vec<WorkspacePath>), Fault> {
    let mut touches = Vec::new();
    let mut writes = Vec::new();
    for change in &draft.changes {
        let of_entry = matches!(change.kind, ChangeKind::Rename | ChangeKind::Symlink);
        let look = if of_entry { entry_touch } else { path_touch };
        touches.push(look(scope, PathAccess::Write, change.path.clone())?);
        writes.push(change.path.clone());
        if let Some(from) = &change.from {
            touches.push(look(scope, PathAccess::Read, from.clone())?);
        }
        match (&change.from, &change.after) {
            (Some(from), _) if change.kind == ChangeKind::Rename => {
                touches.push(entry_touch(scope, PathAccess::Write, from.clone())?);
                writes.push(from.clone());
            }
            // A link opens what it leads to under another name.
            (_, Some(ChangeContent::Other(PathContent::Symlink(target)))) => {
                let link = scope.files().paths().root().resolve_entry(&change.path)?;
                let leads = scope.files().paths().symlink_target(&link, target)?;
                touches.push(path_touch(scope, PathAccess::Read, leads.clone())?);
                touches.push(path_touch(scope, PathAccess::Write, leads)?);
            }
            _ => {}
        }
    }
    if let Some(folder) = find_made_repository(scope.files(), &draft.changes) {
        return Err(repository_made(&folder));
    }
    let verdict = scope.files().paths().rules().judge_further(permitted, touches);
    Ok((settle_verdict(session, scope, verdict, approvals).await?, writes))
}

/// Refuses a folder that becomes a repository under another name than `.git`.
fn repository_made(folder: &WorkspacePath) -> Fault {
    let message = format!(
        "rule version-control refuses `{folder}`: with HEAD, objects and refs in it git takes it for a repository, and runs \
         what its config and hooks say"
    );
    Fault::new(Code::PermissionDenied, message)
        .as_fatal()
        .with_suggestion("leave the copy out, or ask the person to make the repository")
}

/// Settles a verdict: asks the person where the rules ask, and returns the permitted call.
async fn settle_verdict(
    session: &WorkspaceSession,
    scope: &CallScope,
    verdict: RuleVerdict<CheckedCall>,
    approvals: &SessionApprovals,
) -> Result<PermittedCall, Fault> {
    match verdict {
        RuleVerdict::Allow(permitted) => Ok(permitted),
        RuleVerdict::Deny(refusal) => Err(refusal.into()),
        RuleVerdict::Ask(ask) => ask_person(session, scope, ask, approvals).await,
    }
}

/// Returns whether the question is about nothing but a command, which a person allowed where its caller asked them.
fn is_allowed_at_caller(scope: &CallScope, ask: &RuleQuestion<CheckedCall>) -> bool {
    let command = scope.caller().and_then(|caller| caller.command());
    let effects = ask.subject().effects();
    command.is_some_and(|command| command.is_allowed())
        && effects.network.is_empty()
        && !effects.processes
        && effects.paths().next().is_none()
}

async fn ask_person(
    session: &WorkspaceSession,
    scope: &CallScope,
    ask: RuleQuestion<CheckedCall>,
    approvals: &SessionApprovals,
) -> Result<PermittedCall, Fault> {
    let consent = offered_consent(&ask);
    let question = permit_question(session, &ask, consent.as_deref());
    let (answer, by_client) = answer(session, scope, question, &ask.question).await;
    scope.check_cancelled()?;
    let is = |word: &str| answer.as_deref() == Ok(word);
    let always = ask.always.as_ref().filter(|act| is(word_for_always(act)));
    let lasts = ask.paths.clone().filter(|_| is(SESSION));
    let granted = is(ALLOW) || always.is_some() || lasts.is_some();
    let kept = always.map(|permission| keep_permission(ask.subject(), permission, consent.as_deref()));
    if let Some(Err(error)) = kept {
        // This once it is allowed all the same.
        session.troubles().report_trouble(format!("this is not allowed for always: {error}"));
    }
    let call_id = ask.subject().id().clone();
    let (rule, unanswered) = (ask.rule.clone(), answer.err());
    session.log().write_event(Event::UserApproval { call_id, rule, granted, unanswered, by_client })?;
    if granted {
        if let Some(paths) = lasts {
            approvals.keep_paths(ask.subject(), paths);
        }
        let permitted = ask.take_yes();
        // A yes at the caller's own terminal is for that call, and for no agent's.
        let is_callers = scope.caller().is_some_and(|caller| caller.answers_rules() && !caller.decides());
        if !by_client && !is_callers {
            approvals.keep_hosts(&permitted);
        }
        return Ok(permitted);
    }
    let no = if by_client { "the agent's client said no" } else { "the person said no" };
    let who = unanswered.map_or_else(|| no.to_owned(), Unanswered::to_clause);
    let fault = Fault::new(Code::PermissionDenied, format!("{} asks first, and {who}", ask.rule));
    Err(match unanswered {
        Some(Unanswered::Nobody) => fault.with_suggestion(ways_to_be_asked(&ask)),
        _ => fault.with_suggestion("go on without it, or ask the person to allow it"),
    })
}

/// The ways to get a yes where nobody could be asked.
fn ways_to_be_asked(ask: &RuleQuestion<CheckedCall>) -> String {
    let setting = match &ask.always {
        Some(LastingPermission::Setting(Allowable::Host(host))) => {
            format!(
                "; `allow = [{host:?}]` below `[rules.network]` in their own settings allows the host for always"
            )
        }
        Some(LastingPermission::Setting(Allowable::Command(argv))) => {
            format!(
                "; `argv = {argv:?}` below `[[rules.commands.allow]]` in their own settings allows it for always"
            )
        }
        Some(LastingPermission::ProjectTool) => format!(
            "; *Always allow this tool* there lasts, and so does `wherefore consent --yes {}`",
            ask.subject().tool().name()
        ),
        None => String::new(),
    };
    format!(
        "go on without it, or ask the person to allow it: `wherefore call` asks at a terminal, and an editor that has the folder \
         open, or `wherefore review --watch`, asks for agents{setting}"
    )
}

/// Asks the one who answers for a call: its caller, the agent's client, or the person at an editor. Returns the answer, and
/// whether it came from the client. `words` describe the subject.
async fn answer(
    session: &WorkspaceSession,
    scope: &CallScope,
    question: AskParams,
    words: &str,
) -> (Result<String, Unanswered>, bool) {
    let caller = scope.caller().filter(|caller| caller.answers_rules());
    let client =
        scope.caller().filter(|client| caller.is_none() && client.waits() && !session.editor().attached());
    let asked = async {
        match (caller, client) {
            (Some(caller), _) => caller.question(question).await,
            (None, Some(client)) => {
                let word = |is_allowed| if is_allowed { ALLOW } else { DENY };
                ask_client(&**client, &question).await.map(|is_allowed| word(is_allowed).to_owned())
            }
            (None, None) => session.editor().ask(question).await,
        }
    };
    if caller.is_none() && session.editor().attached() {
        scope.report_waiting(Some(&format!("{}: {}", person_message(session), escape_to_line(words))));
    }
    let answer = tokio::select! {
        answer = asked => answer,
        () = scope.cancel_token().cancelled() => Err(Unanswered::Lost),
    };
    scope.report_waiting(None);
    (answer, client.is_some())
}

/// Asks whether something of a call that ran may be, and gives the answer, and whether the agent's client gave it.
pub(super) async fn asked_afterwards(
    session: &WorkspaceSession,
    scope: &CallScope,
    call: &CheckedCall,
    words: &str,
) -> (Result<bool, Unanswered>, bool) {
    let question = question_of(session, call, words, vec![ALLOW.to_owned(), DENY.to_owned()]);
    let (answer, by_client) = answer(session, scope, question, words).await;
    (answer.map(|answer| answer == ALLOW), by_client)
}

fn permit_question(
    session: &WorkspaceSession,
    ask: &RuleQuestion<CheckedCall>,
    consent: Option<&dyn ActivityConsent>,
) -> AskParams {
    let answers = match (&ask.always, ask.paths.is_some()) {
        (Some(act), _) => vec![ALLOW.to_owned(), word_for_always(act).to_owned(), DENY.to_owned()],
        (None, true) => vec![ALLOW.to_owned(), SESSION.to_owned(), DENY.to_owned()],
        (None, false) => vec![ALLOW.to_owned(), DENY.to_owned()],
    };
    let words = match consent {
        Some(consent) => format!("{}\n{}", ask.question, consent.describe_term()),
        None => ask.question.clone(),
    };
    question_of(session, ask.subject(), &words, answers)
}

fn question_of(
    session: &WorkspaceSession,
    call: &CheckedCall,
    words: &str,
    answers: Vec<String>,
) -> AskParams {
    let (tool, why) = (call.tool().name(), call.why().as_str());
    AskParams {
        root: session.workspace().uri(&WorkspacePath::root()),
        session: session.log().id().to_owned(),
        call_id: call.id().clone(),
        tool: tool.to_owned(),
        why: why.to_owned(),
        agent: call.origin().agent.clone(),
        text: format!("{}: {}\n{}", escape_to_line(tool), escape_to_line(why), escape_lines(words)),
        answers,
    }
}

/// Returns the touch of the entry at a path itself, where a symlink at its end is not followed.
fn entry_touch(scope: &CallScope, access: PathAccess, asked: WorkspacePath) -> Result<PathTouch, Fault> {
    scope.files().paths().rules().paths().permit_access(access, &asked)?;
    let (resolved, file) = scope.files().paths().root().resolve_entry_with_id(&asked)?;
    Ok(PathTouch { access, asked, resolved, file })
}

fn path_touch(scope: &CallScope, access: PathAccess, asked: WorkspacePath) -> Result<PathTouch, Fault> {
    // The spelling is checked first: a closed path is reported as such, whatever is on the way to it.
    scope.files().paths().rules().paths().permit_access(access, &asked)?;
    let (resolved, file) = scope.files().paths().root().resolve_with_id(&asked)?;
    Ok(PathTouch { access, asked, resolved, file })
}
