//! Tests of what is asked of a text, on texts with and without a match.

use proptest::prelude::*;

use super::TrigramPlan;
use crate::lexical::query::{CaseSensitivity, LineQuery};
use crate::lexical::trigrams::TrigramExtractor;

fn holds(plan: &TrigramPlan, trigrams: &[u32]) -> bool {
    match plan {
        TrigramPlan::All => true,
        TrigramPlan::Trigram(one) => trigrams.contains(one),
        TrigramPlan::Pair(pair) => trigrams.iter().any(|one| one >> 8 == u32::from(*pair)),
        TrigramPlan::And(parts) => parts.iter().all(|part| holds(part, trigrams)),
        TrigramPlan::Or(parts) => parts.iter().any(|part| holds(part, trigrams)),
    }
}

fn passes(pattern: &str, case: CaseSensitivity, text: &str) -> bool {
    let query = LineQuery::new(pattern, case, false).unwrap();
    let mut extractor = TrigramExtractor::default();
    extractor.push(text.as_bytes());
    holds(query.plan(), &extractor.finish())
}

#[test]
fn a_text_without_the_parts_is_left_out() {
    let cases = [
        ("hello", "hell o"),
        ("foo_[a-z]+_bar", "foo_ _ba"),
        ("foo.*bar", "foo baz"),
        ("(abc|xyz)d", "abcx xyzz"),
        ("(?:alpha|beta|gamma)+", "alph bet gamm"),
        ("x[0-9]yz", "xyz"),
        ("(foo){3,}", "foo"),
        ("ab", "a b"),
        ("^abc$", "abcd"),
        (r"\bword\b", "wor d"),
        ("a(bc)?d", "abd acd"),
        ("(?i)KERNEL", "kerne"),
        (r"\p{Greek}", "alpha"),
        (r"x\p{Greek}+", "xa"),
    ];
    for (pattern, text) in cases {
        assert!(!passes(pattern, CaseSensitivity::Sensitive, text), "{pattern}");
    }
}

#[test]
fn folding_is_sound_beyond_ascii() {
    for (pattern, text) in [
        ("mask", "MA\u{17f}K"),
        ("kelvin", "\u{212a}elvin"),
        ("straße", "STRAẞE"),
        ("ΣΑΣ", "σας"),
        (r"\p{Greek}", "α"),
    ] {
        assert!(passes(pattern, CaseSensitivity::Insensitive, text), "{pattern}");
        assert!(passes(pattern, CaseSensitivity::Smart, text) || pattern == "ΣΑΣ", "{pattern}");
    }
}

#[test]
fn short_and_open_expressions_ask_for_what_they_can() {
    let plan = |pattern| LineQuery::new(pattern, CaseSensitivity::Sensitive, false).unwrap().plan().clone();
    for pattern in ["a", ".*", r"\w{5}\s+\w{5}", "(abc)?", "abc|d", "", "^$", r"\p{L}"] {
        assert_eq!(plan(pattern), TrigramPlan::All, "{pattern}");
    }
    assert_eq!(plan("if"), TrigramPlan::Pair(u16::from_be_bytes(*b"if")));
    let words: Vec<_> = (0..100_000).map(|number| format!("word{number}")).collect();
    assert!(
        TrigramPlan::from_expression(&regex_syntax::parse(&words.join("|")).unwrap()).leaf_count()
            <= super::MOST_LEAVES
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn every_match_passes(
        pattern in crate::lexical::tests::pattern(),
        text in "[abkKſ\u{212a}s_0 \r]{0,12}(\n[abkKſs_0 \r]{0,12}){0,3}",
        case in prop_oneof![Just(CaseSensitivity::Sensitive), Just(CaseSensitivity::Insensitive), Just(CaseSensitivity::Smart)],
    ) {
        use grep_matcher::Matcher;
        if let Ok(query) = LineQuery::new(&pattern, case, false)
            && text.split('\n').any(|line| query.matcher().is_match(line.as_bytes()).unwrap())
        {
            prop_assert!(passes(&pattern, case, &text), "{pattern:?} {text:?} {:?}", query.plan());
        }
    }
}
