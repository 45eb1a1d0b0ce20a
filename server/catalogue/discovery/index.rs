//! The inverted index: for each word, the tools that contain it, and the fields in which they contain it.

use super::FoldMap;
use super::grams::NameGrams;
use super::item::ToolItem;
use super::synonyms::{self, synonym_groups};
use super::words::{each_word, meaningful_stem, stem_word};
use crate::base::bm25::inverse_document_frequency;
use crate::words::carried_vectors;

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

/// The number of a word.
pub(super) type WordNumber = u32;
/// The number of a word with its ending.
pub(super) type FormNumber = u32;

/// A tool that contains a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolPosting {
    /// The number of the tool.
    pub(super) item: u32,
    /// The number of times that the word occurs in each field.
    pub(super) counts: [u8; FIELDS],
}

/// The features of a tool, in addition to the postings.
#[derive(Clone, Debug)]
pub(super) struct ToolFeatures {
    /// Words in each field.
    pub(super) lengths: [f64; FIELDS],
    /// The summed worth of the different words in the first sentence.
    pub(super) first_worth: f64,
    /// Words side by side in the name, the first sentence and the rest, each sorted.
    pub(super) pairs: [Vec<(WordNumber, WordNumber)>; 3],
    /// The groups of synonyms in the name, a bit each.
    pub(super) groups: u64,
    /// The groups of synonyms in the name or the first sentence.
    pub(super) mentioned: u64,
    /// The groups of the first word of the first sentence, where that is an action.
    pub(super) action: u64,
    /// The words of its name, its nodes and the first sentence, sorted.
    pub(super) main_words: Box<[WordNumber]>,
    /// The same with their endings.
    pub(super) main_forms: Box<[FormNumber]>,
    /// The words of its name with their endings, sorted.
    pub(super) name_forms: Box<[FormNumber]>,
    /// The words of its name, sorted; those of its nodes, of the first sentence, and of the rest with the names of its arguments.
    pub(super) name_words: Box<[WordNumber]>,
    pub(super) node_words: Box<[WordNumber]>,
    pub(super) first_words: Box<[WordNumber]>,
    pub(super) rest_words: Box<[WordNumber]>,
}

/// Tools, ready to be looked for.
#[derive(Debug)]
pub struct ToolIndex {
    pub(super) items: Vec<ToolItem>,
    pub(super) words: FoldMap<String, WordNumber>,
    /// Every word with its ending.
    pub(super) forms: FoldMap<String, FormNumber>,
    /// The place of each word among the carried vectors.
    pub(super) places: Vec<Option<usize>>,
    pub(super) postings: Vec<Vec<ToolPosting>>,
    /// The worth of finding each word.
    pub(super) worth: Vec<f64>,
    pub(super) features: Vec<ToolFeatures>,
    pub(super) average: [f64; FIELDS],
    /// The worth of sharing each group of synonyms.
    pub(super) group_worth: [f64; synonyms::COUNT],
    pub(super) grams: NameGrams,
}

impl ToolIndex {
    /// An index of these tools.
    pub fn new(items: Vec<ToolItem>) -> Self {
        let mut building = IndexBuilder::default();
        for item in &items {
            building.add_item(item);
        }
        let IndexBuilder { words, written, postings, mut features, group_counts, .. } = building;
        let mut places = vec![None; words.len()];
        for (word, number) in &words {
            places[*number as usize] = carried_vectors().find_stem(word);
        }
        let known = written.into_iter().filter_map(|(word, written)| Some((word, written?.form)));
        let forms = known.collect();
        let total = items.len() as f64;
        let worth: Vec<f64> =
            postings.iter().map(|tools| inverse_document_frequency(total, tools.len() as f64)).collect();
        for features in &mut features {
            features.first_worth = features.first_words.iter().map(|word| worth[*word as usize]).sum();
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
        let grams = NameGrams::new(&names.collect::<Vec<_>>());
        let group_worth = group_counts.map(|count| inverse_document_frequency(total, count as f64));
        Self { items, words, forms, places, postings, worth, features, average, group_worth, grams }
    }

    /// The tools, in the order that they came.
    pub fn items(&self) -> &[ToolItem] {
        &self.items
    }
}

/// A word of a tool.
#[derive(Clone, Copy)]
struct WrittenWord {
    /// The number of its stem.
    word: WordNumber,
    form: FormNumber,
}

struct IndexBuilder {
    /// Every word with its ending; none for what carries no meaning.
    written: FoldMap<String, Option<WrittenWord>>,
    /// The groups of synonyms that each word belongs to, a bit each.
    groups: Vec<u64>,
    words: FoldMap<String, WordNumber>,
    postings: Vec<Vec<ToolPosting>>,
    features: Vec<ToolFeatures>,
    group_counts: [usize; synonyms::COUNT],
}

impl Default for IndexBuilder {
    fn default() -> Self {
        Self {
            written: FoldMap::default(),
            groups: Vec::new(),
            words: FoldMap::default(),
            postings: Vec::new(),
            features: Vec::new(),
            group_counts: [0; synonyms::COUNT],
        }
    }
}

impl IndexBuilder {
    fn add_item(&mut self, item: &ToolItem) {
        let number = u32::try_from(self.features.len()).unwrap_or(u32::MAX);
        let (first, rest) = split_sentence(&item.description);
        let nodes = item.nodes.iter().flatten().chain(&item.tags).chain(&item.node_words).map(String::as_str);
        let fields = [
            self.words_of([item.name.as_str()]),
            self.words_of(nodes),
            self.words_of([first]),
            self.words_of([rest]),
            self.words_of(item.arguments.iter().map(|one| one.name.as_str())),
            self.words_of(item.arguments.iter().map(|one| one.description.as_str())),
        ];
        let main = || [NAME, NODES, FIRST].into_iter().flat_map(|field| &fields[field]);
        let main_words = sorted_set(main().map(|written| written.word));
        let main_forms = sorted_set(main().map(|written| written.form));
        let name_forms = sorted_set(fields[NAME].iter().map(|written| written.form));
        let fields = fields.map(|words| words.iter().map(|written| written.word).collect::<Vec<_>>());
        let [name_words, node_words, first_words] =
            [NAME, NODES, FIRST].map(|field| sorted_set(fields[field].iter().copied()));
        let rest_words = sorted_set(fields[REST].iter().chain(&fields[ARGUMENTS]).copied());
        for (field, words) in fields.iter().enumerate() {
            for word in words {
                let postings = &mut self.postings[*word as usize];
                // Tools are added one after the other: if this tool has the word already, its posting is the last.
                if postings.last().is_none_or(|last| last.item != number) {
                    postings.push(ToolPosting { item: number, counts: [0; FIELDS] });
                }
                if let Some(last) = postings.last_mut() {
                    last.counts[field] = last.counts[field].saturating_add(1);
                }
            }
        }
        let groups =
            |words: &[WordNumber]| words.iter().fold(0, |bits, word| bits | self.groups[*word as usize]);
        let in_name = groups(&fields[NAME]);
        let told = in_name | groups(&fields[FIRST]);
        for (group, count) in self.group_counts.iter_mut().enumerate() {
            *count += usize::from(told >> group & 1 == 1);
        }
        let lengths = fields.each_ref().map(|words| words.len() as f64);
        let pairs = [NAME, FIRST, REST].map(|field| word_pairs(&fields[field]));
        let action = groups(&fields[FIRST][..fields[FIRST].len().min(1)]) & synonyms::ACTIONS;
        let features = ToolFeatures {
            lengths,
            first_worth: 0.0,
            pairs,
            groups: in_name,
            mentioned: told,
            action,
            main_words,
            main_forms,
            name_forms,
            name_words,
            node_words,
            first_words,
            rest_words,
        };
        self.features.push(features);
    }

    fn words_of<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> Vec<WrittenWord> {
        let mut found = Vec::new();
        for text in texts {
            each_word(text, |word| {
                let written = match self.written.get(word) {
                    Some(written) => *written,
                    None => {
                        let form = FormNumber::try_from(self.written.len()).unwrap_or(FormNumber::MAX);
                        let mut number = |stem| stem_number(&mut self.words, &mut self.groups, stem);
                        let written =
                            meaningful_stem(word).map(|stem| WrittenWord { word: number(stem), form });
                        self.written.insert(word.to_owned(), written);
                        written
                    }
                };
                found.extend(written);
            });
        }
        self.postings.resize_with(self.words.len(), Vec::new);
        found
    }
}

fn sorted_set(numbers: impl Iterator<Item = u32>) -> Box<[u32]> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into()
}

/// The number of a stem; a new one is given the next, and its groups are noted.
fn stem_number(words: &mut FoldMap<String, WordNumber>, noted: &mut Vec<u64>, stem: String) -> WordNumber {
    let next = WordNumber::try_from(words.len()).unwrap_or(WordNumber::MAX);
    *words.entry(stem).or_insert_with_key(|stem| {
        noted.push(bits_of(stem));
        next
    })
}

/// The first sentence, and what is behind it.
pub(super) fn split_sentence(text: &str) -> (&str, &str) {
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
pub(super) fn word_pairs(words: &[WordNumber]) -> Vec<(WordNumber, WordNumber)> {
    let mut pairs: Vec<_> = words.windows(2).map(|two| (two[0], two[1])).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The groups of synonyms that words belong to, a bit each.
pub(super) fn group_bits(words: &[String]) -> u64 {
    words.iter().fold(0, |bits, word| bits | bits_of(&stem_word(word)))
}

/// The groups of synonyms that a stem belongs to, a bit each.
pub(super) fn bits_of(stem: &str) -> u64 {
    synonym_groups(stem).iter().fold(0, |bits, group| bits | 1 << group)
}
