//! The known files, and for each term the files that hold it.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::definitions::DefinitionKind;
use super::digest::{FileDigest, IndexedFile, TermCounts};
use super::language::language_names;
use super::prior::PathPrior;
use super::words::{Term, with_terms};
use crate::base::bm25;

/// The number of a file: that of one that is gone is given to another.
pub(super) type FileId = u32;

/// A term in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct TermPosting {
    pub(super) file: FileId,
    pub(super) counts: TermCounts,
}

/// The place where a name is defined.
#[derive(Clone, Copy, Debug)]
pub(super) struct DefinitionPlace {
    pub(super) file: FileId,
    pub(super) exact: u32,
    pub(super) chunk: u16,
    pub(super) kind: DefinitionKind,
}

/// An item that belongs to one file of many, found by the file.
trait FileOwned {
    fn file_id(&self) -> FileId;
}

impl FileOwned for TermPosting {
    fn file_id(&self) -> FileId {
        self.file
    }
}

impl FileOwned for DefinitionPlace {
    fn file_id(&self) -> FileId {
        self.file
    }
}

/// All files.
#[derive(Debug, Default)]
pub(super) struct TermStore {
    files: Vec<Option<IndexedFile>>,
    free: Vec<FileId>,
    ids: HashMap<Box<str>, FileId, RandomState>,
    /// The postings of each term, in ascending order of files.
    postings: HashMap<Term, Vec<TermPosting>, RandomState>,
    names: HashMap<u32, Vec<DefinitionPlace>, RandomState>,
    length: u64,
    pieces: u64,
    priors: PriorCounts,
    /// The number of files in the language of each name.
    languages: HashMap<Term, usize, RandomState>,
    version: u64,
}

/// The number of files of code, and the number of them of each kind of a [`PathPrior`].
#[derive(Debug, Default)]
struct PriorCounts {
    code: usize,
    of: [usize; PathPrior::COUNT],
}

impl PriorCounts {
    fn count_prior(&mut self, prior: PathPrior, one: isize) {
        let add = |to: &mut usize, is: bool| *to = to.wrapping_add_signed(if is { one } else { 0 });
        add(&mut self.code, prior.is_code());
        for (at, of) in self.of.iter_mut().enumerate() {
            add(of, prior.is_code() && prior.has(at));
        }
    }
}

impl TermStore {
    /// Puts a file in place of the one of the same path.
    pub(super) fn put_file(&mut self, digest: FileDigest) {
        let FileDigest { file, counts } = digest;
        self.remove_file(&file.path);
        let id = self.free.pop().unwrap_or(self.files.len() as FileId);
        for (term, counts) in file.terms.iter().zip(counts) {
            insert_sorted(self.postings.entry(*term).or_default(), TermPosting { file: id, counts });
        }
        for name in &file.names {
            let place = DefinitionPlace { file: id, exact: name.exact, chunk: name.chunk, kind: name.kind };
            insert_sorted(self.names.entry(name.folded).or_default(), place);
        }
        self.length += u64::from(file.length);
        self.pieces += file.pieces.len() as u64;
        self.priors.count_prior(file.prior, 1);
        self.count_language(&file.path, 1);
        self.version += 1;
        self.ids.insert(file.path.as_str().into(), id);
        match self.files.get_mut(id as usize) {
            Some(slot) => *slot = Some(file),
            None => self.files.push(Some(file)),
        }
    }

    /// Forgets a file; whether there was one.
    pub(super) fn remove_file(&mut self, path: &str) -> bool {
        let Some(id) = self.ids.remove(path) else { return false };
        let Some(file) = self.files.get_mut(id as usize).and_then(Option::take) else { return false };
        file.terms.iter().for_each(|term| remove_entries(&mut self.postings, *term, id));
        file.names.iter().for_each(|name| remove_entries(&mut self.names, name.folded, id));
        self.length -= u64::from(file.length);
        self.pieces -= file.pieces.len() as u64;
        self.priors.count_prior(file.prior, -1);
        self.count_language(&file.path, -1);
        self.version += 1;
        self.free.push(id);
        true
    }

    /// Gives back the memory that was set aside for more.
    pub(super) fn shrink_memory(&mut self) {
        self.postings.values_mut().for_each(Vec::shrink_to_fit);
        self.names.values_mut().for_each(Vec::shrink_to_fit);
        self.files.shrink_to_fit();
    }

    pub(super) fn file(&self, id: FileId) -> Option<&IndexedFile> {
        self.files.get(id as usize)?.as_ref()
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (FileId, &IndexedFile)> {
        self.files.iter().enumerate().filter_map(|(id, file)| Some((id as FileId, file.as_ref()?)))
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.ids.keys().map(|path| &**path)
    }

    /// Returns the greatest number of a file, plus one.
    pub(super) fn id_bound(&self) -> usize {
        self.files.len()
    }

    /// Returns the number of files.
    pub(super) fn file_count(&self) -> usize {
        self.ids.len()
    }

    /// Returns a number that differs after every change.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn postings(&self, term: Term) -> &[TermPosting] {
        self.postings.get(&term).map_or(&[], Vec::as_slice)
    }

    pub(super) fn definition_places(&self, folded: u32) -> &[DefinitionPlace] {
        self.names.get(&folded).map_or(&[], Vec::as_slice)
    }

    /// Returns the rarity of a term. A language's name is as common as the code in that language: who names it says little
    /// of which file is meant.
    pub(super) fn term_rarity(&self, term: Term) -> f32 {
        let rarity =
            bm25::inverse_document_frequency(self.file_count() as f32, self.postings(term).len() as f32);
        let Some(written) = self.languages.get(&term) else { return rarity };
        rarity.min(bm25::inverse_document_frequency(self.priors.code as f32, *written as f32))
    }

    fn count_language(&mut self, path: &str, one: isize) {
        with_terms(|terms| {
            for name in language_names(path) {
                let count = self.languages.entry(terms.stem_word(name).to_term()).or_default();
                *count = count.saturating_add_signed(one);
            }
        });
    }

    /// Terms of a file, on average.
    pub(super) fn file_length(&self) -> f32 {
        (self.length as f32 / self.file_count().max(1) as f32).max(1.0)
    }

    /// Terms of a piece, on average.
    pub(super) fn piece_length(&self) -> f32 {
        (self.length as f32 / self.pieces.max(1) as f32).max(1.0)
    }

    /// Returns whether a kind of a prior sets files apart: not if nearly all of the code is of it.
    pub(super) fn is_told_apart(&self, prior: usize) -> bool {
        self.priors.of[prior] * 10 <= self.priors.code * 9
    }
}

fn insert_sorted<T: FileOwned>(to: &mut Vec<T>, one: T) {
    // Files are taken in by rising numbers, but for those that change.
    if to.last().is_none_or(|last| last.file_id() <= one.file_id()) {
        return to.push(one);
    }
    let at = to.partition_point(|other| other.file_id() <= one.file_id());
    to.insert(at, one);
}

fn remove_entries<T: FileOwned>(from: &mut HashMap<u32, Vec<T>, RandomState>, key: u32, file: FileId) {
    let Some(all) = from.get_mut(&key) else { return };
    let start = all.partition_point(|one| one.file_id() < file);
    let end = all.partition_point(|one| one.file_id() <= file);
    all.drain(start..end);
    if all.is_empty() {
        from.remove(&key);
    }
}
