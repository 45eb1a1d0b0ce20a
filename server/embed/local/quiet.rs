//! The threads of encoders in the background, which give way to others.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::give_way;

/// Half of what the machine has: the library would take all of it, at the priority of calls. `None` if the system makes no
/// threads.
static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let half = available_parallelism().map_or(1, |all| all.get() / 2).max(1);
    let pool = ThreadPoolBuilder::new().num_threads(half).thread_name(|at| format!("embed-{at}"));
    pool.start_handler(|_| give_way()).build().ok()
});

/// Does the work on those threads, unless it is for a single text: that is a request, and somebody waits for it.
pub(super) fn unless_awaited<T: Send>(texts: &[String], work: impl FnOnce() -> T + Send) -> T {
    match POOL.as_ref().filter(|_| texts.len() > 1) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
