//! What is kept of a workspace is swept when a server opens it, in the background, once a day at most.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use crate::base::CallId;
use crate::protocol::{PathContent, Proposal, ProposalsParams};
use crate::review::ProposalQueue;
use crate::session::Session;
use crate::workspace::Sweep;

/// How far the thread gives way to calls.
const NICE: i32 = 19;

/// Sweeps on a thread of its own, which ends with the session.
pub(super) fn start(session: &Arc<Session>, queue: &Arc<ProposalQueue>) {
    let (session, queue) = (session.clone(), queue.clone());
    let sweep = move || {
        // On Linux this is the thread's alone. Where it may not, it runs like any other.
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
        run(&session, queue);
    };
    if let Err(error) = std::thread::Builder::new().name("sweep".to_owned()).spawn(sweep) {
        tracing::warn!("what is kept is not swept: {error}");
    }
}

fn run(session: &Arc<Session>, queue: Arc<ProposalQueue>) {
    let all = queue.select(&ProposalsParams { all: true, ..ProposalsParams::default() });
    let files = all.iter().flat_map(|item| &item.proposal().files);
    let kept = files.flat_map(|file| [&file.before, &file.after]).flatten();
    let contents: BTreeSet<String> = kept
        .filter_map(|content| match content {
            PathContent::Bytes { hash, .. } => Some(hash.clone()),
            PathContent::Symlink(_) => None,
        })
        .collect();
    let call = |proposal: &Proposal| (proposal.session.clone(), proposal.call_id.clone());
    let needed: BTreeSet<(String, CallId)> = all.iter().map(|item| call(item.proposal())).collect();
    drop((all, queue));
    let settings = session.workspace().settings();
    let (store, now) = (session.workspace().store(), SystemTime::now());
    let keep = || session.lines().keep_snapshots();
    let sweep =
        Sweep { store, settings: &settings.storage, needed: &needed, contents: &contents, keep: &keep, now };
    session.lines().settle();
    match sweep.run(&|| Arc::strong_count(session) > 1) {
        Ok(None) => {}
        Ok(Some(swept)) => {
            let (changes, contents, logs) = (swept.changes, swept.contents, swept.logs.join(", "));
            tracing::info!(
                changes,
                contents,
                logs,
                bytes = swept.bytes,
                "what was kept and is not needed went"
            );
        }
        Err(error) => tracing::warn!("what is kept is not swept: {error}"),
    }
}
