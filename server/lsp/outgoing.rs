//! The messages to the client: one task writes them, in batches of all that is ready.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{FutureExt, Stream, StreamExt};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};
use tower_lsp::jsonrpc::Request;

use super::message;

/// Bytes of answers that may wait for a client that does not read; above it nothing more is read from the client.
pub(crate) const QUEUE_LIMIT: usize = 32 << 20;
const BATCH: usize = 256 << 10;

/// A queue of framed messages. Clones are the same queue.
#[derive(Clone, Debug)]
pub(crate) struct OutgoingQueue {
    queue: mpsc::UnboundedSender<OutgoingItem>,
    waiting: Arc<QueuedBytes>,
}

#[derive(Debug, Default)]
struct QueuedBytes {
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
pub(crate) struct OutgoingWriter {
    queue: mpsc::UnboundedReceiver<OutgoingItem>,
    waiting: Arc<QueuedBytes>,
}

/// A queue and the end that empties it.
pub(crate) fn outgoing_queue() -> (OutgoingQueue, OutgoingWriter) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let waiting = Arc::new(QueuedBytes::default());
    (OutgoingQueue { queue: sender, waiting: waiting.clone() }, OutgoingWriter { queue: receiver, waiting })
}

impl OutgoingQueue {
    /// Queues a framed message.
    pub(crate) fn push_message(&self, framed: Vec<u8>) {
        self.waiting.bytes.fetch_add(framed.len(), Ordering::SeqCst);
        // It fails only if the writer is gone, and then the server is about to end.
        let _ = self.queue.send(OutgoingItem::Bytes(framed));
    }

    /// Ends the queue.
    pub(crate) fn push_end(&self) {
        let _ = self.queue.send(OutgoingItem::End);
    }

    /// Waits until less than [`QUEUE_LIMIT`] bytes wait to be read.
    pub(crate) async fn wait_for_room(&self) {
        while self.waiting.bytes.load(Ordering::SeqCst) > QUEUE_LIMIT {
            let less = self.waiting.less.notified();
            if self.waiting.bytes.load(Ordering::SeqCst) > QUEUE_LIMIT {
                less.await;
            }
        }
    }
}

impl OutgoingWriter {
    /// Writes the queued messages and those of the service, until the end of the queue. A message that the service sent
    /// before an answer was queued is written before that answer.
    ///
    /// # Errors
    /// The errors of the stream: the client is gone.
    pub(crate) async fn write_queue(
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
                    Some(request) => batch.append(&mut message::frame_message(&request)),
                    None => listening = false,
                },
                item = self.queue.recv() => ended = take_item(item, &mut batch, &mut answers),
            }
            while !ended && batch.len() < BATCH {
                if listening && let Some(request) = requests.next().now_or_never() {
                    match request {
                        Some(request) => batch.append(&mut message::frame_message(&request)),
                        None => listening = false,
                    }
                    continue;
                }
                let Ok(item) = self.queue.try_recv() else { break };
                ended = take_item(Some(item), &mut batch, &mut answers);
            }
            output.write_all(&batch).await?;
            output.flush().await?;
            self.waiting.bytes.fetch_sub(answers, Ordering::SeqCst);
            self.waiting.less.notify_waiters();
        }
        Ok(())
    }
}

/// Adds an item to the batch; returns whether it was the end.
fn take_item(item: Option<OutgoingItem>, batch: &mut Vec<u8>, answers: &mut usize) -> bool {
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
