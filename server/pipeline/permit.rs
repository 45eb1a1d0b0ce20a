//! The rules judge what a call will touch; what they ask goes to a person.

use crate::base::WorkspacePath;
use crate::ports::Question;
use crate::protocol::{Access, Code, Event, Fault};
use crate::registry::{Call, Permitted};
use crate::rules::{Touch, Verdict};
use crate::session::Session;

const ALLOW: &str = "Allow";
const DENY: &str = "Deny";

/// Lets a call go on, or says why not.
///
/// # Errors
/// PERMISSION_DENIED where a path leaves the workspace, a rule says no, a person says no or nobody is there to ask.
pub async fn permit(session: &Session, call: Call) -> Result<Permitted, Fault> {
    let mut touches = Vec::new();
    for (access, asked) in call.effects().paths() {
        touches.push(resolve(session, access, asked)?);
    }
    let grant = match session.files().rules().judge(touches) {
        Verdict::Allow(grant) => grant,
        Verdict::Deny(fault) => return Err(fault),
        Verdict::Ask(ask) => {
            let text = format!("{}: {}\n{}", call.tool().name(), call.why().as_str(), ask.question);
            let answers = vec![ALLOW.to_owned(), DENY.to_owned()];
            let granted = session.editor().ask(Question { text, answers }).await.as_deref() == Some(ALLOW);
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

fn resolve(session: &Session, access: Access, asked: &str) -> Result<Touch, Fault> {
    let asked = WorkspacePath::parse(session.root(), asked)?;
    // First by the spelling: what is closed says so, whatever stands in the way to it.
    session.files().rules().permit(access, &asked)?;
    let (resolved, file) = session.files().root().look(&asked)?;
    Ok(Touch { access, asked, resolved, file })
}
