//! The server's log lines on standard error: written by a thread of its own, so that no answer waits for a reader.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use super::print::LineWriter;

/// Lines that wait to be written: some seconds of `debug`. Further ones are left out until there is room.
const QUEUE: usize = 4_096;
/// The longest time that the process waits at its end for the last lines.
const LAST: Duration = Duration::from_millis(500);

/// Starts the log that `WHEREFORE_LOG` asks for (`info`, `wherefore=debug`). Dropping the returned value writes the
/// waiting lines, if they are read.
pub(super) fn start_trace() -> Option<TraceGuard> {
    let filter = EnvFilter::try_from_env("WHEREFORE_LOG").ok()?;
    let (lines, trace) = TraceQueue::start_queue(|| LineWriter::new(io::stderr()), QUEUE).ok()?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(lines).init();
    Some(trace)
}

/// The lines on their way to standard error.
#[derive(Debug)]
pub(super) struct TraceGuard {
    waiting: Arc<AtomicU64>,
}

impl Drop for TraceGuard {
    fn drop(&mut self) {
        let since = Instant::now();
        while self.waiting.load(Ordering::Acquire) > 0 && since.elapsed() < LAST {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The queue of lines that are to be written.
#[derive(Clone, Debug)]
struct TraceQueue {
    lines: SyncSender<Vec<u8>>,
    /// Lines in the queue, or being written.
    waiting: Arc<AtomicU64>,
    /// Lines that found no room, and were not reported yet.
    left_out: Arc<AtomicU64>,
}

impl TraceQueue {
    /// A queue with a maximum length, and the thread that writes its lines.
    fn start_queue<W: Write>(
        writer: impl FnOnce() -> W + Send + 'static,
        most: usize,
    ) -> io::Result<(Self, TraceGuard)> {
        let (lines, queued) = sync_channel(most);
        let queue = Self { lines, waiting: Arc::default(), left_out: Arc::default() };
        let (waiting, left_out) = (queue.waiting.clone(), queue.left_out.clone());
        let trace = TraceGuard { waiting: waiting.clone() };
        let write = move || write_lines(&queued, writer(), &waiting, &left_out);
        thread::Builder::new().name("log-lines".to_owned()).spawn(write)?;
        Ok((queue, trace))
    }

    fn push_line(&self, line: Vec<u8>) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = self.lines.try_send(line) {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            self.left_out.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// Writes lines until the other end is closed. Lines that were left out are reported when there is room again.
fn write_lines(lines: &Receiver<Vec<u8>>, mut to: impl Write, waiting: &AtomicU64, left_out: &AtomicU64) {
    loop {
        let line = match lines.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        // If it cannot be written, the error cannot be reported either.
        if let Some(line) = &line {
            let _ = to.write_all(line).and_then(|()| to.flush());
        }
        let lost = left_out.swap(0, Ordering::AcqRel);
        if lost > 0 {
            let _ =
                writeln!(to, "{lost} lines of the log were left out: standard error was not read in time");
        }
        if line.is_some() {
            waiting.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// A line while it is formatted; it joins the queue when it is dropped.
#[derive(Debug)]
struct TraceLine {
    queue: TraceQueue,
    bytes: Vec<u8>,
}

impl Write for TraceLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for TraceLine {
    fn drop(&mut self) {
        if !self.bytes.is_empty() {
            self.queue.push_line(std::mem::take(&mut self.bytes));
        }
    }
}

impl<'a> MakeWriter<'a> for TraceQueue {
    type Writer = TraceLine;

    fn make_writer(&'a self) -> TraceLine {
        TraceLine { queue: self.clone(), bytes: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Slow(Arc<Mutex<Vec<u8>>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_nobody_reads_are_left_out_and_told_of_once() {
        let written = Slow::default();
        let reader = written.0.lock();
        let slow = written.clone();
        let (queue, trace) = TraceQueue::start_queue(move || slow, 8).unwrap();
        // The first one is under the writer's hand at some time, and eight wait: the rest find no room.
        for number in 0..100 {
            writeln!(queue.make_writer(), "line {number}").unwrap();
        }
        drop(reader);
        while queue.waiting.load(Ordering::Acquire) > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        writeln!(queue.make_writer(), "the last one").unwrap();
        drop(trace);
        let text = String::from_utf8(written.0.lock().clone()).unwrap();
        assert!(text.starts_with("line 0\n"), "{text}");
        assert!(text.ends_with("the last one\n"), "{text}");
        let told: Vec<&str> = text.lines().filter(|line| line.contains("were left out")).collect();
        let lost: u64 = told.iter().filter_map(|line| line.split(' ').next()?.parse::<u64>().ok()).sum();
        let kept = text.lines().filter(|line| line.starts_with("line ")).count() as u64;
        assert_eq!(kept + lost, 100, "{text}");
        assert!(lost >= 90, "{text}");
    }
}
