//! The inverted index: which tools hold a word, in which of their fields.

use super::Map;
use super::grams::Grams;
use super::item::ToolItem;
use super::synonyms::{self, groups};
use super::words::{each, meaning, stem};
use crate::base::bm25::rarity;

/// The fields of a tool.
pub(super) const FIELDS: usize = 6;
pub(super) const NAME: usize = 0;
pub(super) const NODES: usize = 1;
/// The first sentence of its description.
pub(super) const FIRST: usize = 2;
/// The rest of it.
pub(super) const REST: usize = 3;
pub(super) const ARGUMENTS: usize = 4;
pub(super) const ARGUMENT_TEXTS: usize = 5;

/// A word's number.
pub(super) type Word = u32;

/// A tool that holds a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    /// Which tool.
    pub(super) item: u32,
    /// How often it stands in each field.
    pub(super) counts: [u8; FIELDS],
}

/// What is kept of a tool beside the postings.
#[derive(Clone, Debug)]
pub(super) struct ToolFeatures {
    /// Words in each field.
    pub(super) lengths: [f64; FIELDS],
    /// What the different words of the first sentence are worth together.
    pub(super) first_worth: f64,
    /// Words side by side in the name, the first sentence and the rest, each sorted.
    pub(super) pairs: [Vec<(Word, Word)>; 3],
    /// The groups of synonyms in the name, a bit each.
    pub(super) groups: u64,
    /// Those in the name or the first sentence.
    pub(super) told: u64,
    /// What the first sentence begins with, where that is something to do.
    pub(super) action: u64,
}

/// Tools, ready to be looked for.
#[derive(Debug)]
pub struct Index {
    pub(super) items: Vec<ToolItem>,
    pub(super) words: Map<String, Word>,
    pub(super) postings: Vec<Vec<Posting>>,
    /// What finding a word is worth.
    pub(super) worth: Vec<f64>,
    pub(super) features: Vec<ToolFeatures>,
    pub(super) average: [f64; FIELDS],
    /// What sharing a group of synonyms is worth.
    pub(super) group_worth: [f64; synonyms::COUNT],
    pub(super) grams: Grams,
}

impl Index {
    /// An index of these tools.
    pub fn new(items: Vec<ToolItem>) -> Self {
        let mut building = Building::default();
        for item in &items {
            building.add(item);
        }
        let Building { words, postings, mut features, firsts, group_counts, .. } = building;
        let total = items.len() as f64;
        let worth: Vec<f64> = postings.iter().map(|tools| rarity(total, tools.len() as f64)).collect();
        for (features, first) in features.iter_mut().zip(&firsts) {
            features.first_worth = first.iter().map(|word| worth[*word as usize]).sum();
        }
        let mut average = [0.0; FIELDS];
        for features in &features {
            average.iter_mut().zip(features.lengths).for_each(|(sum, length)| *sum += length);
        }
        average.iter_mut().for_each(|sum| *sum = (*sum / total.max(1.0)).max(1e-9));
        let names = items.iter().map(|item| {
            let node = item.nodes.first().and_then(|node| node.last());
            format!("{} {}", item.name, node.map_or("", String::as_str))
        });
        let grams = Grams::new(&names.collect::<Vec<_>>());
        let group_worth = group_counts.map(|count| rarity(total, count as f64));
        Self { items, words, postings, worth, features, average, group_worth, grams }
    }

    /// The tools, in the order that they came.
    pub fn items(&self) -> &[ToolItem] {
        &self.items
    }
}

struct Building {
    /// Every word as it was written, and the number of its stem.
    written: Map<String, Option<Word>>,
    /// The groups of synonyms that each word belongs to, a bit each.
    groups: Vec<u64>,
    words: Map<String, Word>,
    postings: Vec<Vec<Posting>>,
    features: Vec<ToolFeatures>,
    firsts: Vec<Vec<Word>>,
    group_counts: [usize; synonyms::COUNT],
}

impl Default for Building {
    fn default() -> Self {
        Self {
            written: Map::default(),
            groups: Vec::new(),
            words: Map::default(),
            postings: Vec::new(),
            features: Vec::new(),
            firsts: Vec::new(),
            group_counts: [0; synonyms::COUNT],
        }
    }
}

impl Building {
    fn add(&mut self, item: &ToolItem) {
        let number = u32::try_from(self.features.len()).unwrap_or(u32::MAX);
        let (first, rest) = sentence(&item.description);
        let nodes = item.nodes.iter().flatten().chain(&item.tags).map(String::as_str);
        let fields = [
            self.words_of([item.name.as_str()]),
            self.words_of(nodes),
            self.words_of([first]),
            self.words_of([rest]),
            self.words_of(item.arguments.iter().map(|one| one.name.as_str())),
            self.words_of(item.arguments.iter().map(|one| one.description.as_str())),
        ];
        for (field, words) in fields.iter().enumerate() {
            for word in words {
                let postings = &mut self.postings[*word as usize];
                // Tools come one after the other: a word that this one has had before stands last.
                if postings.last().is_none_or(|last| last.item != number) {
                    postings.push(Posting { item: number, counts: [0; FIELDS] });
                }
                if let Some(last) = postings.last_mut() {
                    last.counts[field] = last.counts[field].saturating_add(1);
                }
            }
        }
        let groups = |words: &[Word]| words.iter().fold(0, |bits, word| bits | self.groups[*word as usize]);
        let in_name = groups(&fields[NAME]);
        let told = in_name | groups(&fields[FIRST]);
        for (group, count) in self.group_counts.iter_mut().enumerate() {
            *count += usize::from(told >> group & 1 == 1);
        }
        let lengths = fields.each_ref().map(|words| words.len() as f64);
        let pairs = [NAME, FIRST, REST].map(|field| pairs(&fields[field]));
        let action = groups(&fields[FIRST][..fields[FIRST].len().min(1)]) & synonyms::ACTIONS;
        let features = ToolFeatures { lengths, first_worth: 0.0, pairs, groups: in_name, told, action };
        self.features.push(features);
        let [_, _, mut first, ..] = fields;
        first.sort_unstable();
        first.dedup();
        self.firsts.push(first);
    }

    fn words_of<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> Vec<Word> {
        let mut found = Vec::new();
        for text in texts {
            each(text, |word| {
                let number = match self.written.get(word) {
                    Some(number) => *number,
                    None => {
                        let number =
                            meaning(word).map(|stem| number(&mut self.words, &mut self.groups, stem));
                        self.written.insert(word.to_owned(), number);
                        number
                    }
                };
                found.extend(number);
            });
        }
        self.postings.resize_with(self.words.len(), Vec::new);
        found
    }
}

/// The number of a stem; a new one is given the next, and its groups are noted.
fn number(words: &mut Map<String, Word>, noted: &mut Vec<u64>, stem: String) -> Word {
    let next = Word::try_from(words.len()).unwrap_or(Word::MAX);
    *words.entry(stem).or_insert_with_key(|stem| {
        noted.push(bits_of(stem));
        next
    })
}

/// The first sentence, and what is behind it.
pub(super) fn sentence(text: &str) -> (&str, &str) {
    let text = text.trim();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if c == '\n' || (c.is_whitespace() && matches!(before, '.' | '!' | '?')) {
            return text.split_at(at);
        }
        before = c;
    }
    (text, "")
}

/// Words side by side, sorted.
pub(super) fn pairs(words: &[Word]) -> Vec<(Word, Word)> {
    let mut pairs: Vec<_> = words.windows(2).map(|two| (two[0], two[1])).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The groups of synonyms that words belong to, a bit each.
pub(super) fn bits(words: &[String]) -> u64 {
    words.iter().fold(0, |bits, word| bits | bits_of(&stem(word)))
}

/// The groups of synonyms that a stem belongs to, a bit each.
pub(super) fn bits_of(stem: &str) -> u64 {
    groups(stem).iter().fold(0, |bits, group| bits | 1 << group)
}
