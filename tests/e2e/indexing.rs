//! Searches of a workspace with many files, as an editor sees them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Editor, Options};

/// Files that are worth an index, of which building it takes long enough to be shown, on a quick machine too.
const FILES: usize = 10_000;

fn fill(work: &Path) {
    for number in 0..FILES {
        let mut text = String::new();
        for line in 0..150_usize {
            let _ = writeln!(
                text,
                "word{number} {line} and what else stands in {:x}",
                (number + 1) * (line + 7) * 7919
            );
        }
        fs::write(work.join(format!("file{number}.txt")), text).unwrap();
    }
}

#[test]
fn an_index_that_has_no_place_is_said_and_done_without() {
    let options = Options::default();
    let mut editor = Editor::unconnected(&options);
    let home = editor.folder.path().join("home");
    fs::create_dir(home.join(".cache")).unwrap();
    fs::write(home.join(".cache/wherefore"), "in the way").unwrap();
    fill(&editor.folder.path().join("work"));
    editor.initialize(&options);
    assert_eq!(found(&mut editor, "word17 0 "), ["file17.txt:1"]);
    let said = |editor: &mut Editor| {
        let status = editor.request("wherefore/status", json!({})).unwrap();
        status["workspaces"][0]["watch"]["problems"][0].as_str().unwrap_or_default().to_owned()
    };
    let since = Instant::now();
    while !said(&mut editor).contains("the search index has no place") {
        assert!(since.elapsed() < Duration::from_secs(60), "{}", said(&mut editor));
    }
}

/// The hits: path and line of each.
fn found(editor: &mut Editor, query: &str) -> Vec<String> {
    let answer = editor.request("wherefore/search", json!({ "kind": "lexical", "query": query })).unwrap();
    let hit = |hit: &Value| format!("{}:{}", hit["path"].as_str().unwrap(), hit["start"]);
    answer["results"].as_array().unwrap().iter().map(hit).collect()
}

#[test]
fn an_index_is_built_in_sight_and_shared() {
    let options = Options::default();
    let mut editor = Editor::unconnected(&options);
    let work = editor.folder.path().join("work");
    fill(&work);
    editor.initialize(&options);
    let begin = editor.expect("$/progress");
    assert_eq!(begin["params"]["value"]["kind"], "begin");
    assert_eq!(begin["params"]["value"]["title"], "wherefore: index");
    // A search does not wait for it.
    assert_eq!(found(&mut editor, "word17 0 ").as_slice(), ["file17.txt:1"]);
    let mut last = 0;
    loop {
        let told = editor.expect("$/progress");
        assert_eq!(told["params"]["token"], begin["params"]["token"]);
        let value = &told["params"]["value"];
        if value["kind"] == "end" {
            break;
        }
        let percentage = value["percentage"].as_u64().unwrap();
        assert!(percentage >= last && percentage < 100, "{percentage} after {last}");
        last = percentage;
    }
    // Another server of the same folder goes by the same index; both see what changes.
    let mut other = editor.beside(&options);
    other.expect("window/showMessage");
    fs::write(work.join("file17.txt"), "changed\n").unwrap();
    for editor in [&mut editor, &mut other] {
        assert_eq!(found(editor, "word17 0 "), [""; 0]);
        assert_eq!(found(editor, "changed"), ["file17.txt:1"]);
        assert_eq!(found(editor, "word2999 0 "), ["file2999.txt:1"]);
    }
}
