//! Trees of files as git sees them, the acts that change one, and the diff between two.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::support::numbers;

/// The content of a path: a link's target, or bytes and whether they are executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Link(String),
    File(Vec<u8>, bool),
}

pub(super) type Tree = BTreeMap<String, Node>;

/// A change of a tree, by hand.
pub(super) type TreeAct = fn(&mut Tree);

pub(super) fn text(text: &str) -> Node {
    Node::File(text.as_bytes().to_vec(), false)
}

pub(super) fn binary(size: usize, seed: u8) -> Node {
    let byte = |at: usize| u8::try_from((at * 7 + at / 251 + usize::from(seed)) % 256).unwrap();
    Node::File((0..size).map(byte).chain([0]).collect(), false)
}

pub(super) fn link(target: &str) -> Node {
    Node::Link(target.to_owned())
}

/// Makes a folder hold a tree, and nothing else but `.git` and `.wherefore`.
pub(super) fn put(folder: &Path, tree: &Tree) {
    for path in read(folder).keys() {
        fs::remove_file(folder.join(path)).unwrap();
    }
    for (path, node) in tree {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match node {
            Node::Link(target) => symlink(target, path).unwrap(),
            Node::File(bytes, executable) => {
                fs::write(&path, bytes).unwrap();
                let mode = if *executable { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
        }
    }
}

/// The tree that a folder holds; folders alone do not count, as in git.
pub(super) fn read(folder: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(at) = todo.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            let meta = fs::symlink_metadata(&path).unwrap();
            if name == ".git" || name == ".wherefore" {
                continue;
            }
            if meta.is_symlink() {
                tree.insert(name, Node::Link(fs::read_link(&path).unwrap().to_str().unwrap().to_owned()));
            } else if meta.is_dir() {
                todo.push(path);
            } else {
                let executable = meta.permissions().mode() & 0o100 != 0;
                tree.insert(name, Node::File(fs::read(&path).unwrap(), executable));
            }
        }
    }
    tree
}

fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args([
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "-c",
        "core.autocrlf=false",
    ]);
    let output = command.args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The diff of a commit that turns one tree into the other.
pub(super) fn diff(before: &Tree, after: &Tree, how: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q"]);
    for tree in [before, after] {
        put(folder.path(), tree);
        git(folder.path(), &["add", "-A"]);
        git(folder.path(), &["commit", "-q", "--allow-empty", "-m", "x"]);
    }
    git(folder.path(), &[&["diff", "--binary"], how, &["HEAD~1", "HEAD"]].concat())
}

pub(super) fn start() -> Tree {
    Tree::from([
        ("a.txt".to_owned(), text(&numbers(30, &[]))),
        ("b.txt".to_owned(), text("b\n")),
        ("dir/run.sh".to_owned(), text("#!/bin/sh\necho\n")),
        ("dir/big.bin".to_owned(), binary(5000, 1)),
        ("small.bin".to_owned(), binary(3, 9)),
        ("empty".to_owned(), text("")),
        ("to-a".to_owned(), link("a.txt")),
        ("plain".to_owned(), text("a file that becomes a link\n")),
        ("sp ace ä\".txt".to_owned(), text("x\ny\n")),
    ])
}

pub(super) fn chmod(tree: &mut Tree, path: &str, to: bool) {
    if let Some(Node::File(_, executable)) = tree.get_mut(path) {
        *executable = to;
    }
}

pub(super) fn moved(tree: &mut Tree, from: &str, to: &str) {
    let node = tree.remove(from).unwrap();
    tree.insert(to.to_owned(), node);
}

pub(super) const ACTS: [(&str, TreeAct); 20] = [
    ("edit", |tree| drop(tree.insert("a.txt".into(), text(&numbers(30, &[(3, "three"), (20, "twenty")]))))),
    ("create", |tree| drop(tree.insert("new/deep/n.txt".into(), text("n\n")))),
    ("create executable", |tree| drop(tree.insert("n.sh".into(), Node::File(b"#!/bin/sh\n".to_vec(), true)))),
    ("create empty", |tree| drop(tree.insert("none".into(), text("")))),
    ("remove", |tree| drop(tree.remove("b.txt"))),
    ("remove empty", |tree| drop(tree.remove("empty"))),
    ("rename", |tree| moved(tree, "dir/run.sh", "bin/go.sh")),
    ("rename and edit", |tree| {
        moved(tree, "a.txt", "c.txt");
        tree.insert("c.txt".into(), text(&numbers(30, &[(5, "five"), (25, "x")])));
    }),
    ("mode", |tree| chmod(tree, "dir/run.sh", true)),
    ("mode and edit", |tree| {
        tree.insert("a.txt".into(), Node::File(numbers(30, &[(9, "nine")]).into_bytes(), true));
    }),
    ("link", |tree| drop(tree.insert("l".into(), link("dir/run.sh")))),
    ("retarget", |tree| drop(tree.insert("to-a".into(), link("b.txt")))),
    ("remove link", |tree| drop(tree.remove("to-a"))),
    ("rename link", |tree| moved(tree, "to-a", "to-a-too")),
    ("file to link", |tree| drop(tree.insert("plain".into(), link("b.txt")))),
    ("link to file", |tree| drop(tree.insert("to-a".into(), text("a file now\n")))),
    ("binary", |tree| drop(tree.insert("new.bin".into(), binary(300, 5)))),
    ("binary by a delta", |tree| {
        let Some(Node::File(mut bytes, _)) = tree.get("dir/big.bin").cloned() else { panic!() };
        bytes[2000] ^= 1;
        bytes.extend(b"tail\0");
        tree.insert("dir/big.bin".into(), Node::File(bytes, true));
    }),
    ("remove binary", |tree| drop(tree.remove("small.bin"))),
    ("odd name", |tree| moved(tree, "sp ace ä\".txt", "t ä b\\.txt")),
];
