//! The text of a file as the person sees it: what editors show wins over the disk.

use super::error::TextError;
use super::files::SessionFiles;
use crate::base::text::{self, DecodedText, TextEncoding};
use crate::base::{WorkspacePath, hash};
use crate::protocol::Code;
use crate::rules::FileOpener;
use crate::workspace::WorkspaceFiles;

/// A text as the person sees it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSnapshot {
    /// The text.
    pub text: String,
    /// The encoding of its bytes.
    pub encoding: TextEncoding,
    /// The hash of those bytes.
    pub hash: String,
    /// True where the editor shows it other than the disk holds it.
    pub unsaved: bool,
}

impl SessionFiles {
    /// The text of a file as the person sees it, for a change that they decide on: unsaved text wins over the disk. None where
    /// there is no file.
    ///
    /// # Errors
    /// UNSUPPORTED for a binary file, QUOTA_EXCEEDED for one over the limit, and the error of reading it.
    pub fn read_text(&self, path: &WorkspacePath) -> Result<Option<TextSnapshot>, TextError> {
        #[cfg(test)]
        self.reads.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.read_text_through(&self.opened_by(FileOpener::Person), path)
    }

    /// Returns the text of a file for the opener of `files`.
    ///
    /// # Errors
    /// As [`SessionFiles::read_text`].
    pub fn read_text_through(
        &self,
        files: &WorkspaceFiles,
        path: &WorkspacePath,
    ) -> Result<Option<TextSnapshot>, TextError> {
        let on_disk = match files.read_bytes(path, self.workspace.settings().limits.edit_bytes) {
            Ok((bytes, _)) => Some(bytes),
            Err(error) if error.code() == Code::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        let decoded = on_disk.as_deref().map(|bytes| decode_text(path, bytes)).transpose()?;
        let Some(document) = self.document_at(path) else {
            return Ok(decoded.zip(on_disk).map(|(DecodedText { text, encoding }, bytes)| TextSnapshot {
                text,
                encoding,
                hash: hash::short_hash(&bytes),
                unsaved: false,
            }));
        };
        let encoding = decoded.as_ref().map_or(TextEncoding::Utf8, |decoded| decoded.encoding);
        let on_disk = decoded.as_ref().map_or("", |decoded| &decoded.text);
        let unsaved = on_disk != &*document.text;
        let text = document.text.to_string();
        let hash =
            hash::short_hash(&encoding.encode_text(&text).map_err(|c| unencodable_error(path, encoding, c))?);
        Ok(Some(TextSnapshot { text, encoding, hash, unsaved }))
    }

    /// Returns whether a text that the editor shows differs from the disk's. Line ends do not count: editors unify
    /// them.
    pub fn is_unsaved(&self, path: &WorkspacePath, text: &str) -> bool {
        let files = self.opened_by(FileOpener::Person);
        let on_disk = match files.read_bytes(path, self.workspace.settings().limits.edit_bytes) {
            Ok((bytes, _)) if bytes == text.as_bytes() => return false,
            Ok((bytes, _)) => text::decode_text(bytes),
            Err(error) => return error.code() == Code::NotFound && !text.is_empty(),
        };
        on_disk.is_some_and(|DecodedText { text: on_disk, encoding }| match encoding {
            // The 8-bit encoding that the editor assumed is not known: only the bytes that all of them share are
            // compared.
            TextEncoding::Latin1 => {
                let ascii =
                    |text: &str| text.chars().filter(|c| c.is_ascii() && *c != '\r').collect::<String>();
                ascii(&on_disk) != ascii(text)
            }
            _ => !on_disk.lines().eq(text.lines()),
        })
    }
}

fn decode_text(path: &WorkspacePath, bytes: &[u8]) -> Result<DecodedText, TextError> {
    text::decode_text(bytes).ok_or_else(|| TextError::Binary { path: path.clone(), size: bytes.len() })
}

/// The error of a character that a file's encoding cannot hold.
pub fn unencodable_error(path: &WorkspacePath, encoding: TextEncoding, character: char) -> TextError {
    TextError::Unencodable { path: path.clone(), encoding, character }
}
