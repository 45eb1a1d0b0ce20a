//! Repositories that would make the host's git run a program of the attempt.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::inside::Inside;
use crate::table::Sign::{Changed, Looked, Planted};
use crate::table::{Attempt, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("write git's config", Changed, |at| evil_config(at, ".git/config")).git_in(&["ws"]),
    attempt("plant a hook", Changed, |at| program(at, &at.ws(".git/hooks/post-checkout"))),
    attempt("plant a commondir", Changed, |at| {
        fs::create_dir_all(at.ws("common/objects"))?;
        fs::create_dir_all(at.ws("common/refs"))?;
        evil_config(at, "common/config")?;
        fs::write(at.ws(".git/commondir"), "../common\n")
    })
    .git_in(&["ws"]),
    attempt("plant a per-worktree config", Changed, |at| {
        evil_config(at, ".git/config.worktree")?;
        fs::write(at.ws(".git/info/attributes"), "* filter=evil\n")
    }),
    attempt("write git's head and objects", Changed, |at| {
        fs::write(at.ws(".git/objects/info/alternates"), "/\n")?;
        fs::write(at.ws(".git/HEAD"), "ref: refs/heads/other\n")
    }),
    attempt("put another repository in its place", Changed, |at| {
        fs::rename(at.ws(".git"), at.ws("old"))?;
        repository(at, ".git")
    })
    .git_in(&["ws"]),
    attempt("remove the repository", Changed, |at| fs::remove_dir_all(at.ws(".git/hooks"))),
    attempt("plant a repository in a folder", Planted, |at| repository(at, "sub/.git")).git_in(&["ws/sub"]),
    attempt("plant a bare repository", Changed, |at| repository(at, "bare")).git_in(&["ws/bare"]),
    attempt("plant a pointer to a repository", Planted, |at| {
        repository(at, "hidden")?;
        fs::write(at.ws("sub/.git"), "gitdir: ../hidden\n")
    })
    .git_in(&["ws/sub"]),
    attempt("plant a link to a repository", Planted, |at| {
        repository(at, "hidden")?;
        symlink("../hidden", at.ws("sub/.git"))
    })
    .git_in(&["ws/sub"]),
    attempt("make a repository where none is", Planted, |at| repository(at, ".git"))
        .stage(|scene| fs::remove_dir_all(scene.arena.at("ws/.git")).unwrap())
        .git_in(&["ws"]),
    attempt("plant a repository that nobody may enter", Planted, |at| {
        repository(at, "sub/.git")?;
        fs::set_permissions(at.ws("sub/.git"), fs::Permissions::from_mode(0o000))?;
        fs::set_permissions(at.ws("sub"), fs::Permissions::from_mode(0o500))
    })
    .git_in(&["ws/sub"]),
    attempt("plant a repository in a folder that nobody may enter", Planted, |at| {
        repository(at, "sub/.git")?;
        fs::set_permissions(at.ws("sub"), fs::Permissions::from_mode(0o000))
    })
    .git_in(&["ws/sub"]),
    attempt("plant a repository below folders that nobody may enter", Planted, |at| {
        repository(at, "sub/old/new/.git")?;
        ["sub/old/new", "sub/old", "sub"]
            .into_iter()
            .try_for_each(|folder| fs::set_permissions(at.ws(folder), fs::Permissions::from_mode(0o000)))
    })
    .stage(|scene| fs::create_dir_all(scene.arena.at("ws/sub/old")).unwrap())
    .git_in(&["ws/sub/old/new"]),
    attempt("plant a repository in a folder that may only be listed", Planted, |at| {
        repository(at, "sub/deep/.git")?;
        fs::set_permissions(at.ws("sub"), fs::Permissions::from_mode(0o400))
    })
    .git_in(&["ws/sub/deep"]),
    attempt("change a repository in a folder that nobody may enter", Changed, |at| {
        fs::set_permissions(at.ws("sub"), fs::Permissions::from_mode(0o755))?;
        evil_config(at, "sub/.git/config")
    })
    .stage(|scene| {
        scene.arena.repository("ws/sub").unwrap();
        fs::set_permissions(scene.arena.at("ws/sub"), fs::Permissions::from_mode(0o000)).unwrap();
    })
    .git_in(&["ws/sub"]),
    attempt("close the workspace around a repository", Planted, |at| {
        repository(at, "sub/.git")?;
        fs::set_permissions(at.ws(""), fs::Permissions::from_mode(0o000))
    })
    .git_in(&["ws/sub"]),
    attempt("plant a repository deep down", Planted, |at| {
        let deep = "d/".repeat(60);
        repository(at, &format!("{deep}.git"))
    }),
    attempt("plant a repository in other letters", Changed, |at| {
        repository(at, ".GIT")?;
        if !at.ws(".git/config").exists()
            || fs::read(at.ws(".git/config"))? != fs::read(at.ws(".GIT/config"))?
        {
            return Err(io::Error::other("the file system tells small letters from capital ones"));
        }
        Ok(())
    })
    .stage(|scene| fs::remove_dir_all(scene.arena.at("ws/.git")).unwrap())
    .git_in(&["ws"]),
    attempt("change a nested repository", Changed, |at| evil_config(at, "sub/.git/config"))
        .stage(|scene| scene.arena.repository("ws/sub").unwrap())
        .options(&["--protect", "{arena}/ws/sub/.git"])
        .git_in(&["ws/sub"]),
    attempt("move the folder around a nested repository", Changed, |at| {
        fs::rename(at.ws("sub"), at.ws("away"))?;
        repository(at, "sub/.git")
    })
    .stage(|scene| scene.arena.repository("ws/sub").unwrap())
    .options(&["--protect", "{arena}/ws/sub/.git"])
    .git_in(&["ws/sub"]),
    attempt("change hooks that the config names", Changed, |at| program(at, &at.ws(".husky/fsmonitor")))
        .stage(|scene| {
            let config = "[core]\n\trepositoryformatversion = 0\n\thooksPath = .husky\n";
            fs::write(scene.arena.at("ws/.git/config"), config).unwrap();
        }),
    attempt("change hooks in a folder that only the config names", Looked, |at| {
        fs::write(at.ws("scripts/git hooks/pre-commit"), &at.word)
    })
    .stage(|scene| {
        let config = "[core]\n\trepositoryformatversion = 0\n\thooksPath = \"scripts/git hooks\"\n";
        fs::write(scene.arena.at("ws/.git/config"), config).unwrap();
        scene.arena.put("ws/scripts/git hooks/pre-commit", "exit 0\n").unwrap();
    })
    .look(|scene| {
        let hook = fs::read_to_string(scene.arena.at("ws/scripts/git hooks/pre-commit")).unwrap_or_default();
        (hook != "exit 0\n").then(|| "the hook is another".to_owned())
    }),
    attempt("plant a repository while racing the sweep", Planted, |at| {
        for round in 0..40 {
            repository(at, &format!("many/{round}/.git"))?;
        }
        Ok(())
    }),
];

/// A program that leaves a mark outside when the host runs it.
fn program(at: &Inside, path: &Path) -> io::Result<()> {
    fs::write(path, format!("#!/bin/sh\ntouch '{}'\n", at.outside("pwned").display()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// A config that names such a program.
fn evil_config(at: &Inside, path: &str) -> io::Result<()> {
    program(at, &at.ws("evil"))?;
    let evil = at.ws("evil");
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = {}\n\tfsmonitor = {}\n",
        at.ws("").display(),
        evil.display()
    );
    fs::write(at.ws(path), config)
}

/// A repository whose status runs such a program.
fn repository(at: &Inside, folder: &str) -> io::Result<()> {
    fs::create_dir_all(at.ws(folder).join("objects"))?;
    fs::create_dir_all(at.ws(folder).join("refs"))?;
    fs::write(at.ws(folder).join("HEAD"), "ref: refs/heads/main\n")?;
    evil_config(at, &format!("{folder}/config"))
}
