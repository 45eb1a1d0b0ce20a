//! The rules judge what a call will touch; what they ask goes to a person.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::approvals::SessionApprovals;
use crate::base::WorkspacePath;
use crate::base::hidden::in_line;
use crate::ports::HostGate;
use crate::protocol::{Access, AskParams, ChangeKind, Code, Event, Fault, Network, Notice, PathContent};
use crate::registry::{Call, Content, Draft, Permitted};
use crate::review::for_person;
use crate::rules::{Grant, PathTouch, RuleQuestion, Touch, Verdict};
use crate::session::{Scope, Session};
use crate::workspace::config::allow_always;

const ALLOW: &str = "Allow";
const ALWAYS: &str = "Always allow this command";
const SESSION: &str = "Allow for this session";
const DENY: &str = "Deny";

/// Lets a call go on, or says why not.
///
/// # Errors
/// PERMISSION_DENIED where a path leaves the workspace, a rule says no, a person says no or nobody is there to ask;
/// CANCELLED where it is told to stop before they answer; and why its tool cannot run here at all, before anybody is asked.
pub(super) async fn permit(
    session: &Session,
    scope: &Scope,
    call: Call,
    approvals: &SessionApprovals,
) -> Result<Permitted, Fault> {
    call.ready()?;
    let look = |access, asked: &str| resolve(scope, access, scope.path(asked)?);
    let known = approvals.of(&call);
    let verdict = scope.files().rules().judge_call(call, look, known.as_deref())?;
    let permitted = match verdict {
        Verdict::Ask(ask) if is_allowed_at_caller(scope, &ask) => {
            let (call_id, rule) = (ask.subject().id().clone(), ask.rule.clone());
            session.log().write(Event::UserApproval { call_id, rule, granted: true })?;
            ask.yes()
        }
        verdict => settled(session, scope, verdict, approvals).await?,
    };
    approvals.keep_hosts(&permitted);
    Ok(permitted)
}

/// The scope in which a call that reaches the network can come to further hosts; any other call keeps its own.
pub(super) fn reaching(
    session: &Arc<Session>,
    scope: Scope,
    permitted: &Permitted,
    approvals: &Arc<SessionApprovals>,
) -> Scope {
    if permitted.call().effects().network.is_empty() {
        return scope;
    }
    scope.reaching(Arc::new(FurtherHosts {
        session: session.clone(),
        scope: scope.clone(),
        call: permitted.call().clone(),
        grant: permitted.grant().clone(),
        approvals: approvals.clone(),
    }))
}

/// Judges the hosts that a running call comes to. The question holds the call's slot.
#[derive(Debug)]
struct FurtherHosts {
    session: Arc<Session>,
    scope: Scope,
    call: Call,
    grant: Arc<Grant>,
    approvals: Arc<SessionApprovals>,
}

impl HostGate for FurtherHosts {
    fn reach<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async move {
            if declares(&self.grant, host) {
                return Ok(());
            }
            let before = self.approvals.hosts_of(&self.call).unwrap_or_else(|| self.grant.clone());
            let verdict = self.scope.files().rules().judge_host(self.call.clone(), host, &before);
            let permitted = settled(&self.session, &self.scope, verdict, &self.approvals).await?;
            self.approvals.keep_hosts(&permitted);
            Ok(())
        })
    }
}

/// Whether a grant was for this very host, or for any.
fn declares(grant: &Grant, host: &str) -> bool {
    grant.touches().iter().any(|touch| match touch {
        Touch::Network { reached: Network::Host(declared), .. } => declared == host,
        Touch::Network { reached: Network::Any, .. } => true,
        Touch::Path(_) | Touch::Command { .. } => false,
    })
}

/// Judges a permitted call once more where the rules changed while it waited; gives the scope in which it runs.
///
/// # Errors
/// As [`permit`].
pub(super) async fn renewed(
    session: &Session,
    mut scope: Scope,
    mut permitted: Permitted,
    approvals: &SessionApprovals,
) -> Result<(Scope, Permitted), Fault> {
    while let Some(renewed) = scope.renewed() {
        let look = |access, asked: &str| resolve(&renewed, access, renewed.path(asked)?);
        let before = permitted.grant().clone();
        let verdict = renewed.files().rules().judge_call(permitted.into_subject(), look, Some(&before))?;
        permitted = settled(session, &renewed, verdict, approvals).await?;
        scope = renewed;
    }
    Ok((scope.granted(permitted.grant()), permitted))
}

/// Judges what a draft would change, which may be more than its call declared: what lies in a folder that is copied.
/// Gives the paths that it writes.
///
/// # Errors
/// As [`permit`].
pub(super) async fn draft(
    session: &Session,
    scope: &Scope,
    permitted: Permitted,
    draft: &Draft,
    approvals: &SessionApprovals,
) -> Result<(Permitted, Vec<WorkspacePath>), Fault> {
    let mut touches = Vec::new();
    let mut writes = Vec::new();
    for change in &draft.changes {
        let of_entry = matches!(change.kind, ChangeKind::Rename | ChangeKind::Symlink);
        let look = if of_entry { entry } else { resolve };
        touches.push(look(scope, Access::Write, change.path.clone())?);
        writes.push(change.path.clone());
        if let Some(from) = &change.from {
            touches.push(look(scope, Access::Read, from.clone())?);
        }
        match (&change.from, &change.after) {
            (Some(from), _) if change.kind == ChangeKind::Rename => {
                touches.push(entry(scope, Access::Write, from.clone())?);
                writes.push(from.clone());
            }
            // A link opens what it leads to under another name.
            (_, Some(Content::Other(PathContent::Symlink(target)))) => {
                let link = scope.files().root().resolve_entry(&change.path)?;
                let leads = scope.files().leads(&link, target)?;
                touches.push(resolve(scope, Access::Read, leads.clone())?);
                touches.push(resolve(scope, Access::Write, leads)?);
            }
            _ => {}
        }
    }
    let verdict = scope.files().rules().judge_further(permitted, touches);
    Ok((settled(session, scope, verdict, approvals).await?, writes))
}

/// What the rules allow, once the person said yes to what they ask about.
async fn settled(
    session: &Session,
    scope: &Scope,
    verdict: Verdict<Call>,
    approvals: &SessionApprovals,
) -> Result<Permitted, Fault> {
    match verdict {
        Verdict::Allow(permitted) => Ok(permitted),
        Verdict::Deny(refusal) => Err(refusal.into()),
        Verdict::Ask(ask) => asked(session, scope, ask, approvals).await,
    }
}

/// Whether the question is about nothing but a command, which a person allowed where its caller asked them.
fn is_allowed_at_caller(scope: &Scope, ask: &RuleQuestion<Call>) -> bool {
    let command = scope.caller().and_then(|caller| caller.command());
    let effects = ask.subject().effects();
    command.is_some_and(|command| command.is_allowed())
        && effects.network.is_empty()
        && effects.paths().next().is_none()
}

async fn asked(
    session: &Session,
    scope: &Scope,
    ask: RuleQuestion<Call>,
    approvals: &SessionApprovals,
) -> Result<Permitted, Fault> {
    let caller = scope.caller().filter(|caller| caller.decides());
    let asked = match caller {
        Some(caller) => caller.question(question(session, &ask)),
        None => session.editor().ask(question(session, &ask)),
    };
    if caller.is_none() && session.editor().attached() {
        scope.waiting(Some(&format!("{}: {}", for_person(session), in_line(&ask.question))));
    }
    let answer = tokio::select! {
        answer = asked => answer,
        () = scope.cancel().cancelled() => { scope.check()?; None }
    };
    scope.waiting(None);
    let always = ask.always.as_ref().filter(|_| answer.as_deref() == Some(ALWAYS));
    let lasts = ask.paths.clone().filter(|_| answer.as_deref() == Some(SESSION));
    let granted = answer.as_deref() == Some(ALLOW) || always.is_some() || lasts.is_some();
    if let Some(Err(error)) = always.map(|argv| allow_always(argv, ask.subject().why().as_str())) {
        // This once it is allowed all the same.
        session.editor().tell(Notice::Trouble(format!("the command is not allowed for always: {error}")));
    }
    let call_id = ask.subject().id().clone();
    session.log().write(Event::UserApproval { call_id, rule: ask.rule.clone(), granted })?;
    if granted {
        if let Some(paths) = lasts {
            approvals.keep_paths(ask.subject(), paths);
        }
        return Ok(ask.yes());
    }
    let is_there = caller.is_some() || session.editor().attached();
    let who = if is_there { "the person said no" } else { "nobody is there to ask" };
    Err(Fault::new(Code::PermissionDenied, format!("{} asks first, and {who}", ask.rule))
        .suggest("go on without it, or ask the person to allow it"))
}

fn question(session: &Session, ask: &RuleQuestion<Call>) -> AskParams {
    let call = ask.subject();
    let (tool, why) = (call.tool().name(), call.why().as_str());
    AskParams {
        root: session.workspace().uri(&WorkspacePath::root()),
        session: session.log().id().to_owned(),
        call_id: call.id().clone(),
        tool: tool.to_owned(),
        why: why.to_owned(),
        agent: call.origin().agent.clone(),
        text: format!("{}: {}\n{}", in_line(tool), in_line(why), in_line(&ask.question)),
        answers: match (&ask.always, ask.paths.is_some()) {
            (Some(_), _) => vec![ALLOW.to_owned(), ALWAYS.to_owned(), DENY.to_owned()],
            (None, true) => vec![ALLOW.to_owned(), SESSION.to_owned(), DENY.to_owned()],
            (None, false) => vec![ALLOW.to_owned(), DENY.to_owned()],
        },
    }
}

/// The touch of what stands at a path itself, where a symlink at its end is not followed.
fn entry(scope: &Scope, access: Access, asked: WorkspacePath) -> Result<PathTouch, Fault> {
    scope.files().rules().permit(access, &asked)?;
    let (resolved, file) = scope.files().root().look_entry(&asked)?;
    Ok(PathTouch { access, asked, resolved, file })
}

fn resolve(scope: &Scope, access: Access, asked: WorkspacePath) -> Result<PathTouch, Fault> {
    // First by the spelling: what is closed says so, whatever stands in the way to it.
    scope.files().rules().permit(access, &asked)?;
    let (resolved, file) = scope.files().root().look(&asked)?;
    Ok(PathTouch { access, asked, resolved, file })
}
