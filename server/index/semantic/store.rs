//! The files that are known, and for each term the files that it stands in.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::definitions::Kind;
use super::digest::{Counts, Digest, File};
use super::prior::Prior;
use super::words::Term;
use crate::base::bm25;

/// The number of a file: that of one that is gone is given to another.
pub(super) type FileId = u32;

/// A term in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    pub(super) file: FileId,
    pub(super) counts: Counts,
}

/// Where a name is defined.
#[derive(Clone, Copy, Debug)]
pub(super) struct DefinitionPlace {
    pub(super) file: FileId,
    pub(super) exact: u32,
    pub(super) chunk: u16,
    pub(super) kind: Kind,
}

/// What belongs to one file of many, found by the file.
trait Owned {
    fn file(&self) -> FileId;
}

impl Owned for Posting {
    fn file(&self) -> FileId {
        self.file
    }
}

impl Owned for DefinitionPlace {
    fn file(&self) -> FileId {
        self.file
    }
}

/// All files.
#[derive(Debug, Default)]
pub(super) struct TermStore {
    files: Vec<Option<File>>,
    free: Vec<FileId>,
    ids: HashMap<Box<str>, FileId, RandomState>,
    /// Each in ascending order of files.
    postings: HashMap<Term, Vec<Posting>, RandomState>,
    names: HashMap<u32, Vec<DefinitionPlace>, RandomState>,
    length: u64,
    pieces: u64,
    priors: Priors,
    version: u64,
}

/// How many files of code there are, and how many of them are each of what a [`Prior`] tells.
#[derive(Debug, Default)]
struct Priors {
    code: usize,
    of: [usize; Prior::COUNT],
}

impl Priors {
    fn count(&mut self, prior: Prior, one: isize) {
        let add = |to: &mut usize, is: bool| *to = to.wrapping_add_signed(if is { one } else { 0 });
        add(&mut self.code, prior.is_code());
        for (at, of) in self.of.iter_mut().enumerate() {
            add(of, prior.is_code() && prior.has(at));
        }
    }
}

impl TermStore {
    /// Puts a file in place of the one of the same path.
    pub(super) fn put(&mut self, digest: Digest) {
        let Digest { file, counts } = digest;
        self.remove(&file.path);
        let id = self.free.pop().unwrap_or(self.files.len() as FileId);
        for (term, counts) in file.terms.iter().zip(counts) {
            insert(self.postings.entry(*term).or_default(), Posting { file: id, counts });
        }
        for name in &file.names {
            let place = DefinitionPlace { file: id, exact: name.exact, chunk: name.chunk, kind: name.kind };
            insert(self.names.entry(name.folded).or_default(), place);
        }
        self.length += u64::from(file.length);
        self.pieces += file.pieces.len() as u64;
        self.priors.count(file.prior, 1);
        self.version += 1;
        self.ids.insert(file.path.as_str().into(), id);
        match self.files.get_mut(id as usize) {
            Some(slot) => *slot = Some(file),
            None => self.files.push(Some(file)),
        }
    }

    /// Forgets a file; whether there was one.
    pub(super) fn remove(&mut self, path: &str) -> bool {
        let Some(id) = self.ids.remove(path) else { return false };
        let Some(file) = self.files.get_mut(id as usize).and_then(Option::take) else { return false };
        file.terms.iter().for_each(|term| forget(&mut self.postings, *term, id));
        file.names.iter().for_each(|name| forget(&mut self.names, name.folded, id));
        self.length -= u64::from(file.length);
        self.pieces -= file.pieces.len() as u64;
        self.priors.count(file.prior, -1);
        self.version += 1;
        self.free.push(id);
        true
    }

    /// Gives back the memory that was set aside for more.
    pub(super) fn settle(&mut self) {
        self.postings.values_mut().for_each(Vec::shrink_to_fit);
        self.names.values_mut().for_each(Vec::shrink_to_fit);
        self.files.shrink_to_fit();
    }

    pub(super) fn file(&self, id: FileId) -> Option<&File> {
        self.files.get(id as usize)?.as_ref()
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (FileId, &File)> {
        self.files.iter().enumerate().filter_map(|(id, file)| Some((id as FileId, file.as_ref()?)))
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.ids.keys().map(|path| &**path)
    }

    /// One more than the greatest number of a file.
    pub(super) fn bound(&self) -> usize {
        self.files.len()
    }

    /// How many files there are.
    pub(super) fn count(&self) -> usize {
        self.ids.len()
    }

    /// Another number after every change.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn postings(&self, term: Term) -> &[Posting] {
        self.postings.get(&term).map_or(&[], Vec::as_slice)
    }

    pub(super) fn places(&self, folded: u32) -> &[DefinitionPlace] {
        self.names.get(&folded).map_or(&[], Vec::as_slice)
    }

    /// How rare a term is.
    pub(super) fn rarity(&self, term: Term) -> f32 {
        bm25::rarity(self.count() as f32, self.postings(term).len() as f32)
    }

    /// Terms of a file, on average.
    pub(super) fn file_length(&self) -> f32 {
        (self.length as f32 / self.count().max(1) as f32).max(1.0)
    }

    /// Terms of a piece, on average.
    pub(super) fn piece_length(&self) -> f32 {
        (self.length as f32 / self.pieces.max(1) as f32).max(1.0)
    }

    /// Whether what a prior tells sets files apart: not where nearly all of the code is so.
    pub(super) fn is_told_apart(&self, prior: usize) -> bool {
        self.priors.of[prior] * 10 <= self.priors.code * 9
    }
}

fn insert<T: Owned>(to: &mut Vec<T>, one: T) {
    // Files are taken in by rising numbers, but for those that change.
    if to.last().is_none_or(|last| last.file() <= one.file()) {
        return to.push(one);
    }
    let at = to.partition_point(|other| other.file() <= one.file());
    to.insert(at, one);
}

fn forget<T: Owned>(from: &mut HashMap<u32, Vec<T>, RandomState>, key: u32, file: FileId) {
    let Some(all) = from.get_mut(&key) else { return };
    let start = all.partition_point(|one| one.file() < file);
    let end = all.partition_point(|one| one.file() <= file);
    all.drain(start..end);
    if all.is_empty() {
        from.remove(&key);
    }
}
