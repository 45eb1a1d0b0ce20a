//! The rules judge what a call will touch; what they ask goes to a person.

use crate::base::WorkspacePath;
use crate::protocol::{Access, AskParams, Code, Event, Fault};
use crate::registry::{Call, Permitted};
use crate::rules::{Ask, Touch, Verdict};
use crate::session::{Scope, Session};

const ALLOW: &str = "Allow";
const DENY: &str = "Deny";

/// Lets a call go on, or says why not.
///
/// # Errors
/// PERMISSION_DENIED where a path leaves the workspace, a rule says no, a person says no or nobody is there to ask;
/// CANCELLED where it is told to stop before they answer.
pub async fn permit(scope: &Scope, call: Call) -> Result<Permitted, Fault> {
    let session = scope.session();
    let mut touches = Vec::new();
    for (access, asked) in call.effects().paths() {
        touches.push(resolve(session, access, asked)?);
    }
    let grant = match session.files().rules().judge(touches) {
        Verdict::Allow(grant) => grant,
        Verdict::Deny(fault) => return Err(fault),
        Verdict::Ask(ask) => {
            let asked = session.editor().ask(question(session, &call, &ask));
            let answer = tokio::select! {
                answer = asked => answer,
                () = scope.cancel().cancelled() => { scope.check()?; None }
            };
            let granted = answer.as_deref() == Some(ALLOW);
            session.write(Event::UserApproval {
                call_id: call.id().to_owned(),
                rule: ask.rule.clone(),
                granted,
            })?;
            if !granted {
                let who =
                    if session.editor().attached() { "the person said no" } else { "nobody is there to ask" };
                return Err(Fault::new(
                    Code::PermissionDenied,
                    format!("{} asks first, and {who}", ask.rule),
                )
                .suggest("go on without it, or ask the person to allow it"));
            }
            ask.grant()
        }
    };
    Ok(Permitted::new(call, grant))
}

fn question(session: &Session, call: &Call, ask: &Ask) -> AskParams {
    let (tool, why) = (call.tool().name(), call.why().as_str());
    AskParams {
        root: session.uri(&WorkspacePath::root()),
        session: session.id().to_owned(),
        call_id: call.id().to_owned(),
        tool: tool.to_owned(),
        why: why.to_owned(),
        agent: call.origin().agent.clone(),
        text: format!("{tool}: {why}\n{}", ask.question),
        answers: vec![ALLOW.to_owned(), DENY.to_owned()],
    }
}

fn resolve(session: &Session, access: Access, asked: &str) -> Result<Touch, Fault> {
    let asked = WorkspacePath::parse(session.root(), asked)?;
    // First by the spelling: what is closed says so, whatever stands in the way to it.
    session.files().rules().permit(access, &asked)?;
    let (resolved, file) = session.files().root().look(&asked)?;
    Ok(Touch { access, asked, resolved, file })
}
