//! Ways to reach the workspace itself although the command works on a layer over it.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use crate::inside::{any, show_file};
use crate::run::Scene;
use crate::sys;
use crate::table::Sign::{Changed, Heard, Leaked, Looked};
use crate::table::{Attempt, Need, Sign, attempt};

const fn layered(name: &'static str, act: fn(&crate::inside::Inside) -> io::Result<()>) -> Attempt {
    signed(name, Looked, act).look(touched)
}

const fn signed(
    name: &'static str,
    sign: Sign,
    act: fn(&crate::inside::Inside) -> io::Result<()>,
) -> Attempt {
    attempt(name, sign, act)
        .stage(|scene| fs::create_dir_all(scene.arena.at("upper")).unwrap())
        .options(&["--overlay", "{arena}/upper"])
}

pub(super) const ROWS: &[Attempt] = &[
    layered("write a file below the layer", |at| fs::write(at.ws("README.md"), &at.word)),
    layered("make a file below the layer", |at| fs::write(at.ws("new"), &at.word)),
    layered("remove a file below the layer", |at| fs::remove_file(at.ws("README.md"))),
    layered("move a file below the layer", |at| fs::rename(at.ws("README.md"), at.ws("sub/README.md"))),
    layered("move a folder below the layer", |at| fs::rename(at.ws("sub"), at.ws("other"))),
    layered("change a mode below the layer", |at| {
        fs::set_permissions(at.ws("README.md"), fs::Permissions::from_mode(0o777))
    }),
    layered("link a file below the layer", |at| {
        fs::hard_link(at.ws("README.md"), at.ws("twin"))?;
        fs::write(at.ws("twin"), &at.word)
    }),
    layered("open a file of the lower layer again", |at| {
        let fd = sys::open(at.ws("README.md"), libc::O_RDONLY, 0)?;
        fs::write(format!("/proc/self/fd/{}", sys::raw(&fd)), &at.word)
    }),
    layered("set an attribute below the layer", |at| {
        let (path, name) = (sys::path(at.ws("README.md")), sys::text("user.word"));
        sys::call(libc::SYS_setxattr, &[sys::at(&path), sys::at(&name), sys::at(&name), 4, 0]).map(|_| ())
    }),
    layered("write the lower layer by its own path", |at| {
        let root = if at.confined { "/proc/1/root" } else { "/proc/self/root" };
        fs::write(format!("{root}{}", at.ws("README.md").display()), &at.word)
    }),
    signed("write the log below the layer", Changed, |at| {
        fs::write(at.ws(".wherefore/session-log.md"), &at.word)
    }),
    signed("read a closed file through the layer", Leaked, |at| {
        fs::rename(at.ws(".env"), at.ws("plain")).ok();
        any([show_file(at.ws(".env")), show_file(at.ws("plain")), show_file(at.ws("closed/notes"))])
    }),
    signed("lead the layer outside", Leaked, |at| {
        symlink(at.outside("secret"), at.ws("soft"))?;
        let (path, name) = (sys::path(at.ws("sub")), sys::text("user.overlay.redirect"));
        let to = sys::text("/../outside");
        let args = [sys::at(&path), sys::at(&name), sys::at(&to), to.as_bytes().len(), 0];
        sys::call(libc::SYS_setxattr, &args).ok();
        any([show_file(at.ws("soft")), show_file(at.ws("sub/secret"))])
    }),
    signed("call a socket that appears late below the layer", Heard, |at| {
        std::env::set_current_dir(at.ws(""))?;
        let end = Instant::now() + Duration::from_millis(1500);
        let mut connected = std::os::unix::net::UnixStream::connect("late.sock");
        while Instant::now() < end && connected.is_err() {
            sys::sleep(10);
            connected = std::os::unix::net::UnixStream::connect("late.sock");
        }
        io::Write::write_all(&mut connected?, at.word.as_bytes())?;
        sys::sleep(50);
        Ok(())
    })
    .need(Need::LateSocket),
    signed("call a socket below the layer", Heard, |at| {
        std::env::set_current_dir(at.ws(""))?;
        let mut stream = std::os::unix::net::UnixStream::connect("editor.sock")?;
        io::Write::write_all(&mut stream, at.word.as_bytes())?;
        sys::sleep(50);
        Ok(())
    })
    .stage(|scene| {
        fs::create_dir_all(scene.arena.at("upper")).unwrap();
        let path = scene.arena.at("ws/editor.sock");
        crate::host::stream_ear(&scene.host.heard, UnixListener::bind(&path).unwrap());
        crate::host::open_to_all(&path);
    }),
];

/// Returns whether the workspace, as the host has it, differs from the one that was made.
fn touched(scene: &Scene) -> Option<String> {
    let text = fs::read_to_string(scene.arena.at("ws/README.md")).unwrap_or_default();
    let meta = fs::metadata(scene.arena.at("ws/README.md"));
    let mode = meta.map_or(0, |meta| meta.permissions().mode() & 0o777);
    let names = fs::read_dir(scene.arena.at("ws")).into_iter().flatten().flatten();
    let known = ["README.md", "sub", ".git", ".wherefore", ".vscode", ".husky", ".env", "closed"];
    let new = names.map(|entry| entry.file_name()).find(|name| known.iter().all(|known| name != *known));
    None.or((text != "# a workspace\n").then(|| "the workspace's file is changed".to_owned()))
        .or((mode != 0o644).then(|| format!("the workspace's file has the mode {mode:o}")))
        .or(new.map(|name| format!("{} is in the workspace", name.display())))
        .or((!scene.arena.at("ws/sub/keep").exists()).then(|| "a folder is gone".to_owned()))
        .or(sys::attribute(&scene.arena.at("ws/README.md"), "user.word")
            .then(|| "an attribute is set".to_owned()))
}
