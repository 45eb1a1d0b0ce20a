//! The names nearest to one that was not found.

use strsim::osa_distance;

/// The name among `names` that `asked` is most likely a typing error of.
pub fn likely_name<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let asked = split_words(asked);
    let scored = names.into_iter().map(|name| (name_similarity(&asked, &split_words(name)), name));
    scored.filter(|(score, _)| *score >= 0.6).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// Returns at most `count` of `names` that look like `asked`, the nearest first.
pub fn nearest_names<'a>(
    asked: &str,
    names: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let asked = split_words(asked);
    let mut scored: Vec<_> = names
        .into_iter()
        .map(|name| (name_similarity(&asked, &split_words(name)), name))
        .filter(|(score, _)| *score >= 0.4)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.truncate(count);
    scored.into_iter().map(|(_, name)| name).collect()
}

/// Lower-case words of a name, split at separators and at a capital after a small letter. Bounded, so that a
/// name of megabytes costs nothing.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars().take(64) {
        if !c.is_alphanumeric() || (small && c.is_uppercase()) {
            words.push(String::new());
        }
        small = c.is_lowercase();
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns a likeness from 0 to 1: the better of the edit distance over the whole name and the share of words in
/// common.
fn name_similarity(a: &[String], b: &[String]) -> f64 {
    let (whole_a, whole_b) = (a.concat(), b.concat());
    let longest = whole_a.chars().count().max(whole_b.chars().count());
    if longest == 0 {
        return 0.0;
    }
    let spelled = 1.0 - share_of(osa_distance(&whole_a, &whole_b), longest);
    let common = a.iter().filter(|word| b.iter().any(|other| is_similar_word(word, other))).count();
    let shared = 0.95 * share_of(2 * common, a.len() + b.len());
    // Of names that share as many words, the one with the more similar spelling is the nearer.
    0.9 * spelled.max(shared) + 0.1 * spelled.min(shared)
}

/// Returns whether two words are equal up to one letter or an ending.
fn is_similar_word(a: &str, b: &str) -> bool {
    let shorter = a.len().min(b.len());
    a == b
        || (shorter >= 3 && (a.starts_with(b) || b.starts_with(a)))
        || (shorter >= 4 && osa_distance(a, b) <= 1)
}

#[allow(clippy::cast_precision_loss, reason = "names are at most 64 characters long")]
fn share_of(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::nearest_names;

    const NAMES: [&str; 11] = [
        "fs.read",
        "fs.write",
        "fs.append",
        "fs.ls",
        "fs.patch",
        "fs.mkdir",
        "search.lexical",
        "read_file",
        "list_files",
        "task_complete",
        "review.wait",
    ];

    fn check(asked: &str, expected: &[&str]) {
        assert_eq!(nearest_names(asked, NAMES, 3), expected, "{asked}");
    }

    #[test]
    fn near_names() {
        check("fs.raed", &["fs.read", "fs.append", "fs.patch"]);
        check("readFile", &["read_file", "list_files", "fs.read"]);
        check("search", &["search.lexical", "fs.patch"]);
        check("complete_task", &["task_complete"]);
        check("zzz", &[]);
        check("", &[]);
    }
}
