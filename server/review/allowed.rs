//! The rules are asked again where a change is taken back: what they say may have changed since its call.

use super::queue::ProposalQueue;
use crate::base::WorkspacePath;
use crate::protocol::{Access, AskParams, ChangeKind, Code, Event, Fault};
use crate::rules::{PathTouch, Verdict};
use crate::workspace::Checkpoint;

const ALLOW: &str = "Allow";
const DENY: &str = "Deny";

impl ProposalQueue {
    /// Lets a change be taken back, where the rules allow it or the person does so.
    ///
    /// # Errors
    /// PERMISSION_DENIED where a rule says no, the person does, or nobody is there to ask.
    pub(super) async fn may_undo(&self, checkpoint: &Checkpoint) -> Result<(), Fault> {
        let session = &self.session;
        let mut touches = Vec::new();
        for step in &checkpoint.steps {
            let root = session.workspace().store().root().clone();
            for asked in [Some(step.path.clone()), step.from.clone()].into_iter().flatten() {
                let (resolved, file) = match step.kind {
                    ChangeKind::Rename | ChangeKind::Symlink => root.look_entry(&asked)?,
                    _ => root.look(&asked)?,
                };
                touches.push(PathTouch { access: Access::Write, asked, resolved, file });
            }
        }
        let ask = match session.files().unasked().rules().judge_paths(touches) {
            Verdict::Allow(_) => return Ok(()),
            Verdict::Deny(refusal) => return Err(refusal.into()),
            Verdict::Ask(ask) => ask,
        };
        let params = AskParams {
            root: session.workspace().uri(&WorkspacePath::root()),
            session: session.log().id().to_owned(),
            call_id: checkpoint.call.clone(),
            tool: "undo".to_owned(),
            text: format!("undo of {}: {}", checkpoint.call, ask.question),
            answers: vec![ALLOW.to_owned(), DENY.to_owned()],
            ..AskParams::default()
        };
        let granted = session.editor().ask(params).await.as_deref() == Some(ALLOW);
        let (call_id, rule) = (checkpoint.call.clone(), ask.rule.clone());
        session.log().write(Event::UserApproval { call_id, rule, granted })?;
        if granted {
            return Ok(());
        }
        let who = if session.editor().attached() { "the person said no" } else { "nobody is there to ask" };
        Err(Fault::new(
            Code::PermissionDenied,
            format!("{} asks before an undo writes there, and {who}", ask.rule),
        )
        .suggest("undo it in an editor, where you can be asked, or write the file by hand"))
    }
}
