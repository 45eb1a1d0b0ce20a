//! Notifies editors of one command, while it runs.

use std::sync::{Arc, Weak};

use super::{SessionLog, WorkspaceSession};
use crate::base::{CallId, WorkspacePath};
use crate::ports::Editor;
use crate::protocol::{CommandNotice, CommandState, EditorNotice, Event};

/// A command, as editors know it.
#[derive(Clone, Debug)]
pub struct FedCommand<'a> {
    /// The call that runs it.
    pub call_id: &'a CallId,
    /// The reason why the call was made.
    pub why: &'a str,
    /// The program and its arguments as one line.
    pub command: String,
    /// The confinement of the command.
    pub tier: String,
    /// True where it goes on after its call was answered.
    pub background: bool,
}

/// The end of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFeedEnd {
    /// In words.
    pub outcome: String,
    /// The exit code, where it exited by itself.
    pub exit_code: Option<i32>,
    /// The time that it ran, in milliseconds.
    pub duration_ms: u64,
}

/// Notifies the editors of one command, and logs the end of one in the background. It holds no session.
#[derive(Debug)]
pub struct CommandFeed {
    editor: Arc<dyn Editor>,
    log: Weak<SessionLog>,
    /// The notice without anything that happened.
    subject: CommandNotice,
}

impl CommandFeed {
    pub(super) fn new(session: &WorkspaceSession, of: FedCommand<'_>) -> Self {
        let FedCommand { call_id, why, command, tier, background } = of;
        let subject = CommandNotice {
            call_id: call_id.clone(),
            session: session.log().id().to_owned(),
            root: session.workspace().uri(&WorkspacePath::root()),
            command,
            why: why.to_owned(),
            tier,
            background,
            state: CommandState::Started,
            text: String::new(),
            left_out: 0,
            outcome: None,
            exit_code: None,
            duration_ms: None,
        };
        Self { editor: session.editor.clone(), log: Arc::downgrade(&session.log), subject }
    }

    /// Returns whether any editor receives the notices.
    pub fn has_audience(&self) -> bool {
        self.editor.shows_commands()
    }

    /// The command started.
    pub fn notify_started(&self) {
        self.send_notice(self.subject.clone());
    }

    /// The command wrote something; so many bytes after it are left out.
    pub fn notify_output(&self, text: String, left_out: u64) {
        self.send_notice(CommandNotice {
            state: CommandState::Output,
            text,
            left_out,
            ..self.subject.clone()
        });
    }

    /// The command ended.
    pub fn notify_ended(&self, end: CommandFeedEnd) {
        let CommandFeedEnd { outcome, exit_code, duration_ms } = end;
        // The answer of any other command reports its end. An ended session takes no events any more.
        if let Some(log) = self.log.upgrade().filter(|_| self.subject.background) {
            let (call_id, outcome) = (self.subject.call_id.clone(), outcome.clone());
            if let Err(error) = log.post_event(Event::CommandEnd { call_id, outcome, exit_code, duration_ms })
            {
                tracing::warn!("the end of a command is not in the session log: {error}");
            }
        }
        let (outcome, duration_ms) = (Some(outcome), Some(duration_ms));
        let state = CommandState::Ended;
        self.send_notice(CommandNotice { state, outcome, exit_code, duration_ms, ..self.subject.clone() });
    }

    fn send_notice(&self, notice: CommandNotice) {
        if self.has_audience() {
            self.editor.tell(EditorNotice::Command(notice));
        }
    }
}
