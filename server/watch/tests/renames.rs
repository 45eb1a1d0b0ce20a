//! Folders that go and come back, change places and are replaced, while files are written in them and others ask.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

/// Numbers that look random and are the same for the same seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn one_of<'a>(&mut self, names: &[&'a str]) -> &'a str {
        names[usize::try_from(self.below(names.len() as u64)).unwrap()]
    }
}

/// The places of the storm's folders: in the root, in a folder that is ignored, in a hidden one, outside of the root.
const PLACES: [&str; 7] = ["in", "in", "in", "in", "in/ignored", "in/.hidden", "out"];
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn some_folder(numbers: &mut Numbers) -> PathBuf {
    let mut path = PathBuf::from(numbers.one_of(&PLACES));
    for _ in 0..=numbers.below(3) {
        path.push(numbers.one_of(&NAMES));
    }
    path
}

/// Makes a change to a tree of folders. A change that is not possible is skipped.
fn befall(base: &Path, numbers: &mut Numbers) {
    let (one, other) = (base.join(some_folder(numbers)), base.join(some_folder(numbers)));
    let _ = match numbers.below(16) {
        0..=3 => fs::rename(&one, &other),
        4..=5 => {
            // Away and back, with a file written meanwhile.
            let aside = base.join("out/aside");
            let name = format!("w{}", numbers.below(9));
            fs::rename(&one, &aside)
                .and_then(|()| fs::write(aside.join(name), "away"))
                .and_then(|()| fs::rename(&aside, &one))
        }
        6..=7 => renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).map_err(Into::into),
        8 => fs::remove_dir_all(&one),
        9 => fs::create_dir_all(&one),
        // Another folder of the same name.
        10 => fs::rename(&one, base.join(format!("out/{}", numbers.below(99))))
            .and_then(|()| fs::create_dir(&one))
            .and_then(|()| fs::write(one.join("another"), "")),
        11 => fs::remove_dir_all(&one).and_then(|()| symlink(&other, &one)),
        12 => {
            let mode = if numbers.below(2) == 0 { 0o700 } else { 0o755 };
            fs::set_permissions(&one, fs::Permissions::from_mode(mode))
        }
        13 => fs::write(
            base.join("in/.gitignore"),
            if numbers.below(2) == 0 { "ignored\n" } else { "ignored\nd\n" },
        ),
        _ => fs::create_dir_all(&one).and_then(|()| {
            let size = usize::try_from(numbers.below(50)).unwrap();
            fs::write(one.join(format!("f{}", numbers.below(9))), "x".repeat(size))
        }),
    };
}

fn storm(seed: u64, options: WatchOptions) {
    let base = TempDir::new().unwrap();
    let root = base.path().join("in");
    for place in ["in/ignored", "in/.hidden", "in/.git", "out"] {
        fs::create_dir_all(base.path().join(place)).unwrap();
    }
    fs::write(root.join(".gitignore"), "ignored\n").unwrap();
    for (one, other) in NAMES.iter().flat_map(|one| NAMES.iter().map(move |other| (one, other))) {
        write(&root, &format!("{one}/{other}/deep/f"), "");
    }
    let watch = FolderWatch::start(&root, options).unwrap();
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for round in 0..6 {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..80 {
                    befall(base.path(), &mut numbers);
                }
                done.store(true, Ordering::Relaxed);
            });
            // Who writes keeps the folder open, wherever it is moved.
            scope.spawn(|| {
                use std::os::fd::AsRawFd;
                let mut numbers = Numbers(seed.wrapping_add(round) | 1);
                while !done.load(Ordering::Relaxed) {
                    let Ok(folder) = fs::File::open(base.path().join(some_folder(&mut numbers))) else {
                        continue;
                    };
                    let folder = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
                    for file in 0..numbers.below(40) {
                        let _ = fs::write(folder.join(format!("g{file}")), "");
                    }
                }
            });
            while !done.load(Ordering::Relaxed) {
                let _ = watch.current_snapshot(far());
            }
        });
        let listed = watch.current_snapshot(far()).unwrap();
        let listed: BTreeMap<_, _> =
            listed.iter().map(|entry| (entry.path.to_string(), entry.stamp)).collect();
        assert_eq!(listed, fresh(&root), "seed {seed}, round {round}");
    }
}

/// The seeds of a storm: `WHEREFORE_SEED` is the first, `WHEREFORE_STORMS` how many there are.
fn seeds() -> std::ops::Range<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("WHEREFORE_SEED").unwrap_or(1);
    first..first + number("WHEREFORE_STORMS").unwrap_or(rounds(6).max(2))
}

#[test]
fn folders_that_move_about_lose_no_file() {
    seeds().for_each(|seed| storm(seed, options()));
}

#[test]
fn folders_that_move_about_lose_no_file_beyond_the_limit_of_watches() {
    let few = |seed| usize::try_from(1 + seed % 12).unwrap();
    seeds().for_each(|seed| storm(seed, WatchOptions { max_watches: few(seed), ..options() }));
}

/// The list is brought up to date in steps: the kernel's events are read, and their paths examined while a folder is
/// away.
#[test]
fn what_was_away_when_it_was_looked_at_is_looked_at_again() {
    let outside = TempDir::new().unwrap();
    let away = outside.path().join("g");
    let lab = Lab::with(options(), |root| {
        write(root, "g/a/sub/f", "1");
        write(root, "h/a/sub/f", "other");
    });
    let look_while = |go: &dyn Fn(), come_back: &dyn Fn()| {
        let mut held = lab.watch.0.0.tree.lock();
        lab.write("g/a/sub/f", "longer");
        lab.write("g/a/sub/new", "1");
        lab.write("g/a/dir/deep/new", "1");
        fs::remove_file(lab.path("g/a/sub/new")).unwrap();
        let (mut events, source) = (Vec::new(), held.known.folders.source.clone());
        if let Some(source) = source {
            source.reach_barrier(far());
            source.take_events(u64::MAX, &mut events);
        }
        go();
        held.handle_events(events);
        come_back();
        drop(held);
        lab.check();
        fs::write(lab.path("g/a/sub/f"), "1").unwrap();
        fs::remove_dir_all(lab.path("g/a/dir")).unwrap();
        lab.check();
    };
    look_while(&|| fs::rename(lab.path("g"), &away).unwrap(), &|| fs::rename(&away, lab.path("g")).unwrap());
    look_while(&|| lab.rename("g/a", "g/b"), &|| lab.rename("g/b", "g/a"));
    let exchange = || renameat_with(CWD, lab.path("g"), CWD, lab.path("h"), RenameFlags::EXCHANGE).unwrap();
    look_while(&exchange, &exchange);
    let replace = || {
        fs::rename(lab.path("g"), &away).unwrap();
        symlink(lab.path("h"), lab.path("g")).unwrap();
    };
    let put_back = || {
        fs::remove_file(lab.path("g")).unwrap();
        fs::rename(&away, lab.path("g")).unwrap();
    };
    look_while(&replace, &put_back);
    // Read as a whole while it is away: the kernel kept too little.
    look_while(
        &|| {
            fs::rename(lab.path("g/a"), &away).unwrap();
            fs::create_dir(lab.path("g/a")).unwrap();
        },
        &|| {
            fs::remove_dir(lab.path("g/a")).unwrap();
            fs::rename(&away, lab.path("g/a")).unwrap();
        },
    );
}

/// A folder is away while its files are polled, and its own times tell nothing of that.
#[test]
fn what_was_away_when_it_was_polled_is_listed_again() {
    let outside = TempDir::new().unwrap();
    let away = outside.path().join("g");
    let past = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let lab = Lab::with(WatchOptions { backend: WatchBackend::Poll, ..options() }, |root| {
        write(root, "g/a/sub/f", "1");
        for folder in ["g/a/sub", "g/a", "g", ""] {
            fs::File::open(root.join(folder)).unwrap().set_modified(past).unwrap();
        }
    });
    let mut held = lab.watch.0.0.tree.lock();
    fs::rename(lab.path("g"), &away).unwrap();
    held.inspect_path(&Arc::from("g/a/sub/f"), false, false);
    held.inspect_path(&Arc::from("g/a/sub"), false, false);
    fs::rename(&away, lab.path("g")).unwrap();
    fs::File::open(lab.path("")).unwrap().set_modified(past).unwrap();
    drop(held);
    lab.check();
}

#[test]
fn folders_that_change_places_and_back_are_each_read_as_themselves() {
    let lab = Lab::with(options(), |root| {
        for name in ["a", "b"] {
            write(root, &format!("{name}/sub/deep/{name}"), "");
            write(root, &format!("{name}/same"), name);
        }
    });
    let exchange = || {
        renameat_with(CWD, lab.path("a"), CWD, lab.path("b"), RenameFlags::EXCHANGE).unwrap();
    };
    exchange();
    lab.check();
    lab.write("a/sub/deep/more", "");
    exchange();
    lab.write("a/sub/deep/other", "");
    lab.check();
    exchange();
    exchange();
    lab.write("b/sub/deep/last", "");
    lab.check();
}

/// Root reads what is closed; the rights to do so are dropped for this thread and those that it starts.
fn as_anybody(test: impl FnOnce() + Send) {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut sets = capabilities(None).unwrap();
            sets.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            set_capabilities(None, sets).unwrap();
            test();
        });
    });
}

#[test]
fn a_folder_that_was_closed_for_a_while_is_read_once_it_is_open() {
    let options = options();
    as_anybody(|| {
        let lab = Lab::with(options, |root| {
            write(root, "a/b/c/f", "");
            write(root, "g", "");
        });
        let set = |path: &str, mode| {
            fs::set_permissions(lab.path(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        for path in ["a", "a/b", "a/b/c", ""] {
            for closed in [0o000, 0o444, 0o111] {
                set(path, closed);
                let hidden = lab.files();
                assert!(!hidden.contains(&"a/b/c/f".to_owned()), "{path:?} {closed:o}: {hidden:?}");
                assert_eq!(lab.status().problems.len(), 1, "{:?}", lab.status().problems);
                set(path, 0o755);
                lab.check();
                assert_eq!(lab.files(), ["a/b/c/f", "g"], "{path:?} {closed:o}");
                // Written in, closed, and open again before the next question.
                lab.write("a/b/c/f", &"x".repeat(usize::try_from(closed).unwrap() % 90));
                set(path, closed);
                let _ = lab.watch.current_snapshot(far());
                set(path, 0o755);
                lab.check();
            }
        }
        assert_eq!(lab.status().problems, Vec::<String>::new());
    });
}

with_other_backends!(
    folders_that_move_about_lose_no_file,
    folders_that_move_about_lose_no_file_beyond_the_limit_of_watches,
    what_was_away_when_it_was_looked_at_is_looked_at_again,
    what_was_away_when_it_was_polled_is_listed_again,
    folders_that_change_places_and_back_are_each_read_as_themselves,
    a_folder_that_was_closed_for_a_while_is_read_once_it_is_open,
);
