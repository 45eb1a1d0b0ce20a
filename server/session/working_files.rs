//! The files that matter now: a session's memory together with what editors show and the files hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::earlier::EarlierCalls;
use super::error::HintError;
use super::files::SessionFiles;
use super::log::SessionLog;
use super::workspace::Workspace;
use crate::base::{OURS, WorkspacePath};
use crate::journal::JournalError;
use crate::memory::advise::{Facts, decide};
use crate::memory::collect::{Occasion, leaving};
use crate::memory::{Memory, Notes, Seen, estimate};
use crate::protocol::{
    Access, Advice, CollectAnswer, Event, HintAct, HintOutcome, HintParams, Outcome, WorkingSetAnswer,
};
use crate::rules::Opener;
use crate::workspace::{FileKind, WorkspaceError};

/// What keeps the working set of a session.
#[derive(Debug)]
pub struct WorkingFiles {
    pub(super) memory: Arc<Memory>,
    pub(super) workspace: Arc<Workspace>,
    pub(super) files: Arc<SessionFiles>,
    pub(super) log: Arc<SessionLog>,
    pub(super) earlier: Arc<EarlierCalls>,
}

impl WorkingFiles {
    /// The files that matter now, the hottest first.
    pub fn set(&self) -> WorkingSetAnswer {
        self.earlier.take_in();
        let files = self.memory.working_set(&self.seen_now(), |path| self.tokens_of(path));
        let notes = self.memory.files().now();
        WorkingSetAnswer {
            tokens: files.iter().filter_map(|file| file.tokens).sum(),
            files,
            budget: self.budget(&notes),
            problems: notes.problems(),
        }
    }

    /// Tokens that a context of the working set may hold.
    pub fn budget(&self, notes: &Notes) -> u64 {
        notes.manifest.budget.unwrap_or(self.workspace.settings().memory.budget)
    }

    /// What the editor has open, by path.
    fn seen_now(&self) -> BTreeMap<String, Seen> {
        let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
        for document in self.files.documents().all() {
            // What is open in our own folder is no work on the project.
            let Some(path) = document.path.filter(|path| path.parts().next() != Some(OURS)) else { continue };
            let entry = seen.entry(path.to_string()).or_default();
            *entry = Seen { open: true, unsaved: entry.unsaved || document.dirty };
        }
        seen
    }

    /// About how many tokens a file holds, as the person sees it; nothing where there is none that may be read.
    fn tokens_of(&self, path: &str) -> Option<u64> {
        let path = WorkspacePath::clean(path)?;
        let stat = self.files.unasked().stat(&path).ok()?;
        if let Some(document) =
            self.files.documents().snapshot(stat.as_ref().map_or(&path, |stat| &stat.path))
        {
            return Some(estimate(document.text.len() as u64));
        }
        stat.filter(|stat| stat.kind == FileKind::File).map(|stat| estimate(stat.size))
    }

    /// Judges a hint of a model's, and keeps it where it counts.
    pub fn advise(&self, advice: Advice, asked: &str, why: &str, by: &str) -> HintOutcome {
        let (path, bar) = match self.hintable(asked) {
            Ok(path) => (path.to_string(), None),
            Err(error) => (asked.to_owned(), Some(barred(&error))),
        };
        let notes = self.memory.files().now();
        self.earlier.take_in();
        let seen = self.seen_now();
        let standing = self.memory.standing(&path, seen.get(&path).copied().unwrap_or_default(), &notes);
        let (touched, touches) = self.memory.touched(&path);
        let budget = self.budget(&notes);
        let tokens = self.tokens_of(&path).unwrap_or_default();
        let left = budget.saturating_sub(self.held(&notes));
        let facts = Facts { bar, standing, touched, touches, tokens, left, budget };
        let (mut outcome, mut reason) = decide(advice, &facts);
        let kept = match outcome {
            Outcome::Honoured => self.memory.files().hint(advice, &path, why, Some(by)),
            // What it said of the file before no longer counts either.
            Outcome::Promoted => self.memory.files().unhint(|entry| entry.path == path && entry.by.is_some()),
            _ => Ok(()),
        };
        if let Err(wrong) = kept {
            (outcome, reason) = (Outcome::Deferred, format!("{wrong}: mend the file, then advise again"));
        }
        self.memory.changed();
        HintOutcome { path, advice: advice.into(), outcome, reason }
    }

    /// Tokens that what is hot and pinned holds already.
    fn held(&self, notes: &Notes) -> u64 {
        let hot = notes.hot.entries.iter().map(|entry| entry.path.as_str());
        let pinned = notes.manifest.files.iter().filter(|rule| rule.pinned).map(|rule| rule.path.as_str());
        let held: std::collections::BTreeSet<&str> = hot.chain(pinned).collect();
        held.into_iter().filter_map(|path| self.tokens_of(path)).sum()
    }

    /// A file that a hint may stand on.
    ///
    /// # Errors
    /// NOT_FOUND with the nearest names, PERMISSION_DENIED by a rule, INVALID_ARGS for a folder.
    fn hintable(&self, asked: &str) -> Result<WorkspacePath, HintError> {
        let path = WorkspacePath::parse(self.workspace.root(), asked)?;
        self.files.unasked().rules().permit(Access::Read, &path).map_err(WorkspaceError::from)?;
        if let Ok(real) = self.workspace.store().root().resolve(&path)
            && self.files.documents().snapshot(&real).is_some()
        {
            return Ok(real);
        }
        // Opened and not only looked at: so a folder and a device are told apart, and near names are found.
        // Nothing of its text is told, so that nobody has to be asked.
        Ok(self.files.opened_by(Opener::Person).open(&path)?.stat.path)
    }

    /// Carries out a person's word on a file.
    ///
    /// # Errors
    /// NOT_FOUND with the nearest names, PERMISSION_DENIED by a rule; INVALID_ARGS for a folder, or where the file that
    /// keeps it cannot be written.
    pub fn hint(&self, params: &HintParams) -> Result<HintOutcome, HintError> {
        let asked = &params.path;
        let path = match params.advice {
            // What is gone can still be let go.
            HintAct::Clear | HintAct::Unpin => {
                let path = WorkspacePath::parse(self.workspace.root(), asked)?;
                self.workspace.store().root().resolve(&path).unwrap_or(path)
            }
            _ => self.hintable(asked)?,
        }
        .to_string();
        let why = params.why.as_deref().unwrap_or_default();
        let files = self.memory.files();
        let pinned = files.now().manifest.of(&path).is_some_and(|rule| rule.pinned);
        let (kept, reason) = match params.advice {
            HintAct::Hot => (files.hint(Advice::Hot, &path, why, None), "it is hot from now on"),
            HintAct::Cold if pinned => (
                files.hint(Advice::Cold, &path, why, None),
                "it is cold, but stays in the set as long as it is pinned",
            ),
            HintAct::Cold => (files.hint(Advice::Cold, &path, why, None), "it is cold from now on"),
            HintAct::Pin => (files.pin(&path, true, why), "it stays in the set until it is unpinned"),
            HintAct::Unpin => (files.pin(&path, false, why), "it stays as long as it is warm"),
            HintAct::Clear => (files.unhint(|entry| entry.path == path), "no hint stands on it any more"),
        };
        kept.map_err(HintError::Notes)?;
        self.memory.changed();
        let (advice, reason) = (params.advice.into(), reason.to_owned());
        let told = HintOutcome { path, advice, outcome: Outcome::Honoured, reason };
        let paths = vec![told.clone()];
        self.log.write(Event::Hint { by: "person".to_owned(), call_id: None, why: why.to_owned(), paths })?;
        Ok(told)
    }

    /// Cleans the working set up, logs what left it, and says so.
    ///
    /// # Errors
    /// What keeps the log from being written.
    pub fn collect(&self, occasion: Occasion, by: &str, why: &str) -> Result<CollectAnswer, JournalError> {
        let set = self.set();
        let dropped = leaving(&set.files, set.budget, occasion);
        if !dropped.is_empty() {
            self.memory.forget(dropped.iter().map(|dropped| dropped.path.as_str()));
            // An editor that only looks at a folder leaves no log in it.
            if occasion == Occasion::Request || self.log.opened().is_some() {
                let paths = dropped.clone();
                self.log.write(Event::Hint {
                    by: by.to_owned(),
                    call_id: None,
                    why: why.to_owned(),
                    paths,
                })?;
            }
        }
        Ok(CollectAnswer { dropped })
    }

    /// Lets go of what agents advised: their hints are for the session, a person's stay.
    pub(super) fn drop_hints_of_agents(&self) {
        let notes = self.memory.files().now();
        let of_agents = |advice: Advice| {
            let entries = notes.hints(advice).entries.iter().filter(|entry| entry.by.is_some());
            entries
                .map(|entry| HintOutcome {
                    path: entry.path.clone(),
                    advice: advice.into(),
                    outcome: Outcome::Dropped,
                    reason: "an agent's hint ends with the session".to_owned(),
                })
                .collect::<Vec<_>>()
        };
        let paths = [of_agents(Advice::Hot), of_agents(Advice::Cold)].concat();
        if paths.is_empty() || self.memory.files().unhint(|entry| entry.by.is_some()).is_err() {
            return;
        }
        let event = Event::Hint {
            by: "wherefore".to_owned(),
            call_id: None,
            why: "The session ended".to_owned(),
            paths,
        };
        // Where the log cannot be written any more, nobody is left to tell.
        let _ = self.log.write(event);
    }
}

/// Why a hint on a path cannot count, as one sentence.
fn barred(error: &HintError) -> String {
    match error {
        HintError::File(WorkspaceError::Missing { near, .. }) if !near.is_empty() => {
            format!("{error}; near it: {}", near.join(", "))
        }
        _ => error.to_string(),
    }
}
