//! Paths that ignore files leave out are neither listed nor watched, and the ignore files are followed as they
//! change.

use super::*;

#[test]
fn ignored_folders_have_no_watches() {
    let lab = Lab::with(options(), |root| {
        fs::create_dir(root.join(".git")).unwrap();
        write(root, ".gitignore", "/target\n*.log\n");
        for number in 0..50 {
            write(root, &format!("target/{number}/x"), "");
            write(root, &format!(".git/objects/{number}/x"), "");
            write(root, &format!(".wherefore/{number}/x"), "");
        }
        write(root, "src/a.rs", "");
        write(root, "src/a.log", "");
    });
    assert_eq!(lab.files(), ["src/a.rs"]);
    // The root, src, and .git/info is not there.
    assert_eq!(lab.folder_count(), 2);
    let generation = lab.watch.known_snapshot().generation();
    lab.write("target/new/y", "");
    lab.write(".git/index", "");
    assert_eq!(lab.watch.current_snapshot(far()).unwrap().generation(), generation);
}

#[test]
fn edited_ignore_files_count_at_once() {
    let lab = Lab::new();
    fs::create_dir_all(lab.path(".git/info")).unwrap();
    for path in ["a/x.rs", "a/x.log", "a/b/y.log", "out/z", ".github/ci.yml"] {
        lab.write(path, "");
    }
    lab.check();
    for (path, text) in [
        (".gitignore", "*.log\n"),
        ("a/.gitignore", "!y.log\n"),
        (".whereforeignore", "out/\n"),
        (".ignore", "!x.log\n"),
        (".gitignore", "!.github\n"),
        (".git/info/exclude", "*.rs\n"),
        ("a/.rgignore", "/b\n"),
        (".git/info/exclude", "\n"),
        ("a/.gitignore", "\n"),
    ] {
        lab.write(path, text);
        lab.check();
    }
    fs::remove_file(lab.path(".whereforeignore")).unwrap();
    lab.check();
    lab.rename(".gitignore", ".gitignore.off");
    lab.check();
    lab.write("a/b/.gitignore", "y.log\n");
    assert!(!lab.files().contains(&"a/b/y.log".to_owned()));
    // Excludes that are made after their repository.
    fs::create_dir(lab.path("a/b/.git")).unwrap();
    lab.check();
    lab.write("a/b/.git/info/exclude", "y.log\n");
    lab.check();
    fs::remove_dir_all(lab.path("a/b/.git")).unwrap();
    lab.check();
    // Outside of a repository, rules of git do not count.
    fs::remove_dir_all(lab.path(".git")).unwrap();
    lab.check();
    lab.write("a/b/.gitignore", "*\n");
    fs::create_dir(lab.path("a/.git")).unwrap();
    lab.check();
}

#[test]
fn hidden_names_are_listed_where_that_is_asked_for() {
    let shown = WatchOptions {
        hidden: vec![".github".to_owned(), ".env".to_owned(), ".git".to_owned()],
        ..options()
    };
    let lab = Lab::with(shown, |root| {
        for path in [".github/ci.yml", ".env", ".other", ".git/config", "a/.env"] {
            write(root, path, "");
        }
    });
    assert_eq!(lab.files(), [".env", ".github/ci.yml", "a/.env"]);
    lab.write(".github/new/x.yml", "");
    lab.write(".ignore", ".env\n");
    assert_eq!(lab.files(), [".github/ci.yml", ".github/new/x.yml"]);
}

#[test]
fn rules_from_above_the_root_count() {
    let above = TempDir::new().unwrap();
    fs::create_dir(above.path().join(".git")).unwrap();
    write(above.path(), ".gitignore", "*.log\n/root/out\n");
    for path in ["root/a.log", "root/a.rs", "root/out/b", "root/in/out/c"] {
        write(above.path(), path, "");
    }
    let watch =
        FolderWatch::start(&above.path().join("root"), WatchOptions { outer_rules: true, ..options() })
            .unwrap();
    assert_eq!(paths(&watch.current_snapshot(far()).unwrap()), ["a.rs", "in/out/c"]);
    write(above.path(), ".gitignore", "*.rs\n");
    watch.0.0.tree.lock().check_outer();
    assert_eq!(paths(&watch.current_snapshot(far()).unwrap()), ["a.log", "in/out/c", "out/b"]);
}

with_other_backends!(
    ignored_folders_have_no_watches,
    edited_ignore_files_count_at_once,
    hidden_names_are_listed_where_that_is_asked_for,
    rules_from_above_the_root_count,
);
