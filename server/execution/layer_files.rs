//! Reads the files of a layer within bounds: a file with several names once, and no more texts at a time than fit.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use super::error::ExecutionError;
use crate::base::WorkspacePath;
use crate::protocol::PathContent;
use crate::sandbox::OverlayLayers;
use crate::session::CallScope;

/// Bytes of the texts that one command's changes hold. A file beyond that is proposed whole, with no lines.
pub(super) const HELD_BYTES: usize = 32 << 20;

/// The files of a layer.
pub(super) struct LayerFiles<'s> {
    scope: &'s CallScope,
    overlay: &'s OverlayLayers,
    /// Bytes of texts that may still be held.
    left: usize,
    /// Files that are proposed whole, since no more texts are held.
    whole: usize,
    /// The content of files with several names, by inode.
    linked: HashMap<u64, PathContent>,
}

/// A file of the layer.
pub(super) struct LayerFile<'l> {
    pub(super) path: &'l Path,
    pub(super) size: u64,
    /// Its inode, where it has several names.
    pub(super) linked: Option<u64>,
    pub(super) executable: bool,
}

/// The content of a file of the layer.
pub(super) enum WrittenContent {
    Bytes(Vec<u8>),
    /// The content that is already kept.
    Kept(PathContent),
}

impl<'s> LayerFiles<'s> {
    /// Returns the files of `overlay`.
    pub(super) fn for_overlay(scope: &'s CallScope, overlay: &'s OverlayLayers) -> Self {
        Self { scope, overlay, left: HELD_BYTES, whole: 0, linked: HashMap::new() }
    }

    /// The number of files that are proposed whole, since no more texts are held.
    pub(super) fn count_whole(&self) -> usize {
        self.whole
    }

    /// Returns whether a file with several names was read by one of them.
    pub(super) fn has_read(&self, inode: u64) -> bool {
        self.linked.contains_key(&inode)
    }

    /// Returns whether a text of so many bytes may be held with those before. Where it may not, its file is proposed
    /// whole.
    pub(super) fn reserve_text(&mut self, bytes: usize) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => {
                self.whole += 1;
                return false;
            }
        }
        true
    }

    /// The bytes of a file of the workspace, or why they are left out.
    pub(super) fn on_disk(&self, path: &WorkspacePath) -> Result<Vec<u8>, String> {
        let read = self.scope.files().read_bytes(path, self.largest_file());
        read.map(|(bytes, _)| bytes).map_err(|error| error.to_string())
    }

    /// Returns the content of a file of the layer, or why it is left out.
    ///
    /// # Errors
    /// Fails where the layer cannot be read.
    pub(super) fn read_file(
        &self,
        file: &LayerFile<'_>,
    ) -> Result<Result<WrittenContent, String>, ExecutionError> {
        let doing = ExecutionError::while_doing("reading what the command wrote");
        if file.size > self.largest_file() {
            let (size, most) = (file.size, self.largest_file());
            return Ok(Err(format!("its {size} bytes are over limits.edit_bytes, {most}")));
        }
        if let Some(kept) = file.linked.and_then(|inode| self.linked.get(&inode)) {
            return Ok(Ok(WrittenContent::Kept(kept.clone())));
        }
        let mut bytes = Vec::new();
        let opened = self.overlay.open_file(file.path).map_err(&doing)?;
        opened.take(self.largest_file()).read_to_end(&mut bytes).map_err(doing)?;
        Ok(Ok(WrittenContent::Bytes(bytes)))
    }

    /// Keeps the content of a file of the layer. Its further names find it there.
    ///
    /// # Errors
    /// Fails where the state folder cannot keep it.
    pub(super) fn keep_content(
        &mut self,
        file: &LayerFile<'_>,
        bytes: &[u8],
    ) -> Result<PathContent, ExecutionError> {
        let kept = self.keep_replaced(bytes)?;
        if let Some(inode) = file.linked {
            self.linked.insert(inode, kept.clone());
        }
        Ok(kept)
    }

    /// Keeps bytes that a change replaces.
    ///
    /// # Errors
    /// As [`LayerFiles::keep_content`].
    pub(super) fn keep_replaced(&self, bytes: &[u8]) -> Result<PathContent, ExecutionError> {
        let hash = self.scope.files().state().put_object(bytes)?;
        Ok(PathContent::Bytes { hash, size: bytes.len() as u64 })
    }

    fn largest_file(&self) -> u64 {
        self.scope.settings().limits.edit_bytes
    }
}
