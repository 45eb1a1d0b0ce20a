//! The kept data of a file: its terms with the pieces that they are in, and the names that it defines.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::chunks::{DefinedName, TextChunk, cut_text};
use super::definitions::DefinitionKind;
use super::language::{SourceLanguage, language_of};
use super::prior::PathPrior;
use super::runs::{RunsBuilder, TermRuns};
use super::words::{Term, TermForm, TermMaker, each_run, with_terms};

/// The key of a piece: the hash of its text for a model.
pub type Key = [u8; 32];

/// The most bytes of a piece that a model gets. Pieces are shorter, unless they have a longer line.
const TOLD_MOST: usize = 2_000;

/// The longest text that is looked into, in bytes. Longer ones are known by their path alone.
pub(super) const LONGEST: usize = 1 << 20;
/// A text is data, not source, if its lines are longer than this on average.
const LONGEST_LINE: usize = 400;

/// A term in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TermCounts {
    /// The number of times in code.
    pub(super) code: u8,
    /// The number of times in comments.
    pub(super) told: u8,
    /// The number of times in the names that the file defines.
    pub(super) defined: u8,
    /// Other places: see the constants.
    pub(super) places: u8,
}

/// The term is in the file's name.
pub(super) const IN_NAME: u8 = 1;
/// The term is in the folders above it.
pub(super) const IN_FOLDERS: u8 = 2;
/// The term is in the file's first comment on itself.
pub(super) const IN_HEAD: u8 = 4;
/// The term is in the folder directly above.
pub(super) const IN_PARENT: u8 = 8;

/// A name that a file defines, as it is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexedName {
    /// The name without case and underscores.
    pub(super) folded: u32,
    /// The name to the letter.
    pub(super) exact: u32,
    pub(super) kind: DefinitionKind,
    /// The piece with the definition.
    pub(super) chunk: u16,
}

/// A piece as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FilePiece {
    pub(super) start: u32,
    pub(super) end: u32,
    /// The number of its terms.
    pub(super) length: u16,
    pub(super) key: Key,
}

/// The kept data of a file.
#[derive(Debug, Default)]
pub(super) struct IndexedFile {
    pub(super) path: String,
    pub(super) prior: PathPrior,
    /// The pieces in the order of the text.
    pub(super) pieces: Box<[FilePiece]>,
    /// The terms in ascending order.
    pub(super) terms: Box<[Term]>,
    pub(super) runs: TermRuns,
    pub(super) names: Box<[IndexedName]>,
    /// The number of its terms.
    pub(super) length: u32,
    /// The number of words in the file's name.
    pub(super) name_words: u8,
}

/// A file as it is taken in.
#[derive(Debug, Default)]
pub(super) struct FileDigest {
    pub(super) file: IndexedFile,
    /// The counts of each term.
    pub(super) counts: Vec<TermCounts>,
}

/// Returns the hash that [`IndexedName::folded`] holds of a name.
pub(super) fn fold_name(name: &str) -> u32 {
    let plain: String =
        name.chars().filter(|c| *c != '_' && *c != '-').flat_map(char::to_lowercase).collect();
    FixedState::with_seed(11).hash_one(plain.as_bytes()) as u32
}

/// The hash of a name to the letter.
pub(super) fn hash_name(name: &str) -> u32 {
    FixedState::with_seed(13).hash_one(name.as_bytes()) as u32
}

/// Returns the text of a piece for a model: the path of its file, then its text.
pub(super) fn model_text(path: &str, text: &str) -> String {
    let text = &text[..text.floor_char_boundary(TOLD_MOST)];
    format!("{path}\n{}", text.trim_end())
}

/// Returns the key of a piece with this text.
pub(super) fn key_of(told: &str) -> Key {
    *blake3::hash(told.as_bytes()).as_bytes()
}

const CODE: u64 = 0;
const TOLD: u64 = 1;
const DEFINED: u64 = 2;
const PLACE: u64 = 3;

impl FileDigest {
    /// Analyses a file's text. Of a file that is no text, or too long, it keeps the words of the path alone.
    pub(super) fn from_file(path: &str, text: &[u8]) -> Self {
        let language = language_of(path);
        let is_source = text.len() <= LONGEST && !is_data(text);
        let text = if is_source { String::from_utf8_lossy(text) } else { "".into() };
        let (chunks, defined) = cut_text(&text, language);
        let mut met = TermOccurrences { all: Vec::with_capacity(text.len() / 4 + 64) };
        let (lengths, name_words) = with_terms(|terms| {
            let body = |(at, chunk): (usize, &TextChunk)| {
                met.add_body(terms, language, at, &text[chunk.from..chunk.to])
            };
            let lengths: Vec<u32> = chunks.iter().enumerate().map(body).collect();
            for one in defined.iter().filter(|one| one.kind > DefinitionKind::Mention) {
                let chunk = chunk_at(&chunks, one.at);
                terms
                    .for_each_term(one.name, |stem, _| met.add_occurrence(stem.to_term(), chunk, DEFINED, 0));
            }
            (lengths, met.add_path(terms, path))
        });
        let piece = |(chunk, length): (&TextChunk, &u32)| FilePiece {
            start: chunk.start,
            end: chunk.end,
            length: u16::try_from(*length).unwrap_or(u16::MAX),
            key: key_of(&model_text(path, &text[chunk.from..chunk.to])),
        };
        let name = |one: &DefinedName<'_>| IndexedName {
            folded: fold_name(one.name),
            exact: hash_name(one.name),
            kind: one.kind,
            chunk: chunk_at(&chunks, one.at) as u16,
        };
        let file = IndexedFile {
            path: path.to_owned(),
            prior: PathPrior::from_path(path, language),
            pieces: chunks.iter().zip(&lengths).map(piece).collect(),
            names: defined.iter().map(name).collect(),
            length: lengths.iter().sum(),
            name_words,
            ..IndexedFile::default()
        };
        met.into_digest(file)
    }
}

/// The places where terms were met.
struct TermOccurrences {
    all: Vec<u64>,
}

impl TermOccurrences {
    /// A term: the piece it was met in, what it is there and, for a place, which.
    fn add_occurrence(&mut self, term: Term, chunk: usize, what: u64, place: u8) {
        self.all.push(u64::from(term) << 32 | (chunk as u64) << 16 | what << 8 | u64::from(place));
    }

    /// The terms of a piece; how many they are.
    fn add_body(&mut self, terms: &mut TermMaker, language: SourceLanguage, chunk: usize, text: &str) -> u32 {
        let mut length = 0_u32;
        let mut in_string = false;
        for line in text.split_inclusive('\n') {
            let inner = line.trim();
            // The documentation of Python is in strings of three quotes.
            let quotes = if language == SourceLanguage::Python { inner.matches("\"\"\"").count() } else { 0 };
            let is_told =
                in_string || quotes > 0 || language == SourceLanguage::Prose || language.is_comment(inner);
            in_string ^= quotes % 2 == 1;
            let what = if is_told { TOLD } else { CODE };
            let place = if is_told && chunk == 0 { IN_HEAD } else { 0 };
            each_run(line, |run| {
                terms.for_each_term(run, |stem, form| {
                    length += u32::from(form == TermForm::Part);
                    self.add_occurrence(stem.to_term(), chunk, what, place);
                });
            });
        }
        length
    }

    /// The terms of a path; how many words the file's name has.
    fn add_path(&mut self, terms: &mut TermMaker, path: &str) -> u8 {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.split_once('.').map_or(file, |(stem, _)| if stem.is_empty() { file } else { stem });
        let parent = folders.rsplit('/').next().unwrap_or("");
        let mut words = 0_u8;
        for (text, place) in [(stem, IN_NAME), (folders, IN_FOLDERS), (parent, IN_PARENT)] {
            each_run(text, |run| {
                terms.for_each_term(run, |stem, form| {
                    words = words.saturating_add(u8::from(form == TermForm::Part && place == IN_NAME));
                    self.add_occurrence(stem.to_term(), 0, PLACE, place);
                });
            });
        }
        words
    }

    /// Returns the data that is kept of it.
    fn into_digest(mut self, mut file: IndexedFile) -> FileDigest {
        self.all.sort_unstable();
        let same_term = |a: &u64, b: &u64| a >> 32 == b >> 32;
        let count = self.all.chunk_by(same_term).count();
        let (mut terms, mut counts) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut runs = RunsBuilder::default();
        for group in self.all.chunk_by(same_term) {
            let mut sum = TermCounts::default();
            terms.push((group[0] >> 32) as Term);
            runs.begin_term();
            for piece in group.chunk_by(|a, b| a >> 16 == b >> 16) {
                let mut held = 0_u8;
                for one in piece {
                    let count = match one >> 8 & 0xFF {
                        CODE => &mut sum.code,
                        TOLD => &mut sum.told,
                        DEFINED => &mut sum.defined,
                        _ => continue,
                    };
                    *count = count.saturating_add(1);
                    held = held.saturating_add(u8::from(one >> 8 & 0xFF != DEFINED));
                }
                sum.places |= piece.iter().fold(0, |places, one| places | *one as u8);
                if held > 0 {
                    runs.put_piece((piece[0] >> 16 & 0xFFFF) as u32, held);
                }
            }
            counts.push(sum);
        }
        file.terms = terms.into();
        file.runs = runs.build();
        FileDigest { file, counts }
    }
}

impl IndexedFile {
    /// Calls `found` with the pieces that hold a term, and the counts; not at all if none does.
    pub(super) fn each_run(&self, term: Term, found: impl FnMut(usize, u8)) -> bool {
        let place = self.terms.binary_search(&term);
        place.inspect(|place| self.runs.for_each(*place, found)).is_ok()
    }

    /// Returns the number of times that a term is in it.
    pub(super) fn term_count(&self, term: Term) -> u32 {
        self.terms.binary_search(&term).map_or(0, |place| self.runs.total_count(place))
    }

    /// Returns its terms, in order, each with its count.
    pub(super) fn all_held(&self) -> impl Iterator<Item = (Term, u32)> {
        self.terms.iter().copied().zip(self.runs.all_held())
    }
}

fn chunk_at(chunks: &[TextChunk], at: usize) -> usize {
    chunks.partition_point(|chunk| chunk.to <= at).min(chunks.len().saturating_sub(1))
}

/// Returns whether bytes were not written by a person: binary, minified, or one long line.
fn is_data(text: &[u8]) -> bool {
    let head = &text[..text.len().min(8_000)];
    let lines = text.iter().filter(|byte| **byte == b'\n').count() + 1;
    head.contains(&0) || (text.len() > 10_000 && text.len() / lines > LONGEST_LINE)
}
