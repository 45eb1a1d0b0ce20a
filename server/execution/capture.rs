//! The captured output of a stream: its head and its tail as text, and the whole by hash up to a bound.

use std::collections::VecDeque;

/// Bytes kept of the beginning of a stream.
const HEAD: usize = 16 << 10;
/// Bytes kept of its end.
const TAIL: usize = 16 << 10;
/// Bytes that are reported at once as progress, from the end of the new ones.
const FRESH: u64 = 4 << 10;
/// Bytes of a stream that are kept whole, by hash, where its text is cut.
const WHOLE: usize = 8 << 20;

/// A stream while it is read. It takes bounded memory, however much is written.
#[derive(Debug, Default)]
pub(crate) struct StreamCapture {
    /// The stream from its beginning, up to [`WHOLE`].
    whole: Vec<u8>,
    /// Its last bytes, once it is longer than [`WHOLE`].
    tail: VecDeque<u8>,
    total: u64,
    /// The bytes already reported as progress.
    reported: u64,
    /// True where a NUL came: then it is no text.
    binary: bool,
}

/// The content of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CapturedStream {
    /// Its text, without control sequences. Where it was cut, a line states how many bytes are left out.
    pub(crate) text: String,
    /// All bytes that were written.
    pub(crate) bytes: u64,
    /// True where the text is not all of it.
    pub(crate) cut: bool,
}

impl StreamCapture {
    /// Takes what was read.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        self.binary |= memchr::memchr(0, bytes).is_some();
        let room = WHOLE.saturating_sub(self.whole.len()).min(bytes.len());
        let (fits, more) = bytes.split_at(room);
        self.whole.extend_from_slice(fits);
        let last = &more[more.len().saturating_sub(TAIL)..];
        self.tail.extend(last);
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
    }

    /// Its bytes from the beginning, up to 8 MiB.
    pub(crate) fn beginning(&self) -> &[u8] {
        &self.whole
    }

    /// Its bytes from the beginning, up to 8 MiB, where its text is not all of it.
    pub(crate) fn cut_bytes(&self) -> Option<&[u8]> {
        (self.binary || self.total > (HEAD + TAIL) as u64).then_some(&self.whole[..])
    }

    /// All its bytes; nothing where there were more than 8 MiB.
    pub(crate) fn all_bytes(&self) -> Option<&[u8]> {
        (self.total == self.whole.len() as u64).then_some(&self.whole[..])
    }

    /// Its bytes from the beginning, up to 8 MiB, and whether there were more.
    pub(super) fn into_beginning(self) -> (Vec<u8>, bool) {
        let is_cut = self.total > self.whole.len() as u64;
        (self.whole, is_cut)
    }

    /// The lines that came since this was asked last, for progress; the last ones where they are many.
    pub(crate) fn take_fresh_lines(&mut self) -> Option<String> {
        let bytes = (self.total - std::mem::replace(&mut self.reported, self.total)).min(FRESH);
        let text = plain_text(&self.tail_bytes(usize::try_from(bytes).unwrap_or_default()));
        let text = text.trim_matches('\n');
        (!self.binary && !text.trim().is_empty()).then(|| text.to_owned())
    }

    /// The stream as a caller is shown it.
    pub(crate) fn captured_text(&self) -> CapturedStream {
        let bytes = self.total;
        if self.binary {
            let text = format!("({bytes} bytes that are no text)");
            return CapturedStream { text, bytes, cut: true };
        }
        if self.total <= (HEAD + TAIL) as u64 {
            return CapturedStream { text: plain_text(&self.whole), bytes, cut: false };
        }
        let head = until_line_end(&self.whole[..HEAD.min(self.whole.len())]);
        let end = self.tail_bytes(TAIL);
        let tail = from_line_start(&end);
        let left_out = self.total - (head.len() + tail.len()) as u64;
        let text = format!(
            "{}\n… {left_out} bytes are left out here …\n{}",
            plain_text(head).trim_end(),
            plain_text(tail)
        );
        CapturedStream { text, bytes, cut: true }
    }

    /// Its last bytes.
    fn tail_bytes(&self, most: usize) -> Vec<u8> {
        let of_whole = most.saturating_sub(self.tail.len()).min(self.whole.len());
        let mut end = self.whole[self.whole.len() - of_whole..].to_vec();
        end.extend(self.tail.iter().skip(self.tail.len().saturating_sub(most)));
        end
    }
}

/// The bytes up to the end of their last whole line; all of them where that is far off.
fn until_line_end(bytes: &[u8]) -> &[u8] {
    match memchr::memrchr(b'\n', bytes) {
        Some(at) if at > bytes.len() / 2 => &bytes[..=at],
        _ => bytes,
    }
}

/// The bytes from the start of their first whole line; all of them where that is far off.
fn from_line_start(bytes: &[u8]) -> &[u8] {
    match memchr::memchr(b'\n', bytes) {
        Some(at) if at < bytes.len() / 2 => &bytes[at + 1..],
        _ => bytes,
    }
}

/// The text of output without terminal control sequences: of a line that was written over with carriage returns, what was
/// written last.
pub(crate) fn plain_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let plain = anstream::adapter::strip_str(&text).to_string();
    let mut out = String::with_capacity(plain.len());
    for line in plain.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line.trim_end_matches('\r'), "\n"),
            None => (line, ""),
        };
        let last = line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or_default();
        out.extend(last.chars().filter(|c| !c.is_control() || *c == '\t'));
        out.push_str(end);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(chunks: &[&[u8]]) -> CapturedStream {
        let mut capture = StreamCapture::default();
        for chunk in chunks {
            capture.push(chunk);
        }
        capture.captured_text()
    }

    #[test]
    fn a_short_stream_is_whole() {
        let stream = captured(&[b"one\n", b"two"]);
        assert_eq!(stream, CapturedStream { text: "one\ntwo".to_owned(), bytes: 7, cut: false });
        assert_eq!(captured(&[]).text, "");
    }

    #[test]
    fn a_long_stream_keeps_its_head_and_its_tail() {
        for lines in [10_000_u32, 3_000_000] {
            let all: String = (0..lines).map(|n| format!("line {n}\n")).collect();
            let mut capture = StreamCapture::default();
            for chunk in all.as_bytes().chunks(60_001) {
                capture.push(chunk);
            }
            assert!(capture.whole.len() <= WHOLE && capture.tail.len() <= TAIL);
            let stream = capture.captured_text();
            assert!(stream.cut && stream.bytes == all.len() as u64);
            assert!(stream.text.starts_with("line 0\nline 1\n"), "{lines}");
            assert!(stream.text.ends_with(&format!("line {}\n", lines - 1)), "{lines}");
            assert!(stream.text.contains("bytes are left out here"));
            assert!(stream.text.len() < HEAD + TAIL + 100);
            assert!(stream.text.lines().all(|line| line.starts_with("line ") || line.starts_with('…')));
        }
    }

    #[test]
    fn what_is_no_text_is_counted() {
        assert_eq!(captured(&[b"\x7fELF\0\0"]).text, "(6 bytes that are no text)");
        assert_eq!(captured(&[b"caf\xe9\n"]).text, "caf\u{fffd}\n");
    }

    #[test]
    fn control_sequences_and_lines_written_over_are_read_as_a_person_sees_them() {
        assert_eq!(plain_text(b"\x1b[31mred\x1b[0m\r\n"), "red\n");
        assert_eq!(plain_text(b"10%\r50%\r100%\ndone\r"), "100%\ndone");
        assert_eq!(plain_text(b"\x1b]0;title\x07a\x08b\tc"), "ab\tc");
        let mut capture = StreamCapture::default();
        capture.push(b"building\n 3/9 a.rs\r 4/9 b.rs\n\n");
        assert_eq!(capture.take_fresh_lines().as_deref(), Some("building\n 4/9 b.rs"));
        assert_eq!(capture.take_fresh_lines(), None);
        capture.push(b"done\n");
        assert_eq!(capture.take_fresh_lines().as_deref(), Some("done"));
    }
}
