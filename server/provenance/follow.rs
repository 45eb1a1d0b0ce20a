//! Finds the known file that is at another path now: files may be renamed and indented without a record.

use std::collections::HashSet;

use wherefore_base::WorkspacePath;

use crate::carry::MarkedText;
use crate::lined_file::LinedFile;
use crate::lines::{LineProvenance, WorkspaceTexts};
use crate::restore::FileHistory;
use crate::text::{is_trivial, spaceless_hash, split_lines};

/// Files that are looked for, and those that are compared with a text, past their spaces.
const LOOKED_AT: usize = 256;
const COMPARED: usize = 32;
/// Lines that may be the same by chance.
const FEW: usize = 3;

impl LineProvenance {
    /// Moves the marks of a file to its present path.
    pub(crate) fn follow_file(
        &mut self,
        path: &WorkspacePath,
        text: (Option<&str>, Option<&str>),
        ground: &dyn WorkspaceTexts,
    ) {
        if let Some(from) = self.known_path(path, text, ground)
            && from != *path
            && let Some(file) = self.files.remove(&from)
        {
            self.files.insert(path.clone(), file);
        }
        // The text is equal to another file's: a copy, or a file that came back to its name since.
        let is_known = self.files.get(path).is_some_and(|file| file.now.is_some());
        if let (false, Some(source)) = (is_known, self.files.values().find(|file| file.is_at(text.0))) {
            let copy = LinedFile { history: FileHistory::default(), ..source.clone() };
            self.files.insert(path.clone(), copy);
        }
    }

    /// Returns the path under which the file at `path` is known: that path, or one that it was renamed from without a
    /// record.
    pub(crate) fn known_path(
        &self,
        path: &WorkspacePath,
        (hash, text): (Option<&str>, Option<&str>),
        ground: &dyn WorkspaceTexts,
    ) -> Option<WorkspacePath> {
        let own = self.files.get(path).filter(|file| file.now.is_some());
        if let Some(own) = own {
            // It may have been there before, and have come back under this name.
            let is_back = |(other, file): &(&WorkspacePath, &LinedFile)| {
                *other != path && file.is_at(hash) && !ground.file_exists(other)
            };
            let back = self.files.iter().filter(|_| !own.is_at(hash)).find(is_back);
            return Some(back.map_or(path, |(other, _)| other).clone());
        }
        let lines: HashSet<u64> = split_lines(text?).into_iter().map(crate::text::hash_line).collect();
        let mut best: Option<(usize, &WorkspacePath)> = None;
        for (other, file) in &self.files {
            let Some(now) = file.now.as_ref().filter(|_| other != path) else { continue };
            let common = now.hashes.iter().filter(|line| lines.contains(line)).count();
            let alike = common * 2 > now.hashes.len().max(lines.len());
            if alike && best.is_none_or(|best| (common, other) > best) && !ground.file_exists(other) {
                best = Some((common, other));
            }
        }
        let known = self.files.contains_key(path).then_some(path);
        best.map(|(_, other)| other).or_else(|| self.find_indented(path, text?, ground)).or(known).cloned()
    }

    /// The path of a file that is gone and whose lines are mostly those of `text`, but for their spaces. Lines that are
    /// found in any file say nothing.
    fn find_indented(
        &self,
        path: &WorkspacePath,
        text: &str,
        ground: &dyn WorkspaceTexts,
    ) -> Option<&WorkspacePath> {
        let lines = |text: &str| -> HashSet<u64> {
            { split_lines(text).into_iter() }.filter(|line| !is_trivial(line)).map(spaceless_hash).collect()
        };
        let (wanted, size) = (lines(text), split_lines(text).len());
        if wanted.len() < FEW {
            return None;
        }
        // Their texts may have to be read: the likeliest come first, and the others are not looked at.
        let mut likely: Vec<(bool, usize, &WorkspacePath, &MarkedText)> = { self.files.iter() }
            .filter_map(|(other, file)| Some((other, file.now.as_ref().filter(|_| other != path)?)))
            .map(|(other, now)| {
                (file_extension(other) != file_extension(path), now.hashes.len().abs_diff(size), other, now)
            })
            .filter(|(_, differ, _, now)| differ * 2 <= now.hashes.len().max(size))
            .collect();
        likely.sort_unstable_by(|one, other| (one.0, one.1, one.2).cmp(&(other.0, other.1, other.2)));
        let common = |other: &WorkspacePath, now: &MarkedText| {
            let kept = || ground.text_of(self.files.get(other)?.hash.as_deref()?);
            let had = lines(&now.text.clone().or_else(kept)?);
            let common = had.intersection(&wanted).count();
            (common * 2 > had.len().max(wanted.len())).then_some(common)
        };
        { likely.into_iter() }
            .take(LOOKED_AT)
            .filter(|(_, _, other, _)| !ground.file_exists(other))
            .take(COMPARED)
            .filter_map(|(_, _, other, now)| Some((common(other, now)?, other)))
            .max()
            .map(|(_, other)| other)
    }
}

fn file_extension(path: &WorkspacePath) -> Option<&str> {
    Some(path.as_str().rsplit_once('/').map_or(path.as_str(), |(_, name)| name).rsplit_once('.')?.1)
}
