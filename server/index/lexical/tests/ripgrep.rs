//! The lines are equal to ripgrep's for any tree, pattern and layer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use proptest::prelude::*;

use super::pattern;
use crate::lexical::index::LexicalIndex;
use crate::lexical::query::{CaseSensitivity, LineQuery};
use crate::lexical::search::{FoundLines, LineSearch, SearchOptions, search_files};
use crate::lexical::source::TextSource;
use crate::lexical::view::IndexView;
use crate::lexical::walk::{FileWalk, walk_files};

type Lines = BTreeSet<(String, u64)>;

/// Opens files below a folder.
pub(super) struct Folder(pub PathBuf);

impl TextSource for Folder {
    fn open(&self, path: &str) -> Option<File> {
        let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW).bits();
        let file = OpenOptions::new().read(true).custom_flags(flags as i32).open(self.0.join(path)).ok()?;
        file.metadata().ok()?.is_file().then_some(file)
    }

    fn unsaved_text(&self, _: &str) -> Option<Arc<str>> {
        None
    }

    fn unsaved_paths(&self) -> Vec<Arc<str>> {
        Vec::new()
    }
}

#[derive(Clone, Debug)]
struct Asked {
    pattern: String,
    case: CaseSensitivity,
    literal: bool,
    glob: &'static str,
}

fn asked() -> impl Strategy<Value = Asked> {
    let globs = vec!["", "", "", "", "*.c", "!*.c", "a/**", "*.txt", ".h*", "!b", "**/c*", "a", "**"];
    let case = prop_oneof![
        Just(CaseSensitivity::Sensitive),
        Just(CaseSensitivity::Insensitive),
        Just(CaseSensitivity::Smart)
    ];
    (pattern(), case, prop::bool::weighted(0.2), prop::sample::select(globs))
        .prop_map(|(pattern, case, literal, glob)| Asked { pattern, case, literal, glob })
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = "[abkKſ\u{212a}s_0 é]{0,9}";
    let text = prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"));
    prop_oneof![
        6 => text.clone().prop_map(String::into_bytes),
        1 => text.clone().prop_map(|text| text.replace('\n', "\r\n").into_bytes()),
        1 => text.clone().prop_map(|text| [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        1 => text.clone().prop_map(|text| [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()),
        1 => text.clone().prop_map(|text| [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect()),
        1 => (text.clone(), any::<prop::sample::Index>(), 0..3_u8).prop_map(|(text, at, byte)| {
            let mut bytes = text.into_bytes();
            bytes.insert(at.index(bytes.len() + 1), [0, 0xff, 0xe2][usize::from(byte)]);
            bytes
        }),
        1 => (text, 1..40_000_usize, prop::option::of(any::<prop::sample::Index>()), any::<bool>()).prop_map(|(text, times, nul, lines)| {
            let end = if lines { "\n" } else { "" };
            // A line longer than its buffer makes ripgrep's buffer longer for the files after it, and with it what it
            // searches before a NUL: what it finds there depends on its threads.
            let longest = if text.contains('\n') || lines { 150_000 } else { 60_000 };
            let mut bytes = format!("{text}{end}").repeat(times.min(longest / (text.len() + 1))).into_bytes();
            if let Some(nul) = nul {
                bytes.insert(nul.index(bytes.len() + 1), 0);
            }
            bytes
        }),
    ]
}

fn path() -> impl Strategy<Value = String> {
    let folder = prop::sample::select(vec!["", "", "a/", "b/", "a/b/", "a.c/", ".hid/", "a/.git/"]);
    let name = prop::sample::select(vec!["a.c", "b.c", "c.txt", ".hidden", "d", "é.txt", "a-b", "k.log"]);
    (folder, name).prop_map(|(folder, name)| format!("{folder}{name}"))
}

fn rules() -> impl Strategy<Value = String> {
    let rule = prop::sample::select(vec![
        "*.c",
        "!a.c",
        "/b",
        "a/",
        "k.log",
        "!.hidden",
        "d",
        "**/b/*.txt",
        "!*.txt",
        ".hid",
    ]);
    prop::collection::vec(rule, 0..4).prop_map(|rules| rules.join("\n"))
}

#[derive(Clone, Debug)]
struct Tree {
    git: bool,
    files: BTreeMap<String, Vec<u8>>,
}

fn tree() -> impl Strategy<Value = Tree> {
    let ignore = prop::sample::select(vec![
        ".gitignore",
        ".ignore",
        ".rgignore",
        "a/.gitignore",
        "a/.ignore",
        ".git/info/exclude",
    ]);
    let ignores = prop::collection::btree_map(
        ignore.prop_map(str::to_owned),
        rules().prop_map(String::into_bytes),
        0..3,
    );
    let files = prop::collection::btree_map(path(), content(), 0..14);
    (any::<bool>(), files, ignores).prop_map(|(git, mut files, ignores)| {
        files.extend(ignores.into_iter().filter(|(path, _)| git || !path.starts_with(".git/")));
        Tree { git, files }
    })
}

fn write(root: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (path, content) in files {
        let path = root.join(path);
        // An edit may want a folder where a file is.
        if fs::create_dir_all(path.parent().unwrap()).is_ok() {
            let _ = fs::write(path, content);
        }
    }
}

/// The ripgrep that `tests/run` installs, or the one that the environment names.
fn program() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.e2e/ripgrep/bin/rg");
    std::env::var_os("RG").map_or_else(own, PathBuf::from)
}

fn ripgrep(root: &Path, asked: &Asked) -> Option<Lines> {
    let mut command = Command::new(program());
    command.current_dir(root).args([
        "--no-config",
        "-n",
        "--no-heading",
        "--sort",
        "path",
        "--color",
        "never",
        "-0",
    ]);
    command.arg(match asked.case {
        CaseSensitivity::Sensitive => "-s",
        CaseSensitivity::Insensitive => "-i",
        CaseSensitivity::Smart => "-S",
    });
    if asked.literal {
        command.arg("-F");
    }
    if !asked.glob.is_empty() {
        command.args(["-g", asked.glob]);
    }
    let output = command.args(["-e", &asked.pattern, "./"]).output().expect("ripgrep runs");
    if output.status.code() == Some(2) {
        return None;
    }
    let lines = output.stdout.split(|&byte| byte == b'\n');
    let parsed = lines.filter_map(|line| {
        let nul = line.iter().position(|&byte| byte == 0)?;
        let path = String::from_utf8(line[..nul].to_vec()).unwrap();
        let number = String::from_utf8_lossy(&line[nul + 1..]).split(':').next()?.parse().ok()?;
        Some((path.strip_prefix("./").unwrap().to_owned(), number))
    });
    Some(parsed.collect())
}

fn lines(found: &FoundLines) -> Lines {
    assert!(!found.more && !found.stopped && !found.damaged);
    let lines: Vec<_> = found.hits.iter().map(|(path, hit)| (path.to_string(), hit.line)).collect();
    assert!(lines.is_sorted(), "{lines:?}");
    lines.into_iter().collect()
}

fn same(found: &FoundLines, expected: &Lines, layer: &str, asked: &Asked) -> Result<(), TestCaseError> {
    let found = lines(found);
    let different: Vec<_> = found.symmetric_difference(expected).take(5).collect();
    prop_assert!(
        different.is_empty(),
        "{layer}: {different:?} of {} and {} for {asked:?}",
        found.len(),
        expected.len()
    );
    Ok(())
}

/// Waits until the index has taken in every file.
fn update(index: &LexicalIndex, root: &Path) {
    loop {
        let list = walk_files(root, &FileWalk { stamps: true, ..FileWalk::default() }, &|| true).unwrap();
        let folder = Folder(root.to_owned());
        let done = index.update(&list, &folder, &mut |_, _| {}, &|| true).unwrap();
        if done.left == 0 || done.added == 0 && !index.segments().is_empty() {
            break;
        }
    }
}

fn check(root: &Path, index: &LexicalIndex, asked: &[Asked]) -> Result<(), TestCaseError> {
    let folder = Folder(root.to_owned());
    for asked in asked {
        let query = LineQuery::new(&asked.pattern, asked.case, asked.literal);
        let Some(expected) = ripgrep(root, asked) else {
            prop_assert!(query.is_err() || !asked.glob.is_empty(), "{asked:?}");
            continue;
        };
        let query = query.map_err(|error| TestCaseError::fail(format!("{asked:?}: {error}")))?;
        let options = SearchOptions::default();
        let list = walk_files(root, &FileWalk { glob: asked.glob, ..FileWalk::default() }, &|| true).unwrap();
        let walked = search_files(
            &IndexView::new(list, Arc::new([])),
            &folder,
            LineSearch::new(&query, &options),
            &|| true,
        );
        same(&walked, &expected, "walked", asked)?;
        let list =
            walk_files(root, &FileWalk { glob: asked.glob, stamps: true, ..FileWalk::default() }, &|| true)
                .unwrap();
        let indexed = index.search(&list, &folder, LineSearch::new(&query, &options), &|| true);
        same(&indexed, &expected, "indexed", asked)?;
        // Page by page, with context, it is the same.
        let mut paged = Lines::new();
        let mut options = SearchOptions { limit: 3, context: 1, ..SearchOptions::default() };
        loop {
            let found = index.search(&list, &folder, LineSearch::new(&query, &options), &|| true);
            paged.extend(found.hits.iter().map(|(path, hit)| (path.to_string(), hit.line)));
            options.after = found.next_place();
            if options.after.is_none() || paged.len() > 300 {
                break;
            }
        }
        prop_assert!(paged.iter().eq(expected.iter().take(paged.len())), "pages {asked:?}");
        prop_assert!(paged.len() == expected.len() || paged.len() > 300);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_layer_finds_the_same_lines(
        tree in tree(),
        edits in prop::collection::btree_map(path(), content(), 0..6),
        gone in prop::collection::vec(path(), 0..3),
        asked in prop::collection::vec(asked(), 12),
    ) {
        if !program().is_file() {
            // `tests/run` installs it, and prints a note if it cannot.
            return Ok(());
        }
        let folder = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        if tree.git {
            fs::create_dir_all(root.join(".git/info")).unwrap();
        }
        write(&root, &tree.files);
        let index = LexicalIndex::open(cache.path(), root.to_str().unwrap()).unwrap();
        update(&index, &root);
        check(&root, &index, &asked)?;
        for path in gone {
            let _ = fs::remove_file(root.join(path));
        }
        write(&root, &edits);
        check(&root, &index, &asked)?;
        update(&index, &root);
        check(&root, &index, &asked)?;
    }
}
