//! Watches the process that the server works for: the one named by `initialize`, or the parent before that.

use std::time::Duration;

#[cfg(target_os = "linux")]
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, getppid, test_kill_process};
use tokio::sync::watch;

const POLL: Duration = Duration::from_secs(1);

/// The sender of the client's process id, when it is known.
pub(crate) type ClientProcess = watch::Sender<Option<i32>>;

/// The channel for the client's process id, and a future that resolves when that process is gone. The first id that is
/// named counts.
pub(crate) fn watch_client(
    client: Option<u32>,
) -> (ClientProcess, impl Future<Output = ()> + Send + 'static) {
    let (client, named) = watch::channel(client.map(process_id));
    (client, wait_for_client_end(named))
}

/// A process id in the system's type; 0, which no process has, for one that is too large.
pub(crate) fn process_id(pid: u32) -> i32 {
    i32::try_from(pid).unwrap_or(0)
}

async fn wait_for_client_end(mut named: watch::Receiver<Option<i32>>) {
    tokio::select! {
        () = parent_gone() => {}
        pid = async { named.wait_for(Option::is_some).await.ok().and_then(|pid| *pid) } => {
            match pid.map(Pid::from_raw) {
                Some(Some(pid)) => wait_for_end(pid).await,
                Some(None) => {} // process 0 and negative ones: there is no such client
                None => parent_gone().await,
            }
        }
    }
}

async fn parent_gone() {
    match getppid() {
        Some(parent) => wait_for_end(parent).await,
        None => std::future::pending().await, // in a namespace of its own: its parent has no id here
    }
}

async fn wait_for_end(pid: Pid) {
    let process = ParentProcess::of(pid);
    while process.is_alive() {
        tokio::time::sleep(POLL).await;
    }
}

/// A process, by its descriptor where the kernel has such: an id alone may be given to another one.
enum ParentProcess {
    #[cfg(target_os = "linux")]
    Descriptor(std::os::fd::OwnedFd),
    Id(Pid),
}

impl ParentProcess {
    fn of(pid: Pid) -> Self {
        #[cfg(target_os = "linux")]
        if let Ok(process) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
            return Self::Descriptor(process);
        }
        Self::Id(pid)
    }

    fn is_alive(&self) -> bool {
        match self {
            #[cfg(target_os = "linux")]
            Self::Descriptor(process) => {
                let mut ended = [PollFd::new(process, PollFlags::IN)];
                rustix::event::poll(&mut ended, Some(&Timespec::default())) != Ok(1)
            }
            Self::Id(pid) => test_kill_process(*pid) != Err(rustix::io::Errno::SRCH),
        }
    }
}
