//! Copies of files and folders.

//! Copies.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Lab, code, path};
use crate::protocol::Code;
use crate::workspace::{CopyPlan, CopyStep, ExpectedFile};

#[test]
fn a_copy_has_the_mode_and_a_target_keeps_its_own() {
    for lab in Lab::both() {
        let full = lab.put("script", "#!/bin/sh\n");
        std::fs::set_permissions(&full, std::fs::Permissions::from_mode(0o700)).unwrap();
        let target = lab.put("there", "old");
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(lab.files.copy_file(&path("script"), &path("new"), &ExpectedFile::Absent).unwrap().created);
        assert!(
            !lab.files.copy_file(&path("script"), &path("there"), &ExpectedFile::Anything).unwrap().created
        );
        let mode = |name: &str| std::fs::metadata(lab.at.join(name)).unwrap().mode() & 0o7777;
        assert_eq!((mode("new"), mode("there")), (0o700, 0o640));
        assert_eq!((lab.get("new"), lab.get("there")), (lab.get("script"), lab.get("script")));
        lab.link("again", "script");
        assert_eq!(
            code(lab.files.copy_file(&path("script"), &path("again"), &ExpectedFile::Anything)),
            Code::InvalidArgs
        );
        assert_eq!(
            code(lab.files.copy_file(&path("script"), &path("new"), &ExpectedFile::Absent)),
            Code::Stale
        );
    }
}

#[test]
fn a_folder_is_planned_then_copied() {
    for lab in Lab::both() {
        lab.put("src/a.txt", "a");
        lab.put("src/sub/b.txt", "bb");
        lab.put("src/.env", "KEY=1");
        lab.put("src/.git/config", "x");
        lab.link("src/sub/up", "../a.txt");
        lab.link("src/sub/high", "../../a");
        lab.link("src/out", "../../outside");
        lab.link("src/far", "/etc/passwd");
        lab.link("src/keys", ".env");
        lab.link("src/odd", "sub/../a.txt");
        mknodat(CWD, lab.at.join("src/fifo"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        let plan = CopyPlan::plan_copy(lab.files.paths(), &path("src"), &path("deep"), 100).unwrap();
        let file = |from: &str, to: &str, size| CopyStep::File { from: path(from), to: path(to), size };
        let link = |to: &str, target: &str| CopyStep::Link { to: path(to), target: target.to_owned() };
        assert_eq!(
            plan.steps,
            [
                CopyStep::Folder(path("deep")),
                file("src/a.txt", "deep/a.txt", 1),
                CopyStep::Folder(path("deep/sub")),
                file("src/sub/b.txt", "deep/sub/b.txt", 2),
                link("deep/sub/high", "../../a"),
                link("deep/sub/up", "../a.txt"),
            ]
        );
        let skipped: Vec<_> = plan.skipped.iter().map(|skipped| skipped.path.as_str()).collect();
        assert_eq!(
            skipped,
            ["src/.env", "src/.git", "src/far", "src/fifo", "src/keys", "src/odd", "src/out"]
        );
        for step in &plan.steps {
            match step {
                CopyStep::Folder(path) => drop(lab.files.make_folders(path).unwrap()),
                CopyStep::File { from, to, .. } => {
                    drop(lab.files.copy_file(from, to, &ExpectedFile::Absent).unwrap())
                }
                CopyStep::Link { to, target } => lab.files.entry_changes().make_symlink(to, target).unwrap(),
            }
        }
        assert_eq!(lab.get("deep/sub/up"), b"a");
        assert_eq!(
            code(lab.files.entry_changes().make_symlink(&path("deep/sub/up"), "../b")),
            Code::InvalidArgs
        );
    }
}

#[test]
fn a_link_is_made_only_to_what_may_be_written() {
    for lab in Lab::both() {
        lab.put("a/b/c/x", "");
        lab.put("d/x", "");
        lab.link("a/b/c/up", "../../../d");
        lab.link("far", "/etc");
        for target in
            ["/etc", "../../../outside", "c/up/../../../outside", "../../.git/hooks", "../../far/passwd", ""]
        {
            assert_eq!(
                code(lab.files.entry_changes().make_symlink(&path("a/b/new"), target)),
                Code::PermissionDenied,
                "{target}"
            );
        }
        lab.files.entry_changes().make_symlink(&path("a/b/new"), "../../d/x").unwrap();
        lab.files.entry_changes().make_symlink(&path("a/b/c/up/later"), "not/yet").unwrap();
        assert_eq!(std::fs::read_link(lab.at.join("d/later")).unwrap().to_str(), Some("not/yet"));
    }
}

#[test]
fn a_folder_is_not_copied_into_itself_or_without_end() {
    let lab = Lab::new();
    lab.put("src/sub/x", "");
    lab.link("alias", "src/sub");
    let plan = |to: &str, max| CopyPlan::plan_copy(lab.files.paths(), &path("src"), &path(to), max);
    for inside in ["src", "src/new", "alias/new"] {
        assert_eq!(code(plan(inside, 9)), Code::InvalidArgs, "{inside}");
    }
    assert_eq!(code(plan("new", 2)), Code::QuotaExceeded);
    assert_eq!(code(CopyPlan::plan_copy(lab.files.paths(), &path("none"), &path("new"), 9)), Code::NotFound);
    assert_eq!(
        code(CopyPlan::plan_copy(lab.files.paths(), &path("src/sub/x"), &path("new"), 9)),
        Code::InvalidArgs
    );
}
