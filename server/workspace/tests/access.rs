//! The paths by which files can be reached.

use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Lab, code, path};
use crate::protocol::{Code, Fault};
use crate::workspace::{ExpectedFile, FileKind, WorkspaceRoot};

#[test]
fn links_are_followed_beneath_the_root_only() {
    for lab in Lab::both() {
        lab.put("a/b/file", "inside");
        for (link, target) in [
            ("plain", "a/b/file"),
            ("folder", "a/b"),
            ("a/up", "../a/b"),
            ("a/b/top", "../../plain"),
            ("chain", "folder/top"),
            ("new", "a/not-yet"),
            ("out", "../outside/secret"),
            ("far", "/etc/passwd"),
            ("a/climb", "../../outside"),
            ("sly", "a/b/../../../outside/secret"),
            ("round", "round"),
            ("one", "two"),
            ("two", "one"),
            ("proc", "/proc/self/root/etc/passwd"),
        ] {
            lab.link(link, target);
        }
        let check = |asked: &str, expected: Result<&str, Code>| {
            let resolved = lab.files.paths().root().resolve_path(&path(asked)).map_err(|error| error.code());
            let resolved = resolved.as_ref().map(|path| path.as_str()).map_err(|code| *code);
            assert_eq!(resolved, expected, "{asked}");
        };
        check(".", Ok("."));
        check("a/b/file", Ok("a/b/file"));
        check("a/b/none/none", Ok("a/b/none/none"));
        check("plain", Ok("a/b/file"));
        check("folder", Ok("a/b"));
        check("folder/none", Ok("a/b/none"));
        check("a/up/file", Ok("a/b/file"));
        check("chain", Ok("a/b/file"));
        check("new", Ok("a/not-yet"));
        check("a/b/file/x", Err(Code::InvalidArgs));
        for outside in ["out", "far", "a/climb", "a/climb/secret", "sly", "round", "one", "proc", "far/x"] {
            check(outside, Err(Code::PermissionDenied));
            assert_eq!(code(lab.files.open(&path(outside))), Code::PermissionDenied, "{outside}");
            let written = lab.files.write_bytes(&path(outside), b"x", &ExpectedFile::Anything);
            assert_eq!(code(written), Code::PermissionDenied, "{outside}");
        }
        assert_eq!(lab.files.read_bytes(&path("chain"), 100).unwrap().0, b"inside");
        assert_eq!(std::fs::read(lab.outside.join("secret")).unwrap(), b"secret");
    }
}

#[test]
fn forty_links_at_most() {
    let lab = Lab::new();
    lab.put("l0", "end");
    (1..=41).for_each(|at| lab.link(&format!("l{at}"), &format!("l{}", at - 1)));
    assert_eq!(lab.files.read_bytes(&path("l40"), 9).unwrap().0, b"end");
    assert_eq!(code(lab.files.read_bytes(&path("l41"), 9)), Code::PermissionDenied);
}

#[test]
fn rules_hold_through_links_and_spellings() {
    for lab in Lab::both() {
        lab.put("conf/.env", "KEY=1");
        lab.put(".git/config", "[core]");
        lab.put(".wherefore/config.toml", "");
        lab.link("env", "conf/.env");
        lab.link("repo", ".git");
        lab.link("ours", ".wherefore");
        lab.link(".npmrc", "conf/plain");
        lab.put("conf/plain", "x");
        for closed in [
            "conf/.env",
            "conf/.ENV",
            "env",
            ".npmrc",
            ".wherefore/config.toml",
            "ours/config.toml",
            "ours/new",
            ".WHEREFORE/x",
        ] {
            let fault = Fault::from(lab.files.open(&path(closed)).unwrap_err());
            assert_eq!(fault.code, Code::PermissionDenied, "{closed}");
            assert!(fault.message.contains("rule "), "{closed}: {}", fault.message);
        }
        assert!(lab.files.open(&path("repo/config")).is_ok());
        for kept in [
            "conf/.env",
            "env",
            "repo/config",
            ".git/config",
            ".GIT/hooks/x",
            "repo/new",
            "ours/x",
            ".vscode/x",
        ] {
            let refused = |what, result| assert_eq!(result, Code::PermissionDenied, "{what} {kept}");
            refused("write", code(lab.files.write_bytes(&path(kept), b"x", &ExpectedFile::Anything)));
            refused("remove", code(lab.files.remove_file(&path(kept), &ExpectedFile::Anything)));
            refused("mkdir", code(lab.files.make_folders(&path(kept))));
            refused("symlink", code(lab.files.entry_changes().make_symlink(&path(kept), "x")));
            refused(
                "copy",
                code(lab.files.copy_file(&path("conf/plain"), &path(kept), &ExpectedFile::Anything)),
            );
        }
        assert_eq!(
            code(lab.files.entry_changes().make_symlink(&path("door"), ".git/hooks")),
            Code::PermissionDenied
        );
        assert_eq!(code(lab.files.list_folder(&path("ours"), 0, 9)), Code::PermissionDenied);
        assert_eq!(lab.get(".git/config"), b"[core]");
    }
}

#[test]
fn only_regular_files_are_opened_and_nothing_waits() {
    for lab in Lab::both() {
        let make = |name: &str, kind, device| {
            mknodat(CWD, lab.at.join(name), kind, Mode::RUSR | Mode::WUSR, device).is_ok()
        };
        assert!(make("fifo", FileType::Fifo, 0));
        let device = make("device", FileType::CharacterDevice, rustix::fs::makedev(1, 3));
        let _socket = UnixListener::bind(lab.at.join("socket")).unwrap();
        lab.link("fifo-link", "fifo");
        std::fs::create_dir(lab.at.join("folder")).unwrap();
        let mut cases =
            vec![("fifo", FileKind::Fifo), ("socket", FileKind::Socket), ("fifo-link", FileKind::Fifo)];
        cases.extend([("folder", FileKind::Folder), (".", FileKind::Folder)]);
        cases.extend(device.then_some(("device", FileKind::CharDevice)));
        for (name, kind) in cases {
            let read = Fault::from(lab.files.open(&path(name)).unwrap_err());
            let written = lab.files.write_bytes(&path(name), b"x", &ExpectedFile::Anything);
            let copied = lab.files.copy_file(&path(name), &path("copy"), &ExpectedFile::Anything);
            assert_eq!(read.code, Code::InvalidArgs, "{name}");
            assert!(read.message.contains(kind.noun()), "{}", read.message);
            assert_eq!([code(written), code(copied)], [Code::InvalidArgs; 2], "{name}");
            assert_eq!(lab.files.stat(&path(name)).unwrap().unwrap().kind, kind);
        }
        assert_eq!(code(lab.files.open(&path("none"))), Code::NotFound);
        assert_eq!(code(lab.files.open(&path("none/none"))), Code::NotFound);
    }
}

#[test]
fn a_listing_shows_kinds_links_and_strange_names() {
    use std::os::unix::ffi::OsStrExt;
    for lab in Lab::both() {
        lab.put("d/b.txt", "12345");
        lab.put("d/a/x", "");
        lab.put("d/.wherefore-tmp-x", "");
        lab.link("d/in", "b.txt");
        lab.link("d/out", "../../outside");
        lab.link("d/lost", "nowhere");
        std::fs::write(lab.at.join("d").join(std::ffi::OsStr::from_bytes(b"\xff")), "").unwrap();
        let listing = lab.files.list_folder(&path("d"), 0, 100).unwrap();
        let shown: Vec<_> = listing
            .entries
            .iter()
            .map(|entry| {
                (entry.name.as_str(), entry.kind, entry.lossy, entry.link.as_ref().map(|link| link.kind))
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("a", FileKind::Folder, false, None),
                ("b.txt", FileKind::File, false, None),
                ("in", FileKind::Symlink, false, Some(Some(FileKind::File))),
                ("lost", FileKind::Symlink, false, Some(None)),
                ("out", FileKind::Symlink, false, Some(None)),
                ("\u{fffd}", FileKind::File, true, None),
            ]
        );
        assert_eq!((listing.total, listing.entries[1].size), (6, 5));
        assert!(listing.entries[1].modified.parse::<jiff::Timestamp>().is_ok());
        let part = lab.files.list_folder(&path("d"), 1, 2).unwrap();
        assert_eq!((part.total, part.entries.as_slice()), (6, &listing.entries[1..3]));
        assert_eq!(code(lab.files.list_folder(&path("d/b.txt"), 0, 9)), Code::InvalidArgs);
        assert_eq!(code(lab.files.list_folder(&path("none"), 0, 9)), Code::NotFound);
    }
}

#[test]
fn a_root_that_is_none() {
    let lab = Lab::new();
    lab.put("file", "");
    assert_eq!(code(WorkspaceRoot::open(&lab.at.join("none"))), Code::NotFound);
    assert_eq!(code(WorkspaceRoot::open(&lab.at.join("file"))), Code::InvalidArgs);
}

#[test]
fn an_absolute_path_may_spell_the_root_as_given_or_as_it_is() {
    let lab = Lab::new();
    let alias = lab.outside.join("alias");
    std::os::unix::fs::symlink(&lab.at, &alias).unwrap();
    let root = WorkspaceRoot::open(&alias).unwrap();
    assert_eq!(root.path(), alias.to_str().unwrap());
    for spelled in [&alias, &lab.at] {
        let asked = spelled.join("a/b");
        assert_eq!(root.parse_path(asked.to_str().unwrap()), Ok(path("a/b")));
    }
    assert_eq!(code(root.parse_path(lab.outside.join("secret").to_str().unwrap())), Code::PermissionDenied);
    let climbing = WorkspaceRoot::open(&lab.outside.join("../work")).unwrap();
    assert_eq!(climbing.parse_path(lab.at.join("x").to_str().unwrap()), Ok(path("x")));
}

#[test]
fn what_is_missing_has_its_neighbours_named() {
    let lab = Lab::new();
    lab.put("src/main.rs", "");
    lab.put("src/.env", "");
    let hints = |asked: &str| Fault::from(lab.files.open(&path(asked)).unwrap_err()).hints;
    assert_eq!(hints("src/Mian.rs"), ["src/main.rs"]);
    assert_eq!(hints("src/ven"), Vec::<String>::new());
    assert_eq!(hints("scr/main.rs"), Vec::<String>::new());
    assert_eq!(hints("scr"), ["src"]);
}

#[test]
fn a_file_larger_than_asked_for_is_not_loaded() {
    let lab = Lab::new();
    lab.put("big", "123456");
    assert_eq!(code(lab.files.read_bytes(&path("big"), 5)), Code::QuotaExceeded);
    assert_eq!(lab.files.read_bytes(&path("big"), 6).unwrap().0, b"123456");
}
