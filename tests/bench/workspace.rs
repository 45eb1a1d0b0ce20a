//! The built server on a large workspace, against its goals: `cargo bench --bench workspace -- TREE PROJECT`.
//!
//! `TREE` is a folder with much source, for the watch and the index; `PROJECT` one of some 27 MB, which is asked by
//! meaning. Both are copied: what is measured writes into them.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints what it saw, and one that cannot run may fail loudly"
)]

#[allow(dead_code, reason = "shared with the benchmark of single calls")]
mod measure;
#[allow(dead_code, reason = "shared with the benchmark of single calls")]
mod peer;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use measure::{Row, Samples, mib};
use peer::Peer;
use serde_json::{Value, json};

/// The time for which an idle server is observed.
const IDLE: Duration = Duration::from_secs(20);
/// The time without processor time after which a server counts as having finished its start.
const QUIET: Duration = Duration::from_secs(2);
/// Files saved one after the other.
const SAVES: usize = 50;
/// Files of a checkout.
const CHECKOUT: usize = 10_000;
/// Files touched while the server is held: twice what the kernel's queue takes by default, in events.
const FLOOD: usize = 20_000;
/// The questions of searches by meaning, asked repeatedly.
const QUESTIONS: [&str; 5] = [
    "where are retries counted",
    "parse the configuration file",
    "release a buffer that nobody holds",
    "error for an unknown option",
    "format a duration to be read",
];

fn main() {
    let args: Vec<String> = std::env::args().filter(|arg| arg != "--bench").collect();
    // `cargo test --all-targets` comes here too.
    let [_, tree, project] = args.as_slice() else { return };
    let place = tempfile::tempdir().unwrap();
    println!("load: {}", fs::read_to_string("/proc/loadavg").unwrap().trim());
    let mut rows = watched(place.path(), &copy(tree, &place.path().join("tree")));
    rows.extend(meant(place.path(), &copy(project, &place.path().join("project"))));
    rows.extend(storms(place.path()));
    measure::table(&rows);
    println!("load: {}", fs::read_to_string("/proc/loadavg").unwrap().trim());
}

fn copy(from: &str, to: &Path) -> PathBuf {
    assert!(Command::new("cp").args(["-a", from]).arg(to).status().unwrap().success());
    to.canonicalize().unwrap()
}

/// A call's result, and how long it took.
fn call(peer: &mut Peer, tool: &str, mut arguments: Value) -> (Value, Duration) {
    arguments["why"] = "See how retries are counted before the limit changes".into();
    let request = peer.request(1, "wherefore/call", &json!({ "tool": tool, "arguments": arguments }));
    let began = Instant::now();
    peer.send(&request);
    let answer: Value = serde_json::from_slice(peer.answer()).unwrap();
    let took = began.elapsed();
    assert!(answer["result"]["result"].is_array(), "{answer}");
    (answer["result"]["result"].clone(), took)
}

fn find(peer: &mut Peer, text: &str) -> (usize, Duration) {
    let (found, took) =
        call(peer, "search.lexical", json!({ "query": text, "literal": true, "limit": 1000 }));
    (found.as_array().unwrap().len(), took)
}

fn status(peer: &mut Peer) -> Value {
    peer.send(&peer.request(1, "wherefore/status", &json!({})));
    let answer: Value = serde_json::from_slice(peer.answer()).unwrap();
    answer["result"]["workspaces"][0]["watch"].clone()
}

/// Waits until the server has listed the files.
fn listed(peer: &mut Peer) -> Value {
    loop {
        let watch = status(peer);
        if watch["last_rescan"].is_object() {
            return watch;
        }
        sleep(Duration::from_millis(5));
    }
}

/// Waits until the server uses no processor time; what it used until then.
fn settled(peer: &Peer) -> Duration {
    let (mut busy, mut since) = (peer.busy(), Instant::now());
    while since.elapsed() < QUIET {
        sleep(Duration::from_millis(100));
        if peer.busy() != busy {
            (busy, since) = (peer.busy(), Instant::now());
        }
    }
    busy
}

/// The start, what stays when nothing happens, and files that are saved.
fn watched(home: &Path, root: &Path) -> Vec<Row> {
    let began = Instant::now();
    let mut peer = Peer::at_home(root, home);
    let watch = listed(&mut peer);
    let took = began.elapsed();
    let (files, folders) = (&watch["files"], &watch["folders_watched"]);
    let mut rows =
        vec![Row::new(format!("{files} files in {folders} folders listed"), format!("{took:.2?}"))];
    let began = Instant::now();
    find(&mut peer, "no_such_identifier_anywhere");
    rows.push(Row::new("the first search, before there is an index", format!("{:.2?}", began.elapsed())));
    let busy = settled(&peer);
    let took = began.elapsed().saturating_sub(QUIET);
    rows.push(Row::new("until the index stands", format!("{took:.1?}, {busy:.1?} of processor time")));
    sleep(IDLE);
    let idle = peer.busy() - busy;
    let resident = peer.resident();
    rows.push(
        Row::new("resident, idle with its index", mib(resident)).goal("≤ 150 MB", resident <= 150 << 10),
    );
    rows.push(
        Row::new(format!("processor time while idle for {IDLE:?}"), format!("{idle:?}"))
            .goal("0 %", idle < IDLE / 200),
    );
    let mut warm = Samples::default();
    for _ in 0..200 {
        warm.add(find(&mut peer, "no_such_identifier_anywhere").1);
    }
    rows.push(Row::new("search.lexical of what is nowhere, p50 / p95", warm.pair()));
    let mut saves = Samples::default();
    for number in 0..SAVES {
        let word = format!("saved_just_now_{number}_x");
        let began = Instant::now();
        fs::write(root.join(format!("saved-{number}.c")), &word).unwrap();
        assert_eq!(find(&mut peer, &word).0, 1);
        saves.add(began.elapsed());
    }
    rows.push(
        Row::new(
            "a file saved → found, p50 / the slowest",
            format!("{} / {}", saves.show(0.5), saves.show(1.0)),
        )
        .goal("≤ 100 ms", saves.at(1.0) <= 0.1),
    );
    rows
}

/// Files asked for by meaning, without a model.
fn meant(home: &Path, root: &Path) -> Vec<Row> {
    let mut peer = Peer::at_home(root, home);
    listed(&mut peer);
    // The index of search.lexical is not what is measured here.
    settled(&peer);
    let ask = |peer: &mut Peer, question: &str| {
        let (found, took) = call(peer, "search.vector", json!({ "query": question }));
        (found[0]["path"].as_str().unwrap().to_owned(), took)
    };
    let (path, first) = ask(&mut peer, QUESTIONS[0]);
    let mut warm = Samples::default();
    for number in 0..300 {
        warm.add(ask(&mut peer, QUESTIONS[number % QUESTIONS.len()]).1);
    }
    let mut changed = Samples::default();
    let text = fs::read_to_string(root.join(&path)).unwrap();
    for number in 0..SAVES {
        fs::write(root.join(&path), format!("{text}\n// {number}\n")).unwrap();
        let (_, took) = ask(&mut peer, QUESTIONS[number % QUESTIONS.len()]);
        changed.add(took.saturating_sub(warm.time(0.5)));
    }
    let kb = text.len() / 1000;
    vec![
        Row::new("search.vector, the first: every file is taken in", format!("{first:.2?}"))
            .goal("< 2 s", first < Duration::from_secs(2)),
        Row::new("search.vector, p50 / p95", warm.pair()).goal("< 1.5 ms", warm.at(0.5) < 1.5e-3),
        Row::new(format!("one file of {kb} KB taken in anew, p50 / p95"), changed.pair())
            .goal("< 20 ms", changed.at(0.5) < 0.02),
        Row::new("resident after it", mib(peer.resident())),
    ]
}

/// Many changes at once: a checkout, and more than the kernel keeps for the server.
fn storms(home: &Path) -> Vec<Row> {
    let root = home.canonicalize().unwrap().join("storms");
    fs::create_dir(&root).unwrap();
    let write = |word: &str, count: usize| {
        for number in 0..count {
            let folder = root.join(format!("part-{}", number / 100));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("file-{number}.c")), format!("int {word}_{number};\n")).unwrap();
        }
    };
    let git = |args: &[&str]| {
        let set = ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "gc.auto=0"];
        let mut git = Command::new("git");
        assert!(git.args(set).args(args).current_dir(&root).output().unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q", "-b", "now"]);
    for word in ["one", "two"] {
        write(word, CHECKOUT);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", word]);
        git(&["branch", word]);
    }
    git(&["checkout", "-q", "one"]);
    let mut peer = Peer::at_home(&root, home);
    listed(&mut peer);
    settled(&peer);
    let mut checkouts = Samples::default();
    for number in 0..6 {
        let branch = ["two", "one"][number % 2];
        git(&["checkout", "-q", branch]);
        let began = Instant::now();
        assert_eq!(find(&mut peer, &format!("int {branch}_77;")).0, 1);
        checkouts.add(began.elapsed());
    }
    settled(&peer);
    peer.hold();
    write("three", FLOOD);
    let began = Instant::now();
    peer.go_on();
    assert_eq!(find(&mut peer, "int three_7777;").0, 1);
    let overflow = began.elapsed();
    let reason = status(&mut peer)["last_rescan"]["reason"].clone();
    vec![
        Row::new(format!("{CHECKOUT} files checked out by git → found, p50 / the slowest"), {
            format!("{} / {}", checkouts.show(0.5), checkouts.show(1.0))
        })
        .goal("≤ 1 s", checkouts.at(1.0) <= 1.0),
        Row::new(format!("{FLOOD} files while it was held ({reason}) → found"), format!("{overflow:.2?}"))
            .goal("≤ 2 s", overflow <= Duration::from_secs(2)),
    ]
}
