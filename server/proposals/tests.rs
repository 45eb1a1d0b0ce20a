//! The cost of a decision.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;

use super::ProposalQueue;
use crate::base::clock::SystemClock;
use crate::catalogue::load_catalogue;
use crate::execution::CommandExecutor;
use crate::pipeline::CallPipeline;
use crate::ports::NoEditor;
use crate::protocol::{Act, DecideParams, DecidedBy, Door, Origin, Policy, ProposalsParams, RawCall, Status};
use crate::registry::ToolRegistry;
use crate::sandbox::SandboxLauncher;
use crate::session::{SessionOptions, WorkspaceSession};
use crate::tools;

#[tokio::test(flavor = "multi_thread")]
async fn a_hunk_is_decided_with_three_lookups_and_two_reads() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.txt"), "one\ntwo\nthree\n").unwrap();
    let options = SessionOptions {
        documents: Arc::default(),
        editor: Arc::new(NoEditor),
        clock: Arc::new(SystemClock),
        shared_log: false,
        state: Some(folder.path().join("state")),
    };
    let session =
        Arc::new(WorkspaceSession::open(root.canonicalize().unwrap().to_str().unwrap(), options).unwrap());
    let queue = Arc::new(ProposalQueue::open(session.clone()));
    let executor = Arc::new(CommandExecutor::new(SandboxLauncher::own()));
    let definitions = load_catalogue(tools::DEFINITIONS, &[], &|_| true).tools;
    let registry = Arc::new(ToolRegistry::new(definitions, tools::activities(&queue, &executor)));
    let pipeline = Arc::new(CallPipeline::new(session.clone(), registry, queue.clone()));
    let raw = RawCall {
        tool: "fs.write".to_owned(),
        arguments: json!({
            "path": "a.txt", "content": "one\nTWO\nthree\n", "why": "Count what a decision on this hunk costs",
        }),
        origin: Origin::from_door(Door::Lsp),
        policy: Some(Policy::Ask),
        ..RawCall::default()
    };
    let envelope = pipeline.call_tool(raw, None).await;
    assert_eq!((envelope.status, envelope.error), (Status::Pending, None));
    let proposal = queue.store().list_proposals(&ProposalsParams::default()).remove(0);
    let counts = || {
        let lookups = queue.store().items().lookups.load(Ordering::Relaxed);
        (lookups, session.files().reads.load(Ordering::Relaxed))
    };
    let (lookups, reads) = counts();
    let params = DecideParams { proposal: Some(proposal.id), ..DecideParams::all(Act::Accept) };
    let decided = queue.decisions().decide_hunks(&params, DecidedBy::Person).await.unwrap();
    let (lookups, reads) = (counts().0 - lookups, counts().1 - reads);
    assert_eq!(decided.faults, []);
    assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "one\nTWO\nthree\n");
    assert!(lookups <= 3, "{lookups} lookups");
    // Once before the write and once after it.
    assert!(reads <= 2, "{reads} reads");
}
