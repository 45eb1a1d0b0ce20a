//! Files put, changed and searched.

use proptest::prelude::*;

use super::*;

fn index(files: &[(&str, &str)]) -> SemanticIndex {
    let index = SemanticIndex::new();
    files.iter().for_each(|(path, text)| index.put_file(path, text.as_bytes()));
    index.shrink_memory();
    index
}

fn search(index: &SemanticIndex, text: &str) -> Vec<String> {
    let query = SemanticQuery { text, scope: "", limit: 10, related: false };
    index.search(&query, None, |_, _, _| Some(String::new())).hits.into_iter().map(|hit| hit.path).collect()
}

const FILES: &[(&str, &str)] = &[
    (
        "src/pool/thread_pool.rs",
        "//! Runs blocking work on threads.\npub struct ThreadPool;\nimpl ThreadPool {\n    pub fn spawn(&self) {}\n}\n",
    ),
    (
        "src/net/retry.rs",
        "//! Retries requests with a growing delay.\npub fn retry_with_backoff() {\n    let delay = 1;\n}\n",
    ),
    ("src/lib.rs", "pub mod pool;\npub mod net;\npub use pool::ThreadPool;\n"),
    ("tests/pool.rs", "use lab::ThreadPool;\nfn spawns() { ThreadPool.spawn(); }\n"),
    ("README.md", "# A thread pool\nWith retry and backoff.\n"),
    ("src/colours.py", "class ColourTable:\n    \"\"\"Normalises colours.\"\"\"\n"),
];

#[test]
fn what_is_asked_for_comes_first() {
    let index = index(FILES);
    let check = |query: &str, path: &str| {
        let found = search(&index, query);
        assert_eq!(found.first().map(String::as_str), Some(path), "{query}: {found:?}");
    };
    check("ThreadPool", "src/pool/thread_pool.rs");
    check("struct ThreadPool", "src/pool/thread_pool.rs");
    check("how is blocking work run on the threadpool", "src/pool/thread_pool.rs");
    check("net: fix `retry_with_backoff()` (#12)", "src/net/retry.rs");
    check("exponential backoff of requests", "src/net/retry.rs");
    check("normalizing colors", "src/colours.py");
}

#[test]
fn the_name_of_the_language_tells_no_file_apart() {
    let files: Vec<(String, String)> = (0..20)
        .map(|at| (format!("src/f{at}.py"), format!("def step_{at}(value):\n    return value + {at}\n")))
        .chain([
            ("src/dates.py".to_owned(), "def read_date(text):\n    return text\n".to_owned()),
            ("src/run.py".to_owned(), "def run_python():\n    return 'python'\n".to_owned()),
        ])
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let index = index(&files);
    assert_eq!(search(&index, "python date")[0], "src/dates.py");
    assert_eq!(search(&index, "python")[0], "src/run.py", "it is found where nothing else is asked for");
    // Where other languages are about, the name tells which of them is meant.
    for at in 0..20 {
        index.remove_file(&format!("src/f{at}.py"));
        index.put_file(&format!("src/f{at}.rs"), b"fn step() {}\n");
    }
    assert_eq!(search(&index, "rust date")[0], "src/dates.py");
    assert_eq!(search(&index, "python step")[0], "src/run.py");
}

#[test]
fn a_hit_is_one_piece_with_its_lines() {
    let index = SemanticIndex::new();
    let body = |name: &str| format!("fn {name}() {{\n{}}}\n\n", "    let other = 1 + 2;\n".repeat(60));
    let text = format!("{}/// Parses dates.\n{}{}", body("first"), body("parse_date"), body("last"));
    index.put_file("a.rs", text.as_bytes());
    let read = |path: &str, start: u32, end: u32| {
        assert_eq!(path, "a.rs");
        let lines = text.lines().skip(start as usize - 1).take((end - start) as usize + 1);
        Some(lines.collect::<Vec<_>>().join("\n"))
    };
    let found =
        index.search(&SemanticQuery { text: "parse_date", scope: "", limit: 3, related: false }, None, read);
    assert_eq!(found.ranker, "words");
    let [hit] = found.hits.as_slice() else { panic!("one file, one hit: {found:?}") };
    assert!(hit.snippet.starts_with("/// Parses dates.\nfn parse_date()"), "{hit:?}");
    assert!(hit.end - hit.start < 70, "{hit:?}");
}

#[test]
fn a_scope_and_what_may_not_be_read_leave_files_out() {
    let index = index(FILES);
    let scoped = |scope: &str| {
        let query = SemanticQuery { text: "thread pool retry", scope, limit: 10, related: false };
        let found = index.search(&query, None, |path, _, _| (path != "src/lib.rs").then(String::new));
        let mut paths: Vec<String> = found.hits.into_iter().map(|hit| hit.path).collect();
        paths.sort();
        paths
    };
    assert_eq!(scoped("src/net"), ["src/net/retry.rs"]);
    assert_eq!(scoped("src/net/"), ["src/net/retry.rs"]);
    assert_eq!(scoped("src/n"), Vec::<String>::new());
    assert_eq!(scoped("README.md"), ["README.md"]);
    assert!(scoped("src").iter().all(|path| path.starts_with("src/") && path != "src/lib.rs"));
}

#[test]
fn what_is_gone_is_not_found() {
    let index = index(FILES);
    assert!(index.remove_file("src/net/retry.rs"));
    assert!(!index.remove_file("src/net/retry.rs"));
    assert!(!search(&index, "retry with backoff").contains(&"src/net/retry.rs".to_owned()));
    index.put_file("src/pool/thread_pool.rs", b"pub struct Sieve;\n");
    assert_eq!(search(&index, "Sieve"), ["src/pool/thread_pool.rs"]);
    index.retain_files(|path| !path.starts_with("src/"));
    assert_eq!(index.len(), 2);
}

#[test]
fn odd_queries_are_answered() {
    let index = index(FILES);
    let long = "thread ".repeat(150_000);
    for query in ["", " ", "?!", "``", ":", "a", "\0", "#", "::", "()", "🙂", "\u{301}", &"(".repeat(9_000)]
    {
        search(&index, query);
    }
    assert_eq!(search(&index, ""), Vec::<String>::new());
    assert!(!search(&index, &long).is_empty());
    assert!(!search(&index, "where is the").iter().any(|path| path.is_empty()));
    assert_eq!(search(&SemanticIndex::new(), "anything"), Vec::<String>::new());
    let none = index.search(
        &SemanticQuery { text: "thread", scope: "", limit: 0, related: false },
        None,
        |_, _, _| Some(String::new()),
    );
    assert_eq!(none.hits, []);
}

#[test]
fn other_scripts_are_found_by_their_pairs() {
    let index = index(&[
        ("a.py", "# 数据库连接池\nx = 1\n"),
        ("b.py", "# 線程\ny = 2\n"),
        ("c.py", "# Größe ändern\n"),
    ]);
    assert_eq!(search(&index, "连接池"), ["a.py"]);
    assert_eq!(search(&index, "größe"), ["c.py"]);
}

#[test]
fn what_is_no_text_is_known_by_its_path() {
    let index = SemanticIndex::new();
    index.put_file("assets/parser.bin", b"\0\x01parser word");
    index.put_file("dist/bundle.js", "var wordy=1;".repeat(400_000).as_bytes());
    index.put_file("one", b"x");
    index.put_file("none", b"");
    index.put_file("latin.c", b"/* gr\xfc\xdfe wordy */\nint f(void)\n{\n}\n");
    assert_eq!(search(&index, "wordy"), ["latin.c"]);
    assert!(search(&index, "parser").contains(&"assets/parser.bin".to_owned()));
    assert_eq!(index.len(), 5);
}

#[test]
fn what_a_model_says_is_added() {
    let index = index(FILES);
    let pieces = index.pieces();
    let (path, text) = FILES[1];
    let wanted = digest::key_of(&digest::model_text(path, text));
    let cosines: Vec<f32> = pieces.keys().iter().map(|key| if *key == wanted { 0.9 } else { 0.1 }).collect();
    let near = QuerySimilarity { model: "m", is_static: false, pieces: &pieces, cosines: &cosines };
    let query = SemanticQuery { text: "trying once more later", scope: "", limit: 3, related: false };
    let found = index.search(&query, Some(&near), |_, _, _| Some(String::new()));
    assert_eq!((found.hits[0].path.as_str(), found.ranker.as_str()), ("src/net/retry.rs", "words+m"));
    // The file changed: what was said of it counts no more, nor does what is not known.
    index.put_file("src/net/retry.rs", b"fn other() {}\n");
    let found = index.search(&query, Some(&near), |_, _, _| Some(String::new()));
    assert!(found.hits.iter().all(|hit| hit.path != "src/net/retry.rs"), "{found:?}");
    let unknown = vec![f32::NAN; cosines.len()];
    let near = QuerySimilarity { cosines: &unknown, ..near };
    assert_eq!(index.search(&query, Some(&near), |_, _, _| Some(String::new())).ranker, "words");
    assert!(!std::sync::Arc::ptr_eq(&pieces, &index.pieces()));
    assert!(std::sync::Arc::ptr_eq(&index.pieces(), &index.pieces()));
}

#[test]
fn a_model_is_told_of_the_code_where_there_is_any() {
    let beside =
        [("docs/guide.md", "Guide\n"), ("tests/a.rs", "fn a_works() {}\n"), ("src/a.rs", "fn a() {}\n")];
    let told = |files: &[(&str, &str)]| index(files).pieces().keys().len();
    assert_eq!(told(&beside), 3, "one file of code is not enough to compare");
    assert_eq!(told(&[&beside[..], &[("src/b.rs", "fn b() {}\n")]].concat()), 2);
}

#[test]
fn pieces_that_read_alike_are_one_text_for_a_model() {
    let same = format!("fn a() {{\n{}}}\n", "    call();\n".repeat(110));
    let pieces = index(&[("src/a.rs", &same.repeat(3)), ("src/b.rs", "fn b() {}\n")]).pieces();
    assert_eq!((pieces.keys().len(), pieces.distinct_count()), (4, 2));
}

#[test]
fn a_model_is_told_the_path_and_the_text_of_a_piece_that_is_still_there() {
    let long = format!("{}\nend\n", "x".repeat(5_000));
    let files = [("a.txt", "one\ntwo\n\n"), ("b.txt", "three\n"), ("long.txt", &long)];
    let index = index(&files);
    let pieces = index.pieces();
    let all: Vec<usize> = (0..pieces.keys().len()).collect();
    let read = |path: &str, start: u32, end: u32| {
        let (_, text) = files.iter().find(|(known, _)| *known == path)?;
        let lines = text.split_inclusive('\n').skip(start as usize - 1);
        Some(lines.take((end + 1 - start) as usize).collect())
    };
    let told: Vec<String> = index.texts_for_model(&pieces, &all, read).into_iter().flatten().collect();
    assert_eq!(told.len(), all.len());
    assert!(told.contains(&"a.txt\none\ntwo".to_owned()), "{told:?}");
    assert!(told.iter().all(|told| told.len() < 2_100), "a line without end is cut");
    // A changed file has no text under its old name; nor has a path with another file now.
    let changed = |path: &str, _: u32, _: u32| Some(format!("{path} is new"));
    assert!(index.texts_for_model(&pieces, &all, changed).iter().all(Option::is_none));
    index.put_file("a.txt", b"other\n");
    assert_eq!(index.texts_for_model(&pieces, &all, read).iter().flatten().count(), all.len() - 1);
}

#[test]
fn threads_search_while_others_put() {
    let index = index(FILES);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..200 {
                index.put_file("src/changing.rs", format!("fn thread_{round}() {{}}\n").as_bytes());
            }
        });
        scope.spawn(|| (0..200).for_each(|_| assert!(!search(&index, "thread pool").is_empty())));
    });
    assert_eq!(search(&index, "thread_199").first().map(String::as_str), Some("src/changing.rs"));
    assert_eq!(index.len(), FILES.len() + 1);
}

/// The weights of shared terms are summed in the order in which files were added, and sums of fractions depend on
/// their order.
#[test]
fn what_is_found_does_not_depend_on_which_file_came_first() {
    let texts = [
        ("src/f0.rs", "// cc b\n"),
        ("src/f1.rs", "// a b\n"),
        ("src/f4.rs", "fn cc_b() {\n}\n"),
        ("src/f5.rs", "fn a_b() {\n}\n"),
    ];
    let expected = search(&index(&texts), "a b");
    for order in [[1, 3, 2, 0], [3, 2, 1, 0], [0, 3, 1, 2]] {
        assert_eq!(search(&index(&order.map(|at| texts[at])), "a b"), expected, "{order:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However files come and go, what is found is what is found if the last of them were put at once.
    #[test]
    fn an_index_that_changed_is_as_one_made_anew(
        steps in prop::collection::vec((0_usize..6, prop::option::of("(fn [a-c]{1,2}_[a-c]\\(\\) \\{\n\\}\n|// [a-c]{1,3} [a-c]\n){0,5}")), 1..40),
        query in "[a-c]{1,2}( |_)[a-c]{1,3}",
    ) {
        let changed = SemanticIndex::new();
        let mut last: std::collections::BTreeMap<String, String> = Default::default();
        for (file, text) in steps {
            let path = format!("src/f{file}.rs");
            match text {
                Some(text) => {
                    changed.put_file(&path, text.as_bytes());
                    last.insert(path, text);
                }
                None => prop_assert_eq!(changed.remove_file(&path), last.remove(&path).is_some()),
            }
        }
        let anew = SemanticIndex::new();
        last.iter().for_each(|(path, text)| anew.put_file(path, text.as_bytes()));
        prop_assert_eq!(changed.len(), anew.len());
        prop_assert_eq!(search(&changed, &query), search(&anew, &query));
    }

    /// Any bytes and any query can be handled, and every hit has lines that exist.
    #[test]
    fn any_text_and_any_query(
        path in "[a-z/.]{1,12}",
        text in prop::collection::vec(any::<u8>(), 0..400),
        words in "\\PC{0,60}",
        query in "\\PC{0,40}",
    ) {
        let index = SemanticIndex::new();
        index.put_file(&path, &text);
        index.put_file("b.rs", words.as_bytes());
        index.put_file("c.py", format!("def {words}:\n{words}").as_bytes());
        let query = SemanticQuery { text: &query, scope: "", limit: 5, related: false };
        for hit in index.search(&query, None, |_, _, _| Some(String::new())).hits {
            prop_assert!(hit.start >= 1 && hit.start <= hit.end && hit.score.is_finite());
        }
    }
}

/// The files of a case of `tests/cases/paraphrases`.
fn paraphrased(project: &str) -> SemanticIndex {
    let index = SemanticIndex::new();
    for file in project.split("== ").skip(1) {
        let (path, text) = file.split_once('\n').unwrap();
        index.put_file(path, text.as_bytes());
    }
    index
}

#[test]
fn paraphrases_that_share_no_word_with_the_file_find_it() {
    let shop = paraphrased(include_str!("../../../tests/cases/paraphrases/shop.txt"));
    let notes = paraphrased(include_str!("../../../tests/cases/paraphrases/notes.txt"));
    let farm = paraphrased(include_str!("../../../tests/cases/paraphrases/farm.txt"));
    let (mut all, mut by_words, mut in_three, mut in_ten) = (0, 0, 0, 0);
    for line in include_str!("../../../tests/cases/paraphrases/queries.tsv").lines() {
        let [project, text, path] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let index = match project {
            "shop" => &shop,
            "notes" => &notes,
            _ => &farm,
        };
        let place = |related| {
            let query = SemanticQuery { text, scope: "", limit: 10, related };
            let found = index.search(&query, None, |_, _, _| Some(String::new()));
            found.hits.iter().position(|hit| hit.path == path)
        };
        all += 1;
        by_words += usize::from(place(false).is_some());
        in_three += usize::from(place(true).is_some_and(|place| place < 3));
        in_ten += usize::from(place(true).is_some());
    }
    assert!(all >= 50 && by_words * 10 < all * 3, "words alone: {by_words} of {all}");
    assert!(
        in_ten * 100 >= all * 85 && in_three * 100 >= all * 60,
        "{in_ten} in ten, {in_three} in three, of {all}"
    );
}

#[test]
fn what_the_words_say_ranks_as_without_related_words() {
    let shop = paraphrased(include_str!("../../../tests/cases/paraphrases/shop.txt"));
    let read = |_: &str, _, _| Some(String::new());
    for text in ["createSession", "smtp transport", "verify hash password account"] {
        let query = |related| SemanticQuery { text, scope: "", limit: 10, related };
        assert_eq!(shop.search(&query(true), None, read), shop.search(&query(false), None, read), "{text}");
    }
    let none = SemanticQuery { text: "login", scope: "docs", limit: 10, related: true };
    assert!(shop.search(&none, None, read).hits.is_empty());
    assert_eq!(shop.explain_empty(&none), EmptyReason::NoFiles);
    let of = |text, limit| shop.explain_empty(&SemanticQuery { text, scope: "", limit, related: true });
    assert_eq!(
        [of("?!", 1), of("login", 0), of("zzyzx", 1)],
        [EmptyReason::NoWords, EmptyReason::NoLimit, EmptyReason::NoMatch]
    );
}
