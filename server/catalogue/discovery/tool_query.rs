//! A request as the words that it asks with.

use super::index::{FormNumber, ToolIndex, WordNumber, bits_of, group_bits};
use super::synonyms::{ACTIONS, without_phrases};
use super::words::{is_asking, is_relating, meaningful_stem, split_words};
use crate::base::bm25::inverse_document_frequency;
use crate::words::carried_vectors;

/// The weight of a word of the request itself (as "find", "tool"), relative to a word of its subject.
const ASKING: f64 = 0.25;

/// The words of a request that a tool has to hold to be meant by it, and their share at least in a long request, at most in a
/// short one. Fitted on requests whose tools were taken out of the catalogue.
const ENOUGH: f64 = 2.0;
const ENOUGH_OF_MANY: f64 = 0.15;
const ENOUGH_OF_FEW: f64 = 0.5;

/// A request, split into its words.
pub(super) struct ToolQuery {
    /// All its words, those of no meaning too, as they are written.
    pub(super) written: Vec<String>,
    pub(super) words: Vec<WordNumber>,
    /// The different words that are known, belong to a group of synonyms, or have a vector.
    pub(super) different: Vec<RequestWord>,
    /// The summed worth of the words that some tool holds.
    pub(super) worth: f64,
    /// The words that neither a tool, nor a group of synonyms, nor a vector knows.
    unknown: usize,
    /// The worth of each of these.
    unknown_worth: f64,
    /// The groups of synonyms of all of them, a bit each.
    pub(super) groups: u64,
    /// The groups of its first word that is an action, a bit each.
    pub(super) first_action: u64,
    /// The places of the words that name its object, among the different ones.
    object: Vec<usize>,
}

/// A word of a request.
pub(super) struct RequestWord {
    /// None where no tool holds it: another of its group, or a related one, may still be held.
    pub(super) word: Option<WordNumber>,
    /// The word with its ending; none where no tool holds it so.
    pub(super) form: Option<FormNumber>,
    /// Its place among the carried vectors.
    pub(super) place: Option<usize>,
    pub(super) count: f64,
    pub(super) worth: f64,
    /// Its groups of synonyms, a bit each.
    pub(super) groups: u64,
}

/// Words that a sentence about a request names.
const NAMED: usize = 5;

/// Says which words were looked for, where no tool holds one, in a clause.
pub(super) fn describe_lack(request: &str) -> String {
    let written = split_words(&without_phrases(request));
    let mut looked: Vec<String> = Vec::new();
    for word in written.into_iter().filter(|word| meaningful_stem(word).is_some()) {
        if !looked.contains(&word) {
            looked.push(word);
        }
    }
    let more = if looked.len() > NAMED { " …" } else { "" };
    looked.truncate(NAMED);
    let quoted = looked.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
    match looked.len() {
        0 => "it has no word to find a tool by".to_owned(),
        1 => format!("no tool there has the word {quoted}"),
        _ => format!("no tool there has one of the words {quoted}{more}"),
    }
}

impl ToolIndex {
    /// Returns a request as its words.
    pub(super) fn tool_query(&self, request: &str) -> ToolQuery {
        let written = split_words(request);
        let stems = written.iter().filter_map(|word| Some((word, meaningful_stem(word)?)));
        let (mut words, mut different, mut known_stems) = (Vec::new(), Vec::<RequestWord>::new(), Vec::new());
        let mut unknown = 0;
        let unknown_worth = inverse_document_frequency(self.items.len() as f64, 0.0);
        for (form, stem) in stems {
            let (word, groups) = (self.words.get(&stem).copied(), bits_of(&stem));
            let place = carried_vectors().find_stem(&stem);
            words.extend(word);
            let same = |one: &&mut RequestWord| {
                one.word == word && (word.is_some() || (one.groups, one.place) == (groups, place))
            };
            if let Some(known) = different.iter_mut().find(same) {
                known.count += 1.0;
            } else if word.is_some() || groups != 0 || place.is_some() {
                let of_none = || match self.group_worth.get(groups.trailing_zeros() as usize) {
                    Some(of_group) => *of_group,
                    None => unknown_worth,
                };
                let worth = word.map_or_else(of_none, |word| self.worth[word as usize]);
                let worth = worth * if is_asking(&stem) { ASKING } else { 1.0 };
                let form = self.forms.get(form).copied();
                different.push(RequestWord { word, form, place, count: 1.0, worth, groups });
                known_stems.push(stem);
            } else {
                unknown += 1;
            }
        }
        let known = different.iter().filter(|one| one.word.is_some());
        let worth = known.map(|one| one.worth).sum::<f64>() + 1e-9;
        let mut actions = different.iter().map(|one| one.groups & ACTIONS);
        let first_action = actions.find(|action| *action != 0).unwrap_or(0);
        let object = find_object(&written, &known_stems);
        let groups = group_bits(&written);
        ToolQuery { groups, first_action, written, words, different, worth, unknown, unknown_worth, object }
    }
}

impl ToolQuery {
    /// The words that name its object: what is asked for, without the action, and without what it is in or of.
    pub(super) fn object(&self) -> impl Iterator<Item = (usize, &RequestWord)> {
        self.object.iter().filter_map(|at| Some((*at, self.different.get(*at)?)))
    }

    /// Returns the share of the object that stands among these words, which are sorted.
    pub(super) fn object_share(&self, words: &[WordNumber]) -> f64 {
        let (mut held, mut whole) = (0.0, 1e-9);
        for (_, one) in self.object() {
            whole += one.worth;
            if one.word.is_some_and(|word| words.binary_search(&word).is_ok()) {
                held += one.worth;
            }
        }
        held / whole
    }

    /// Returns the share of the request that stands among these words with the same endings; they are sorted.
    pub(super) fn share_in_forms(&self, forms: &[FormNumber]) -> f64 {
        let held = |one: &&RequestWord| one.form.is_some_and(|form| forms.binary_search(&form).is_ok());
        self.different.iter().filter(held).map(|one| one.worth).sum::<f64>() / self.whole_worth()
    }

    /// Returns how nearly a tool meets the request that holds words of this worth: 1 where it holds enough of all its words, those
    /// that nobody knows among them. About two words are enough, and of a short request half.
    pub(super) fn met_by(&self, worth: f64) -> f64 {
        let words = self.different.len() + self.unknown;
        let all = self.whole_worth() + self.unknown as f64 * self.unknown_worth;
        let enough = (ENOUGH / words.max(1) as f64).clamp(ENOUGH_OF_MANY, ENOUGH_OF_FEW);
        (worth / all / enough).clamp(0.0, 1.0)
    }

    /// The summed worth of all its words that are known.
    pub(super) fn whole_worth(&self) -> f64 {
        self.different.iter().map(|one| one.worth).sum::<f64>() + 1e-9
    }

    /// Returns the worth of those of its words that a tool mentions only by others of the same group; `told` has a bit for each
    /// mentioned word, `groups` are the groups.
    pub(super) fn worth_of_synonyms(&self, told: u64, groups: u64) -> f64 {
        let words = self.different.iter().take(64).enumerate();
        let otherwise = words.filter(|(at, one)| told >> at & 1 == 0 && one.groups & groups != 0);
        otherwise.map(|(_, one)| one.worth).sum()
    }
}

/// Finds the words that name what is asked for: those in front of the first word that relates it to something else, as "in".
/// Actions in front of them, and words of the asking, are not among them. Returns their places among `stems`.
fn find_object(written: &[String], stems: &[String]) -> Vec<usize> {
    let mut object = Vec::new();
    for word in written {
        if is_relating(word) {
            if object.is_empty() {
                continue;
            }
            break;
        }
        let Some(stem) = meaningful_stem(word).filter(|stem| !is_asking(stem)) else { continue };
        if object.is_empty() && bits_of(&stem) & ACTIONS != 0 {
            continue;
        }
        let place = stems.iter().position(|known| *known == stem);
        object.extend(place.filter(|place| !object.contains(place)));
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_is_what_is_asked_for_and_not_what_it_is_in() {
        let object = |request: &str| -> Vec<String> {
            let written = split_words(request);
            let stems: Vec<String> = written.iter().filter_map(|word| meaningful_stem(word)).collect();
            find_object(&written, &stems).into_iter().map(|place| stems[place].clone()).collect()
        };
        assert_eq!(object("Show me the databases in the data explorer cluster"), ["databas"]);
        assert_eq!(
            object("Get details of the inventory configuration for a bucket"),
            ["inventori", "configur"]
        );
        assert_eq!(object("list and describe users of a group"), ["user"]);
        assert_eq!(object("in the group"), ["group"], "nothing else is asked for");
        assert_eq!(object("show me"), [""; 0]);
    }
}
