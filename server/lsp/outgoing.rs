//! What goes to the client: one task writes it, as much at a time as is ready.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{FutureExt, Stream, StreamExt};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};
use tower_lsp::jsonrpc::Request;

use super::message;

/// Bytes of answers that may wait for a client that does not read; beyond it nothing more is read from it.
pub(crate) const QUEUE_LIMIT: usize = 32 << 20;
const BATCH: usize = 256 << 10;

/// Takes framed messages. Clones are the same queue.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    queue: mpsc::UnboundedSender<OutgoingItem>,
    waiting: Arc<WaitingRequest>,
}

#[derive(Debug, Default)]
struct WaitingRequest {
    bytes: AtomicUsize,
    less: Notify,
}

#[derive(Debug)]
enum OutgoingItem {
    Bytes(Vec<u8>),
    End,
}

/// The other end of the queue, for the task that writes.
#[derive(Debug)]
pub(crate) struct Pump {
    queue: mpsc::UnboundedReceiver<OutgoingItem>,
    waiting: Arc<WaitingRequest>,
}

/// A queue and the end that empties it.
pub(crate) fn queue() -> (Outgoing, Pump) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let waiting = Arc::new(WaitingRequest::default());
    (Outgoing { queue: sender, waiting: waiting.clone() }, Pump { queue: receiver, waiting })
}

impl Outgoing {
    /// Queues a framed message.
    pub(crate) fn push(&self, framed: Vec<u8>) {
        self.waiting.bytes.fetch_add(framed.len(), Ordering::SeqCst);
        // Only fails when nobody writes any more, and then the server is about to end.
        let _ = self.queue.send(OutgoingItem::Bytes(framed));
    }

    /// Nothing comes after this.
    pub(crate) fn end(&self) {
        let _ = self.queue.send(OutgoingItem::End);
    }

    /// Waits until less than [`QUEUE_LIMIT`] waits to be read.
    pub(crate) async fn room(&self) {
        while self.waiting.bytes.load(Ordering::SeqCst) > QUEUE_LIMIT {
            let less = self.waiting.less.notified();
            if self.waiting.bytes.load(Ordering::SeqCst) > QUEUE_LIMIT {
                less.await;
            }
        }
    }
}

impl Pump {
    /// Writes what is queued and what the service sends of itself, until the end is queued. What the service
    /// sent before an answer was queued is written before it.
    ///
    /// # Errors
    /// Those of the stream: the client is gone.
    pub(crate) async fn run(
        mut self,
        mut requests: impl Stream<Item = Request> + Unpin,
        mut output: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let (mut listening, mut ended) = (true, false);
        while !ended {
            let mut batch = Vec::new();
            let mut answers = 0;
            tokio::select! {
                biased;
                request = requests.next(), if listening => match request {
                    Some(request) => batch.append(&mut message::frame(&request)),
                    None => listening = false,
                },
                item = self.queue.recv() => ended = take(item, &mut batch, &mut answers),
            }
            while !ended && batch.len() < BATCH {
                if listening && let Some(request) = requests.next().now_or_never() {
                    match request {
                        Some(request) => batch.append(&mut message::frame(&request)),
                        None => listening = false,
                    }
                    continue;
                }
                let Ok(item) = self.queue.try_recv() else { break };
                ended = take(Some(item), &mut batch, &mut answers);
            }
            output.write_all(&batch).await?;
            output.flush().await?;
            self.waiting.bytes.fetch_sub(answers, Ordering::SeqCst);
            self.waiting.less.notify_waiters();
        }
        Ok(())
    }
}

/// Adds an answer to the batch; says whether it was the end.
fn take(item: Option<OutgoingItem>, batch: &mut Vec<u8>, answers: &mut usize) -> bool {
    match item {
        Some(OutgoingItem::Bytes(mut bytes)) => {
            *answers += bytes.len();
            match batch.is_empty() {
                true => *batch = bytes,
                false => batch.append(&mut bytes),
            }
            false
        }
        Some(OutgoingItem::End) | None => true,
    }
}
