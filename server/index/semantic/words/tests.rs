//! Terms of identifiers, sentences and other scripts.

use super::*;

fn terms(text: &str) -> Vec<(Term, TermForm)> {
    let mut all = Vec::new();
    with_terms(|terms| {
        each_run(text, |run| terms.for_each_term(run, |stem, form| all.push((stem.to_term(), form))))
    });
    all
}

fn term(word: &str) -> Term {
    with_terms(|terms| terms.stem_word(word).to_term())
}

#[test]
fn identifiers_are_split_and_kept_whole() {
    let check = |text: &str, parts: &[&str], joined: &[&[&str]]| {
        let parts = parts.iter().map(|word| (term(word), TermForm::Part));
        let together = joined.iter().map(|words| {
            let stems = words.iter().map(|word| with_terms(|terms| terms.stem_word(word)));
            (stems.fold(WordStem::NONE, WordStem::join_with).to_term(), TermForm::Joined)
        });
        assert_eq!(terms(text), parts.chain(together).collect::<Vec<_>>(), "{text}");
    };
    check("thread_pool", &["thread", "pool"], &[&["threadpool"]]);
    check("HTTPServer", &["http", "server"], &[&["http", "server"]]);
    check("_name", &["name"], &[]);
    check(
        "getUserName",
        &["get", "user", "name"],
        &[&["get", "user", "name"], &["get", "user"], &["user", "name"]],
    );
    check("utf8", &["utf", "8"], &[&["utf8"]]);
    check("___", &[], &[]);
}

#[test]
fn forms_of_a_word_are_one() {
    assert_eq!(term("Dependencies"), term("depends"));
    assert_eq!(term("normalised"), term("normalizing"));
    assert_eq!(term("behaviours"), term("behavior"));
    assert_ne!(term("hour"), term("hor"));
}

#[test]
fn text_without_spaces_is_cut_into_pairs() {
    let runs = |text: &str| {
        let mut all = Vec::new();
        each_run_at(text, |at, run| {
            assert!(text[at..].starts_with(run));
            all.push(run.to_owned());
        });
        all
    };
    assert_eq!(runs("数据库 x"), ["数据", "据库", "x"]);
    assert_eq!(runs("库"), ["库"]);
    assert_eq!(runs("größe_2, ok"), ["größe_2", "ok"]);
}

proptest::proptest! {
    #[test]
    fn runs_stand_where_they_are_said_to(text in "\\PC{0,40}") {
        each_run_at(&text, |at, run| assert!(text[at..].starts_with(run) && !run.is_empty()));
    }

    #[test]
    fn stems_written_together_are_as_one(a in "[a-z]{1,9}", b in "[a-z]{1,9}") {
        let whole = WordStem::from_letters(format!("{a}{b}").as_bytes());
        proptest::prop_assert_eq!(WordStem::from_letters(a.as_bytes()).join_with(WordStem::from_letters(b.as_bytes())), whole);
    }
}
