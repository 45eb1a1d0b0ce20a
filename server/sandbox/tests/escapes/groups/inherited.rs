//! Resources that a command inherits from its starter without being given them.

use std::fs;
use std::io;

use crate::inside::{any, show, show_file};
use crate::sys;
use crate::table::Sign::{Changed, Heard, Leaked, Looked};
use crate::table::{Attempt, Need, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("read a descriptor that was left open", Leaked, |_| {
        show_file("/proc/self/fd/9").or_else(|_| read(9))
    })
    .need(Need::Descriptors),
    attempt("open below a folder that was left open", Leaked, |_| {
        let name = sys::text("secret");
        let fd = sys::call_fd(libc::SYS_openat, &[10, sys::at(&name), 0, 0])?;
        show(io::read_to_string(fs::File::from(fd))?);
        Ok(())
    })
    .need(Need::Descriptors),
    attempt("go to a folder that was left open", Leaked, |_| {
        sys::call(libc::SYS_fchdir, &[10])?;
        show_file("secret")
    })
    .need(Need::Descriptors),
    attempt("write a descriptor with a high number", Changed, |at| {
        sys::call(libc::SYS_write, &[200, at.word.as_ptr() as usize, at.word.len()]).map(|_| ())
    })
    .need(Need::Descriptors),
    attempt("speak on a socket that was left open", Heard, |at| {
        sys::call(libc::SYS_write, &[11, at.word.as_ptr() as usize, at.word.len()])?;
        sys::sleep(50);
        Ok(())
    })
    .need(Need::Descriptors),
    attempt("look for any descriptor", Looked, |_| {
        let open: Vec<usize> = (3..1024).filter(|fd| sys::call(libc::SYS_fcntl, &[*fd, 1]).is_ok()).collect();
        show(format!("open: {open:?}"));
        Ok(())
    })
    .need(Need::Descriptors)
    .look(|scene| {
        let text = String::from_utf8_lossy(&scene.ran.stdout);
        let line = text.lines().find_map(|line| line.strip_prefix("open: "))?;
        (line != "[]").then(|| format!("{line} are open"))
    }),
    attempt("read descriptors of process 1", Leaked, |at| {
        let pid = if at.confined { "1" } else { "self" };
        for number in 0..256 {
            show_file(format!("/proc/{pid}/fd/{number}/secret")).ok();
            let path = format!("/proc/{pid}/fd/{number}");
            if fs::metadata(&path).is_ok_and(|meta| meta.is_file()) {
                show_file(&path).ok();
            }
        }
        Ok(())
    })
    .need(Need::Descriptors),
    attempt("read tokens in the environment", Leaked, |_| {
        for name in ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "NODE_OPTIONS"] {
            show(std::env::var(name).unwrap_or_default());
        }
        Ok(())
    }),
    attempt("be told how git and the loader work", Leaked, |_| {
        for name in ["GIT_CONFIG_PARAMETERS", "LD_LIBRARY_PATH", "LD_PRELOAD"] {
            show(std::env::var(name).unwrap_or_default());
        }
        Ok(())
    }),
    attempt("read the environment as the kernel keeps it", Leaked, |at| {
        let mut ways = vec!["/proc/self/environ".to_owned()];
        if at.confined {
            ways.extend((1..20).map(|pid| format!("/proc/{pid}/environ")));
        }
        any(ways.into_iter().map(show_file)).ok();
        Ok(())
    }),
    attempt("learn of sockets by the environment", Looked, |_| {
        let told = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS"].map(|name| std::env::var_os(name).is_some());
        show(format!("told: {told:?}"));
        Ok(())
    })
    .look(|scene| {
        let told = crate::arena::contains(&scene.ran.stdout, b"told: [true, true]");
        told.then(|| "the environment names the host's sockets".to_owned())
    }),
    attempt("stay in a folder outside", Leaked, |_| show_file("../outside/secret")),
];

fn read(fd: usize) -> io::Result<()> {
    let mut text = [0_u8; 256];
    let length = sys::call(libc::SYS_read, &[fd, text.as_mut_ptr() as usize, text.len()])?;
    show(&text[..length as usize]);
    Ok(())
}
