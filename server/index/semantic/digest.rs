//! What is kept of one file: its terms with the pieces that they stand in, and the names that it defines.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::chunks::{Chunk, Defined, cut};
use super::definitions::Kind;
use super::language::{Language, language};
use super::prior::Prior;
use super::runs::{Runs, RunsBuilder};
use super::words::{Form, Term, Terms, each_run, with_terms};

/// What a piece is known by: the hash of what a model is told of it.
pub type Key = [u8; 32];

/// Bytes of a piece that a model is told. Pieces are shorter, but where one line is longer.
const TOLD_MOST: usize = 2_000;

/// The longest text that is looked into, in bytes. Longer ones are known by their path alone.
pub(super) const LONGEST: usize = 1 << 20;
/// A text is data, not source, where its lines are longer than this on average.
const LONGEST_LINE: usize = 400;

/// A term in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// How often it stands in code.
    pub(super) code: u8,
    /// How often in comments.
    pub(super) told: u8,
    /// How often in the names that the file defines.
    pub(super) defined: u8,
    /// Where else: see the constants.
    pub(super) places: u8,
}

/// In the file's name.
pub(super) const IN_NAME: u8 = 1;
/// In the folders above it.
pub(super) const IN_FOLDERS: u8 = 2;
/// In what the file says first of itself.
pub(super) const IN_HEAD: u8 = 4;
/// In the folder directly above.
pub(super) const IN_PARENT: u8 = 8;

/// A name that a file defines, as it is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// The name without case and underscores.
    pub(super) folded: u32,
    /// The name to the letter.
    pub(super) exact: u32,
    pub(super) kind: Kind,
    /// The piece that it stands in.
    pub(super) chunk: u16,
}

/// A piece as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Its terms, counted.
    pub(super) length: u16,
    pub(super) key: Key,
}

/// What is kept of a file.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) prior: Prior,
    /// In the order of the text.
    pub(super) pieces: Box<[Piece]>,
    /// In ascending order.
    pub(super) terms: Box<[Term]>,
    pub(super) runs: Runs,
    pub(super) names: Box<[Name]>,
    /// Its terms, counted.
    pub(super) length: u32,
    /// How many words the file's name has.
    pub(super) name_words: u8,
}

/// A file as it is taken in.
#[derive(Debug, Default)]
pub(super) struct Digest {
    pub(super) file: File,
    /// Of each term.
    pub(super) counts: Vec<Counts>,
}

/// Folds a name as [`Name::folded`] has it.
pub(super) fn folded(name: &str) -> u32 {
    let plain: String =
        name.chars().filter(|c| *c != '_' && *c != '-').flat_map(char::to_lowercase).collect();
    FixedState::with_seed(11).hash_one(plain.as_bytes()) as u32
}

/// The hash of a name to the letter.
pub(super) fn exact(name: &str) -> u32 {
    FixedState::with_seed(13).hash_one(name.as_bytes()) as u32
}

/// What a model is told of a piece: the path of its file, then its text.
pub(super) fn told(path: &str, text: &str) -> String {
    let text = &text[..text.floor_char_boundary(TOLD_MOST)];
    format!("{path}\n{}", text.trim_end())
}

/// What it is known by.
pub(super) fn key_of(told: &str) -> Key {
    *blake3::hash(told.as_bytes()).as_bytes()
}

const CODE: u64 = 0;
const TOLD: u64 = 1;
const DEFINED: u64 = 2;
const PLACE: u64 = 3;

impl Digest {
    /// Of a file's text. Of what is no text, or too long for one, it keeps the words of the path alone.
    pub(super) fn of(path: &str, text: &[u8]) -> Self {
        let language = language(path);
        let is_source = text.len() <= LONGEST && !is_data(text);
        let text = if is_source { String::from_utf8_lossy(text) } else { "".into() };
        let (chunks, defined) = cut(&text, language);
        let mut met = Met { all: Vec::with_capacity(text.len() / 4 + 64) };
        let (lengths, name_words) = with_terms(|terms| {
            let body =
                |(at, chunk): (usize, &Chunk)| met.body(terms, language, at, &text[chunk.from..chunk.to]);
            let lengths: Vec<u32> = chunks.iter().enumerate().map(body).collect();
            for one in defined.iter().filter(|one| one.kind > Kind::Mention) {
                let chunk = chunk_at(&chunks, one.at);
                terms.each(one.name, |stem, _| met.add(stem.term(), chunk, DEFINED, 0));
            }
            (lengths, met.path(terms, path))
        });
        let piece = |(chunk, length): (&Chunk, &u32)| Piece {
            start: chunk.start,
            end: chunk.end,
            length: u16::try_from(*length).unwrap_or(u16::MAX),
            key: key_of(&told(path, &text[chunk.from..chunk.to])),
        };
        let name = |one: &Defined<'_>| Name {
            folded: folded(one.name),
            exact: exact(one.name),
            kind: one.kind,
            chunk: chunk_at(&chunks, one.at) as u16,
        };
        let file = File {
            path: path.to_owned(),
            prior: Prior::of(path, language),
            pieces: chunks.iter().zip(&lengths).map(piece).collect(),
            names: defined.iter().map(name).collect(),
            length: lengths.iter().sum(),
            name_words,
            ..File::default()
        };
        met.kept(file)
    }
}

/// Where terms were met.
struct Met {
    all: Vec<u64>,
}

impl Met {
    /// A term: the piece it was met in, what it is there and, for a place, which.
    fn add(&mut self, term: Term, chunk: usize, what: u64, place: u8) {
        self.all.push(u64::from(term) << 32 | (chunk as u64) << 16 | what << 8 | u64::from(place));
    }

    /// The terms of a piece; how many they are.
    fn body(&mut self, terms: &mut Terms, language: Language, chunk: usize, text: &str) -> u32 {
        let mut length = 0_u32;
        let mut in_string = false;
        for line in text.split_inclusive('\n') {
            let inner = line.trim();
            // The documentation of Python stands in strings of three quotes.
            let quotes = if language == Language::Python { inner.matches("\"\"\"").count() } else { 0 };
            let is_told =
                in_string || quotes > 0 || language == Language::Prose || language.is_comment(inner);
            in_string ^= quotes % 2 == 1;
            let what = if is_told { TOLD } else { CODE };
            let place = if is_told && chunk == 0 { IN_HEAD } else { 0 };
            each_run(line, |run| {
                terms.each(run, |stem, form| {
                    length += u32::from(form == Form::Part);
                    self.add(stem.term(), chunk, what, place);
                });
            });
        }
        length
    }

    /// The terms of a path; how many words the file's name has.
    fn path(&mut self, terms: &mut Terms, path: &str) -> u8 {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.split_once('.').map_or(file, |(stem, _)| if stem.is_empty() { file } else { stem });
        let parent = folders.rsplit('/').next().unwrap_or("");
        let mut words = 0_u8;
        for (text, place) in [(stem, IN_NAME), (folders, IN_FOLDERS), (parent, IN_PARENT)] {
            each_run(text, |run| {
                terms.each(run, |stem, form| {
                    words = words.saturating_add(u8::from(form == Form::Part && place == IN_NAME));
                    self.add(stem.term(), 0, PLACE, place);
                });
            });
        }
        words
    }

    /// What is kept of it.
    fn kept(mut self, mut file: File) -> Digest {
        self.all.sort_unstable();
        let same_term = |a: &u64, b: &u64| a >> 32 == b >> 32;
        let count = self.all.chunk_by(same_term).count();
        let (mut terms, mut counts) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut runs = RunsBuilder::default();
        for group in self.all.chunk_by(same_term) {
            let mut sum = Counts::default();
            terms.push((group[0] >> 32) as Term);
            runs.begin();
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
                    runs.put((piece[0] >> 16 & 0xFFFF) as u32, held);
                }
            }
            counts.push(sum);
        }
        file.terms = terms.into();
        file.runs = runs.built();
        Digest { file, counts }
    }
}

impl File {
    /// The pieces that a term stands in, each with how often; nothing where it does not.
    pub(super) fn each_run(&self, term: Term, found: impl FnMut(usize, u8)) -> bool {
        let place = self.terms.binary_search(&term);
        place.inspect(|place| self.runs.each(*place, found)).is_ok()
    }

    /// How often a term stands in it.
    pub(super) fn held(&self, term: Term) -> u32 {
        self.terms.binary_search(&term).map_or(0, |place| self.runs.held(place))
    }

    /// Its terms, in order, each with how often it stands in it.
    pub(super) fn all_held(&self) -> impl Iterator<Item = (Term, u32)> {
        self.terms.iter().copied().zip(self.runs.all_held())
    }
}

fn chunk_at(chunks: &[Chunk], at: usize) -> usize {
    chunks.partition_point(|chunk| chunk.to <= at).min(chunks.len().saturating_sub(1))
}

/// Whether bytes are none that a person wrote: binary, minified, or one long line.
fn is_data(text: &[u8]) -> bool {
    let head = &text[..text.len().min(8_000)];
    let lines = text.iter().filter(|byte| **byte == b'\n').count() + 1;
    head.contains(&0) || (text.len() > 10_000 && text.len() / lines > LONGEST_LINE)
}
