//! The cost of knowing who wrote each line: `cargo bench -p wherefore-provenance`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints what it saw, and one that cannot run may fail loudly"
)]

use std::collections::HashMap;
use std::time::Duration;

use wherefore_base::{CallId, HunkId, WorkspacePath, hash};
use wherefore_protocol::ChangeKind;
use wherefore_provenance::{HunkSpan, LineProvenance, LineRecord, StepRecord, TypedLines, WorkspaceTexts};

/// The number of times that each question is asked.
const ROUNDS: usize = 50;

#[derive(Default)]
struct Kept(HashMap<String, String>);

impl WorkspaceTexts for Kept {
    fn text_of(&self, hash: &str) -> Option<String> {
        self.0.get(hash).cloned()
    }

    fn file_exists(&self, _: &WorkspacePath) -> bool {
        true
    }
}

impl Kept {
    fn put(&mut self, text: &str) -> String {
        let hash = hash::short_hash(text.as_bytes());
        self.0.insert(hash.clone(), text.to_owned());
        hash
    }
}

fn line(number: usize) -> String {
    format!("    value_{number} = compute();")
}

/// A file of `count` lines after `calls` calls, each of which rewrote one of them.
fn history(count: usize, calls: usize) -> (LineProvenance, Kept, String, Vec<LineRecord>, WorkspacePath) {
    let path = WorkspacePath::from_relative("src/a.rs").unwrap();
    let mut texts: Vec<String> = (0..count).map(line).collect();
    let (mut kept, mut records) = (Kept::default(), Vec::new());
    let whole = |texts: &[String]| texts.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>();
    let mut before = kept.put(&whole(&texts));
    for call in 0..calls {
        let at = call * 7919 % texts.len();
        texts[at] = line(count + call);
        let after = kept.put(&whole(&texts));
        let start = u32::try_from(at).unwrap();
        let spans: Vec<HunkSpan> = vec![(start, 1, 1)];
        records.push(LineRecord::Step(StepRecord {
            session: "s".to_owned(),
            call: CallId::from(format!("c-{call}")),
            undoes: None,
            path: path.clone(),
            from: None,
            kind: ChangeKind::Edit,
            before: Some(before),
            after: Some(after.clone()),
            hunks: vec![HunkId::from("h1")],
            spans,
            outside: false,
            back: false,
        }));
        before = after;
    }
    let text = whole(&texts);
    (LineProvenance::default(), kept, text, records, path)
}

/// The processor time that this thread took so far: it depends little on what else the machine does.
fn spent() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

fn row(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let ms = |at: usize| times[at].as_secs_f64() * 1e3;
    println!("| {what} | {:.2} | {:.2} |", ms(times.len() / 2), ms(times.len() * 95 / 100));
}

fn main() {
    println!("| | p50, ms | p95, ms |\n|---|---|---|");
    for (count, calls) in [(5_000, 1_000), (50_000, 100), (100_000, 40), (500, 10_000)] {
        let (mut lines, kept, text, records, path) = history(count, calls);
        let began = spent();
        records.into_iter().for_each(|record| lines.apply_record(record));
        lines.settle_records(&kept);
        let each = (spent() - began) / u32::try_from(calls).unwrap();
        println!(
            "| {count} lines, {calls} calls: each call carried out | {:.2} | |",
            each.as_secs_f64() * 1e3
        );
        let ask = |lines: &mut LineProvenance, text: &str| {
            let began = spent();
            let marks = lines.marks_for(&path, text, None, &kept);
            (spent() - began, marks.len())
        };
        let times = (0..ROUNDS).map(|_| ask(&mut lines, &text).0).collect();
        row(&format!("{count} lines, {calls} calls: asked again"), times);
        let typed = |round: usize| text.replacen("compute", &format!("compute_{round}"), 40 + round);
        let times = (0..ROUNDS).map(|round| ask(&mut lines, &typed(round)).0).collect();
        row(&format!("{count} lines, {calls} calls: after a change on the disk"), times);
        let times = { 0..ROUNDS }
            .map(|round| {
                let mut edits = TypedLines::default();
                let first = text.lines().next().unwrap().to_owned();
                edits.apply_edit(0, &first, 4..4, &"x".repeat(round + 1));
                let now = format!("{}{}", "    ", "x".repeat(round + 1)) + &text[4..];
                let began = spent();
                let record = edits.to_record(&path, &text, &now).unwrap();
                assert!(!lines.marks_for(&path, &now, Some(&record), &kept).is_empty());
                spent() - began
            })
            .collect();
        row(&format!("{count} lines, {calls} calls: after typing"), times);
    }
}
