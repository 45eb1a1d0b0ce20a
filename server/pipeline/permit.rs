//! The rules judge what a call will touch; what they ask goes to a person.

use crate::base::WorkspacePath;
use crate::base::hidden::in_line;
use crate::protocol::{Access, AskParams, Code, Event, Fault};
use crate::registry::{Call, Draft, Permitted};
use crate::rules::{Ask, Grant, Touch, Verdict};
use crate::session::{Scope, Session};

const ALLOW: &str = "Allow";
const DENY: &str = "Deny";

/// Lets a call go on, or says why not.
///
/// # Errors
/// PERMISSION_DENIED where a path leaves the workspace, a rule says no, a person says no or nobody is there to ask;
/// CANCELLED where it is told to stop before they answer.
pub(super) async fn permit(session: &Session, scope: &Scope, call: Call) -> Result<Permitted, Fault> {
    let grant = judged(session, scope, &call, declared(scope, &call)?, None).await?;
    Ok(Permitted::new(call, grant))
}

/// Judges a permitted call once more where the rules changed while it waited; gives the scope in which it runs.
///
/// # Errors
/// As [`permit`].
pub(super) async fn renewed(
    session: &Session,
    mut scope: Scope,
    mut permitted: Permitted,
) -> Result<(Scope, Permitted), Fault> {
    while let Some(renewed) = scope.renewed() {
        let touches = declared(&renewed, permitted.call())?;
        let grant = judged(session, &renewed, permitted.call(), touches, Some(permitted.grant())).await?;
        permitted = Permitted::new(permitted.into_call(), grant);
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
) -> Result<(Permitted, Vec<WorkspacePath>), Fault> {
    let mut touches = Vec::new();
    let mut writes = Vec::new();
    for change in &draft.changes {
        touches.push(resolve(scope, Access::Write, change.path.clone())?);
        writes.push(change.path.clone());
        if let Some(from) = &change.from {
            touches.push(resolve(scope, Access::Read, from.clone())?);
        }
    }
    let grant = judged(session, scope, permitted.call(), touches, Some(permitted.grant())).await?;
    let grant = permitted.grant().and(&grant);
    Ok((Permitted::new(permitted.into_call(), grant), writes))
}

fn declared(scope: &Scope, call: &Call) -> Result<Vec<Touch>, Fault> {
    let touch = |(access, asked)| resolve(scope, access, scope.path(asked)?);
    call.effects().paths().map(touch).collect()
}

/// The grant for what a call touches, once the person said yes to what the rules ask about.
async fn judged(
    session: &Session,
    scope: &Scope,
    call: &Call,
    touches: Vec<Touch>,
    before: Option<&Grant>,
) -> Result<Grant, Fault> {
    match scope.files().rules().judge(touches, before) {
        Verdict::Allow(grant) => Ok(grant),
        Verdict::Deny(fault) => Err(fault),
        Verdict::Ask(ask) => asked(session, scope, call, ask).await,
    }
}

async fn asked(session: &Session, scope: &Scope, call: &Call, ask: Ask) -> Result<Grant, Fault> {
    let asked = session.editor().ask(question(session, call, &ask));
    let answer = tokio::select! {
        answer = asked => answer,
        () = scope.cancel().cancelled() => { scope.check()?; None }
    };
    let granted = answer.as_deref() == Some(ALLOW);
    session.log().write(Event::UserApproval {
        call_id: call.id().clone(),
        rule: ask.rule.clone(),
        granted,
    })?;
    if granted {
        return Ok(ask.grant());
    }
    let who = if session.editor().attached() { "the person said no" } else { "nobody is there to ask" };
    Err(Fault::new(Code::PermissionDenied, format!("{} asks first, and {who}", ask.rule))
        .suggest("go on without it, or ask the person to allow it"))
}

fn question(session: &Session, call: &Call, ask: &Ask) -> AskParams {
    let (tool, why) = (call.tool().name(), call.why().as_str());
    AskParams {
        root: session.workspace().uri(&WorkspacePath::root()),
        session: session.log().id().to_owned(),
        call_id: call.id().clone(),
        tool: tool.to_owned(),
        why: why.to_owned(),
        agent: call.origin().agent.clone(),
        text: format!("{}: {}\n{}", in_line(tool), in_line(why), in_line(&ask.question)),
        answers: vec![ALLOW.to_owned(), DENY.to_owned()],
    }
}

fn resolve(scope: &Scope, access: Access, asked: WorkspacePath) -> Result<Touch, Fault> {
    // First by the spelling: what is closed says so, whatever stands in the way to it.
    scope.files().rules().permit(access, &asked)?;
    let (resolved, file) = scope.files().root().look(&asked)?;
    Ok(Touch { access, asked, resolved, file })
}
