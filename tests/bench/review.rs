//! Changes that a policy applies, of many agents at once, alone and with a reviewer who accepts all pending hunks:
//! `cargo bench --bench review`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints what it saw, and one that cannot run may fail loudly"
)]

#[allow(dead_code, reason = "shared with the other benchmarks")]
mod measure;
#[allow(dead_code, reason = "shared with the other benchmarks")]
mod peer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use measure::{Row, Samples};
use serde_json::json;
use wherefore::hub::{Hub, HubOptions};
use wherefore::ports::NoEditor;
use wherefore::protocol::{Act, DecideParams, Door, Envelope, Origin, Policy, RawCall, Status};
use wherefore::requests::{Asker, Call, Decide, Request};
use wherefore::sandbox::SandboxLauncher;

/// Agents that write at one time, each as soon as its last write was answered.
const AGENTS: usize = 50;
/// Writes of each.
const WRITES: usize = 40;
/// Changes that wait for the reviewer at first.
const HELD: usize = 500;
/// The time limit of a write.
const GOAL: Duration = Duration::from_millis(500);

fn main() {
    // `cargo test --all-targets` comes here too.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let mut rows = Vec::new();
    for reviewer in [false, true] {
        let runtime = runtime.enable_all().build().unwrap();
        rows.extend(runtime.block_on(crowd(reviewer)));
    }
    measure::table(&rows);
}

/// A call of an agent's.
async fn call(hub: &Hub, agent: usize, path: String, text: String, policy: Policy) -> Envelope {
    let arguments = json!({ "path": path, "content": text, "why": "Keep the counters of this part current" });
    let origin = Origin { agent: Some(format!("agent-{agent}/1")), ..Origin::from_door(Door::Mcp) };
    let policy = Some(policy);
    let call = RawCall { tool: "fs.write".to_owned(), arguments, origin, policy, ..RawCall::default() };
    Call::answer_request(hub, call, Asker::from_door(Door::Mcp)).await.unwrap()
}

async fn hold(hub: &Hub, number: usize) {
    let answer =
        call(hub, number % AGENTS, format!("held/{number}.txt"), "held\n".to_owned(), Policy::Hold).await;
    assert_eq!(answer.status, Status::Pending, "{answer:?}");
}

async fn crowd(reviewed: bool) -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let state = tempfile::tempdir().unwrap();
    let place = Some(state.path().to_owned());
    let hub = Hub::new(HubOptions {
        editor: Arc::new(NoEditor),
        shared_log: false,
        state: place,
        launcher: SandboxLauncher::own(),
        environment: None,
    });
    hub.add_root(root.to_str().unwrap()).unwrap();
    let held = if reviewed { HELD } else { 0 };
    for number in 0..held {
        hold(&hub, number).await;
    }
    let (writing, decided, rounds) = (AtomicBool::new(true), AtomicUsize::new(0), AtomicUsize::new(0));
    // Some of what the agents do goes on waiting, as long as the others write.
    let proposing = async {
        let mut number = held;
        while reviewed && writing.load(Ordering::SeqCst) {
            hold(&hub, number).await;
            number += 1;
        }
    };
    let reviewing = async {
        while reviewed && writing.load(Ordering::SeqCst) {
            match Decide::answer_request(&hub, DecideParams::all(Act::Accept), Asker::from_door(Door::Lsp))
                .await
            {
                Ok(answer) => {
                    assert_eq!(answer.problems, Vec::<String>::new());
                    decided.fetch_add(answer.proposals.len(), Ordering::SeqCst);
                    rounds.fetch_add(1, Ordering::SeqCst);
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        }
    };
    let began = Instant::now();
    let writing = async {
        let times =
            futures::future::join_all((0..AGENTS).map(|agent| tokio::spawn(write(hub.clone(), agent)))).await;
        writing.store(false, Ordering::SeqCst);
        times
    };
    let (times, (), ()) = tokio::join!(writing, proposing, reviewing);
    let took = began.elapsed();
    let mut samples = Samples::default();
    times.into_iter().flat_map(|times| times.unwrap()).for_each(|time| samples.add(time));
    hub.close();
    let what = if reviewed { "beside accept-all" } else { "alone" };
    let rate = (AGENTS * WRITES) as f64 / took.as_secs_f64();
    let mut rows = vec![
        Row::new(format!("{AGENTS} agents, auto writes {what}, p50"), samples.show(0.5)),
        Row::new(format!("{AGENTS} agents, auto writes {what}, p99"), samples.show(0.99))
            .goal("≤ 500 ms", samples.time(0.99) <= GOAL),
        Row::new(format!("{AGENTS} agents, auto writes {what}, slowest"), samples.show(1.0)),
        Row::new(format!("auto writes a second {what}"), format!("{rate:.0}")),
    ];
    if reviewed {
        let (decided, rounds) = (decided.into_inner(), rounds.into_inner());
        rows.push(Row::new("proposals decided meanwhile, in accept-alls", format!("{decided} in {rounds}")));
    }
    rows
}

/// The writes of an agent, with the duration of each.
async fn write(hub: Hub, agent: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    for number in 0..WRITES {
        let began = Instant::now();
        let answer =
            call(&hub, agent, format!("part-{agent}.txt"), format!("{number}\n"), Policy::Auto).await;
        times.push(began.elapsed());
        let status = answer.result.as_ref().map(|result| result["status"].clone());
        assert_eq!(status, Some(json!("applied")), "{answer:?}");
    }
    times
}
