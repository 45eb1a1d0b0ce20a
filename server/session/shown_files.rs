//! Which state of each file an agent was shown: a change that it knows nothing of is not written over.
//!
//! # Invariants
//!
//! - No text is written over that changed since its agent read it.
//!   Test: `a_text_that_changed_since_its_agent_read_it_is_not_written_over`

use std::collections::{BTreeMap, HashMap};

use parking_lot::Mutex;

use crate::base::WorkspacePath;
use crate::protocol::{Door, Origin};

/// Files remembered at most, over all agents.
const MOST: usize = 50_000;

/// The agent's connection and the file's path.
type ShownKey = (String, String);

/// The states of files that agents were shown.
#[derive(Debug, Default)]
pub struct ShownFiles {
    known: Mutex<ShownStates>,
    /// True where calls of the command line are those of one process.
    one_process: bool,
}

#[derive(Debug, Default)]
struct ShownStates {
    /// The hash of a file's bytes, nothing where there was no file; and when that was noted.
    files: HashMap<ShownKey, (Option<String>, u64)>,
    /// The keys by when they were noted, oldest first.
    order: BTreeMap<u64, ShownKey>,
    count: u64,
}

impl ShownStates {
    fn note_state(&mut self, key: ShownKey, hash: Option<String>) {
        self.count += 1;
        self.order.insert(self.count, key.clone());
        if let Some((_, before)) = self.files.insert(key, (hash, self.count)) {
            self.order.remove(&before);
        }
        while self.files.len() > MOST {
            let Some((_, oldest)) = self.order.pop_first() else { return };
            self.files.remove(&oldest);
        }
    }
}

impl ShownFiles {
    /// Returns an empty record. With `one_process`, all calls from the command line count as one caller's.
    pub fn new(one_process: bool) -> Self {
        Self { known: Mutex::default(), one_process }
    }

    /// Notes that an agent is shown a file whose bytes have that hash, or learns that there is none.
    pub fn note_shown(&self, agent: &Origin, path: &WorkspacePath, hash: Option<&str>) {
        if let Some(key) = self.caller_key(agent, path) {
            self.lock_states().note_state(key, hash.map(str::to_owned));
        }
    }

    /// A change of an agent's own was made: where it knew the file as it was before, it knows it now.
    pub fn advance_shown(&self, agent: &Origin, path: &WorkspacePath, before: Option<&str>, now: &str) {
        let Some(key) = self.caller_key(agent, path) else { return };
        let mut known = self.lock_states();
        if known.files.get(&key).is_some_and(|(hash, _)| hash.as_deref() == before) {
            known.note_state(key, Some(now.to_owned()));
        }
    }

    /// The state that an agent was shown last; nothing where it was shown none.
    pub fn last_shown(&self, agent: &Origin, path: &WorkspacePath) -> Option<Option<String>> {
        let key = self.caller_key(agent, path)?;
        self.lock_states().files.get(&key).map(|(hash, _)| hash.clone())
    }

    fn lock_states(&self) -> parking_lot::MutexGuard<'_, ShownStates> {
        self.known.lock()
    }

    /// Returns nothing for callers that cannot be distinguished: several people may use the command line of one server.
    fn caller_key(&self, agent: &Origin, path: &WorkspacePath) -> Option<ShownKey> {
        let anybody = agent.door == Door::Cli && agent.session.is_none() && !self.one_process;
        (!anybody).then(|| (agent.delivery_key(), path.as_str().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> Origin {
        Origin { agent: Some(name.to_owned()), ..Origin::from_door(Door::Mcp) }
    }

    #[test]
    fn each_agent_knows_what_it_was_shown_and_what_it_made_of_that() {
        let (shown, path) = (ShownFiles::default(), WorkspacePath::from_relative("a").unwrap());
        let (one, other) = (agent("one"), agent("other"));
        shown.note_shown(&one, &path, Some("1"));
        assert_eq!(
            (shown.last_shown(&one, &path), shown.last_shown(&other, &path)),
            (Some(Some("1".to_owned())), None)
        );
        shown.advance_shown(&one, &path, Some("1"), "2");
        shown.advance_shown(&one, &path, Some("1"), "3");
        shown.advance_shown(&other, &path, None, "2");
        assert_eq!(
            (shown.last_shown(&one, &path), shown.last_shown(&other, &path)),
            (Some(Some("2".to_owned())), None)
        );
        shown.note_shown(&one, &path, None);
        assert_eq!(shown.last_shown(&one, &path), Some(None));
    }

    #[test]
    fn people_at_the_command_line_of_one_server_are_not_taken_for_one() {
        let path = WorkspacePath::from_relative("a").unwrap();
        let (server, process) = (ShownFiles::new(false), ShownFiles::new(true));
        for shown in [&server, &process] {
            shown.note_shown(&Origin::from_door(Door::Cli), &path, Some("1"));
        }
        let last = |shown: &ShownFiles| shown.last_shown(&Origin::from_door(Door::Cli), &path).is_some();
        assert_eq!((last(&server), last(&process)), (false, true));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut known = ShownStates::default();
        for number in 0..=MOST {
            known.note_state(("a".to_owned(), number.to_string()), None);
        }
        assert_eq!((known.files.len(), known.order.len()), (MOST, MOST));
        assert!(!known.files.contains_key(&("a".to_owned(), "0".to_owned())));
    }
}
