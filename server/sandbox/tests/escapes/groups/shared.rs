//! Memory, queues and semaphores that processes of the host share.

use std::fs;
use std::io;

use crate::inside::{Inside, show, show_file};
use crate::run::Scene;
use crate::sys;
use crate::table::Sign::{Leaked, Looked};
use crate::table::{Attempt, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("read shared memory", Leaked, |at| {
        let memory = segment(at)?;
        show(unsafe { std::slice::from_raw_parts(memory, 64) });
        Ok(())
    }),
    attempt("write shared memory", Looked, |at| {
        let memory = segment(at)?;
        unsafe { memory.add(1024).copy_from(at.word.as_ptr(), at.word.len()) };
        Ok(())
    })
    .look(told),
    attempt("look for all shared memory", Leaked, |_| {
        for id in 0..64 {
            let memory = unsafe { libc::shmat(id, std::ptr::null(), libc::SHM_RDONLY) };
            if memory as isize != -1 {
                show(unsafe { std::slice::from_raw_parts(memory.cast::<u8>(), 64) });
            }
        }
        Ok(())
    }),
    attempt("send to a queue of messages", Looked, |at| {
        let queue = sys::call(libc::SYS_msgget, &[key(at), 0])?;
        let mut message = 1_u64.to_ne_bytes().to_vec();
        message.extend_from_slice(at.word.as_bytes());
        let args = [queue as usize, message.as_ptr() as usize, at.word.len(), 0];
        sys::call(libc::SYS_msgsnd, &args).map(|_| ())
    })
    .look(told),
    attempt("change a semaphore", Looked, |at| {
        let set = sys::call(libc::SYS_semget, &[key(at), 1, 0])?;
        let step = libc::sembuf { sem_num: 0, sem_op: 1, sem_flg: 0 };
        sys::call(libc::SYS_semop, &[set as usize, &raw const step as usize, 1]).map(|_| ())
    })
    .look(|scene| {
        let value = scene.host.semaphore();
        let mut last = LAST.lock().unwrap();
        let changed = value != *last;
        *last = value;
        changed.then(|| "the host's semaphore is changed".to_owned())
    }),
    attempt("receive from a named queue", Leaked, |at| {
        let name = sys::text(at.fact("name"));
        let flags = (libc::O_RDWR | libc::O_NONBLOCK) as usize;
        let queue = sys::call_fd(libc::SYS_mq_open, &[sys::at(&name), flags, 0, 0])?;
        let mut text = vec![0_u8; 1 << 16];
        let args = [sys::raw(&queue), text.as_mut_ptr() as usize, text.len(), 0, 0];
        let length = sys::call(libc::SYS_mq_timedreceive, &args)? as usize;
        show(&text[..length]);
        // The message goes back for the next reader.
        sys::call(libc::SYS_mq_timedsend, &[sys::raw(&queue), text.as_ptr() as usize, length, 0, 0])
            .map(|_| ())
    }),
    attempt("read shared memory that is a file", Leaked, |at| show_file(at.fact("shm"))),
    attempt("write shared memory that is a file", Looked, |at| {
        use std::io::Write;
        fs::File::options().append(true).open(at.fact("shm"))?.write_all(at.word.as_bytes())
    })
    .look(told),
];

/// The value of the semaphore when it was last read.
static LAST: std::sync::Mutex<i64> = std::sync::Mutex::new(0);

fn key(at: &Inside) -> usize {
    at.number("key") as usize
}

fn segment(at: &Inside) -> io::Result<*mut u8> {
    let id = sys::call(libc::SYS_shmget, &[key(at), 4096, 0])?;
    let memory = unsafe { libc::shmat(id as i32, std::ptr::null(), 0) };
    if memory as isize == -1 { Err(io::Error::last_os_error()) } else { Ok(memory.cast()) }
}

fn told(scene: &Scene) -> Option<String> {
    let texts = scene.host.shared_texts();
    crate::arena::contains(&texts, scene.word.as_bytes())
        .then(|| "the host's objects hold the word".to_owned())
}
