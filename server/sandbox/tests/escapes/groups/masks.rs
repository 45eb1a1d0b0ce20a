//! Files of the workspace that are closed: their content reached by another name or another way.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;

use crate::inside::{Inside, any, show, show_file};
use crate::sys;
use crate::table::Sign::{Changed, Leaked};
use crate::table::{Attempt, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("read a closed file", Leaked, |at| show_file(at.ws(".env"))),
    attempt("read a closed folder", Leaked, |at| show_file(at.ws("closed/notes"))),
    attempt("read a file that nobody may open", Leaked, |at| {
        fs::set_permissions(at.ws("sub/.env"), fs::Permissions::from_mode(0o777)).ok();
        show_file(at.ws("sub/.env"))
    })
    .stage(|scene| {
        let secret = scene.arena.secret.clone();
        scene.arena.put("ws/sub/.env", &secret).unwrap();
    })
    .options(&["--mask", "{arena}/ws/sub/.env"]),
    attempt("read it by a crooked path", Leaked, |at| {
        let paths = ["./.env", "sub/../.env", ".//.env", "sub/./.././.env", "../ws/.env"];
        any(paths.map(|path| show_file(at.ws(path))))
    }),
    attempt(
        "read it in other letters",
        Leaked,
        |at| any([".ENV", ".Env"].map(|path| show_file(at.ws(path)))),
    ),
    attempt("read it through a new link", Leaked, |at| {
        std::os::unix::fs::symlink(".env", at.ws("plain"))?;
        show_file(at.ws("plain"))
    }),
    attempt("read it through a new hard link", Leaked, |at| {
        fs::hard_link(at.ws(".env"), at.ws("plain"))?;
        show_file(at.ws("plain"))
    }),
    attempt("read it through an old hard link", Leaked, |at| show_file(at.ws("sub/twin")))
        .stage(|scene| fs::hard_link(scene.arena.at("ws/.env"), scene.arena.at("ws/sub/twin")).unwrap()),
    attempt("read a closed folder's file through an old hard link", Leaked, |at| {
        show_file(at.ws("sub/twin"))
    })
    .stage(|scene| {
        fs::hard_link(scene.arena.at("ws/closed/notes"), scene.arena.at("ws/sub/twin")).unwrap();
    }),
    attempt("read it through an old hard link in a toolchain", Leaked, |at| {
        show_file(at.arena.join("tools/twin"))
    })
    .stage(|scene| fs::hard_link(scene.arena.at("ws/.env"), scene.arena.at("tools/twin")).unwrap()),
    attempt("read it through an old hard link on an overlay", Leaked, |at| show_file(at.ws("sub/twin")))
        .stage(|scene| fs::hard_link(scene.arena.at("ws/.env"), scene.arena.at("ws/sub/twin")).unwrap())
        .options(&["--overlay", "{arena}/quarantine"]),
    attempt("link it by its descriptor", Leaked, |at| {
        let fd = sys::open(at.ws(".env"), libc::O_PATH, 0)?;
        let (old, new) = (sys::text(format!("/proc/self/fd/{}", sys::raw(&fd))), sys::path(at.ws("plain")));
        let follow = libc::AT_SYMLINK_FOLLOW as usize;
        sys::call(libc::SYS_linkat, &[sys::CWD, sys::at(&old), sys::CWD, sys::at(&new), follow])?;
        show_file(at.ws("plain"))
    }),
    attempt("move it away and read it", Leaked, |at| {
        fs::rename(at.ws(".env"), at.ws("plain"))?;
        show_file(at.ws("plain"))
    }),
    attempt("swap it with an open file", Leaked, |at| {
        let (one, other) = (sys::path(at.ws(".env")), sys::path(at.ws("README.md")));
        let swap = libc::RENAME_EXCHANGE as usize;
        sys::call(libc::SYS_renameat2, &[sys::CWD, sys::at(&one), sys::CWD, sys::at(&other), swap])?;
        show_file(at.ws("README.md"))
    }),
    attempt("move a closed folder and read it", Leaked, |at| {
        fs::rename(at.ws("closed"), at.ws("open"))?;
        show_file(at.ws("open/notes"))
    }),
    attempt("move the folder around a closed file", Leaked, |at| {
        fs::rename(at.ws("inner"), at.ws("other"))?;
        show_file(at.ws("other/.env"))
    })
    .stage(|scene| {
        let secret = scene.arena.secret.clone();
        scene.arena.put("ws/inner/.env", &secret).unwrap();
    })
    .options(&["--mask", "{arena}/ws/inner/.env"]),
    attempt("unmount the mask", Leaked, |at| {
        let path = sys::path(at.ws(".env"));
        sys::call(libc::SYS_umount2, &[sys::at(&path), libc::MNT_DETACH as usize]).ok();
        show_file(at.ws(".env"))
    }),
    attempt("bind the workspace without its masks", Leaked, |at| {
        let flags = (libc::CLONE_NEWUSER | libc::CLONE_NEWNS) as usize;
        sys::call(libc::SYS_unshare, &[flags]).ok();
        fs::create_dir_all(at.ws("again"))?;
        let (from, to) = (sys::path(at.ws("")), sys::path(at.ws("again")));
        sys::call(libc::SYS_mount, &[sys::at(&from), sys::at(&to), 0, libc::MS_BIND as usize, 0])?;
        show_file(at.ws("again/.env"))
    }),
    attempt("clone the workspace's mount without its masks", Leaked, |at| {
        let flags = (libc::CLONE_NEWUSER | libc::CLONE_NEWNS) as usize;
        sys::call(libc::SYS_unshare, &[flags]).ok();
        let path = sys::path(at.ws(""));
        let tree =
            sys::call_fd(libc::SYS_open_tree, &[sys::CWD, sys::at(&path), libc::OPEN_TREE_CLONE as usize])?;
        let name = sys::text(".env");
        let fd = sys::call_fd(libc::SYS_openat, &[sys::raw(&tree), sys::at(&name), 0, 0])?;
        show(io::read_to_string(fs::File::from(fd))?);
        Ok(())
    }),
    attempt("read it by its handle", Leaked, |at| by_handle(at, "ws/.env")),
    attempt("read a file outside by its handle", Leaked, |at| by_handle(at, "outside/secret")),
    attempt("read it through other processes", Leaked, |at| {
        let path = at.ws(".env");
        for pid in super::proc::pids() {
            show_file(format!("/proc/{pid}/root{}", path.display())).ok();
            show_file(format!("/proc/{pid}/cwd/.env")).ok();
        }
        Ok(())
    }),
    attempt("open its mode and read it", Leaked, |at| {
        fs::set_permissions(at.ws(".env"), fs::Permissions::from_mode(0o777))?;
        show_file(at.ws(".env"))
    }),
    attempt("write a closed file", Changed, |at| fs::write(at.ws(".env"), &at.word)),
    attempt("remove a closed file", Changed, |at| fs::remove_file(at.ws(".env"))),
    attempt("add to a closed folder", Changed, |at| fs::write(at.ws("closed/new"), &at.word)),
    attempt("put another file in its place", Changed, |at| {
        fs::write(at.ws("mine"), &at.word)?;
        fs::rename(at.ws("mine"), at.ws(".env"))
    }),
];

/// A file's handle made by hand from its inode number, in the form of the file system; the host supplies the number.
fn by_handle(at: &Inside, file: &str) -> io::Result<()> {
    #[repr(C)]
    struct Handle {
        length: u32,
        kind: i32,
        number: u32,
        generation: u32,
    }
    let wanted: u64 = at.fact(file).parse().map_err(io::Error::other)?;
    let mount = sys::open(at.ws(""), libc::O_RDONLY | libc::O_DIRECTORY, 0)?;
    let handle = Handle { length: 8, kind: 1, number: wanted as u32, generation: 0 };
    let args = [sys::raw(&mount), &raw const handle as usize, libc::O_RDONLY as usize];
    let fd = sys::call_fd(libc::SYS_open_by_handle_at, &args)?;
    show(io::read_to_string(fs::File::from(fd))?);
    Ok(())
}
