//! An index over its life: built, shared, damaged, and without a place to be.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::ripgrep::Folder;
use crate::lexical::entry::FileList;
use crate::lexical::index::LexicalIndex;
use crate::lexical::keeper::{IndexKeeper, KeeperReport};
use crate::lexical::query::{CaseSensitivity, LineQuery};
use crate::lexical::search::{FoundLines, LineSearch, SearchOptions};
use crate::lexical::segment::IndexSegment;
use crate::lexical::source::TextSource;
use crate::lexical::update::{UpdateError, UpdateReport};
use crate::lexical::walk::{FileWalk, walk_files};

struct Quiet;

impl KeeperReport for Quiet {
    fn progress(&mut self, _: usize, _: usize) {}

    fn trouble(&mut self, trouble: &UpdateError) {
        panic!("{trouble}");
    }
}

pub(super) struct Place {
    folder: tempfile::TempDir,
    cache: tempfile::TempDir,
}

impl Place {
    pub(super) fn new(files: usize) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() };
        for number in 0..files {
            let text = format!("common line\nword{number}x\n");
            fs::write(place.root().join(format!("file{number}")), text).unwrap();
        }
        place
    }

    pub(super) fn root(&self) -> &Path {
        self.folder.path()
    }

    fn index(&self) -> LexicalIndex {
        LexicalIndex::open(self.cache.path(), self.root().to_str().unwrap()).unwrap()
    }

    fn list(&self) -> FileList {
        walk_files(self.root(), &FileWalk { stamps: true, ..FileWalk::default() }, &|| true).unwrap()
    }

    fn source(&self) -> Folder {
        Folder(self.root().to_owned())
    }

    pub(super) fn update(&self, index: &LexicalIndex) -> usize {
        let mut added = 0;
        loop {
            let list = self.list();
            added += index.update(&list, &self.source(), &mut |_, _| {}, &|| true).unwrap().added;
            if index.view(&list).unknown_files().next().is_none() {
                return added;
            }
            std::thread::yield_now();
        }
    }

    fn search(&self, index: &LexicalIndex, pattern: &str) -> FoundLines {
        let query = LineQuery::new(pattern, CaseSensitivity::Sensitive, false).unwrap();
        index.search(
            &self.list(),
            &self.source(),
            LineSearch::new(&query, &SearchOptions::default()),
            &|| true,
        )
    }
}

fn segments(place: &Place, index: &LexicalIndex) -> Vec<Arc<IndexSegment>> {
    index.view(&place.list()).segments().to_vec()
}

#[test]
fn only_candidates_are_looked_through() {
    let place = Place::new(60);
    let index = place.index();
    assert_eq!(place.search(&index, "word7x").candidates, 60);
    place.update(&index);
    let found = place.search(&index, "word7x");
    assert_eq!((found.candidates, found.hits.len()), (1, 1));
    assert_eq!(place.search(&index, "common").hits.len(), 60);
    // A file that changed is looked through at once, and known after the next update.
    fs::write(place.root().join("file3"), "word7x again\n").unwrap();
    assert_eq!(place.search(&index, "word7x").hits.len(), 2);
    assert_eq!(place.update(&index), 1);
    assert_eq!(place.search(&index, "word7x").candidates, 2);
    assert_eq!(place.search(&index, "word3x").candidates, 0);
}

#[test]
fn what_is_left_of_many_changes_is_merged() {
    let place = Place::new(100);
    let index = place.index();
    place.update(&index);
    for round in 0..12 {
        fs::write(place.root().join(format!("file{round}")), format!("round{round}\n")).unwrap();
        place.update(&index);
    }
    assert!(segments(&place, &index).len() <= 7);
    for round in 0..12 {
        assert_eq!(place.search(&index, &format!("round{round}$")).candidates, 1);
    }
    assert_eq!(place.search(&index, "common").hits.len(), 88);
}

#[test]
fn one_server_writes_and_another_reads() {
    let place = Place::new(60);
    let (writer, reader) = (place.index(), place.index());
    place.update(&writer);
    let list = place.list();
    let done = reader.update(&list, &place.source(), &mut |_, _| {}, &|| true).unwrap();
    assert_eq!(done.added, 0);
    assert_eq!(place.search(&reader, "word7x").candidates, 1);
    // With the writer gone the reader writes.
    drop(writer);
    fs::write(place.root().join("file3"), "word7x again\n").unwrap();
    assert_eq!(place.update(&reader), 1);
}

#[test]
fn one_that_does_not_stay_goes_by_what_was_left() {
    let place = Place::new(60);
    let read = || LexicalIndex::read_only(place.cache.path(), place.root().to_str().unwrap());
    assert_eq!(place.search(&read(), "word7x").candidates, 60, "nothing was left, and nothing is made");
    assert_eq!(fs::read_dir(place.cache.path()).unwrap().count(), 0);
    place.update(&place.index());
    let index = read();
    assert_eq!(place.search(&index, "word7x").candidates, 1);
    fs::write(place.root().join("file3"), "word7x again\n").unwrap();
    assert_eq!(place.search(&index, "word7x").hits.len(), 2);
    let done = index.update(&place.list(), &place.source(), &mut |_, _| {}, &|| true).unwrap();
    assert_eq!(done, UpdateReport::default(), "it is another's to write");
}

#[test]
fn a_damaged_index_is_no_wrong_answer_and_is_built_anew() {
    let place = Place::new(60);
    let index = place.index();
    place.update(&index);
    // Files that were written this very moment are taken in by a second round, into a segment of their own.
    let largest = segments(&place, &index).into_iter().max_by_key(|segment| segment.term_count()).unwrap();
    let path = largest.path().to_owned();
    let mut bytes = fs::read(&path).unwrap();
    // All of the postings, which stand before the dictionary.
    let end = bytes.len() - largest.term_count() * 16;
    bytes[end - 200..end].fill(0x55);
    fs::write(&path, &bytes).unwrap();
    let damaged = ["word7x", "common", "word59"].map(|pattern| place.search(&index, pattern));
    assert_eq!(damaged.each_ref().map(|found| found.hits.len()), [1, 60, 1]);
    assert!(damaged.iter().any(|found| found.damaged));
    assert_eq!(place.update(&index), 60);
    assert_eq!(place.search(&index, "word7x").candidates, 1);
}

#[test]
fn without_a_place_it_says_so_and_goes_on() {
    let place = Place::new(60);
    let index = place.index();
    fs::remove_dir_all(place.cache.path().join("index")).unwrap();
    fs::write(place.cache.path().join("index"), "in its place").unwrap();
    let list = place.list();
    let trouble = index.update(&list, &place.source(), &mut |_, _| {}, &|| true).unwrap_err();
    assert!(trouble.to_string().contains("searches go on without it"), "{trouble}");
    assert_eq!(place.search(&index, "word7x").hits.len(), 1);
    fs::write(place.cache.path().join("file"), "").unwrap();
    assert!(LexicalIndex::open(&place.cache.path().join("file"), "/root").is_err());
    assert_eq!(place.search(&LexicalIndex::none(), "word7x").hits.len(), 1);
}

#[test]
fn a_keeper_works_by_itself_until_it_is_dropped() {
    let place = Place::new(60);
    let index = Arc::new(place.index());
    let keeper = IndexKeeper::start(Arc::clone(&index), place.source(), Quiet).unwrap();
    let list = place.list();
    while index.view(&list).unknown_files().next().is_some() {
        keeper.set_list(Arc::clone(&list));
        std::thread::yield_now();
    }
    drop(keeper);
    assert_eq!(place.search(&index, "word7x").candidates, 1);
}

/// A folder of which editors hold some files unsaved.
struct Unsaved(Folder, Vec<(&'static str, &'static str)>);

impl TextSource for Unsaved {
    fn open(&self, path: &str) -> Option<fs::File> {
        self.0.open(path)
    }

    fn unsaved_text(&self, path: &str) -> Option<Arc<str>> {
        self.1.iter().find(|(of, _)| *of == path).map(|(_, text)| Arc::from(*text))
    }

    fn unsaved_paths(&self) -> Vec<Arc<str>> {
        self.1.iter().map(|(path, _)| Arc::from(*path)).collect()
    }
}

#[test]
fn unsaved_text_counts_instead_of_what_is_on_the_disk() {
    let place = Place::new(60);
    let index = place.index();
    place.update(&index);
    let source = Unsaved(
        place.source(),
        vec![("file7", "nothing\n"), ("file8", "a\nword7x\n"), ("new/file", "word7x\n")],
    );
    let query = LineQuery::new("word7x", CaseSensitivity::Sensitive, false).unwrap();
    let search = |scope: &str, limit| {
        let options = SearchOptions { scope: scope.to_owned(), limit, ..SearchOptions::default() };
        let found = index.search(&place.list(), &source, LineSearch::new(&query, &options), &|| true);
        found.hits.iter().map(|(path, hit)| (path.to_string(), hit.line)).collect::<Vec<_>>()
    };
    assert_eq!(search("", 9), [("file8".to_owned(), 2), ("new/file".to_owned(), 1)]);
    assert_eq!(search("new", 9), [("new/file".to_owned(), 1)]);
    assert_eq!(search("", 1), [("file8".to_owned(), 2)]);
}

#[test]
fn a_stopped_search_says_so() {
    let place = Place::new(5);
    let query = LineQuery::new("common", CaseSensitivity::Sensitive, false).unwrap();
    let found = LexicalIndex::none().search(
        &place.list(),
        &place.source(),
        LineSearch::new(&query, &SearchOptions::default()),
        &|| false,
    );
    assert!(found.stopped && found.hits.is_empty());
}

#[test]
fn a_file_with_a_line_that_is_too_long_is_named() {
    let place = Place::new(3);
    fs::write(place.root().join("long"), format!("common\n{}\ncommon\n", "x".repeat(2 << 20))).unwrap();
    let index = place.index();
    let query = LineQuery::new("common", CaseSensitivity::Sensitive, false).unwrap();
    let search = |longest_line| {
        let options = SearchOptions { longest_line, ..SearchOptions::default() };
        index.search(&place.list(), &place.source(), LineSearch::new(&query, &options), &|| true)
    };
    let cut = search(1 << 20);
    assert_eq!(cut.unfinished.iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["long"]);
    assert_eq!(cut.hits.len(), 4, "what stands before the line is found");
    let whole = search(4 << 20);
    assert_eq!((whole.unfinished.len(), whole.hits.len()), (0, 5));
}

#[test]
fn scopes_and_odd_files() {
    let place = Place::new(3);
    let root = place.root();
    for folder in ["a", "a.b", "ab"] {
        fs::create_dir(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("x"), "common\n").unwrap();
    }
    std::os::unix::fs::symlink("..", root.join("a/loop")).unwrap();
    std::os::unix::fs::symlink("file0", root.join("link")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), rustix::fs::Mode::RUSR).unwrap();
    let index = place.index();
    let paths = |scope: &str| {
        let query = LineQuery::new("common", CaseSensitivity::Sensitive, false).unwrap();
        let options = SearchOptions { scope: scope.to_owned(), ..SearchOptions::default() };
        let found = index.search(&place.list(), &place.source(), LineSearch::new(&query, &options), &|| true);
        found.hits.iter().map(|(path, _)| path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(paths(""), ["a.b/x", "a/x", "ab/x", "file0", "file1", "file2"]);
    assert_eq!(paths("a"), ["a/x"]);
    assert_eq!(paths("file1"), ["file1"]);
    assert!(paths("file").is_empty());
}
