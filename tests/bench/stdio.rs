//! The built server from outside, over pipes, against its goals: `cargo bench --bench stdio`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints what it saw, and one that cannot run may fail loudly"
)]

mod measure;
#[allow(dead_code, reason = "shared with the benchmark of a workspace")]
mod peer;
mod workload;

use std::path::Path;
use std::time::{Duration, Instant};

use measure::{Row, Samples, best, pipelined, sequential};
use peer::Peer;
use serde_json::json;
use wherefore::journal::Journal;

/// Rounds in which everything that is compared is measured once, one after the other.
const ROUNDS: usize = 7;
/// Requests of a round.
const REQUESTS: usize = 500;
/// Requests that are sent before their answers came.
const DEPTH: usize = 32;
/// Files of [`workload::SIZE`] bytes in the workspace.
const FILES: usize = 1000;

fn main() {
    // `cargo test --all-targets` comes here too.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for number in 0..FILES {
        std::fs::write(root.join(name(number)), workload::source(number)).unwrap();
    }
    let mut rows = start(&root);
    rows.extend(read(&root));
    rows.extend(agent(&root));
    rows.extend(memory(&root));
    measure::table(&rows);
}

fn name(number: usize) -> String {
    format!("part-{number}.rs")
}

/// From the start of the process to the answer of `initialize`, and what is resident once all is quiet.
fn start(root: &Path) -> Vec<Row> {
    let mut times = Samples::default();
    let mut resident = 0;
    for _ in 0..30 {
        let began = Instant::now();
        let mut peer = Peer::spawn();
        peer.initialize(root, false);
        times.add(began.elapsed());
        std::thread::sleep(Duration::from_millis(100));
        resident = resident.max(peer.resident());
    }
    vec![
        Row::new("start → initialize, p50 of 30", times.show(0.5)).goal("≤ 30 ms", times.at(0.5) <= 0.030),
        Row::new("resident when idle", measure::mib(resident)).goal("≤ 20 MB", resident <= 20 << 10),
    ]
}

/// A read against an echo, against the npm server, and against what it logs.
fn read(root: &Path) -> Vec<Row> {
    let mut ours = Peer::wherefore(root, false);
    let mut plugin = Peer::wherefore(root, true);
    let mut npm = Peer::npm(root);
    for peer in [&mut ours, &mut plugin].into_iter().chain(&mut npm) {
        peer.send(&peer.read(0, root, &name(0)));
        assert!(peer.answer().len() > workload::SIZE, "the text does not come back");
    }
    let (mut echoes, mut reads, mut others, mut told) = (vec![], vec![], vec![], vec![]);
    let (mut npm_reads, mut piped, mut npm_piped, mut logged) = (vec![], vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        // A method that the server does not have goes the whole way of a request, to the router and back.
        echoes.push(sequential(&mut ours, REQUESTS, |peer, id| peer.request(id, "bench/echo", &json!({}))));
        reads.push(sequential(&mut ours, REQUESTS, |peer, id| peer.read(id, root, &name(0))));
        logged.push(log(REQUESTS, reads.last().map_or(Duration::ZERO, |reads| reads.time(0.5) / 2)));
        npm_reads.extend(
            npm.as_mut().map(|npm| sequential(npm, REQUESTS, |peer, id| peer.read(id, root, &name(0)))),
        );
        piped.push(pipelined(&mut ours, 4 * REQUESTS, DEPTH, |peer, id| peer.read(id, root, &name(0))));
        npm_piped.extend(
            npm.as_mut().map(|npm| pipelined(npm, REQUESTS, DEPTH, |peer, id| peer.read(id, root, &name(0)))),
        );
        told.push(sequential(&mut plugin, REQUESTS, |peer, id| peer.read(id, root, &name(0))));
        // Texts that no round before this one has read.
        let fresh = FILES / ROUNDS;
        others.push(sequential(&mut ours, fresh, |peer, id| {
            peer.read(id, root, &name(round * fresh + id % fresh))
        }));
    }
    let (echo, read, pair) = (best(&echoes), best(&reads), best(&logged));
    let (ratio, share) = (read.at(0.5) / echo.at(0.5), pair.at(0.5) / read.at(0.5));
    let mut rows = vec![
        Row::new("echo, p50 / p95", echo.pair()),
        Row::new("fs.read of 4 KB, p50 / p95", read.pair()),
        Row::new("fs.read ÷ echo, p50", format!("{ratio:.2}×")).goal("≤ 3×", ratio <= 3.0),
        Row::new("fs.read, client told of each call, p50 / p95", best(&told).pair()),
        Row::new("fs.read of a text not read before, p50 / p95", best(&others).pair()),
        Row::new("journal, what it holds up a read, p50", pair.show(0.5)),
        Row::new("journal ÷ fs.read", format!("{:.1}%", share * 100.0)).goal("< 10%", share < 0.1),
    ];
    let fastest = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    let (one, many) = (read.rate(), fastest(&piped));
    rows.push(Row::new("fs.read, one by one", format!("{one:.0}/s")));
    rows.push(Row::new(format!("fs.read, {DEPTH} at a time"), format!("{many:.0}/s")));
    if npm_reads.is_empty() {
        rows.push(Row::new("npm server", "not installed: see tests/bench/README.md".to_owned()));
        return rows;
    }
    let (npm_one, npm_many) = (best(&npm_reads).rate(), fastest(&npm_piped));
    rows.push(Row::new("npm server, one by one", format!("{npm_one:.0}/s")));
    rows.push(Row::new(format!("npm server, {DEPTH} at a time"), format!("{npm_many:.0}/s")));
    for (what, ratio) in [("one by one", one / npm_one), ("pipelined", many / npm_many)] {
        rows.push(
            Row::new(format!("calls per second ÷ npm, {what}"), format!("{ratio:.1}×"))
                .goal("≥ 10×", ratio >= 10.0),
        );
    }
    rows
}

/// A read as an agent asks for it, through the shim and the socket, against one over the pipes of a language client.
fn agent(root: &Path) -> Vec<Row> {
    let mut direct = Peer::wherefore(root, false);
    // The shim would go to that server; this one has a folder of its own.
    let folder = tempfile::tempdir().unwrap();
    let apart = folder.path().canonicalize().unwrap();
    std::fs::copy(root.join(name(0)), apart.join(name(0))).unwrap();
    let mut agent = Peer::agent(&apart);
    let (mut direct_reads, mut agent_reads, mut piped) = (vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        direct_reads.push(sequential(&mut direct, REQUESTS, |peer, id| peer.read(id, root, &name(0))));
        agent_reads.push(sequential(&mut agent, REQUESTS, |peer, id| peer.read(id, root, &name(0))));
        piped.push(pipelined(&mut agent, 4 * REQUESTS, DEPTH, |peer, id| peer.read(id, root, &name(0))));
    }
    let (direct, agent) = (best(&direct_reads), best(&agent_reads));
    let ratio = agent.at(0.5) / direct.at(0.5);
    let many = piped.iter().copied().fold(0.0, f64::max);
    vec![
        Row::new("tools/call fs_read through shim and socket, p50 / p95", agent.pair()),
        Row::new("tools/call ÷ the direct call, p50", format!("{ratio:.2}×")).goal("≤ 2×", ratio <= 2.0),
        Row::new(
            format!("tools/call, one by one / {DEPTH} at a time"),
            format!("{:.0} / {many:.0}/s", agent.rate()),
        ),
    ]
}

/// The two events of a read as a call posts them, and how long they hold it up; `run` is the reading itself.
fn post(journal: &Journal, number: usize, content: &str, run: impl FnOnce()) -> Duration {
    let (call, result) = workload::events(number, content);
    let began = Instant::now();
    let posted = journal.post(call);
    let before = began.elapsed();
    run();
    let began = Instant::now();
    journal.post(result);
    journal.ensure_written(&posted).unwrap();
    before + began.elapsed()
}

/// The time for which two events of a read delay it, in a log of their own, if reading takes as long as `read`.
fn log(pairs: usize, read: Duration) -> Samples {
    let folder = tempfile::tempdir().unwrap();
    let journal = workload::journal(folder.path());
    let text = workload::source(0);
    let mut times = Samples::default();
    for number in 0..pairs {
        let wait = || {
            let began = Instant::now();
            while began.elapsed() < read {
                std::hint::spin_loop();
            }
        };
        times.add(post(&journal, number, &text, wait));
    }
    times
}

/// The resident memory after a number of calls, each on another file than the one before.
fn memory(root: &Path) -> Vec<Row> {
    let mut peer = Peer::wherefore(root, false);
    let mut done = 0;
    let mut first = None;
    let mut rows = Vec::new();
    for calls in [1_000, 10_000, 100_000] {
        pipelined(&mut peer, calls - done, DEPTH, |peer, id| peer.read(id, root, &name(id % FILES)));
        done = calls;
        let resident = peer.resident();
        let row = Row::new(format!("resident after {calls} calls"), measure::mib(resident));
        let first = *first.get_or_insert(resident);
        let flat = resident <= first + first / 4;
        rows.push(if calls == 1_000 { row } else { row.goal("flat: ≤ 1.25 × that after 1000", flat) });
    }
    rows
}
