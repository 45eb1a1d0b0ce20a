//! The text of a file as the person sees it: what editors show wins over the disk.

use super::error::TextError;
use super::files::SessionFiles;
use crate::base::text::{self, Decoded, Encoding};
use crate::base::{WorkspacePath, hash};
use crate::protocol::Code;
use crate::rules::Opener;
use crate::workspace::Files;

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

impl SessionFiles {
    /// The text of a file as the person sees it, for a change that they decide on: unsaved text wins over the disk. None where
    /// there is no file.
    ///
    /// # Errors
    /// UNSUPPORTED for a binary file, QUOTA_EXCEEDED for one over the limit, and what reading it says.
    pub fn text(&self, path: &WorkspacePath) -> Result<Option<Snapshot>, TextError> {
        self.text_through(&self.opened_by(Opener::Person), path)
    }

    /// The same for whoever opens `files`.
    ///
    /// # Errors
    /// As [`SessionFiles::text`].
    pub fn text_through(&self, files: &Files, path: &WorkspacePath) -> Result<Option<Snapshot>, TextError> {
        let on_disk = match files.read(path, self.workspace.settings().limits.edit_bytes) {
            Ok((bytes, _)) => Some(bytes),
            Err(error) if error.code() == Code::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        let decoded = on_disk.as_deref().map(|bytes| decode(path, bytes)).transpose()?;
        let Some(document) = self.document(path) else {
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

    /// Whether a text that the editor shows is not what the disk holds. How lines end does not count: editors make them alike.
    pub fn is_unsaved(&self, path: &WorkspacePath, text: &str) -> bool {
        let files = self.opened_by(Opener::Person);
        let on_disk = match files.read(path, self.workspace.settings().limits.edit_bytes) {
            Ok((bytes, _)) if bytes == text.as_bytes() => return false,
            Ok((bytes, _)) => text::decode(bytes),
            Err(error) => return error.code() == Code::NotFound && !text.is_empty(),
        };
        on_disk.is_some_and(|Decoded { text: on_disk, encoding }| match encoding {
            // Which 8-bit encoding the editor took it for is not known: what is alike in all of them is compared.
            Encoding::Latin1 => {
                let ascii =
                    |text: &str| text.chars().filter(|c| c.is_ascii() && *c != '\r').collect::<String>();
                ascii(&on_disk) != ascii(text)
            }
            _ => !on_disk.lines().eq(text.lines()),
        })
    }
}

fn decode(path: &WorkspacePath, bytes: &[u8]) -> Result<Decoded, TextError> {
    text::decode(bytes).ok_or_else(|| TextError::Binary { path: path.clone(), size: bytes.len() })
}

/// The error of a character that a file's encoding cannot hold.
pub fn unencodable(path: &WorkspacePath, encoding: Encoding, character: char) -> TextError {
    TextError::Unencodable { path: path.clone(), encoding, character }
}
