//! What stands on the disk of the working set: the three files, read again whenever they are other than they were.

use std::sync::Arc;

use parking_lot::Mutex;

use super::hints::{self, Hints};
use super::hotness::Hint;
use super::manifest::{self, Manifest};
use crate::base::OURS;
use crate::protocol::Advice;
use crate::workspace::{Stamp, Store, WorkspaceError};

/// What the files say.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// `hot.yml`.
    pub hot: Hints,
    /// `cold.yml`.
    pub cold: Hints,
    /// `working-set.yml`.
    pub manifest: Manifest,
}

impl Notes {
    /// The hints of one advice.
    pub fn hints(&self, advice: Advice) -> &Hints {
        match advice {
            Advice::Hot => &self.hot,
            Advice::Cold => &self.cold,
        }
    }

    /// The hint on a file. Where it stands in both files, the person's word counts, and then the warmer one.
    pub fn hint(&self, path: &str) -> Option<Hint> {
        let of = |advice: Advice| {
            let entry = self.hints(advice).entries.iter().find(|entry| entry.path == path)?;
            Some(Hint { advice, by: entry.by.clone(), why: entry.why.clone() })
        };
        match (of(Advice::Hot), of(Advice::Cold)) {
            (Some(hot), Some(cold)) => Some(if hot.by.is_some() && cold.by.is_none() { cold } else { hot }),
            (hot, cold) => hot.or(cold),
        }
    }

    /// What is wrong with the files.
    pub fn problems(&self) -> Vec<String> {
        let all = [&self.hot.problems, &self.cold.problems, &self.manifest.problems];
        all.into_iter().flatten().map(|problem| format!("{OURS}/{problem}")).collect()
    }
}

/// The files, in the folder `.wherefore`.
pub(crate) const FILES: [&str; 3] = ["hot.yml", "cold.yml", manifest::FILE];

/// The files, and what they held when they were read last.
#[derive(Debug)]
pub struct NoteFiles {
    store: Arc<Store>,
    read: Mutex<([Option<Stamp>; 3], Arc<Notes>)>,
    /// Held from reading a file to having written it.
    writing: Mutex<()>,
}

impl NoteFiles {
    /// The files in a store; nothing is read yet.
    pub fn new(store: Arc<Store>) -> Self {
        Self { store, read: Mutex::default(), writing: Mutex::default() }
    }

    /// What they say now.
    pub fn now(&self) -> Arc<Notes> {
        let stamps = FILES.map(|name| self.store.stamp(name));
        let mut read = self.read.lock();
        if read.0 == stamps {
            return read.1.clone();
        }
        let mut notes = (*read.1).clone();
        for ((name, stamp), was) in FILES.iter().zip(&stamps).zip(&read.0) {
            if stamp == was {
                continue;
            }
            let text = self.text(name);
            let failed = |error: WorkspaceError| vec![format!("{name}: {error}")];
            match *name {
                "hot.yml" => {
                    notes.hot = text.map_or_else(
                        |error| Hints { problems: failed(error), ..Hints::default() },
                        |text| hints::read(Advice::Hot, &text),
                    )
                }
                "cold.yml" => {
                    notes.cold = text.map_or_else(
                        |error| Hints { problems: failed(error), ..Hints::default() },
                        |text| hints::read(Advice::Cold, &text),
                    )
                }
                _ => {
                    notes.manifest = text.map_or_else(
                        |error| Manifest { problems: failed(error), ..Manifest::default() },
                        |text| manifest::read(&text),
                    )
                }
            }
        }
        *read = (stamps, Arc::new(notes));
        read.1.clone()
    }

    fn text(&self, name: &str) -> Result<String, WorkspaceError> {
        let bytes = self.store.read(name)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Rewrites one file; nothing is written where it stays as it is.
    ///
    /// # Errors
    /// What `change` says, or what keeps the file from being written; it is then as it was.
    fn change(&self, name: &str, change: impl FnOnce(&str) -> Result<String, String>) -> Result<(), String> {
        let _writing = self.writing.lock();
        let said = |error: WorkspaceError| format!("{OURS}/{name}: {error}");
        let before = self.text(name).map_err(said)?;
        let after = change(&before).map_err(|wrong| format!("{OURS}/{wrong}"))?;
        if after == before {
            return Ok(());
        }
        self.store.write(name, after.as_bytes()).map_err(said)
    }

    /// Puts a hint on a file in place of what was said of it.
    ///
    /// # Errors
    /// Why it cannot be written, as a sentence.
    pub fn hint(&self, advice: Advice, path: &str, why: &str, by: Option<&str>) -> Result<(), String> {
        self.change(hints::file(advice), |text| hints::with(advice, text, path, why, by))?;
        let other = if advice == Advice::Hot { Advice::Cold } else { Advice::Hot };
        self.change(hints::file(other), |text| hints::without(other, text, |entry| entry.path == path))
    }

    /// Takes the hints that `gone` picks out of both files.
    ///
    /// # Errors
    /// Why it cannot be written, as a sentence.
    pub fn unhint(&self, gone: impl Fn(&hints::HintEntry) -> bool) -> Result<(), String> {
        for advice in [Advice::Hot, Advice::Cold] {
            self.change(hints::file(advice), |text| hints::without(advice, text, &gone))?;
        }
        Ok(())
    }

    /// Pins a file, and why, or no longer.
    ///
    /// # Errors
    /// Why it cannot be written, as a sentence.
    pub fn pin(&self, path: &str, pinned: bool, why: &str) -> Result<(), String> {
        self.change(manifest::FILE, |text| manifest::with_pin(text, path, pinned, why))
    }
}
