//! The files that matter now: a session's memory together with what editors show and the files hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::earlier_calls::EarlierCalls;
use super::error::HintError;
use super::files::SessionFiles;
use super::log::SessionLog;
use super::workspace::Workspace;
use crate::base::{OWN_DIR, WorkspacePath};
use crate::journal::JournalError;
use crate::memory::advise::{HintFacts, decide_hint};
use crate::memory::collect::{CleanupOccasion, leaving_files};
use crate::memory::{OpenState, WorkingSetNotes, WorkspaceMemory, estimate_tokens};
use crate::protocol::{
    Advice, CollectAnswer, Event, HintAct, HintOutcome, HintParams, Outcome, PathAccess, WorkingSetAnswer,
};
use crate::rules::FileOpener;
use crate::workspace::{FileKind, WorkspaceError};

/// The working set of a session.
#[derive(Debug)]
pub struct WorkingFiles {
    pub(super) memory: Arc<WorkspaceMemory>,
    pub(super) workspace: Arc<Workspace>,
    pub(super) files: Arc<SessionFiles>,
    pub(super) log: Arc<SessionLog>,
    pub(super) earlier: Arc<EarlierCalls>,
}

impl WorkingFiles {
    /// The files that matter now, the hottest first.
    pub fn working_set(&self) -> WorkingSetAnswer {
        self.earlier.take_in();
        let files = self.memory.working_set(&self.seen_now(), |path| self.tokens_of(path));
        let notes = self.memory.note_files().current_notes();
        WorkingSetAnswer {
            tokens: files.iter().filter_map(|file| file.tokens).sum(),
            files,
            budget: self.token_budget(&notes),
            problems: notes.problems(),
        }
    }

    /// Tokens that a context of the working set may hold.
    pub fn token_budget(&self, notes: &WorkingSetNotes) -> u64 {
        notes.manifest.budget.unwrap_or(self.workspace.settings().memory.budget)
    }

    /// Returns the documents that the editor has open, by path.
    fn seen_now(&self) -> BTreeMap<String, OpenState> {
        let mut seen: BTreeMap<String, OpenState> = BTreeMap::new();
        for document in self.files.documents().all() {
            // An open file of our own folder is no work on the project.
            let Some(path) = document.path.filter(|path| path.parts().next() != Some(OWN_DIR)) else {
                continue;
            };
            let entry = seen.entry(path.to_string()).or_default();
            *entry = OpenState { open: true, unsaved: entry.unsaved || document.dirty };
        }
        seen
    }

    /// About how many tokens a file holds, as the person sees it; nothing where there is none that may be read.
    fn tokens_of(&self, path: &str) -> Option<u64> {
        let path = WorkspacePath::from_relative(path)?;
        let stat = self.files.unasked_files().stat(&path).ok()?;
        if let Some(document) =
            self.files.documents().document_at(stat.as_ref().map_or(&path, |stat| &stat.path))
        {
            return Some(estimate_tokens(document.text.len() as u64));
        }
        stat.filter(|stat| stat.kind == FileKind::File).map(|stat| estimate_tokens(stat.size))
    }

    /// Judges a hint of a model's, and keeps it where it counts.
    pub fn add_hint(&self, advice: Advice, asked: &str, why: &str, by: &str) -> HintOutcome {
        let (path, bar) = match self.resolve_hint_path(asked) {
            Ok(path) => (path.to_string(), None),
            Err(error) => (asked.to_owned(), Some(barred_reason(&error))),
        };
        let notes = self.memory.note_files().current_notes();
        self.earlier.take_in();
        let seen = self.seen_now();
        let standing = self.memory.file_standing(&path, seen.get(&path).copied().unwrap_or_default(), &notes);
        let (touched, touches) = self.memory.touch_summary(&path);
        let budget = self.token_budget(&notes);
        let tokens = self.tokens_of(&path).unwrap_or_default();
        let left = budget.saturating_sub(self.held_tokens(&notes));
        let facts = HintFacts { bar, standing, touched, touches, tokens, left, budget };
        let (mut outcome, mut reason) = decide_hint(advice, &facts);
        let kept = match outcome {
            Outcome::Honoured => self.memory.note_files().put_hint(advice, &path, why, Some(by)),
            // The agent's earlier advice on the file no longer counts.
            Outcome::Promoted => {
                self.memory.note_files().remove_hints(|entry| entry.path == path && entry.by.is_some())
            }
            _ => Ok(()),
        };
        if let Err(wrong) = kept {
            (outcome, reason) = (Outcome::Deferred, format!("{wrong}: mend the file, then advise again"));
        }
        self.memory.notify_changed();
        HintOutcome { path, advice: advice.into(), outcome, reason }
    }

    /// Tokens that what is hot and pinned holds already.
    fn held_tokens(&self, notes: &WorkingSetNotes) -> u64 {
        let hot = notes.hot.entries.iter().map(|entry| entry.path.as_str());
        let pinned = notes.manifest.files.iter().filter(|rule| rule.pinned).map(|rule| rule.path.as_str());
        let held: std::collections::BTreeSet<&str> = hot.chain(pinned).collect();
        held.into_iter().filter_map(|path| self.tokens_of(path)).sum()
    }

    /// Resolves `asked` to the real path of an open document, or of a file on the disk that the rules let be read.
    ///
    /// # Errors
    /// NOT_FOUND with the nearest names, PERMISSION_DENIED by a rule, INVALID_ARGS for a folder.
    fn resolve_hint_path(&self, asked: &str) -> Result<WorkspacePath, HintError> {
        let path = WorkspacePath::parse(self.workspace.root(), asked)?;
        self.files
            .unasked_files()
            .paths()
            .rules()
            .paths()
            .permit_access(PathAccess::Read, &path)
            .map_err(WorkspaceError::from)?;
        if let Ok(real) = self.workspace.store().root().resolve_path(&path)
            && self.files.documents().document_at(&real).is_some()
        {
            return Ok(real);
        }
        // The file is opened and not only looked up: so a folder and a device are distinguished, and near names are
        // found. Nothing of its text is shown, so that no consent is needed.
        Ok(self.files.opened_by(FileOpener::Person).open(&path)?.stat.path)
    }

    /// Carries out a person's word on a file.
    ///
    /// # Errors
    /// NOT_FOUND with the nearest names, PERMISSION_DENIED by a rule; INVALID_ARGS for a folder, or where the file that
    /// keeps it cannot be written.
    pub fn apply_hint(&self, params: &HintParams) -> Result<HintOutcome, HintError> {
        let asked = &params.path;
        let path = match params.advice {
            // A hint on a removed file can still be cleared.
            HintAct::Clear | HintAct::Unpin => {
                let path = WorkspacePath::parse(self.workspace.root(), asked)?;
                self.workspace.store().root().resolve_path(&path).unwrap_or(path)
            }
            _ => self.resolve_hint_path(asked)?,
        }
        .to_string();
        let why = params.why.as_deref().unwrap_or_default();
        let files = self.memory.note_files();
        let pinned = files.current_notes().manifest.rule_for(&path).is_some_and(|rule| rule.pinned);
        let (kept, reason) = match params.advice {
            HintAct::Hot => (files.put_hint(Advice::Hot, &path, why, None), "it is hot from now on"),
            HintAct::Cold if pinned => (
                files.put_hint(Advice::Cold, &path, why, None),
                "it is cold, but stays in the set as long as it is pinned",
            ),
            HintAct::Cold => (files.put_hint(Advice::Cold, &path, why, None), "it is cold from now on"),
            HintAct::Pin => (files.pin_file(&path, true, why), "it stays in the set until it is unpinned"),
            HintAct::Unpin => (files.pin_file(&path, false, why), "it stays as long as it is warm"),
            HintAct::Clear => {
                (files.remove_hints(|entry| entry.path == path), "no hint stands on it any more")
            }
        };
        kept.map_err(HintError::Notes)?;
        self.memory.notify_changed();
        let (advice, reason) = (params.advice.into(), reason.to_owned());
        let told = HintOutcome { path, advice, outcome: Outcome::Honoured, reason };
        let paths = vec![told.clone()];
        self.log.write_event(Event::Hint {
            by: "person".to_owned(),
            call_id: None,
            why: why.to_owned(),
            paths,
        })?;
        Ok(told)
    }

    /// Cleans the working set up, logs the files that left it, and reports them.
    ///
    /// # Errors
    /// The error that keeps the log from being written.
    pub fn clean_up(
        &self,
        occasion: CleanupOccasion,
        by: &str,
        why: &str,
    ) -> Result<CollectAnswer, JournalError> {
        let set = self.working_set();
        let dropped = leaving_files(&set.files, set.budget, occasion);
        if !dropped.is_empty() {
            self.memory.forget_files(dropped.iter().map(|dropped| dropped.path.as_str()));
            // An editor that only looks at a folder leaves no log in it.
            if occasion == CleanupOccasion::Request || self.log.journal_if_open().is_some() {
                let paths = dropped.clone();
                self.log.write_event(Event::Hint {
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
        let notes = self.memory.note_files().current_notes();
        let of_agents = |advice: Advice| {
            let entries = notes.hints_of(advice).entries.iter().filter(|entry| entry.by.is_some());
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
        if paths.is_empty() || self.memory.note_files().remove_hints(|entry| entry.by.is_some()).is_err() {
            return;
        }
        let event = Event::Hint {
            by: "wherefore".to_owned(),
            call_id: None,
            why: "The session ended".to_owned(),
            paths,
        };
        // A failure to write the log here cannot be reported any more.
        let _ = self.log.write_event(event);
    }
}

/// Returns the reason why a hint on a path cannot count, as one sentence.
fn barred_reason(error: &HintError) -> String {
    match error {
        HintError::File(WorkspaceError::Missing { near, .. }) if !near.is_empty() => {
            format!("{error}; near it: {}", near.join(", "))
        }
        _ => error.to_string(),
    }
}
