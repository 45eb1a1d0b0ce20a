//! The files of the working set on the disk: three files, read again whenever they change.

use std::sync::Arc;

use parking_lot::Mutex;

use super::hints::{self, HintFile};
use super::hotness::ActiveHint;
use super::manifest::{self, WorkingSetManifest};
use crate::base::OWN_DIR;
use crate::protocol::Advice;
use crate::workspace::{PrivateFileStamp, WorkspaceError, WorkspaceStore};

/// The content of the files.
#[derive(Clone, Debug, Default)]
pub struct WorkingSetNotes {
    /// `hot.yml`.
    pub hot: HintFile,
    /// `cold.yml`.
    pub cold: HintFile,
    /// `working-set.yml`.
    pub manifest: WorkingSetManifest,
}

impl WorkingSetNotes {
    /// The hints of one advice.
    pub fn hints_of(&self, advice: Advice) -> &HintFile {
        match advice {
            Advice::Hot => &self.hot,
            Advice::Cold => &self.cold,
        }
    }

    /// Returns the hint on a file. Where it is in both files, the person's hint counts, and then the warmer one.
    pub fn hint_for(&self, path: &str) -> Option<ActiveHint> {
        let of = |advice: Advice| {
            let entry = self.hints_of(advice).entries.iter().find(|entry| entry.path == path)?;
            Some(ActiveHint { advice, by: entry.by.clone(), why: entry.why.clone() })
        };
        match (of(Advice::Hot), of(Advice::Cold)) {
            (Some(hot), Some(cold)) => Some(if hot.by.is_some() && cold.by.is_none() { cold } else { hot }),
            (hot, cold) => hot.or(cold),
        }
    }

    /// Returns the problems of the files.
    pub fn problems(&self) -> Vec<String> {
        let all = [&self.hot.problems, &self.cold.problems, &self.manifest.problems];
        all.into_iter().flatten().map(|problem| format!("{OWN_DIR}/{problem}")).collect()
    }
}

/// The files, in the folder `.wherefore`.
pub(crate) const FILES: [&str; 3] = ["hot.yml", "cold.yml", manifest::FILE];

/// The files, and what they held when they were read last.
#[derive(Debug)]
pub struct NoteFiles {
    store: Arc<WorkspaceStore>,
    read: Mutex<([Option<PrivateFileStamp>; 3], Arc<WorkingSetNotes>)>,
    /// The lock that is held from reading a file to having written it.
    writing: Mutex<()>,
}

impl NoteFiles {
    /// The files in a store; nothing is read yet.
    pub fn new(store: Arc<WorkspaceStore>) -> Self {
        Self { store, read: Mutex::default(), writing: Mutex::default() }
    }

    /// Returns their current content.
    pub fn current_notes(&self) -> Arc<WorkingSetNotes> {
        let stamps = FILES.map(|name| self.store.file_stamp(name));
        let mut read = self.read.lock();
        if read.0 == stamps {
            return read.1.clone();
        }
        let mut notes = (*read.1).clone();
        for ((name, stamp), was) in FILES.iter().zip(&stamps).zip(&read.0) {
            if stamp == was {
                continue;
            }
            let text = self.read_text(name);
            let failed = |error: WorkspaceError| vec![format!("{name}: {error}")];
            match *name {
                "hot.yml" => {
                    notes.hot = text.map_or_else(
                        |error| HintFile { problems: failed(error), ..HintFile::default() },
                        |text| hints::read_hints(Advice::Hot, &text),
                    )
                }
                "cold.yml" => {
                    notes.cold = text.map_or_else(
                        |error| HintFile { problems: failed(error), ..HintFile::default() },
                        |text| hints::read_hints(Advice::Cold, &text),
                    )
                }
                _ => {
                    notes.manifest = text.map_or_else(
                        |error| WorkingSetManifest {
                            problems: failed(error),
                            ..WorkingSetManifest::default()
                        },
                        |text| manifest::read_manifest(&text),
                    )
                }
            }
        }
        *read = (stamps, Arc::new(notes));
        read.1.clone()
    }

    fn read_text(&self, name: &str) -> Result<String, WorkspaceError> {
        let bytes = self.store.read_file(name)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Rewrites one file; nothing is written where it stays as it is.
    ///
    /// # Errors
    /// The error of `change`, or the error that keeps the file from being written; the file is then unchanged.
    fn change_file(
        &self,
        name: &str,
        change: impl FnOnce(&str) -> Result<String, String>,
    ) -> Result<(), String> {
        let _writing = self.writing.lock();
        let said = |error: WorkspaceError| format!("{OWN_DIR}/{name}: {error}");
        let before = self.read_text(name).map_err(said)?;
        let after = change(&before).map_err(|wrong| format!("{OWN_DIR}/{wrong}"))?;
        if after == before {
            return Ok(());
        }
        self.store.write_file(name, after.as_bytes()).map_err(said)
    }

    /// Puts a hint on a file in place of what was said of it.
    ///
    /// # Errors
    /// The reason why it cannot be written, as a sentence.
    pub fn put_hint(&self, advice: Advice, path: &str, why: &str, by: Option<&str>) -> Result<(), String> {
        self.change_file(hints::hint_file_name(advice), |text| {
            hints::with_hint(advice, text, path, why, by)
        })?;
        let other = if advice == Advice::Hot { Advice::Cold } else { Advice::Hot };
        self.change_file(hints::hint_file_name(other), |text| {
            hints::without_hints(other, text, |entry| entry.path == path)
        })
    }

    /// Takes the hints that `gone` picks out of both files.
    ///
    /// # Errors
    /// The reason why it cannot be written, as a sentence.
    pub fn remove_hints(&self, gone: impl Fn(&hints::HintEntry) -> bool) -> Result<(), String> {
        for advice in [Advice::Hot, Advice::Cold] {
            self.change_file(hints::hint_file_name(advice), |text| {
                hints::without_hints(advice, text, &gone)
            })?;
        }
        Ok(())
    }

    /// Pins a file, and why, or no longer.
    ///
    /// # Errors
    /// The reason why it cannot be written, as a sentence.
    pub fn pin_file(&self, path: &str, pinned: bool, why: &str) -> Result<(), String> {
        self.change_file(manifest::FILE, |text| manifest::with_pin(text, path, pinned, why))
    }
}
