//! Searches through the hub: what was written is found, unsaved text counts, closed files are not found.

use serde_json::{Value, json};
use wherefore::protocol::Code;
use wherefore::requests::Search;
use wherefore::requests::search::{SearchAnswer, SearchKind, SearchParams};

use crate::support::Bench;

async fn search(bench: &Bench, kind: SearchKind, query: &str) -> Vec<String> {
    let params = SearchParams { kind, query: query.to_owned(), ..SearchParams::default() };
    places(bench.ask::<Search>(params).await.unwrap())
}

fn places(answer: SearchAnswer) -> Vec<String> {
    answer.results.into_iter().map(|hit| format!("{}:{}", hit.path, hit.start)).collect()
}

async fn lines(bench: &Bench, query: &str) -> Vec<String> {
    search(bench, SearchKind::Lexical, query).await
}

async fn files(bench: &Bench, query: &str) -> Vec<String> {
    search(bench, SearchKind::Vector, query).await
}

/// Rounds of writing and searching; `WHEREFORE_ROUNDS` names another number.
fn rounds() -> usize {
    std::env::var("WHEREFORE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1_000)
}

#[tokio::test]
async fn what_was_written_is_found() {
    let bench = Bench::with(&[("a.txt", "nothing\n"), ("deep/b.txt", "nothing\n")], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    for round in 0..rounds() {
        let word = format!("word-{round}-");
        let (path, text) = (["a.txt", "deep/b.txt", "new.txt"][round % 3], format!("{word}\n"));
        match round % 20 {
            // Through a tool, behind its back by a rename over it, in a folder that is new, and in place.
            0 => {
                let call = bench.call("fs.write", json!({ "path": path, "content": text }), None).await;
                assert_eq!(call.error, None);
            }
            1 => {
                bench.write(".part", &text);
                let at = |path: &str| bench.folder.path().join(path);
                std::fs::rename(at(".part"), at(path)).unwrap();
            }
            2 => {
                let folder = bench.folder.path().join(format!("made/{round}"));
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(folder.join("c.txt"), &text).unwrap();
                assert_eq!(lines(&bench, &word).await, [format!("made/{round}/c.txt:1")]);
                continue;
            }
            _ => bench.write(path, &text),
        }
        assert_eq!(lines(&bench, &word).await, [format!("{path}:1")], "round {round}");
        if round % 50 == 0 {
            let answer = bench.call("search.lexical", json!({ "query": word }), None).await;
            assert_eq!(answer.result.unwrap()[0]["path"], path);
            assert_eq!(files(&bench, &format!("word {round}")).await.len().min(1), 1);
        }
    }
}

#[tokio::test]
async fn unsaved_text_is_what_is_searched() {
    let bench = Bench::new(&[("a.txt", "on the disk\n"), ("b.txt", "other\n")]);
    bench.open("a.txt");
    bench.type_in("a.txt", "typed zebra\n");
    assert_eq!(lines(&bench, "zebra").await, ["a.txt:1"]);
    assert_eq!(lines(&bench, "disk").await, [""; 0]);
    assert_eq!(files(&bench, "zebra").await, ["a.txt:1"]);
    bench.type_in("a.txt", "typed again\n");
    assert_eq!(files(&bench, "zebra").await, [""; 0]);
    bench.open_new("new.txt", "");
    bench.type_in("new.txt", "never saved giraffe\n");
    assert_eq!(lines(&bench, "giraffe").await, ["new.txt:1"]);
    for (glob, found) in [("new*", &["new.txt:1"][..]), ("*.md", &[]), ("!*.txt", &[])] {
        let (query, glob) = ("giraffe".to_owned(), Some(glob.to_owned()));
        let params = SearchParams { kind: SearchKind::Lexical, query, glob, ..SearchParams::default() };
        assert_eq!(places(bench.ask::<Search>(params).await.unwrap()), found);
    }
}

#[tokio::test]
async fn what_an_editor_brings_back_unsaved_is_searched_as_it_shows_it() {
    let bench = Bench::new(&[("a.txt", "on the disk\n"), ("b.txt", "one\r\ntwo\r\n"), ("c.txt", "")]);
    std::fs::write(bench.folder.path().join("c.txt"), b"caf\xe9 walrus\n").unwrap();
    bench.open_with("a.txt", "brought back zebra\n".to_owned());
    // Editors show line ends and letters of other encodings in their own way: nothing is unsaved for that.
    bench.open_with("b.txt", "one\ntwo\n".to_owned());
    bench.open_with("c.txt", "caf\u{fffd} walrus\n".to_owned());
    bench.open_with("new.txt", "never saved giraffe\n".to_owned());
    assert_eq!(lines(&bench, "zebra").await, ["a.txt:1"]);
    assert_eq!(lines(&bench, "disk").await, [""; 0]);
    assert_eq!(files(&bench, "zebra").await, ["a.txt:1"]);
    assert_eq!(lines(&bench, "giraffe").await, ["new.txt:1"]);
    let set = bench.served().session().working_files().working_set().files;
    let unsaved: Vec<(&str, bool)> = set.iter().map(|file| (file.path.as_str(), file.unsaved)).collect();
    assert_eq!(unsaved, [("a.txt", true), ("new.txt", true), ("b.txt", false), ("c.txt", false)]);
    // The text on the disk counts again when the editor has no document of it.
    bench.write("b.txt", "changed penguin\n");
    assert_eq!(lines(&bench, "penguin").await, ["b.txt:1"]);
}

#[tokio::test]
async fn closed_files_are_not_found() {
    let bench = Bench::with(
        &[
            ("key.pem", "hidden walrus\n"),
            ("open.txt", "shown walrus\n"),
            ("ignored.txt", "ignored walrus\n"),
            (".gitignore", "ignored.txt\n"),
            (".git/HEAD", ""),
        ],
        false,
    );
    for found in [lines(&bench, "walrus").await, files(&bench, "walrus").await] {
        assert_eq!(found, ["open.txt:1"]);
    }
    let listed = bench.call("workspace.files", json!({}), None).await.result.unwrap();
    assert_eq!(listed["files"], json!([{ "path": "open.txt", "size": 13 }]));
    assert_eq!(listed["watch"]["mode"], "native");
    // A named file is searched, ignored or not.
    let scope = |scope: &str| SearchParams {
        kind: SearchKind::Lexical,
        query: "walrus".into(),
        scope: Some(scope.into()),
        ..SearchParams::default()
    };
    assert_eq!(places(bench.ask::<Search>(scope("ignored.txt")).await.unwrap()), ["ignored.txt:1"]);
    assert_eq!(bench.ask::<Search>(scope("key.pem")).await.unwrap_err().code, Code::PermissionDenied);
    assert_eq!(bench.ask::<Search>(scope("../x")).await.unwrap_err().code, Code::PermissionDenied);
    assert_eq!(bench.ask::<Search>(scope("none")).await.unwrap_err().code, Code::NotFound);
}

#[tokio::test]
async fn a_search_goes_on_where_it_ended_and_says_what_is_wrong() {
    let text: String = (0..25).map(|line| format!("match {line}\n")).collect();
    let bench = Bench::with(&[("a.txt", &text), ("b.txt", &text)], false);
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let mut arguments = json!({ "query": "^match", "limit": 7, "context": 0 });
        if let Some(cursor) = &cursor {
            arguments["cursor"] = json!(cursor);
        }
        let answer = bench.call("search.lexical", arguments, None).await;
        let found = answer.result.unwrap();
        let found = found.as_array().unwrap();
        seen.extend(found.iter().map(|hit| (hit["path"].clone(), hit["line"].clone())));
        match answer.rest {
            Some(rest) => cursor = rest.rsplit(' ').next().map(str::to_owned),
            None => break,
        }
    }
    let all: Vec<(Value, Value)> = ["a.txt", "b.txt"]
        .iter()
        .flat_map(|path| (1..=25).map(move |line| (json!(path), json!(line))))
        .collect();
    assert_eq!(seen, all);
    for (arguments, part) in [
        (json!({ "query": "a(b" }), "column 2"),
        (json!({ "query": "a", "glob": "{a" }), "the glob"),
        (json!({ "query": "a", "cursor": "nowhere" }), "cursor"),
    ] {
        let fault = bench.call("search.lexical", arguments, None).await.error.unwrap();
        assert_eq!(fault.code, Code::InvalidArgs);
        assert!(fault.message.contains(part), "{}", fault.message);
    }
}
