//! Commands that agents' hooks announced, and that their shells ask for when they run them.
//!
//! # Invariants
//!
//! - No command that an agent's shell asks for runs unconfined, whether its hook announced it or not.
//!   Test: `an_announced_command_is_confined_when_its_shell_asks_and_told_where_it_did_not`,
//!   `bash_runs_the_line_for_its_own_command_alone`

use std::collections::{BTreeSet, VecDeque};

use parking_lot::Mutex;

use crate::base::hash;
use crate::protocol::Origin;

/// Commands that are remembered; the oldest is forgotten first. A forgotten one is confined all the same.
const REMEMBERED: usize = 256;

/// The call of a command that was announced.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AnnouncedCommand {
    /// The agent, its session, its id of the call and its tool.
    pub(super) origin: Origin,
    /// The reason of the call.
    pub(super) why: Option<String>,
}

/// The commands of a folder that were announced and did not begin yet. An agent may ask its person in between, and never
/// run one.
#[derive(Debug, Default)]
pub(in crate::hub) struct AnnouncedCommands(Mutex<RememberedCommands>);

#[derive(Debug, Default)]
struct RememberedCommands {
    /// Each with the hash of its script.
    waiting: VecDeque<(String, AnnouncedCommand)>,
    /// The sessions whose shell ran a command without asking for it.
    unasked: BTreeSet<String>,
}

impl AnnouncedCommands {
    /// Remembers the call of a script.
    pub(super) fn push(&self, script: &str, command: AnnouncedCommand) {
        let commands = &mut self.0.lock().waiting;
        commands.push_back((hash::full_hash(script.as_bytes()), command));
        while commands.len() > REMEMBERED {
            commands.pop_front();
        }
    }

    /// Returns whether the shell of a session asks for announced commands, by the knowledge so far.
    pub(super) fn are_asked_for(&self, origin: &Origin) -> bool {
        !self.0.lock().unasked.contains(origin.session.as_deref().unwrap_or_default())
    }

    /// Notes that a call has ended. Gives whether its shell ran it without asking.
    pub(super) fn end_call(&self, origin: &Origin) -> bool {
        let mut remembered = self.0.lock();
        let is_this = |(_, command): &(String, AnnouncedCommand)| {
            command.origin.session == origin.session && command.origin.call == origin.call
        };
        let Some(at) = remembered.waiting.iter().position(is_this).filter(|_| origin.call.is_some()) else {
            return false;
        };
        remembered.waiting.remove(at);
        remembered.unasked.insert(origin.session.clone().unwrap_or_default())
    }

    /// Takes the first call of a script that the agent's session announced.
    pub(super) fn take_command(&self, script: &str, origin: &Origin) -> Option<AnnouncedCommand> {
        let script = hash::full_hash(script.as_bytes());
        let commands = &mut self.0.lock().waiting;
        let at = commands.iter().position(|(other, command)| {
            *other == script
                && command.origin.agent == origin.agent
                && command.origin.session == origin.session
        })?;
        commands.remove(at).map(|(_, command)| command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announced(session: &str, call: &str) -> AnnouncedCommand {
        let text = |text: &str| Some(text.to_owned());
        let origin = Origin {
            agent: text("claude-code"),
            session: text(session),
            call: text(call),
            ..Origin::default()
        };
        AnnouncedCommand { origin, why: None }
    }

    #[test]
    fn a_command_is_taken_once_by_the_session_that_announced_it() {
        let commands = AnnouncedCommands::default();
        let (first, second) = (announced("s", "1"), announced("s", "2"));
        commands.push("ls", first.clone());
        commands.push("ls", second.clone());
        assert_eq!(commands.take_command("ls ", &first.origin), None);
        assert_eq!(commands.take_command("ls", &announced("t", "1").origin), None);
        assert_eq!(commands.take_command("ls", &first.origin), Some(first.clone()));
        assert_eq!(commands.take_command("ls", &first.origin), Some(second));
        assert_eq!(commands.take_command("ls", &first.origin), None);
        for call in 0..=REMEMBERED {
            commands.push(&call.to_string(), first.clone());
        }
        assert!(!commands.end_call(&announced("s", "3").origin) && commands.are_asked_for(&first.origin));
        assert!(commands.end_call(&first.origin) && !commands.are_asked_for(&first.origin));
        assert_eq!(commands.take_command("0", &first.origin), None);
        assert_eq!(commands.take_command("2", &first.origin), Some(first));
    }
}
