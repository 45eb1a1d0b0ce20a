//! What editors are told of one command, while it runs.

use std::sync::{Arc, Weak};

use super::{Session, SessionLog};
use crate::base::{CallId, WorkspacePath};
use crate::ports::Editor;
use crate::protocol::{CommandNotice, CommandState, Event, Notice};

/// A command, as editors know it.
#[derive(Clone, Debug)]
pub struct FedCommand<'a> {
    /// The call that runs it.
    pub call_id: &'a CallId,
    /// Why the call was made.
    pub why: &'a str,
    /// The program and its arguments as one line.
    pub command: String,
    /// What confines it.
    pub tier: String,
    /// Whether it goes on after its call was answered.
    pub background: bool,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandEnd {
    /// In words.
    pub outcome: String,
    /// The exit code, where it exited by itself.
    pub exit_code: Option<i32>,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
}

/// Tells the editors of one command, and the log of the end of one in the background. It holds no session.
#[derive(Debug)]
pub struct CommandFeed {
    editor: Arc<dyn Editor>,
    log: Weak<SessionLog>,
    /// The notice without anything that happened.
    subject: CommandNotice,
}

impl CommandFeed {
    pub(super) fn new(session: &Session, of: FedCommand<'_>) -> Self {
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

    /// Whether anybody is told.
    pub fn is_heard(&self) -> bool {
        self.editor.shows_commands()
    }

    /// The command started.
    pub fn started(&self) {
        self.tell(self.subject.clone());
    }

    /// The command wrote something; so many bytes after it are left out.
    pub fn output(&self, text: String, left_out: u64) {
        self.tell(CommandNotice { state: CommandState::Output, text, left_out, ..self.subject.clone() });
    }

    /// The command ended.
    pub fn ended(&self, end: CommandEnd) {
        let CommandEnd { outcome, exit_code, duration_ms } = end;
        // The answer of any other command tells its end. A session that ended takes no events any more.
        if let Some(log) = self.log.upgrade().filter(|_| self.subject.background) {
            let (call_id, outcome) = (self.subject.call_id.clone(), outcome.clone());
            if let Err(error) = log.post(Event::CommandEnd { call_id, outcome, exit_code, duration_ms }) {
                tracing::warn!("the end of a command is not in the session log: {error}");
            }
        }
        let (outcome, duration_ms) = (Some(outcome), Some(duration_ms));
        let state = CommandState::Ended;
        self.tell(CommandNotice { state, outcome, exit_code, duration_ms, ..self.subject.clone() });
    }

    fn tell(&self, notice: CommandNotice) {
        if self.is_heard() {
            self.editor.tell(Notice::Command(notice));
        }
    }
}
