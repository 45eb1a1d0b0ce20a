//! The cost of the session log for a call: `cargo bench --bench journal`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark that cannot run may fail loudly"
)]

mod workload;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use wherefore::journal::{Journal, WriteMark};

/// The two events of a read, appended one after the other.
fn append(journal: &Journal, number: usize, content: &str) -> WriteMark {
    let (call, result) = workload::events(number, content);
    journal.append(call).unwrap();
    journal.append(result).unwrap()
}

/// A log that holds `events` events already, and the folder it is in.
fn filled(events: usize) -> (tempfile::TempDir, Journal) {
    let dir = tempfile::tempdir().unwrap();
    let journal = workload::journal(dir.path());
    let text = workload::source(0);
    let last = (0..events / 2).map(|number| append(&journal, number, &text)).last();
    journal.sync(last.unwrap()).unwrap();
    (dir, journal)
}

fn appending(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("append tool_call + tool_result");
    for events in [100, 100_000] {
        let (_dir, journal) = filled(events);
        let text = workload::source(0);
        let mut number = events;
        group.bench_function(format!("after {events} events, a result known already"), |bench| {
            bench.iter(|| {
                number += 1;
                black_box(append(&journal, number, &text))
            });
        });
    }
    let (_dir, journal) = filled(100);
    let mut number = 100;
    group.bench_function("after 100 events, a new result each time", |bench| {
        let next = || {
            number += 1;
            (number, workload::source(number))
        };
        bench.iter_batched(next, |(number, text)| append(&journal, number, &text), BatchSize::SmallInput);
    });
    group.finish();
}

fn opening(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("open");
    for events in [100, 100_000] {
        let (dir, journal) = filled(events);
        drop(journal);
        group.bench_function(format!("a log of {events} events"), |bench| {
            bench.iter(|| workload::journal(dir.path()));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30).without_plots();
    targets = appending, opening
}
criterion_main!(benches);
