//! Tests of what is moved out of a layer, and of what stays in it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use super::super::inner::shares_files;
use super::*;

/// Lets everything be written but what is named `kept`.
struct AllButKept;

impl PassJudge for AllButKept {
    fn may_write(&self, path: &WorkspacePath, _: bool, _: bool) -> bool {
        path.name() != "kept"
    }

    fn may_remove(&self, path: &WorkspacePath, _: bool) -> bool {
        path.name() != "kept"
    }
}

fn path(path: &str) -> WorkspacePath {
    WorkspacePath::from_relative(path).unwrap()
}

fn passed(root: &Path, layer: &Path, name: &str, began: SystemTime) -> DirectOutcome {
    let overlay = OverlayLayers { lower: root.to_owned(), upper: layer.to_owned() };
    let mut outcome = DirectOutcome::default();
    pass_ignored(&overlay, &path(name), &AllButKept, began, &mut outcome);
    outcome
}

fn soon() -> SystemTime {
    SystemTime::now() + Duration::from_secs(60)
}

fn put(at: &Path, text: &str) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(at, text).unwrap();
}

fn read(at: &Path) -> String {
    fs::read_to_string(at).unwrap_or_else(|_| "(none)".to_owned())
}

#[test]
fn what_is_ignored_is_moved_and_merged_and_no_symlink_is_followed() {
    let [root, layer, outside] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let (root, layer) = (root.path(), layer.path());
    put(&root.join("target/debug/old"), "old");
    put(&layer.join("target/debug/old"), "new");
    put(&layer.join("target/debug/deps/x"), "x");
    symlink("x", layer.join("target/debug/deps/y")).unwrap();
    fs::set_permissions(layer.join("target/debug/deps/x"), fs::Permissions::from_mode(0o4755)).unwrap();
    let outcome = passed(root, layer, "target", soon());
    assert_eq!((outcome.written[0].files, outcome.left_out.len()), (3, 0), "{outcome:?}");
    assert_eq!(
        (read(&root.join("target/debug/old")), read(&root.join("target/debug/deps/x"))),
        ("new".into(), "x".into())
    );
    assert_eq!(fs::read_link(root.join("target/debug/deps/y")).unwrap(), Path::new("x"));
    let mode = fs::metadata(root.join("target/debug/deps/x")).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode, 0o755, "no file gives rights away");
    assert!(!layer.join("target").exists(), "nothing is left to be read");

    symlink(outside.path(), root.join("out")).unwrap();
    put(&layer.join("out/evil"), "evil");
    assert!(!passed(root, layer, "out/evil", soon()).left_out.is_empty());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn what_may_not_be_written_stays_in_the_layer() {
    let [root, layer] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (root, layer) = (root.path(), layer.path());
    for at in ["dist/kept", "dist/a", "dist/repo/.git/HEAD", "dist/repo/x"] {
        put(&root.join(at), "was");
    }
    for at in
        ["dist/kept", "dist/a", "dist/repo/x", "dist/bare/HEAD", "dist/bare/objects/a", "dist/bare/refs/b"]
    {
        put(&layer.join(at), "now");
    }
    let outcome = passed(root, layer, "dist", soon());
    assert_eq!((outcome.written[0].files, outcome.left_out.len()), (1, 0), "{outcome:?}");
    assert_eq!((read(&root.join("dist/kept")), read(&root.join("dist/a"))), ("was".into(), "now".into()));
    assert!(["dist/kept", "dist/repo/x", "dist/bare/HEAD"].into_iter().all(|at| layer.join(at).exists()));
    assert_eq!(
        read(&root.join("dist/repo/x")),
        "was",
        "a repository in an ignored folder is somebody's work"
    );
    assert!(!root.join("dist/bare/HEAD").exists());
}

#[test]
fn a_file_with_the_same_time_and_size_counts_by_what_it_holds() {
    let [root, layer] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (root, layer) = (root.path(), layer.path());
    let then = SystemTime::now() - Duration::from_secs(1000);
    for (at, text) in
        [(root, ["1.0.0", "same"]), (layer, ["1.0.1", "same"])].map(|(at, texts)| (at.join("out"), texts))
    {
        for (name, text) in ["changed", "same"].iter().zip(text) {
            put(&at.join(name), text);
            File::options().write(true).open(at.join(name)).unwrap().set_modified(then).unwrap();
        }
    }
    let outcome = passed(root, layer, "out", soon());
    assert_eq!((outcome.written[0].files, read(&root.join("out/changed"))), (1, "1.0.1".into()));
    assert!(!layer.join("out").exists(), "{outcome:?}");
}

#[test]
fn further_names_of_a_file_keep_what_it_had() {
    let [root, layer, store] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let (root, layer) = (root.path(), layer.path());
    put(&store.path().join("lib.js"), "shared");
    fs::create_dir(root.join("node_modules")).unwrap();
    fs::hard_link(store.path().join("lib.js"), root.join("node_modules/lib.js")).unwrap();
    assert!(shares_files(&root.join("node_modules")));
    put(&layer.join("node_modules/lib.js"), "patched");
    passed(root, layer, "node_modules", soon());
    assert_eq!(read(&root.join("node_modules/lib.js")), "patched");
    assert_eq!(read(&store.path().join("lib.js")), "shared");
    assert!(!shares_files(&root.join("node_modules")));
    fs::hard_link(root.join("node_modules/lib.js"), root.join("node_modules/twin.js")).unwrap();
    assert!(!shares_files(&root.join("node_modules")), "both names lie in it");
}

#[test]
fn a_layer_on_another_file_system_is_copied() {
    let (root, layer) = (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm").unwrap());
    let (root, layer) = (root.path(), layer.path());
    put(&root.join("out/a"), "old");
    put(&layer.join("out/a"), "new");
    symlink("a", layer.join("out/l")).unwrap();
    let then = SystemTime::now() - Duration::from_secs(1000);
    File::options().write(true).open(layer.join("out/a")).unwrap().set_modified(then).unwrap();
    let outcome = passed(root, layer, "out", soon());
    assert_eq!((outcome.written[0].files, outcome.left_out.len()), (2, 0), "{outcome:?}");
    assert_eq!(
        (read(&root.join("out/a")), fs::read_dir(root.join("out")).unwrap().count()),
        ("new".into(), 2)
    );
    assert_eq!(fs::metadata(root.join("out/a")).unwrap().modified().unwrap(), then, "what builds go by");
    assert!(!layer.join("out").exists());
}

#[test]
fn what_somebody_changed_meanwhile_stays() {
    let [root, layer] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (root, layer) = (root.path(), layer.path());
    put(&root.join("out/db"), "of a server that runs");
    put(&layer.join("out/db"), "older");
    let outcome = passed(root, layer, "out", SystemTime::now() - Duration::from_secs(60));
    assert_eq!(read(&root.join("out/db")), "of a server that runs");
    assert!(outcome.left_out[0].contains("1 of the files") && outcome.written.is_empty(), "{outcome:?}");
}
