//! Whatever is done, in whatever order: the list is what a fresh walk finds.

use proptest::prelude::*;

use super::*;

/// A change that a program may make to a tree.
#[derive(Clone, Debug)]
enum Act {
    Write(String, usize),
    Append(String),
    MakeFolder(String),
    Remove(String),
    Rename(String, String),
    HardLink(String, String),
    SymLink(String, String),
    Rules(String, &'static str, String),
    Touch(String),
    Repository(String),
}

impl Act {
    /// Does it, or does not if that cannot be done.
    fn run(&self, root: &Path) -> std::io::Result<()> {
        match self {
            Self::Write(path, size) => fs::write(root.join(path), "x".repeat(*size)),
            Self::Append(path) => {
                use std::io::Write;
                fs::File::options().append(true).open(root.join(path))?.write_all(b"more")
            }
            Self::MakeFolder(path) => fs::create_dir_all(root.join(path)),
            Self::Remove(path) => {
                let path = root.join(path);
                if fs::symlink_metadata(&path)?.is_dir() {
                    fs::remove_dir_all(path)
                } else {
                    fs::remove_file(path)
                }
            }
            Self::Rename(from, to) => fs::rename(root.join(from), root.join(to)),
            // The second name is in the folder of the first: a name in a folder that is not watched is not reported.
            Self::HardLink(from, name) => {
                fs::hard_link(root.join(from), root.join(from).with_file_name(name))
            }
            Self::SymLink(to, path) => std::os::unix::fs::symlink(to, root.join(path)),
            Self::Rules(folder, name, pattern) => {
                fs::write(root.join(folder).join(name), format!("{pattern}\n"))
            }
            Self::Touch(path) => {
                fs::File::open(root.join(path))?.set_modified(std::time::SystemTime::UNIX_EPOCH)
            }
            Self::Repository(folder) => fs::create_dir_all(root.join(folder).join(".git/info")),
        }
    }
}

fn path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "c", ".h"]);
    prop::collection::vec(name, 1..4).prop_map(|parts| parts.join("/"))
}

fn act() -> impl Strategy<Value = Act> {
    let names = vec![".gitignore", ".ignore", ".whereforeignore", ".git/info/exclude"];
    let pattern = prop::sample::select(vec!["a", "/b", "!c", "b/", "!.h", "*", "a/b", "**/c", "", "!a"]);
    let folder = prop_oneof![Just(String::new()), path()];
    prop_oneof![
        6 => (path(), 0..40_usize).prop_map(|(path, size)| Act::Write(path, size)),
        2 => path().prop_map(Act::Append),
        5 => path().prop_map(Act::MakeFolder),
        4 => path().prop_map(Act::Remove),
        6 => (path(), path()).prop_map(|(from, to)| Act::Rename(from, to)),
        1 => (path(), prop::sample::select(vec!["a", "b", "c", ".h"]))
            .prop_map(|(from, name)| Act::HardLink(from, name.to_owned())),
        1 => (path(), path()).prop_map(|(to, path)| Act::SymLink(to, path)),
        2 => (folder.clone(), prop::sample::select(names), pattern)
            .prop_map(|(folder, name, pattern)| Act::Rules(folder, name, pattern.to_owned())),
        1 => path().prop_map(Act::Touch),
        1 => folder.prop_map(Act::Repository),
    ]
}

fn acts() -> impl Strategy<Value = Vec<Vec<Act>>> {
    prop::collection::vec(prop::collection::vec(act(), 1..6), 1..25)
}

fn one_after_another(options: WatchOptions, rounds: &[Vec<Act>]) {
    let lab = Lab::with(options, |_| {});
    for round in rounds {
        for act in round {
            let _ = act.run(lab.folder.path());
            // A hard link that is removed before a query changes its file's ctime alone, and the folder gets no event
            // of that.
            if matches!(act, Act::HardLink(..)) {
                lab.check();
            }
        }
        lab.check();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(u32::try_from(rounds(150)).unwrap()))]

    #[test]
    fn native(rounds in acts()) {
        one_after_another(options(), &rounds);
    }

    #[test]
    fn with_too_few_watches(rounds in acts(), max_watches in 1..4_usize) {
        one_after_another(WatchOptions { max_watches, ..options() }, &rounds);
    }

    #[test]
    fn while_others_ask(rounds in acts()) {
        let lab = Lab::new();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for act in rounds.iter().flatten() {
                    let _ = act.run(lab.folder.path());
                }
                done.store(true, std::sync::atomic::Ordering::Relaxed);
            });
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                lab.watch.current_snapshot(far()).unwrap();
            }
        });
        lab.check();
    }
}

with_other_backends!(native, with_too_few_watches, while_others_ask,);
