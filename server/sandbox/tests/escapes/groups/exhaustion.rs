//! Using up what the machine has: processes, memory, descriptors, the disk.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::inside::Inside;
use crate::sys;
use crate::table::Sign::{Overran, Said};
use crate::table::{Attempt, attempt};

/// The memory that the attempts use; the limits are 128 MiB and 64 processes.
const MUCH: usize = 260 << 20;
const MANY: usize = 300;
const SCRATCH: usize = 100 << 20;

pub(super) const ROWS: &[Attempt] = &[
    attempt("fork without end", Said, |at| {
        let mut children = Vec::new();
        for _ in 0..MANY {
            children.push(sys::fork(|| sys::sleep(2500))?);
        }
        // A burst that ends within a moment is no harm.
        sys::sleep(800);
        at.say("all are there");
        children.iter().for_each(|pid| unsafe {
            libc::kill(*pid, libc::SIGKILL);
        });
        children.into_iter().for_each(|pid| {
            sys::wait(pid);
        });
        Ok(())
    }),
    attempt("start threads without end", Said, |at| {
        let start = |_| {
            let thread = std::thread::Builder::new().stack_size(1 << 16);
            thread.spawn(|| sys::sleep(800))
        };
        let threads: io::Result<Vec<_>> = (0..MANY).map(start).collect();
        threads?
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| io::Error::other("it ended")))?;
        at.say("all are there");
        Ok(())
    }),
    attempt("use much memory", Said, |at| {
        let memory = vec![1_u8; MUCH];
        sys::sleep(800);
        std::hint::black_box(&memory);
        at.say("it has it");
        Ok(())
    }),
    attempt("use much memory in several processes", Said, |at| {
        let part = || {
            let memory = vec![1_u8; MUCH / 8];
            sys::sleep(800);
            std::hint::black_box(&memory);
        };
        let children: io::Result<Vec<i32>> = (0..8).map(|_| sys::fork(part)).collect();
        let well = children?.into_iter().map(sys::wait).filter(|status| *status == 0).count();
        if well == 8 {
            at.say("they have it");
        }
        Ok(())
    }),
    attempt("use much memory that is shared", Said, |at| {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let (null, rights) = (std::ptr::null_mut(), libc::PROT_READ | libc::PROT_WRITE);
        let memory = unsafe { libc::mmap(null, MUCH, rights, flags, -1, 0) };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        unsafe { std::ptr::write_bytes(memory.cast::<u8>(), 1, MUCH) };
        sys::sleep(800);
        at.say("it has it");
        Ok(())
    }),
    attempt("use much memory in nameless files", Said, |at| {
        let name = sys::text("x");
        let mut kept = Vec::new();
        for _ in 0..10 {
            let fd = sys::call_fd(libc::SYS_memfd_create, &[sys::at(&name), 0])?;
            let mut file = fs::File::from(fd);
            fill(&mut file, MUCH / 10)?;
            kept.push(file);
        }
        sys::sleep(800);
        at.say("it has it");
        Ok(())
    }),
    attempt("use much memory in /dev/shm", Said, |at| filled(at, Path::new("/dev/shm"))),
    attempt("use much memory in pipes", Said, |at| {
        let mut pipes = Vec::new();
        for _ in 0..MUCH >> 20 {
            let mut ends = [0_i32; 2];
            sys::call(libc::SYS_pipe2, &[ends.as_mut_ptr() as usize, libc::O_NONBLOCK as usize])?;
            sys::call(libc::SYS_fcntl, &[ends[1] as usize, 1031, 1 << 20])?;
            let text = vec![1_u8; 1 << 20];
            sys::call(libc::SYS_write, &[ends[1] as usize, text.as_ptr() as usize, text.len()])?;
            pipes.push(ends);
        }
        sys::sleep(800);
        at.say("it has it");
        Ok(())
    })
    .root(),
    attempt("use much memory in segments", Said, |at| {
        let mut segments = Vec::new();
        let done = (0..10).try_for_each(|_| {
            let create = (libc::IPC_CREAT | 0o600) as usize;
            let id = sys::call(libc::SYS_shmget, &[libc::IPC_PRIVATE as usize, MUCH / 10, create])? as i32;
            segments.push(id);
            let memory = unsafe { libc::shmat(id, std::ptr::null(), 0) };
            unsafe { std::ptr::write_bytes(memory.cast::<u8>(), 1, MUCH / 10) };
            unsafe { libc::shmdt(memory) };
            Ok(())
        });
        sys::sleep(800);
        if done.is_ok() {
            at.say("it has it");
        }
        segments.iter().for_each(|id| unsafe {
            libc::shmctl(*id, libc::IPC_RMID, std::ptr::null_mut());
        });
        done
    }),
    attempt("fill /tmp", Said, |at| filled(at, Path::new("/tmp"))),
    attempt("fill the disk", Said, |at| filled(at, &at.ws(""))).options(&["--disk-mb", "30"]),
    attempt("fill the disk with empty files", Said, |at| {
        fs::create_dir(at.ws("many"))?;
        // Far more than the limit: others delete files on the same disk meanwhile.
        for number in 0..60_000 {
            fs::File::create(at.ws(&format!("many/{number}")))?;
        }
        sys::sleep(800);
        at.say("all are there");
        Ok(())
    })
    .options(&["--disk-mb", "30"]),
    attempt("take all watchers of files", Said, |at| {
        let made: Vec<_> = (0..100).map_while(|_| sys::call_fd(libc::SYS_inotify_init1, &[0]).ok()).collect();
        if made.len() == 100 {
            at.say("the host has none left");
        }
        Ok(())
    }),
    attempt("open descriptors without end", Said, |at| {
        let mut limit = [0_u64; 2];
        sys::call(libc::SYS_getrlimit, &[libc::RLIMIT_NOFILE as usize, limit.as_mut_ptr() as usize])?;
        limit[0] = limit[1];
        sys::call(libc::SYS_setrlimit, &[libc::RLIMIT_NOFILE as usize, limit.as_ptr() as usize])?;
        for _ in 0..9000 {
            sys::call(libc::SYS_dup, &[0])?;
        }
        at.say("all are open");
        Ok(())
    }),
    attempt("write without end", Overran, |_| {
        let text = vec![b'y'; 1 << 16];
        loop {
            io::stdout().lock().write_all(&text)?;
        }
    })
    .limit(700, 2000),
    attempt("burn the processor in many processes", Overran, |_| {
        let burn = || loop {
            std::hint::spin_loop();
        };
        let children: io::Result<Vec<i32>> = (0..8).map(|_| sys::fork(burn)).collect();
        children?.into_iter().for_each(|pid| {
            sys::wait(pid);
        });
        Ok(())
    })
    .limit(500, 2000),
];

fn fill(file: &mut fs::File, size: usize) -> io::Result<()> {
    let text = vec![1_u8; 1 << 20];
    (0..size >> 20).try_for_each(|_| file.write_all(&text))
}

/// Fills a folder that is kept in memory.
fn filled(at: &Inside, folder: &Path) -> io::Result<()> {
    let path = folder.join(&at.word);
    let done = fs::File::create(&path).and_then(|mut file| fill(&mut file, SCRATCH));
    sys::sleep(800);
    if done.is_ok() {
        at.say("it is filled");
    }
    fs::remove_file(path).ok();
    done
}
