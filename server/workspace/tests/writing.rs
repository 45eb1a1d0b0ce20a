//! The guarantees of a write.

use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
use rustix::io::Errno;

use super::{Lab, code, path};
use crate::base::hash;
use crate::protocol::{Code, Fault};
use crate::workspace::ExpectedFile;
use crate::workspace::write::WrittenFile;

fn set_mode(full: &std::path::Path, mode: u32) {
    std::fs::set_permissions(full, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn bytes_stay_as_they_are() {
    for lab in Lab::both() {
        for bytes in [&b""[..], b"a\r\nb\nc", b"\xef\xbb\xbfa", b"caf\xe9\n", b"a\0b", b"\xff\xfea\0"] {
            let created = !lab.at.join("file").exists();
            let written = lab.files.write_bytes(&path("file"), bytes, &ExpectedFile::Anything).unwrap();
            let size = bytes.len() as u64;
            assert_eq!(
                written,
                WrittenFile { path: path("file"), created, hash: hash::short_hash(bytes), size }
            );
            assert_eq!(lab.get("file"), bytes);
        }
        assert_eq!(lab.names(), ["file"]);
    }
}

#[test]
fn a_new_file_has_the_mode_that_any_program_would_give_it() {
    let lab = Lab::new();
    lab.files.write_bytes(&path("ours"), b"x", &ExpectedFile::Absent).unwrap();
    let theirs = lab.put("theirs", "x");
    let mode = |full: &std::path::Path| std::fs::metadata(full).unwrap().mode();
    assert_eq!(mode(&lab.at.join("ours")), mode(&theirs));
}

#[test]
fn mode_owner_and_attributes_stay() {
    for lab in Lab::both() {
        let full = lab.put("file", "old");
        std::os::unix::fs::chown(&full, Some(1234), Some(4321)).unwrap();
        set_mode(&full, 0o6751);
        let old = std::fs::File::open(&full).unwrap();
        let set = |name: &str, value: &[u8]| fsetxattr(&old, name, value, XattrFlags::empty());
        let mut kept = vec![("user.note", b"kept".to_vec()), ("user.empty", Vec::new())];
        // Version 2; user rw-, user 42 rwx, group r--, mask rwx, others ---.
        let mut acl = 2u32.to_le_bytes().to_vec();
        for (tag, perm, id) in
            [(1u16, 6u16, u32::MAX), (2, 7, 42), (4, 4, u32::MAX), (16, 7, u32::MAX), (32, 0, u32::MAX)]
        {
            acl.extend([tag.to_le_bytes(), perm.to_le_bytes()].concat());
            acl.extend(id.to_le_bytes());
        }
        kept.push(("system.posix_acl_access", acl));
        // Not every file system has them.
        kept.retain(|(name, value)| set(name, value) != Err(Errno::OPNOTSUPP));
        let before = std::fs::metadata(&full).unwrap();

        lab.files.write_bytes(&path("file"), b"new", &ExpectedFile::Hash(hash::short_hash(b"old"))).unwrap();

        let after = std::fs::metadata(&full).unwrap();
        assert_eq!(lab.get("file"), b"new");
        assert_ne!(before.ino(), after.ino());
        let identity = |stat: &std::fs::Metadata| (stat.mode(), stat.uid(), stat.gid());
        assert_eq!(identity(&after), identity(&before));
        let new = std::fs::File::open(&full).unwrap();
        for (name, value) in kept {
            let mut found = [0; 100];
            let size = fgetxattr(new.as_fd(), name, &mut found[..]).unwrap();
            assert_eq!(&found[..size], value, "{name}");
        }
    }
}

#[test]
fn a_link_stays_and_its_target_is_replaced() {
    for lab in Lab::both() {
        lab.put("real/file", "old");
        lab.link("link", "real/file");
        lab.link("dangling", "real/later");
        let written = lab.files.write_bytes(&path("link"), b"new", &ExpectedFile::Anything).unwrap();
        assert_eq!((written.path, written.created), (path("real/file"), false));
        let written = lab.files.write_bytes(&path("dangling"), b"made", &ExpectedFile::Absent).unwrap();
        assert_eq!((written.path, written.created), (path("real/later"), true));
        assert_eq!(std::fs::read_link(lab.at.join("link")).unwrap().to_str(), Some("real/file"));
        assert_eq!((lab.get("real/file"), lab.get("dangling")), (b"new".to_vec(), b"made".to_vec()));
        lab.files.remove_file(&path("dangling"), &ExpectedFile::Hash(hash::short_hash(b"made"))).unwrap();
        assert_eq!(lab.names(), ["dangling", "link", "real", "real/file"]);
    }
}

#[test]
fn what_would_not_stay_the_same_file_is_refused() {
    let lab = Lab::new();
    let full = lab.put("twice", "old");
    std::fs::hard_link(&full, lab.at.join("other")).unwrap();
    let fault =
        Fault::from(lab.files.write_bytes(&path("twice"), b"new", &ExpectedFile::Anything).unwrap_err());
    assert_eq!(fault.code, Code::PermissionDenied);
    assert_eq!(fault.message, "cannot write `twice`: it has 2 names (hard links), and they would be parted");
    let full = lab.put("fixed", "old");
    set_mode(&full, 0o444);
    let fault =
        Fault::from(lab.files.write_bytes(&path("fixed"), b"new", &ExpectedFile::Anything).unwrap_err());
    assert_eq!(fault.message, "cannot write `fixed`: it is read-only (mode 0444)");
    assert_eq!(
        Fault::from(lab.files.remove_file(&path("fixed"), &ExpectedFile::Anything).unwrap_err()),
        fault
    );
    assert_eq!((lab.get("twice"), lab.get("fixed")), (b"old".to_vec(), b"old".to_vec()));
    assert_eq!(lab.names(), ["fixed", "other", "twice"]);
}

#[test]
fn an_old_hash_is_stale_and_says_what_is_there() {
    for lab in Lab::both() {
        lab.put("file", "theirs");
        let old = ExpectedFile::Hash(hash::short_hash(b"mine"));
        for expect in [&old, &ExpectedFile::Absent] {
            let fault = Fault::from(lab.files.write_bytes(&path("file"), b"new", expect).unwrap_err());
            assert_eq!(fault.code, Code::Stale);
            let details = fault.details.unwrap();
            assert_eq!(
                (details["hash"].as_str(), details["size"].as_u64()),
                (Some(&*hash::short_hash(b"theirs")), Some(6))
            );
        }
        assert_eq!(code(lab.files.remove_file(&path("file"), &old)), Code::Stale);
        assert_eq!(code(lab.files.write_bytes(&path("gone"), b"new", &old)), Code::Stale);
        assert_eq!(lab.get("file"), b"theirs");
        let known = ExpectedFile::Hash(hash::short_hash(b"theirs"));
        lab.files.write_bytes(&path("file"), b"new", &known).unwrap();
        assert_eq!(code(lab.files.write_bytes(&path("file"), b"newer", &known)), Code::Stale);
        lab.files.remove_file(&path("file"), &ExpectedFile::Hash(hash::short_hash(b"new"))).unwrap();
        assert_eq!(code(lab.files.remove_file(&path("file"), &ExpectedFile::Anything)), Code::NotFound);
        assert_eq!(lab.names(), Vec::<String>::new());
    }
}

#[test]
fn of_two_writers_with_one_hash_one_is_stale() {
    let lab = Lab::new();
    lab.put("file", "0");
    for round in 0..20u8 {
        let expect = ExpectedFile::Hash(hash::short_hash(&lab.get("file")));
        let results: Vec<_> = std::thread::scope(|scope| {
            let write = |who: u8| lab.files.write_bytes(&path("file"), &[who, round], &expect);
            let writers: Vec<_> = [1, 2, 3].map(|who| scope.spawn(move || write(who))).into_iter().collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
        assert!(
            results.iter().flat_map(|result| result.as_ref().err()).all(|error| error.code() == Code::Stale)
        );
    }
    assert_eq!(lab.names(), ["file"]);
}

#[test]
fn of_two_makers_one_finds_it_there() {
    let lab = Lab::new();
    let results: Vec<_> = std::thread::scope(|scope| {
        let make = || lab.files.write_bytes(&path("new"), b"x", &ExpectedFile::Absent);
        let makers: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
        makers.into_iter().map(|maker| maker.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
}

#[test]
fn a_missing_folder_is_named() {
    let lab = Lab::new();
    let fault =
        Fault::from(lab.files.write_bytes(&path("a/b/file"), b"x", &ExpectedFile::Anything).unwrap_err());
    assert_eq!(
        (fault.code, fault.message.as_str()),
        (Code::NotFound, "cannot write `a/b/file`: there is no folder `a/b`")
    );
    assert_eq!(lab.files.make_folders(&path("a/b")).unwrap(), [path("a"), path("a/b")]);
    assert!(lab.files.make_folders(&path("a/b")).unwrap().is_empty());
    lab.files.write_bytes(&path("a/b/file"), b"x", &ExpectedFile::Anything).unwrap();
    assert_eq!(code(lab.files.make_folders(&path("a/b/file"))), Code::InvalidArgs);
    assert_eq!(code(lab.files.make_folders(&path("a/b/file/x"))), Code::InvalidArgs);
    assert_eq!(code(lab.files.remove_folder(&path("a/b"))), Code::InvalidArgs);
    lab.files.remove_file(&path("a/b/file"), &ExpectedFile::Anything).unwrap();
    lab.files.remove_folder(&path("a/b")).unwrap();
    assert_eq!(lab.names(), ["a"]);
}

#[test]
fn what_a_dead_writer_left_is_swept() {
    for lab in Lab::both() {
        lab.put("sub/file", "old");
        let left = "sub/.wherefore-tmp-dead";
        lab.put(left, "half");
        lab.put("sub/.wherefore-tmp-mine", "a person's, never recorded");
        lab.intend(".wherefore-tmp-dead", "sub");
        lab.intend(".wherefore-tmp-gone", "sub");
        lab.intend(".wherefore-tmp-far", "../outside");
        lab.intend("file", "sub");
        std::fs::write(lab.kept().join("tmp/0123abcd"), "half of our own").unwrap();
        assert_eq!(lab.files.state().sweep_temporaries().unwrap(), 1);
        assert_eq!(lab.names(), ["sub", "sub/.wherefore-tmp-mine", "sub/file"]);
        assert_eq!(lab.files.state().sweep_temporaries().unwrap(), 0);
    }
}

#[test]
fn a_name_that_is_too_long_leaves_nothing() {
    let lab = Lab::new();
    let long = path(&"x".repeat(300));
    assert_eq!(code(lab.files.write_bytes(&long, b"x", &ExpectedFile::Anything)), Code::InvalidArgs);
    assert_eq!(code(lab.files.open(&path(&"x/".repeat(3000)))), Code::InvalidArgs);
    assert_eq!(lab.names(), Vec::<String>::new());
}

#[test]
fn a_reader_sees_old_or_new() {
    let lab = Lab::new();
    lab.put("file", vec![b'a'; 1 << 16]);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..60u8 {
                let bytes = vec![b'a' + round % 20; 1 << 16];
                lab.files.write_bytes(&path("file"), &bytes, &ExpectedFile::Anything).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            let seen = lab.get("file");
            assert!(seen.len() == 1 << 16 && seen.iter().all(|byte| *byte == seen[0]), "half a file");
        }
    });
}
