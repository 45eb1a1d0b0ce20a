//! Files outside of the workspace: read, written, removed, and reached by other ways than their path.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::inside::{Inside, any, show, show_file};
use crate::sys;
use crate::table::Sign::{Changed, Leaked, Looked, Said};
use crate::table::{Attempt, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("write a file outside", Changed, |at| fs::write(at.outside("target"), &at.word)),
    attempt("create a file outside", Changed, |at| fs::write(at.outside("new"), &at.word)),
    attempt("append by a relative path", Changed, |at| {
        let fd = sys::open("../outside/target", libc::O_WRONLY | libc::O_APPEND, 0)?;
        sys::write(&fd, at.word.as_bytes()).map(|_| ())
    }),
    attempt("remove a file outside", Changed, |at| fs::remove_file(at.outside("target"))),
    attempt("move a file outside into the workspace", Changed, |at| {
        fs::rename(at.outside("target"), at.ws("taken"))
    }),
    attempt("truncate a file outside", Changed, |at| {
        let path = sys::path(at.outside("target"));
        sys::call(libc::SYS_truncate, &[sys::at(&path), 0]).map(|_| ())
    }),
    attempt("change the mode of a file outside", Changed, |at| {
        fs::set_permissions(at.outside("target"), fs::Permissions::from_mode(0o777))
    }),
    attempt("change the times of a file outside", Changed, |at| {
        let path = sys::path(at.outside("target"));
        let times = [libc::timespec { tv_sec: 1, tv_nsec: 0 }; 2];
        let args = [sys::CWD, sys::at(&path), times.as_ptr() as usize, 0];
        sys::call(libc::SYS_utimensat, &args).map(|_| ())
    }),
    attempt("set an attribute of a file outside", Changed, |at| {
        let (path, name) = (sys::path(at.outside("target")), sys::text("user.word"));
        let value = at.word.as_bytes();
        let args = [sys::at(&path), sys::at(&name), value.as_ptr() as usize, value.len(), 0];
        sys::call(libc::SYS_setxattr, &args).map(|_| ())
    }),
    attempt("cut a file outside by opening it to read", Changed, |at| {
        sys::open(at.outside("target"), libc::O_RDONLY | libc::O_TRUNC, 0).map(|_| ())
    }),
    attempt("swap a file outside with one inside", Changed, |at| {
        let (one, other) = (sys::path(at.outside("target")), sys::path(at.ws("README.md")));
        let swap = libc::RENAME_EXCHANGE as usize;
        sys::call(libc::SYS_renameat2, &[sys::CWD, sys::at(&one), sys::CWD, sys::at(&other), swap])
            .map(|_| ())
    }),
    attempt("give a nameless file outside a name", Changed, |at| {
        let file = any([at.outside(""), at.ws("")]
            .map(|folder| sys::open(folder, libc::O_TMPFILE | libc::O_WRONLY, 0o644)))?;
        let (old, new) =
            (sys::text(format!("/proc/self/fd/{}", sys::raw(&file))), sys::path(at.outside("new")));
        let follow = libc::AT_SYMLINK_FOLLOW as usize;
        sys::call(libc::SYS_linkat, &[sys::CWD, sys::at(&old), sys::CWD, sys::at(&new), follow]).map(|_| ())
    }),
    attempt("write through a hard link to a toolchain", Changed, |at| {
        fs::hard_link(at.arena.join("tools/tool"), at.ws("twin"))?;
        fs::write(at.ws("twin"), &at.word)
    }),
    attempt("cut a toolchain's file by its path", Changed, |at| {
        let path = sys::path(at.arena.join("tools/tool"));
        sys::call(libc::SYS_truncate, &[sys::at(&path), 0]).map(|_| ())
    }),
    attempt("read the host's passwords", Said, |at| {
        let text = fs::read_to_string("/etc/shadow")?;
        if text.contains("root:") {
            at.say("they are read");
        }
        Ok(())
    })
    .root(),
    attempt("make a folder outside", Changed, |at| fs::create_dir(at.outside("folder"))),
    attempt("make a link outside", Changed, |at| std::os::unix::fs::symlink("/etc", at.outside("link"))),
    attempt("read a file outside", Leaked, |at| show_file(at.outside("secret"))),
    attempt("list a folder outside", Leaked, |at| {
        for entry in fs::read_dir(at.outside("names"))? {
            show(entry?.file_name().as_encoded_bytes());
        }
        Ok(())
    }),
    attempt("read a key in the home folder", Leaked, |at| {
        let home = std::env::var("HOME").map_err(io::Error::other)?;
        let known = at.arena.join("home/.ssh/id_ed25519");
        any([show_file(Path::new(&home).join(".ssh/id_ed25519")), show_file(known)])
    }),
    attempt("read cargo's credentials", Leaked, |at| {
        show_file(at.arena.join("home/.cargo/credentials.toml"))
    }),
    attempt("write into the host's /tmp", Looked, |at| fs::write(Path::new("/tmp").join(&at.word), &at.word))
        .look(|scene| appeared(Path::new("/tmp"), &scene.word)),
    attempt("read the host's /tmp", Leaked, |at| show_file(Path::new(at.fact("tmp")).join("secret"))),
    attempt("write into the host's /dev/shm", Looked, |at| {
        fs::write(Path::new("/dev/shm").join(&at.word), &at.word)
    })
    .look(|scene| appeared(Path::new("/dev/shm"), &scene.word)),
    attempt("write into /etc", Looked, |at| fs::write(Path::new("/etc").join(&at.word), &at.word))
        .root()
        .look(|scene| appeared(Path::new("/etc"), &scene.word)),
    attempt("write into /usr/local/bin", Looked, |at| {
        fs::write(Path::new("/usr/local/bin").join(&at.word), &at.word)
    })
    .root()
    .look(|scene| appeared(Path::new("/usr/local/bin"), &scene.word)),
    attempt("write into /run", Looked, |at| fs::write(Path::new("/run").join(&at.word), &at.word))
        .root()
        .look(|scene| appeared(Path::new("/run"), &scene.word)),
    attempt("write into a toolchain", Changed, |at| fs::write(at.arena.join("tools/tool"), &at.word)),
    attempt("add to a toolchain", Changed, |at| fs::write(at.arena.join("tools/new"), &at.word)),
    attempt("open a toolchain's file again for writing", Changed, |at| {
        let fd = sys::open(at.arena.join("tools/tool"), libc::O_RDONLY, 0)?;
        fs::write(format!("/proc/self/fd/{}", sys::raw(&fd)), &at.word)
    }),
    attempt("change the mode of a toolchain's file", Changed, |at| {
        fs::set_permissions(at.arena.join("tools/tool"), fs::Permissions::from_mode(0o777))
    }),
    attempt("climb from a folder's descriptor", Leaked, |at| {
        let fd = sys::open(at.ws("sub"), libc::O_PATH | libc::O_DIRECTORY, 0)?;
        read_at(sys::raw(&fd), "../../outside/secret")
    }),
    attempt("climb out of a root of one's own", Leaked, climb_root).root(),
    attempt("climb from a folder that was moved", Leaked, |at| {
        fs::create_dir_all(at.ws("deep/er"))?;
        std::env::set_current_dir(at.ws("deep/er"))?;
        fs::rename(at.ws("deep/er"), at.ws("er"))?;
        any([show_file("../../outside/secret"), show_file("../outside/secret")])
    }),
];

/// A file that the attempt was to make in a folder of the host.
fn appeared(folder: &Path, word: &str) -> Option<String> {
    let path = folder.join(word);
    path.exists().then(|| format!("{} is there", path.display()))
}

fn read_at(folder: usize, path: &str) -> io::Result<()> {
    let path = sys::text(path);
    let fd = sys::call_fd(libc::SYS_openat, &[folder, sys::at(&path), libc::O_RDONLY as usize, 0])?;
    show(io::read_to_string(fs::File::from(fd))?);
    Ok(())
}

/// The old way out of a `chroot`: a new root below the current folder.
fn climb_root(at: &Inside) -> io::Result<()> {
    let here = sys::open("/", libc::O_RDONLY | libc::O_DIRECTORY, 0)?;
    fs::create_dir_all(at.ws("jail"))?;
    let jail = sys::path(at.ws("jail"));
    sys::call(libc::SYS_chroot, &[sys::at(&jail)])?;
    sys::call(libc::SYS_fchdir, &[sys::raw(&here)])?;
    for _ in 0..64 {
        std::env::set_current_dir("..")?;
    }
    sys::call(libc::SYS_chroot, &[sys::at(&sys::text("."))])?;
    show_file(at.outside("secret"))
}
