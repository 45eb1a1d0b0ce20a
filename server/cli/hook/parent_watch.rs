//! Ends a hook whose agent has ended.

use std::thread;
use std::time::Duration;

use rustix::process::{Pid, getppid};

/// The interval at which the hook checks that its agent is alive.
const LOOK: Duration = Duration::from_millis(500);

/// Ends this process when its parent ends. An agent that is killed does not end its hooks, and the command of the hook
/// would run on without a reader. The server cancels the call when the hook is gone.
pub(super) fn end_with_parent() {
    let agent = getppid();
    let watch = move || {
        while is_parent(agent) {
            thread::sleep(LOOK);
        }
        std::process::exit(i32::from(super::FAILED));
    };
    // Without the thread the command's own limit ends it.
    let _ = thread::Builder::new().name("agent".to_owned()).spawn(watch);
}

fn is_parent(agent: Option<Pid>) -> bool {
    getppid() == agent
}
