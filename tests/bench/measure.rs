//! Timing, and what came of it as a table.

use std::time::{Duration, Instant};

use crate::peer::Peer;

/// Times of one kind of request in one round, in seconds.
#[derive(Clone, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    /// Adds one.
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64());
    }

    /// The quantile `q`, in seconds.
    pub(crate) fn at(&self, q: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[((sorted.len() - 1) as f64 * q).round() as usize]
    }

    /// The quantile `q`.
    pub(crate) fn time(&self, q: f64) -> Duration {
        Duration::from_secs_f64(self.at(q))
    }

    /// The quantile `q`, to be read.
    pub(crate) fn show(&self, q: f64) -> String {
        let seconds = self.at(q);
        if seconds < 1e-3 { format!("{:.1} µs", seconds * 1e6) } else { format!("{:.2} ms", seconds * 1e3) }
    }

    /// The median and the 95th percentile, to be read.
    pub(crate) fn pair(&self) -> String {
        format!("{} / {}", self.show(0.5), self.show(0.95))
    }

    /// Requests a second.
    pub(crate) fn rate(&self) -> f64 {
        self.0.len() as f64 / self.0.iter().sum::<f64>()
    }
}

/// The round with the lowest median: other work on the machine only ever adds.
pub(crate) fn best(rounds: &[Samples]) -> Samples {
    rounds.iter().min_by(|a, b| a.at(0.5).total_cmp(&b.at(0.5))).unwrap().clone()
}

/// The round trip of each of `count` requests, one after the other.
pub(crate) fn sequential(
    peer: &mut Peer,
    count: usize,
    request: impl Fn(&Peer, usize) -> Vec<u8>,
) -> Samples {
    let mut times = Samples::default();
    for id in 1..=count {
        let request = request(peer, id);
        let began = Instant::now();
        peer.send(&request);
        peer.answer();
        times.add(began.elapsed());
    }
    times
}

/// Requests answered a second, with up to `depth` of them on the way.
pub(crate) fn pipelined(
    peer: &mut Peer,
    count: usize,
    depth: usize,
    request: impl Fn(&Peer, usize) -> Vec<u8>,
) -> f64 {
    let (mut sent, mut answered) = (0, 0);
    let began = Instant::now();
    while answered < count {
        let mut batch = Vec::new();
        while sent < count && sent < answered + depth {
            sent += 1;
            batch.append(&mut request(peer, sent));
        }
        peer.send(&batch);
        peer.answer();
        answered += 1;
        while peer.has_more() && answered < sent {
            peer.answer();
            answered += 1;
        }
    }
    count as f64 / began.elapsed().as_secs_f64()
}

/// A line of the table.
pub(crate) struct Row {
    what: String,
    figure: String,
    goal: Option<(&'static str, bool)>,
}

impl Row {
    /// A figure.
    pub(crate) fn new(what: impl Into<String>, figure: String) -> Self {
        Self { what: what.into(), figure, goal: None }
    }

    /// With a goal, and whether it was met.
    pub(crate) fn goal(self, goal: &'static str, met: bool) -> Self {
        Self { goal: Some((goal, met)), ..self }
    }
}

/// KiB as MiB.
pub(crate) fn mib(kib: u64) -> String {
    format!("{:.1} MiB", kib as f64 / 1024.0)
}

/// Prints the table, as Markdown.
pub(crate) fn table(rows: &[Row]) {
    let width = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
    println!("| {:width$} | {:>20} | goal", "", "");
    println!("|-{0:-<width$}-|-{0:->20}-|-----", "");
    for Row { what, figure, goal } in rows {
        let goal = match goal {
            Some((goal, true)) => format!("{goal}: met"),
            Some((goal, false)) => format!("{goal}: MISSED"),
            None => String::new(),
        };
        println!("| {what:width$} | {figure:>20} | {goal}");
    }
}
