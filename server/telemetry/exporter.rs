//! The part between a session log and the collector: the thread that makes spans of events and sends them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use tokio::time::timeout;

use super::endpoint::{TelemetryError, check_endpoint, read_headers};
use super::event_fields::{EventFields, WantedTexts};
use super::otlp::Span;
use super::queue::{EventQueue, QueuedEvent};
use super::send::SpanSender;
use super::spans::SpanMaker;
use crate::journal::{LogObserver, LoggedEvent};
use crate::protocol::TelemetrySettings;

/// Spans of one request.
const BATCH: usize = 512;
/// The longest time that the end of a session waits for the last spans to be sent.
const FLUSH: Duration = Duration::from_millis(1000);

/// The counts of an exporter's work so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TelemetryCounts {
    /// Spans that the collector took.
    pub sent: u64,
    /// Events that found the queue full.
    pub dropped: u64,
    /// Spans that the collector did not take.
    pub lost: u64,
}

#[derive(Debug, Default)]
struct SpanCounters {
    sent: AtomicU64,
    dropped: AtomicU64,
    lost: AtomicU64,
}

/// Exports the calls of one session.
#[derive(Debug)]
pub struct TelemetryExporter {
    queue: Arc<EventQueue>,
    /// Receives a message when the thread has nothing left.
    done: Mutex<Option<std::sync::mpsc::Receiver<()>>>,
    counters: Arc<SpanCounters>,
}

/// Starts the export of a session in the workspace at `root`; `shared` if processes of the command line share it.
///
/// # Errors
/// The error in the settings. A missing collector is no error.
pub fn start_export(
    settings: &TelemetrySettings,
    root: &str,
    session: &str,
    shared: bool,
) -> Result<Arc<TelemetryExporter>, TelemetryError> {
    let (url, headers) = (check_endpoint(settings)?, read_headers(settings)?);
    let queue = Arc::<EventQueue>::default();
    let (done, ended) = std::sync::mpsc::channel();
    let counters = Arc::<SpanCounters>::default();
    let maker = SpanMaker::new(root, session, shared, now_nanos());
    let folder = root.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let wanted = WantedTexts { whys: settings.whys, paths: settings.paths };
    let (counts, events) = (counters.clone(), queue.clone());
    let work = move || {
        let name = wanted.paths.then_some(folder.as_str());
        if let (Ok(sender), Ok(runtime)) = (
            SpanSender::new(url, headers, name),
            tokio::runtime::Builder::new_current_thread().enable_all().build(),
        ) {
            runtime.block_on(ExportWorker { sender, maker, wanted, counters: counts }.run_worker(&events));
        }
        events.close();
        // The receiver is gone if the session ended otherwise.
        let _ = done.send(());
    };
    if std::thread::Builder::new().name("telemetry".to_owned()).spawn(work).is_err() {
        // Events are counted as dropped.
        queue.close();
    }
    let done = Mutex::new(Some(ended));
    let exporter = Arc::new(TelemetryExporter { queue, done, counters });
    let mut running = RUNNING.lock();
    running.retain(|other| other.strong_count() > 0);
    running.push(Arc::downgrade(&exporter));
    Ok(exporter)
}

/// The exporters of this process.
static RUNNING: Mutex<Vec<Weak<TelemetryExporter>>> = Mutex::new(Vec::new());

/// Sends what is left, at the end of the process, however it came about; waits a moment for all of them together.
pub fn close_all() {
    let running: Vec<_> = RUNNING.lock().drain(..).filter_map(|exporter| exporter.upgrade()).collect();
    running.iter().for_each(|exporter| exporter.queue.close());
    let until = std::time::Instant::now() + FLUSH;
    running.iter().for_each(|exporter| {
        exporter.wait_for_end(until.saturating_duration_since(std::time::Instant::now()))
    });
}

impl TelemetryExporter {
    /// Returns the counts of sent, dropped and lost spans so far.
    pub fn counts(&self) -> TelemetryCounts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let SpanCounters { sent, dropped, lost } = &*self.counters;
        TelemetryCounts { sent: count(sent), dropped: count(dropped), lost: count(lost) }
    }
}

impl TelemetryExporter {
    /// Waits for the thread to end, the first time.
    fn wait_for_end(&self, limit: Duration) {
        let Some(done) = self.done.lock().take() else { return };
        let _ = done.recv_timeout(limit);
        let TelemetryCounts { sent, dropped, lost } = self.counts();
        if dropped + lost > 0 {
            tracing::warn!("telemetry: {sent} spans sent, {lost} not taken, {dropped} events dropped");
        }
    }
}

impl LogObserver for TelemetryExporter {
    fn observe_event(&self, event: LoggedEvent) {
        if EventFields::is_of(&event.kind) && !self.queue.put(event, now_nanos()) {
            self.counters.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn close(&self) {
        self.queue.close();
        self.wait_for_end(FLUSH);
    }
}

impl Drop for TelemetryExporter {
    fn drop(&mut self) {
        self.close();
    }
}

/// The work of the thread.
struct ExportWorker {
    sender: SpanSender,
    maker: SpanMaker,
    wanted: WantedTexts,
    counters: Arc<SpanCounters>,
}

impl ExportWorker {
    async fn run_worker(mut self, queue: &EventQueue) {
        let mut open = true;
        while open {
            let (events, more) = queue.take().await;
            open = more;
            let heard = events.into_iter().filter_map(|QueuedEvent { event, at }| {
                self.maker.take_event(EventFields::from_event(event.kind, &event.fields, at, self.wanted))
            });
            let mut spans: Vec<Span> = heard.collect();
            if !open {
                spans.extend(self.maker.finish_session(now_nanos()));
            }
            while !spans.is_empty() {
                let batch = spans.drain(..spans.len().min(BATCH)).collect();
                self.send_batch(batch, open).await;
            }
        }
    }

    async fn send_batch(&mut self, batch: Vec<Span>, open: bool) {
        let count = batch.len() as u64;
        // At the end of the session no retry is waited for.
        let sent = match open {
            true => self.sender.send_spans(batch).await,
            false => timeout(FLUSH, self.sender.send_last(batch))
                .await
                .unwrap_or_else(|_| Err("it is too slow".to_owned())),
        };
        match sent {
            Ok(()) => self.counters.sent.fetch_add(count, Ordering::Relaxed),
            Err(why) => {
                tracing::debug!("telemetry: {count} spans are lost: {why}");
                self.counters.lost.fetch_add(count, Ordering::Relaxed)
            }
        };
    }
}

fn now_nanos() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
