//! Two servers on one root that keep their vectors in one file: what befalls the model, or one of them, harms neither.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use crate::meant::{MEANINGS, REQUEST, first, ranker, sent, written};
use crate::support::agent::until;
use crate::support::embeddings::{Behaviour, Model, write};
use crate::support::{Editor, Options};

/// The answer of an editor's server to a search.
fn search(editor: &mut Editor, query: &str) -> Value {
    editor.request("wherefore/search", json!({ "kind": "vector", "query": query })).unwrap()
}

/// Returns whether a search uses the model, and finds that file.
fn finds(editor: &mut Editor, query: &str, path: &str) -> bool {
    let answer = search(editor, query);
    ranker(&answer) == "words+test-model" && first(&answer) == path
}

/// The file of the files' vectors.
fn vectors(home: &Path) -> PathBuf {
    let folder = home.join(".cache/wherefore/vectors/files");
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "vectors")).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn a_model_that_breaks_off_and_a_server_that_is_killed_while_it_keeps_vectors() {
    let options = Options::default();
    let mut one = Editor::unconnected(&options);
    let folder = one.folder.clone();
    written(folder.path());
    let model = Model::start(MEANINGS);
    write(folder.path(), &format!("url = \"{}\"\nmodel = \"test-model\"\nwait_ms = 5000\n", model.url));
    *model.behaviour.lock().unwrap() = Behaviour::Breaks;
    one.initialize(&options);
    until("it is said", || {
        let answer = search(&mut one, REQUEST);
        assert_eq!((ranker(&answer), answer["results"].as_array().unwrap().len()), ("words", 10));
        answer["trouble"].is_string()
    });
    *model.behaviour.lock().unwrap() = Behaviour::Answers;
    until("files have vectors", || finds(&mut one, REQUEST, "sea/b.txt"));

    // The other has those that the first one made.
    let before = sent(&model).len();
    let mut other = one.beside(&options);
    until("they are read", || finds(&mut other, REQUEST, "sea/b.txt"));
    assert_eq!(sent(&model).len(), before);

    // Both want a vector of what changed, and are about to keep it.
    let vectors = vectors(&folder.path().join("home"));
    let lock = File::options().write(true).open(vectors.with_file_name("lock")).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    std::fs::write(folder.path().join("work/d.txt"), "common whiskers\n").unwrap();
    until("both have asked", || {
        search(&mut one, REQUEST);
        search(&mut other, REQUEST);
        sent(&model).len() == before + 2
    });
    other.wire.child.kill().unwrap();
    other.wire.child.wait().unwrap();
    // So much of it was written.
    let mut torn = File::options().append(true).open(&vectors).unwrap();
    torn.write_all(&[7; 50]).unwrap();
    drop((torn, lock));
    until("the change has a vector", || finds(&mut one, "common yvzzy", "d.txt"));
    assert!(finds(&mut one, REQUEST, "sea/b.txt"), "the others are as they were");

    // All is on the disk: a further one asks for none.
    let mut further = one.beside(&options);
    until("they are read", || finds(&mut further, "common yvzzy", "d.txt"));
    assert!(finds(&mut further, REQUEST, "sea/b.txt"));
    let record = 32 + 4 + 64 + 8;
    let size = std::fs::metadata(&vectors).unwrap().len();
    assert_eq!((size - 52) % record, 0, "what was torn is written over");
    assert_eq!(sent(&model).len(), before + 2);
    for editor in [&mut one, &mut other, &mut further] {
        editor.drain(std::time::Duration::ZERO);
    }
}
