//! Sweeps a workspace's state in the background when a server opens it: the remains of commands whose server died at
//! once, all else once a day at most.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use crate::base::CallId;
use crate::execution;
use crate::proposals::ProposalQueue;
use crate::protocol::{PathContent, Proposal, ProposalsParams};
use crate::session::WorkspaceSession;
use crate::workspace::StateSweep;

/// The niceness of the thread, which gives way to calls.
const NICE: i32 = 19;

/// Sweeps on a thread of its own, which ends with the session.
pub(super) fn start_sweep(session: &Arc<WorkspaceSession>, queue: &Arc<ProposalQueue>) {
    let (session, queue) = (session.clone(), queue.clone());
    let sweep = move || {
        // On Linux this is the thread's alone. Where it may not, it runs like any other.
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
        run_sweep(&session, queue);
    };
    if let Err(error) = std::thread::Builder::new().name("sweep".to_owned()).spawn(sweep) {
        tracing::warn!("what is kept is not swept: {error}");
    }
}

fn run_sweep(session: &Arc<WorkspaceSession>, queue: Arc<ProposalQueue>) {
    let removed = execution::sweep_layers(session.workspace().state());
    if removed > 0 {
        tracing::info!(removed, "layers of commands went whose server is gone");
    }
    let all = queue.store().select_items(&ProposalsParams { all: true, ..ProposalsParams::default() });
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
    let keep = || session.line_history().keep_snapshots();
    let sweep = StateSweep {
        store,
        settings: &settings.storage,
        needed: &needed,
        contents: &contents,
        keep: &keep,
        now,
    };
    session.line_history().settle_records();
    match sweep.run_sweep(&|| Arc::strong_count(session) > 1) {
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
