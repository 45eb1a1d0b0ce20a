//! The terminal that a person sits at: text typed into it, and ways to take it over.

use std::io;

use crate::inside::Inside;
use crate::run::Scene;
use crate::sys;
use crate::table::Sign::{Looked, Said};
use crate::table::{Attempt, Need, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("type into the terminal", Looked, |at| type_into(at, 0)).need(Need::Terminal).look(typed),
    attempt("type into the terminal by its name", Looked, |at| {
        let fd = sys::open("/dev/tty", libc::O_RDWR, 0)?;
        type_into(at, sys::raw(&fd))
    })
    .need(Need::Terminal)
    .look(typed),
    attempt("type with a request that is wider than it should be", Looked, |at| {
        const WIDE: usize = 0xdead_0000_0000;
        type_by(at, 0, libc::TIOCSTI as usize | WIDE)
    })
    .need(Need::Terminal)
    .look(typed),
    attempt("paste by the console", Said, |at| {
        let console = sys::open("/dev/tty1", libc::O_RDWR, 0)?;
        // Asks which console is in front; what pastes has the same door.
        let mut request = [12_u8, 0];
        sys::call(
            libc::SYS_ioctl,
            &[sys::raw(&console), libc::TIOCLINUX as usize, request.as_mut_ptr() as usize],
        )?;
        at.say("the console answers");
        Ok(())
    })
    .root(),
    attempt("reach terminals of others", Said, |at| {
        let mine = std::fs::read_link("/proc/self/fd/0").unwrap_or_default();
        for entry in std::fs::read_dir("/dev/pts")?.flatten() {
            let number = entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok());
            if number && entry.path() == mine {
                at.say("the host's terminals are listed");
            }
        }
        Ok(())
    })
    .need(Need::Terminal),
];

fn type_into(at: &Inside, fd: usize) -> io::Result<()> {
    type_by(at, fd, libc::TIOCSTI as usize)
}

fn type_by(at: &Inside, fd: usize, request: usize) -> io::Result<()> {
    for letter in at.word.bytes().chain([b'\n']) {
        sys::call(libc::SYS_ioctl, &[fd, request, &raw const letter as usize])?;
    }
    Ok(())
}

/// Returns the input that is waiting in the terminal for its next reader.
fn typed(scene: &Scene) -> Option<String> {
    let (_, its) = scene.terminal.as_ref()?;
    let mut waiting = 0_i32;
    sys::call(libc::SYS_ioctl, &[sys::raw(its), libc::FIONREAD as usize, &raw mut waiting as usize]).ok()?;
    (waiting > 0).then(|| format!("{waiting} typed characters wait in the terminal"))
}
