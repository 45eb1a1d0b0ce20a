//! Parts of the kernel that a confined command has no business with.

use std::fs;
use std::io;
use std::path::Path;

use crate::inside::{Inside, any, show};
use crate::sys;
use crate::table::Sign::{Leaked, Said};
use crate::table::{Attempt, attempt};

/// An attempt that has got through as soon as the call is answered.
macro_rules! opens {
    ($name:literal, $call:expr) => {
        attempt($name, Said, |at| {
            let done: io::Result<i64> = $call;
            done?;
            at.say("the kernel did it");
            Ok(())
        })
    };
}

pub(super) const ROWS: &[Attempt] = &[
    opens!("make a ring of io_uring", {
        let params = [0_u8; 120];
        sys::call(libc::SYS_io_uring_setup, &[4, params.as_ptr() as usize])
    }),
    opens!("make a map of BPF", {
        let request = [2_u32, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        sys::call(libc::SYS_bpf, &[0, request.as_ptr() as usize, 72])
    })
    .root(),
    opens!("load a program of BPF", load_program()).root(),
    opens!("measure the processor", {
        let mut request = [0_u64; 16];
        // A counter of software, 128 bytes long, of this process and not of the kernel.
        request[0] = 1 | (128 << 32);
        request[5] = 1 << 5 | 1 << 6;
        sys::call(libc::SYS_perf_event_open, &[request.as_ptr() as usize, 0, usize::MAX, usize::MAX, 0])
    }),
    opens!("handle one's own page faults", {
        const USER_MODE_ONLY: usize = 1;
        sys::call(libc::SYS_userfaultfd, &[USER_MODE_ONLY])
    }),
    opens!("handle page faults by the device", {
        let device = sys::open("/dev/userfaultfd", libc::O_RDWR, 0);
        device.and_then(|fd| sys::call(libc::SYS_ioctl, &[sys::raw(&fd), 0xaa00, 0]))
    })
    .root(),
    attempt("read a key of the session", Leaked, read_key),
    opens!("add a key", {
        let (kind, name) = (sys::text("user"), sys::text("wherefore-escape"));
        let args = [sys::at(&kind), sys::at(&name), sys::at(&name), 4, -1_isize as usize];
        sys::call(libc::SYS_add_key, &args)
    }),
    opens!("watch all files of a file system", {
        let made = sys::call_fd(libc::SYS_fanotify_init, &[0, 0]);
        made.map(|_| 0)
    })
    .root(),
    opens!("watch files without being root", {
        const REPORT_FID: usize = 0x200;
        sys::call(libc::SYS_fanotify_init, &[REPORT_FID, 0])
    }),
    opens!("take another personality", {
        const READ_IMPLIES_EXEC: usize = 0x040_0000;
        sys::call(libc::SYS_personality, &[READ_IMPLIES_EXEC])
    }),
    attempt("make a call of 32 bits", Said, |at| {
        if old_call(20)? > 0 {
            at.say("the kernel answered");
        }
        Ok(())
    }),
    attempt("make a call of x32", Said, |at| {
        const X32: i64 = 0x4000_0000;
        sys::call(libc::SYS_getpid | X32, &[])?;
        at.say("the kernel answered");
        Ok(())
    }),
    opens!("reach the ports of devices", sys::call(libc::SYS_iopl, &[3])).root(),
    opens!("touch the clock", {
        let mut time: libc::timex = unsafe { std::mem::zeroed() };
        sys::call(libc::SYS_adjtimex, &[&raw mut time as usize])?;
        // Sets the current value, which still needs the privilege.
        time.modes = libc::ADJ_TICK;
        sys::call(libc::SYS_adjtimex, &[&raw const time as usize])
    })
    .root(),
    opens!("load a module into the kernel", {
        let nothing = [0_u8; 64];
        let text = sys::text("");
        let loaded = sys::call(libc::SYS_init_module, &[nothing.as_ptr() as usize, 64, sys::at(&text)]);
        reached(loaded, libc::ENOEXEC)
    })
    .root(),
    opens!("run before all others", {
        let priority = 1_i32;
        sys::call(libc::SYS_sched_setscheduler, &[0, 1, &raw const priority as usize])
    })
    .root(),
    opens!("read the disk", {
        let numbers = fs::metadata("/var/tmp").map(|meta| std::os::unix::fs::MetadataExt::dev(&meta))?;
        let path = sys::text("disk");
        let mode = (libc::S_IFBLK | 0o600) as usize;
        let made = sys::call(libc::SYS_mknodat, &[sys::CWD, sys::at(&path), mode, numbers as usize]);
        made?;
        let disk = sys::open("disk", libc::O_RDONLY, 0)?;
        let mut begin = [0_u8; 4096];
        sys::call(libc::SYS_read, &[sys::raw(&disk), begin.as_mut_ptr() as usize, begin.len()])
    })
    .root(),
    opens!("open a device of the host", {
        let devices =
            ["/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/kvm", "/dev/tty1", "/dev/vsock", "/dev/kmsg"];
        any(devices.map(|device| sys::open(Path::new(device), libc::O_RDONLY | libc::O_NONBLOCK, 0)))
            .map(|_| 0)
    })
    .root(),
];

/// Counts an error as an answer if it means that only the request was wrong.
fn reached(done: io::Result<i64>, code: i32) -> io::Result<i64> {
    match done {
        Err(error) if error.raw_os_error() == Some(code) => Ok(0),
        other => other,
    }
}

/// The key that the host put into the session's keyring.
pub(super) fn read_key(at: &Inside) -> io::Result<()> {
    const SEARCH: usize = 10;
    const READ: usize = 11;
    let session = -3_isize as usize;
    let (kind, name) = (sys::text("user"), sys::text(at.fact("name")));
    let key = sys::call(libc::SYS_keyctl, &[SEARCH, session, sys::at(&kind), sys::at(&name), 0])?;
    let mut text = [0_u8; 256];
    sys::call(libc::SYS_keyctl, &[READ, key as usize, text.as_mut_ptr() as usize, text.len()])?;
    show(text);
    Ok(())
}

/// The smallest program: it answers 0.
fn load_program() -> io::Result<i64> {
    let program = [0x0000_00b7_u64, 0x0000_0095];
    let license = sys::text("GPL");
    let mut request = [0_u64; 16];
    request[0] = 1 | (2 << 32);
    request[1] = program.as_ptr() as u64;
    request[2] = sys::at(&license) as u64;
    sys::call(libc::SYS_bpf, &[5, request.as_ptr() as usize, 128])
}

/// A call by the door of 32-bit programs, which a filter of 64-bit calls does not see.
#[cfg(target_arch = "x86_64")]
fn old_call(number: i64) -> io::Result<i64> {
    let answer: i64;
    unsafe {
        std::arch::asm!("int 0x80", inlateout("rax") number => answer, out("r8") _, out("r9") _, out("r10") _, out("r11") _)
    };
    if answer < 0 { Err(io::Error::from_raw_os_error(-answer as i32)) } else { Ok(answer) }
}

#[cfg(not(target_arch = "x86_64"))]
fn old_call(_: i64) -> io::Result<i64> {
    Err(io::Error::other("this processor has none"))
}
