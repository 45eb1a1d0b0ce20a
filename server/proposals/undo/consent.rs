//! The rules are asked again where a change is taken back: what they say may have changed since its call.
//!
//! # Invariants
//!
//! - No symlink is made and no file renamed past a rule.
//!   Test: `a_link_or_a_rename_passes_no_rule`

use super::UndoRunner;
use crate::base::WorkspacePath;
use crate::protocol::{AskParams, ChangeKind, Code, Event, Fault, PathAccess, Unanswered};
use crate::rules::{PathTouch, RuleVerdict};
use crate::workspace::Checkpoint;

const ALLOW: &str = "Allow";
const DENY: &str = "Deny";

impl UndoRunner {
    /// Lets a change be taken back, where the rules allow it or the person does so.
    ///
    /// # Errors
    /// PERMISSION_DENIED where a rule or the person refuses, or there is no one to ask.
    pub(super) async fn may_undo(&self, checkpoint: &Checkpoint) -> Result<(), Fault> {
        let session = &self.session;
        let mut touches = Vec::new();
        for step in &checkpoint.steps {
            let root = session.workspace().store().root().clone();
            for asked in [Some(step.path.clone()), step.from.clone()].into_iter().flatten() {
                let (resolved, file) = match step.kind {
                    ChangeKind::Rename | ChangeKind::Symlink => root.resolve_entry_with_id(&asked)?,
                    _ => root.resolve_with_id(&asked)?,
                };
                touches.push(PathTouch { access: PathAccess::Write, asked, resolved, file });
            }
        }
        let ask = match session.files().unasked_files().paths().rules().judge_paths(touches) {
            RuleVerdict::Allow(_) => return Ok(()),
            RuleVerdict::Deny(refusal) => return Err(refusal.into()),
            RuleVerdict::Ask(ask) => ask,
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
        let answer = session.editor().ask(params).await;
        let granted = answer.as_deref() == Ok(ALLOW);
        let (call_id, rule, unanswered) = (checkpoint.call.clone(), ask.rule.clone(), answer.err());
        session.log().write_event(Event::UserApproval {
            call_id,
            rule,
            granted,
            unanswered,
            by_client: false,
        })?;
        if granted {
            return Ok(());
        }
        let who = unanswered.map_or_else(|| "the person said no".to_owned(), Unanswered::to_clause);
        Err(Fault::new(
            Code::PermissionDenied,
            format!("{} asks before an undo writes there, and {who}", ask.rule),
        )
        .with_suggestion("undo it in an editor, where you can be asked, or write the file by hand"))
    }
}
