//! Which state of each file an agent was shown: a change that it knows nothing of is not written over.

use std::collections::{BTreeMap, HashMap};

use parking_lot::Mutex;

use crate::base::WorkspacePath;
use crate::protocol::{Door, Origin};

/// Files remembered at most, over all agents.
const MOST: usize = 50_000;

/// The agent's connection and the file's path.
type Key = (String, String);

/// What agents were shown.
#[derive(Debug, Default)]
pub struct ShownFiles {
    known: Mutex<ShownStates>,
    /// Whether calls of the command line are those of one process.
    one_process: bool,
}

#[derive(Debug, Default)]
struct ShownStates {
    /// The hash of a file's bytes, nothing where there was no file; and when that was noted.
    files: HashMap<Key, (Option<String>, u64)>,
    /// The same by when, oldest first.
    order: BTreeMap<u64, Key>,
    count: u64,
}

impl ShownStates {
    fn note(&mut self, key: Key, hash: Option<String>) {
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
    /// Nobody was shown anything yet. `one_process` says that whoever calls from the command line is one.
    pub fn new(one_process: bool) -> Self {
        Self { known: Mutex::default(), one_process }
    }

    /// An agent is shown a file whose bytes have that hash, or hears that there is none.
    pub fn note(&self, agent: &Origin, path: &WorkspacePath, hash: Option<&str>) {
        if let Some(key) = self.key(agent, path) {
            self.known().note(key, hash.map(str::to_owned));
        }
    }

    /// A change of an agent's own was made: where it knew the file as it was before, it knows it now.
    pub fn advance(&self, agent: &Origin, path: &WorkspacePath, before: Option<&str>, now: &str) {
        let Some(key) = self.key(agent, path) else { return };
        let mut known = self.known();
        if known.files.get(&key).is_some_and(|(hash, _)| hash.as_deref() == before) {
            known.note(key, Some(now.to_owned()));
        }
    }

    /// The state that an agent was shown last; nothing where it was shown none.
    pub fn last(&self, agent: &Origin, path: &WorkspacePath) -> Option<Option<String>> {
        let key = self.key(agent, path)?;
        self.known().files.get(&key).map(|(hash, _)| hash.clone())
    }

    fn known(&self) -> parking_lot::MutexGuard<'_, ShownStates> {
        self.known.lock()
    }

    /// Nothing for callers that cannot be told apart: several people may use the command line of one server.
    fn key(&self, agent: &Origin, path: &WorkspacePath) -> Option<Key> {
        let anybody = agent.door == Door::Cli && agent.session.is_none() && !self.one_process;
        (!anybody).then(|| (agent.addressee(), path.as_str().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> Origin {
        Origin { agent: Some(name.to_owned()), ..Origin::door(Door::Mcp) }
    }

    #[test]
    fn each_agent_knows_what_it_was_shown_and_what_it_made_of_that() {
        let (shown, path) = (ShownFiles::default(), WorkspacePath::clean("a").unwrap());
        let (one, other) = (agent("one"), agent("other"));
        shown.note(&one, &path, Some("1"));
        assert_eq!((shown.last(&one, &path), shown.last(&other, &path)), (Some(Some("1".to_owned())), None));
        shown.advance(&one, &path, Some("1"), "2");
        shown.advance(&one, &path, Some("1"), "3");
        shown.advance(&other, &path, None, "2");
        assert_eq!((shown.last(&one, &path), shown.last(&other, &path)), (Some(Some("2".to_owned())), None));
        shown.note(&one, &path, None);
        assert_eq!(shown.last(&one, &path), Some(None));
    }

    #[test]
    fn people_at_the_command_line_of_one_server_are_not_taken_for_one() {
        let path = WorkspacePath::clean("a").unwrap();
        let (server, process) = (ShownFiles::new(false), ShownFiles::new(true));
        for shown in [&server, &process] {
            shown.note(&Origin::door(Door::Cli), &path, Some("1"));
        }
        let last = |shown: &ShownFiles| shown.last(&Origin::door(Door::Cli), &path).is_some();
        assert_eq!((last(&server), last(&process)), (false, true));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut known = ShownStates::default();
        for number in 0..=MOST {
            known.note(("a".to_owned(), number.to_string()), None);
        }
        assert_eq!((known.files.len(), known.order.len()), (MOST, MOST));
        assert!(!known.files.contains_key(&("a".to_owned(), "0".to_owned())));
    }
}
