//! Words that ask for the same in different ways. Sharing a group speaks for a tool, less than sharing the word.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::stem_word;

/// The groups, a line each; those of what is done first.
const GROUPS: &[&str] = &[
    "create add make new insert register generate build store save provision",
    "delete remove erase drop destroy clear cancel uninstall purge discard revoke deregister",
    "get show fetch retrieve list find describe view read display check look lookup see tell give know search query what return enumerate obtain",
    "update modify change set edit put adjust alter rename configure replace assign apply",
    "send post publish share message notify email",
    "run execute start invoke launch trigger",
    "stop terminate end halt disable",
    "buy purchase order book reserve booking",
    "enable activate turn",
    "calculate compute calculation math",
    "convert translate transform",
    "attach link associate",
    "detach unlink disassociate",
    "copy duplicate clone",
    "weather forecast temperature",
    "movie film cinema",
    "song music track play",
    "picture image photo",
    "price cost pricing rate",
    "shop store product shopping",
    "news article headline",
    "trip travel vacation flight hotel itinerary",
    "document pdf file doc",
    "website web url link page site",
    "stock market investment finance",
    "recipe cook food meal restaurant",
    "job career hiring",
    "house property estate home apartment rent",
    "repository repo",
    "permission access role policy",
    "database db sql table",
    "server machine instance vm virtual",
    "settings config configuration configure options",
];

/// Phrases that are read as one word, because their words taken one by one ask for something else.
const PHRASES: &[(&str, &str)] = &[
    ("get rid of", "remove"),
    ("throw away", "remove"),
    ("look at", "show"),
    ("logged in", "login"),
    ("signed in", "login"),
    ("log in", "login"),
    ("sign in", "login"),
    ("logged out", "logout"),
    ("log out", "logout"),
    ("sign out", "logout"),
    ("what changed", "diff"),
    ("what has changed", "diff"),
];

/// Returns a request with each such phrase replaced by its word.
pub(super) fn without_phrases(request: &str) -> String {
    let mut text = format!(" {} ", request.split_whitespace().collect::<Vec<_>>().join(" "));
    for (phrase, word) in PHRASES {
        let (phrase, word) = (format!(" {phrase} "), format!(" {word} "));
        while let Some(at) = text.to_ascii_lowercase().find(&phrase) {
            text.replace_range(at..at + phrase.len(), &word);
        }
    }
    text.trim().to_owned()
}

/// The number of groups.
pub(super) const COUNT: usize = GROUPS.len();

/// The groups of what is done, a bit each.
pub(super) const ACTIONS: u64 = (1 << 14) - 1;

/// The groups that a stem belongs to.
pub(super) fn synonym_groups(stem_of_word: &str) -> &'static [usize] {
    static OF: LazyLock<HashMap<String, Vec<usize>>> = LazyLock::new(|| {
        let mut of: HashMap<String, Vec<usize>> = HashMap::new();
        for (group, words) in GROUPS.iter().enumerate() {
            for word in words.split(' ') {
                let groups = of.entry(stem_word(word)).or_default();
                if !groups.contains(&group) {
                    groups.push(group);
                }
            }
        }
        of
    });
    OF.get(stem_of_word).map_or(&[], Vec::as_slice)
}
