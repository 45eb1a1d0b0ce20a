//! Helpers of the tests of this folder.

mod life;
mod ripgrep;
mod sweep;

use proptest::prelude::*;

/// Expressions of every kind over few letters, so that they often match.
pub(super) fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => "[abks_0]{1,4}",
        1 => prop::sample::select(vec![
            ".", r"\w", r"\s", r"\b", "^", "$", "[ab]", "[^a]", r"\d", "(?i:k)", "[a-z]", "é", r"\p{L}", r"\r", r"(?-u:\xe9)", "(?i:sk)", r"\B", r"\z"
        ]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 16, 4, |inner| {
        let some = inner.clone();
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join("|"))),
            2 => (some, prop::sample::select(vec!["*", "+", "?", "{2}", "{1,3}", "{3,}", "{0}", "+?"]))
                .prop_map(|(part, times)| format!("(?:{part}){times}")),
        ]
    })
}
