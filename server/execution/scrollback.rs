//! The output of a command in the background, by offset. The oldest bytes are dropped where it is too much.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::error::ExecutionError;
use super::live_output::LiveStream;

/// Bytes that are kept.
const KEPT_BYTES: usize = 1 << 20;

/// The output of a command as it comes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scrollback(Arc<ScrollbackState>);

#[derive(Debug, Default)]
struct ScrollbackState {
    kept: Mutex<KeptBytes>,
    /// The number of bytes that came in all.
    total: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct KeptBytes {
    bytes: VecDeque<u8>,
    /// The offset of the first byte that is kept.
    from: u64,
}

/// A part of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OutputPart {
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// The offset of its first byte, which is behind the one asked for where older bytes are gone.
    pub(crate) from: u64,
}

impl OutputPart {
    /// The offset behind its last byte.
    pub(crate) fn next(&self) -> u64 {
        self.from + self.bytes.len() as u64
    }
}

impl Scrollback {
    /// Takes what a stream brings, up to its end.
    ///
    /// # Errors
    /// Fails where the system does not let it be read.
    pub(super) fn follow_stream(
        &self,
        stream: OwnedFd,
        mut live: LiveStream,
    ) -> Result<JoinHandle<()>, ExecutionError> {
        let doing = ExecutionError::while_doing("reading what the command writes");
        let mut reader = pipe::Receiver::from_owned_fd(stream).map_err(doing)?;
        let into = self.clone();
        Ok(tokio::spawn(async move {
            let mut chunk = vec![0; 16 << 10];
            while let Ok(read @ 1..) = reader.read(&mut chunk).await {
                let read = chunk.get(..read).unwrap_or_default();
                into.push(read);
                live.push(read);
            }
        }))
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.kept.lock();
        kept.bytes.extend(bytes);
        let over = kept.bytes.len().saturating_sub(KEPT_BYTES);
        kept.bytes.drain(..over);
        kept.from += over as u64;
        let total = kept.from + kept.bytes.len() as u64;
        drop(kept);
        self.0.total.send_replace(total);
    }

    /// Returns at most `most` bytes from the offset `from` on, out of those that are still kept.
    pub(crate) fn read_part(&self, from: u64, most: usize) -> OutputPart {
        let kept = self.0.kept.lock();
        let from = from.clamp(kept.from, kept.from + kept.bytes.len() as u64);
        let skipped = usize::try_from(from - kept.from).unwrap_or(usize::MAX);
        OutputPart { bytes: kept.bytes.iter().skip(skipped).take(most).copied().collect(), from }
    }

    /// The newest bytes, `most` at most.
    pub(crate) fn last_bytes(&self, most: usize) -> Vec<u8> {
        let kept = self.0.kept.lock();
        kept.bytes.iter().skip(kept.bytes.len().saturating_sub(most)).copied().collect()
    }

    /// Waits until more than `known` bytes came.
    pub(crate) async fn wait_for_more(&self, known: u64) {
        let mut total = self.0.total.subscribe();
        // The sender is here: it cannot be gone.
        let _ = total.wait_for(|total| *total > known).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_bytes_are_kept_and_found_by_their_offset() {
        let output = Scrollback::default();
        output.push(b"hello ");
        output.push(b"world");
        assert_eq!(output.read_part(6, 3), OutputPart { bytes: b"wor".to_vec(), from: 6 });
        assert_eq!(output.read_part(11, 3), OutputPart { bytes: Vec::new(), from: 11 });
        assert_eq!(output.read_part(99, 3).from, 11, "an offset that is not there yet");
        assert_eq!((output.last_bytes(3), output.last_bytes(99)), (b"rld".to_vec(), b"hello world".to_vec()));
        output.push(&vec![b'x'; KEPT_BYTES]);
        let part = output.read_part(0, 4);
        assert_eq!((part.from, &part.bytes[..]), (11, &b"xxxx"[..]), "what is gone is skipped");
        assert_eq!(part.next(), 15);
    }

    #[tokio::test]
    async fn whoever_waits_hears_of_new_bytes() {
        let output = Scrollback::default();
        let waiting = tokio::spawn({
            let output = output.clone();
            async move { output.wait_for_more(0).await }
        });
        tokio::task::yield_now().await;
        output.push(b"x");
        waiting.await.unwrap();
    }
}
