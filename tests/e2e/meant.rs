//! Files found by their meaning: vectors are made in the background, sent once, and never delay an answer.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::meaning::{run, serve};
use crate::support::agent::{place, until, wherefore};
use crate::support::embeddings::{Behaviour, Model, set, write};

/// Every file holds the first word; what the second means is in one of them.
pub(crate) const REQUEST: &str = "common zzyzx";
pub(crate) const MEANINGS: &[&[&str]] = &[&["tusks", "zzyzx"], &["whiskers", "yvzzy"]];

/// Files that are found.
pub(crate) const FILES: usize = 12;

/// A workspace with files of which one cannot be found by the words of the request.
fn files() -> tempfile::TempDir {
    let folder = place();
    written(folder.path());
    folder
}

/// Writes those files to `FOLDER/work`.
pub(crate) fn written(folder: &Path) {
    let mut texts: Vec<(String, &str)> = [
        ("a.txt", "common ground\n"),
        ("sea/b.txt", "common tusks\n"),
        ("d.txt", "common sense\n"),
        ("ignored.txt", "common and ignored\n"),
        ("key.pem", "common and closed\n"),
        ("asked/c.txt", "common and closed to models\n"),
        (".wherefore/config.toml", "[rules]\nask = [\"asked\"]\n"),
        (".gitignore", "ignored.txt\n"),
    ]
    .map(|(path, text)| (path.to_owned(), text))
    .into();
    texts.extend((3..FILES).map(|n| (format!("more/{n}.txt"), "common weed\n")));
    for (path, text) in texts {
        let path = folder.join("work").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// The answer of a search, by a running server if there is one.
fn search(folder: &Path, query: &str) -> Value {
    let output = run(folder, &["search", query, "--json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"))
}

pub(crate) fn ranker(answer: &Value) -> &str {
    answer["ranker"].as_str().unwrap()
}

pub(crate) fn first(answer: &Value) -> &str {
    answer["results"][0]["path"].as_str().unwrap_or_default()
}

/// The texts of files that were sent, without the requests.
pub(crate) fn sent(model: &Model) -> Vec<String> {
    model
        .texts()
        .into_iter()
        .filter(|text| text.contains(".txt\n") || text.contains("common and closed"))
        .collect()
}

fn end(mut server: Child) {
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn words_answer_until_the_vectors_are_made_and_each_text_goes_out_once() {
    let folder = files();
    let model = Model::start(MEANINGS);
    model.set(folder.path(), 5_000);
    let server = serve(folder.path(), Stdio::null());
    // Nobody has searched for files yet: only tools are sent, no files.
    until("tools have vectors", || !model.texts().is_empty());
    assert!(sent(&model).is_empty());
    *model.behaviour.lock().unwrap() = Behaviour::Waits;
    let answer = search(folder.path(), REQUEST);
    assert_eq!((ranker(&answer), &answer["embedded"]), ("words", &Value::from(0.0)), "{answer:#}");
    assert_ne!(first(&answer), "sea/b.txt");
    *model.behaviour.lock().unwrap() = Behaviour::Answers;
    until("files have vectors", || {
        let answer = search(folder.path(), REQUEST);
        ranker(&answer) == "words+test-model" && first(&answer) == "sea/b.txt" && answer["embedded"] == 1.0
    });
    let mut texts = sent(&model);
    texts.sort();
    let of = |name: &str| texts.iter().filter(|text| text.starts_with(name)).count();
    assert_eq!((texts.len(), of("a.txt\n"), of("sea/b.txt\ncommon tusks")), (FILES, 1, 1), "{texts:?}");

    // Only changed files are sent again; the server continues with the rest.
    std::fs::write(folder.path().join("work/d.txt"), "common whiskers\n").unwrap();
    until("the change has a vector", || first(&search(folder.path(), "common yvzzy")) == "d.txt");
    assert_eq!(sent(&model)[FILES..], ["d.txt\ncommon whiskers"]);

    // The next process has them on the disk.
    end(server);
    let server = serve(folder.path(), Stdio::null());
    let answer = search(folder.path(), REQUEST);
    assert_eq!((ranker(&answer), first(&answer)), ("words+test-model", "sea/b.txt"), "{answer:#}");
    assert_eq!(sent(&model).len(), FILES + 1);
    end(server);
}

#[test]
fn a_batch_waits_for_the_vectors_and_a_single_search_does_not() {
    let folder = files();
    let model = Model::start(MEANINGS);
    model.set(folder.path(), 5_000);
    let answer = search(folder.path(), REQUEST);
    assert_eq!((ranker(&answer), &answer["embedded"]), ("words", &Value::from(0.0)));
    assert!(sent(&model).is_empty(), "this process ends at once, and begins nothing");

    let mut batch = wherefore(folder.path(), &["search", "--batch"]);
    batch
        .env("TEST_MODEL_KEY", "sk-of-the-test")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut batch = batch.spawn().unwrap();
    let mut stdin = batch.stdin.take().unwrap();
    writeln!(stdin, r#"{{"id":1,"query":"{REQUEST}","limit":3}}"#).unwrap();
    drop(stdin);
    let output = batch.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(first(&answer), "sea/b.txt", "{answer:#}");
    assert_eq!(sent(&model).len(), FILES);

    let answer = search(folder.path(), REQUEST);
    assert_eq!((ranker(&answer), first(&answer)), ("words+test-model", "sea/b.txt"));
    assert_eq!(sent(&model).len(), FILES);
}

#[test]
fn a_model_that_hangs_or_rambles_or_is_away_leaves_the_words() {
    let folder = files();
    let model = Model::start(MEANINGS);
    model.set(folder.path(), 300);
    for behaviour in [Behaviour::Hangs, Behaviour::Rambles] {
        *model.behaviour.lock().unwrap() = behaviour;
        let server = serve(folder.path(), Stdio::null());
        for query in ["common weed", "common sense"] {
            let began = Instant::now();
            let answer = search(folder.path(), query);
            eprintln!("{behaviour:?}: {:?}", began.elapsed());
            assert_eq!((ranker(&answer), answer["results"].as_array().unwrap().len()), ("words", 10));
        }
        if behaviour == Behaviour::Rambles {
            until("it is said", || search(folder.path(), REQUEST)["trouble"].is_string());
            let status = String::from_utf8(run(folder.path(), &["status"]).stdout).unwrap();
            assert!(status.contains("the embeddings of test-model"), "{status}");
        }
        end(server);
    }
    set(folder.path(), "http://127.0.0.1:1/v1", 300);
    assert_eq!(ranker(&search(folder.path(), REQUEST)), "words");
}

#[test]
fn settings_that_leave_no_model_are_told_of_once() {
    let folder = files();
    let told = |args: &[&str], input: &str| {
        let mut command = wherefore(folder.path(), &[&["search"], args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let two = "{\"id\":1,\"query\":\"common\"}\n{\"id\":2,\"query\":\"weed\"}\n";
    let check = |said: &str| {
        for (args, input) in [(&["common"][..], ""), (&["--json", "common"], ""), (&["--batch"], two)] {
            let told = told(args, input);
            let is_told = told.contains(said) && told.ends_with("; files are ranked by their words alone\n");
            assert!(is_told && told.lines().count() == 1, "{args:?}: {told}");
        }
    };
    set(folder.path(), "http://127.0.0.1:1/v1", 20_000);
    check("wherefore: embeddings: its `wait_ms` is at most 10000; ");
    assert_eq!(told(&["--lexical", "common"], ""), "");
    write(folder.path(), "url =\n");
    check("wherefore: config.toml of the person: ");
    std::fs::remove_file(folder.path().join("home/.config/wherefore/config.toml")).unwrap();
    assert_eq!(told(&["common"], ""), "");
}

#[test]
fn texts_of_files_stay_where_the_person_says_so() {
    let folder = files();
    let model = Model::start(MEANINGS);
    write(folder.path(), &format!("url = \"{}\"\nmodel = \"test-model\"\nfiles = false\n", model.url));
    let server = serve(folder.path(), Stdio::null());
    until("tools have vectors", || !model.texts().is_empty());
    for _ in 0..3 {
        let answer = search(folder.path(), REQUEST);
        assert_eq!((ranker(&answer), &answer["embedded"]), ("words", &Value::Null));
    }
    assert!(sent(&model).is_empty());
    let doctor = String::from_utf8(run(folder.path(), &["doctor", "--json"]).stdout).unwrap();
    assert!(doctor.contains("it gets no texts of files"), "{doctor}");
    end(server);
}

#[test]
fn a_model_in_a_folder_ranks_and_one_that_is_none_is_said() {
    let folder = files();
    let place = folder.path().join("home/models/three-words");
    std::fs::create_dir_all(&place).unwrap();
    let tokenizer = serde_json::json!({
        "version": "1.0",
        "added_tokens": [],
        "normalizer": { "type": "Lowercase" },
        "pre_tokenizer": { "type": "Whitespace" },
        "model": {
            "type": "WordLevel",
            "vocab": { "[UNK]": 0, "tusks": 1, "zzyzx": 2, "weed": 3 },
            "unk_token": "[UNK]"
        }
    });
    std::fs::write(place.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    std::fs::write(place.join("config.json"), "{ \"model_type\": \"model2vec\" }").unwrap();
    let head = r#"{"embeddings":{"dtype":"F32","shape":[4,2],"data_offsets":[0,32]}}"#;
    let numbers = [0.0_f32, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0].map(f32::to_le_bytes).concat();
    let model = [&(head.len() as u64).to_le_bytes()[..], head.as_bytes(), &numbers].concat();
    std::fs::write(place.join("model.safetensors"), model).unwrap();
    write(folder.path(), "folder = \"~/models/three-words\"\nwait_ms = 5000\n");

    let server = serve(folder.path(), Stdio::null());
    until("files have vectors", || {
        // No file holds that word: what is found is found by the model.
        let answer = search(folder.path(), "zzyzx");
        ranker(&answer) == "words+three-words" && first(&answer) == "sea/b.txt"
    });
    end(server);
    let doctor = String::from_utf8(run(folder.path(), &["doctor", "--json"]).stdout).unwrap();
    assert!(doctor.contains("three-words at ~/models/three-words: vectors of 2 numbers"), "{doctor}");

    std::fs::remove_file(place.join("tokenizer.json")).unwrap();
    let answer = search(folder.path(), REQUEST);
    assert_eq!(ranker(&answer), "words");
    assert!(answer["trouble"].as_str().unwrap().contains("has no tokenizer.json"), "{answer:#}");
    write(folder.path(), "folder = \"models\"\n");
    let status = String::from_utf8(run(folder.path(), &["status"]).stdout).unwrap();
    assert!(status.contains("its `folder` is no absolute path"), "{status}");
    if cfg!(not(feature = "pocket-encoder")) {
        write(folder.path(), "built_in = true\n");
        let answer = search(folder.path(), REQUEST);
        assert_eq!(ranker(&answer), "words");
        assert!(answer["trouble"].as_str().unwrap().contains("carries no model"), "{answer:#}");
        let doctor = String::from_utf8(run(folder.path(), &["doctor", "--json"]).stdout).unwrap();
        assert!(doctor.contains("--features pocket-encoder"), "{doctor}");
    }
}
