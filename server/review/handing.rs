//! The note of a file that is handed over to its agent just now: where the server is killed before the agent has written,
//! the next one writes what was accepted.

use serde::{Deserialize, Serialize};

use crate::base::{WorkspacePath, hash};
use crate::protocol::Fault;
use crate::rules::Opener;
use crate::session::Session;
use crate::workspace::{Expect, Permissions};

/// Where such notes are kept.
const FOLDER: &str = "handing";

/// What is noted of one file.
#[derive(Debug, Serialize, Deserialize)]
struct HandingNote {
    path: WorkspacePath,
    /// The hash of the bytes that the agent finds there; none where it finds no file.
    read: Option<String>,
    /// The hash under which what was accepted is kept.
    accepted: String,
}

/// A note that is kept. Dropping it removes it.
pub(super) struct Handing<'s> {
    session: &'s Session,
    file: String,
}

impl Drop for Handing<'_> {
    fn drop(&mut self) {
        // One that stays finds the file as it was accepted.
        let _ = self.session.workspace().state().remove(&self.file);
    }
}

impl<'s> Handing<'s> {
    /// Notes that a file is put back to `read` while `accepted` is to stand there.
    ///
    /// # Errors
    /// What keeps the note from being written.
    pub(super) fn note(
        session: &'s Session,
        path: &WorkspacePath,
        read: Option<&[u8]>,
        accepted: &[u8],
    ) -> Result<Self, Fault> {
        let state = session.workspace().state();
        let note =
            HandingNote { path: path.clone(), read: read.map(hash::short), accepted: state.put(accepted)? };
        let file = format!("{FOLDER}/{}.json", hash::short(path.as_str().as_bytes()));
        let json = serde_json::to_vec(&note).map_err(|error| Fault::internal(error.to_string()))?;
        state.write(&file, &json)?;
        Ok(Self { session, file })
    }
}

/// Writes what was accepted of the files that an earlier server had put back when it was killed. A file that holds
/// anything else by now is left.
pub(super) fn finish(session: &Session) {
    let state = session.workspace().state();
    for name in state.list(FOLDER).unwrap_or_default() {
        let kept = Handing { session, file: format!("{FOLDER}/{name}") };
        let note = state.read(&kept.file).ok().flatten();
        let Some(note) = note.and_then(|json| serde_json::from_slice::<HandingNote>(&json).ok()) else {
            continue;
        };
        let Ok(Some(accepted)) = state.get(&note.accepted) else { continue };
        let expect = note.read.map_or(Expect::Absent, Expect::Hash);
        let files = session.files().opened_by(Opener::Person);
        if let Err(error) = files.write_as(&note.path, &accepted, &expect, Permissions::PLAIN) {
            tracing::info!("{} is left as it is: {error}", note.path);
        }
    }
}
