//! What an activity works on: a snapshot of the session's state, and how to be stopped.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Session;
use crate::base::text::{self, Decoded, Encoding};
use crate::base::{WorkspacePath, hash};
use crate::ports::Caller;
use crate::protocol::{Code, Fault, Origin, Settings};
use crate::rules::{Grant, Opener};
use crate::workspace::{Files, Governance};

/// A text as the person sees it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The text.
    pub text: String,
    /// How its bytes are written.
    pub encoding: Encoding,
    /// The hash of those bytes.
    pub hash: String,
    /// Whether the editor shows it other than the disk holds it.
    pub unsaved: bool,
}

/// The session as one call may use it.
#[derive(Clone, Debug)]
pub struct Scope {
    session: Arc<Session>,
    governance: Arc<Governance>,
    files: Files,
    cancel: CancellationToken,
    caller: Option<Arc<dyn Caller>>,
    origin: Arc<Origin>,
}

impl Scope {
    /// The scope of a call of `origin` that `cancel` stops.
    pub fn new(
        session: Arc<Session>,
        origin: &Origin,
        cancel: CancellationToken,
        caller: Option<Arc<dyn Caller>>,
    ) -> Self {
        let governance = session.governance();
        let files = Files::new(session.store.state().clone(), governance.rules().clone(), Opener::Unasked);
        Self { session, governance, files, cancel, caller, origin: Arc::new(origin.clone()) }
    }

    /// Who called.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The same scope, with the files that the grant opens.
    #[must_use]
    pub fn granted(&self, grant: &Arc<Grant>) -> Self {
        Self { files: self.files.opened_by(Opener::Call(grant.clone())), ..self.clone() }
    }

    /// The same scope under the settings and rules that hold now; nothing where it has them already. No grant is in it.
    pub fn renewed(&self) -> Option<Self> {
        let same = Arc::ptr_eq(&self.governance, &self.session.governance());
        (!same)
            .then(|| Self::new(self.session.clone(), &self.origin, self.cancel.clone(), self.caller.clone()))
    }

    /// The session. Tools read through it; what they change they hand over as a draft.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The settings as they stood when the call began.
    pub fn settings(&self) -> &Settings {
        self.governance.settings()
    }

    /// The settings and rules as they stood when the call began.
    pub fn governance(&self) -> &Governance {
        &self.governance
    }

    /// The files, behind the rules. What a rule asks about is open as far as the person said yes to this call.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Reads a path as a caller writes it.
    ///
    /// # Errors
    /// As [`WorkspacePath::parse`].
    pub fn path(&self, asked: &str) -> Result<WorkspacePath, Fault> {
        Ok(WorkspacePath::parse(self.session.root(), asked)?)
    }

    /// Stops work that was cancelled.
    ///
    /// # Errors
    /// CANCELLED, once it was.
    pub fn check(&self) -> Result<(), Fault> {
        match self.cancel.is_cancelled() {
            true => Err(Fault::new(Code::Cancelled, "the call was cancelled")),
            false => Ok(()),
        }
    }

    /// What stops it.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Tells how far it is.
    pub fn progress(&self, message: &str, percentage: Option<u32>) {
        if let Some(caller) = &self.caller {
            caller.progress(message, percentage);
        }
    }

    /// Whoever waits for the answer, where it can be told or asked something meanwhile.
    pub fn caller(&self) -> Option<&Arc<dyn Caller>> {
        self.caller.as_ref()
    }

    /// The text of a file as the person sees it: unsaved text wins over the disk. None where there is no file.
    ///
    /// # Errors
    /// UNSUPPORTED for a binary file, QUOTA_EXCEEDED for one over the limit, and what reading it says.
    pub fn text(&self, path: &WorkspacePath) -> Result<Option<Snapshot>, Fault> {
        text_seen(&self.session, &self.files, path)
    }
}

/// See [`Scope::text`]: for a change that a person decides on.
///
/// # Errors
/// As [`Scope::text`].
pub fn text_of(session: &Session, path: &WorkspacePath) -> Result<Option<Snapshot>, Fault> {
    text_seen(session, &session.files_for(Opener::Person), path)
}

/// See [`Scope::text`]: for whoever opens `files`.
///
/// # Errors
/// As [`Scope::text`].
pub fn text_seen(session: &Session, files: &Files, path: &WorkspacePath) -> Result<Option<Snapshot>, Fault> {
    let on_disk = match files.read(path, session.settings().limits.edit_bytes) {
        Ok((bytes, _)) => Some(bytes),
        Err(fault) if fault.code == Code::NotFound => None,
        Err(fault) => return Err(fault),
    };
    let decoded = on_disk.as_deref().map(|bytes| decode(path, bytes)).transpose()?;
    let Some(document) = session.document(path) else {
        return Ok(decoded.zip(on_disk).map(|(Decoded { text, encoding }, bytes)| Snapshot {
            text,
            encoding,
            hash: hash::short(&bytes),
            unsaved: false,
        }));
    };
    let encoding = decoded.as_ref().map_or(Encoding::Utf8, |decoded| decoded.encoding);
    let on_disk = decoded.as_ref().map_or("", |decoded| &decoded.text);
    let unsaved = on_disk != &*document.text;
    let text = document.text.to_string();
    let hash = hash::short(&encoding.encode(&text).map_err(|c| unencodable(path, encoding, c))?);
    Ok(Some(Snapshot { text, encoding, hash, unsaved }))
}

fn decode(path: &WorkspacePath, bytes: &[u8]) -> Result<Decoded, Fault> {
    text::decode(bytes).ok_or_else(|| {
        Fault::new(Code::Unsupported, format!("{path} is a binary file of {} bytes, not a text", bytes.len()))
            .suggest("fs.copy moves bytes about; only texts are read and edited")
    })
}

/// The fault for a character that a file's encoding cannot hold.
pub fn unencodable(path: &WorkspacePath, encoding: Encoding, c: char) -> Fault {
    let code = u32::from(c);
    Fault::new(
        Code::InvalidArgs,
        format!("{path} is kept as {}, which has no {c:?} (U+{code:04X})", encoding.name()),
    )
    .suggest("use a character that the file's encoding has, or write the text to a new file, which is UTF-8")
}

/// Whether a text that the editor shows is not what the disk holds. How lines end does not count: editors make them alike.
pub fn is_unsaved(session: &Session, path: &WorkspacePath, text: &str) -> bool {
    let files = session.files_for(Opener::Person);
    let on_disk = match files.read(path, session.settings().limits.edit_bytes) {
        Ok((bytes, _)) if bytes == text.as_bytes() => return false,
        Ok((bytes, _)) => text::decode(bytes),
        Err(fault) => return fault.code == Code::NotFound && !text.is_empty(),
    };
    on_disk.is_some_and(|Decoded { text: on_disk, encoding }| match encoding {
        // Which 8-bit encoding the editor took it for is not known: what is alike in all of them is compared.
        Encoding::Latin1 => {
            let ascii = |text: &str| text.chars().filter(|c| c.is_ascii() && *c != '\r').collect::<String>();
            ascii(&on_disk) != ascii(text)
        }
        _ => !on_disk.lines().eq(text.lines()),
    })
}
