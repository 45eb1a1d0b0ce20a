//! Ranges of lines.

use std::io::Read;

use crate::base::hash;
use crate::base::text::{LineEnding, TextEncoding};
use crate::workspace::{FileLines, ReadWindow, read_lines};

fn read(bytes: &[u8], range: Option<(u64, u64)>, max_bytes: usize) -> Option<FileLines> {
    let window = ReadWindow { range, max_bytes, hash_bytes: 1 << 20 };
    let lines = read_lines(bytes, bytes.len() as u64, window).unwrap();
    // With two bytes at a time, every character is on a border.
    let again = read_lines(Dribble(bytes), 0, window).unwrap();
    assert_eq!(lines, again);
    if let Some(lines) = &lines {
        assert_eq!(lines.hash, Some(hash::short_hash(bytes)));
        assert_eq!(lines.size, bytes.len() as u64);
    }
    lines
}

struct Dribble<'a>(&'a [u8]);

impl Read for Dribble<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = out.len().min(2).min(self.0.len());
        self.0.read(&mut out[..count])
    }
}

/// Content, first line, last line, lines in all, truncated, cut.
type Shown<'a> = (&'a str, u64, u64, u64, bool, bool);

fn check(bytes: &[u8], range: Option<(u64, u64)>, max_bytes: usize, expected: Shown<'_>) {
    let found = read(bytes, range, max_bytes).unwrap();
    let shown: Shown<'_> =
        (&found.content, found.start, found.end, found.total_lines, found.truncated, found.cut);
    assert_eq!(shown, expected, "{bytes:?} {range:?} {max_bytes}");
}

#[test]
fn ranges_and_limits() {
    check(b"", None, 9, ("", 1, 0, 0, false, false));
    check(b"\n", None, 9, ("\n", 1, 1, 1, false, false));
    check(b"a\nb\nc", None, 9, ("a\nb\nc", 1, 3, 3, false, false));
    check(b"a\nb\nc\n", Some((2, 2)), 9, ("b\n", 2, 2, 3, false, false));
    check(b"a\nb\nc", Some((2, 9)), 9, ("b\nc", 2, 3, 3, false, false));
    check(b"a\nb\nc", Some((4, 9)), 9, ("", 4, 0, 3, false, false));
    check(b"a\nb\nc", None, 4, ("a\nb\n", 1, 2, 3, true, false));
    check(b"a\nb\nc", None, 3, ("a\n", 1, 1, 3, true, false));
    check(b"abcdefgh\nb\nc", None, 5, ("abcde", 1, 1, 3, true, true));
    check(b"abcdefgh\nb\nc", Some((2, 3)), 2, ("b\n", 2, 2, 3, true, false));
    check("ééé\n".as_bytes(), None, 5, ("éé", 1, 1, 1, true, true));
    check(&[b'x'; 100], None, 7, ("xxxxxxx", 1, 1, 1, true, true));
    check("𝄞".repeat(50).as_bytes(), None, 6, ("𝄞", 1, 1, 1, true, true));
    check(b"a\r\nb\r\n", Some((2, 2)), 9, ("b\r\n", 2, 2, 2, false, false));
    check(b"caf\xe9\nx\xe9\n", Some((1, 1)), 9, ("café\n", 1, 1, 2, false, false));
    check(b"\xef\xbb\xbfa\nb", None, 9, ("a\nb", 1, 2, 2, false, false));
    check(b"\xef\xbb\xbfa\n\xe9", None, 19, ("ï»¿a\né", 1, 2, 2, false, false));
    check(b"\xff\xfea\0\r\0\n\0b\0", Some((2, 2)), 9, ("b", 2, 2, 2, false, false));
    check(b"\xfe\xff\0a\0\n\0b\0\n\0c", None, 4, ("a\nb\n", 1, 2, 3, true, false));
    check(&TextEncoding::Utf16Le.encode_text(&"𝄞".repeat(50)).unwrap(), None, 9, ("𝄞𝄞", 1, 1, 1, true, true));
}

#[test]
fn what_is_known_of_the_whole_file() {
    let known = |bytes: &[u8]| read(bytes, Some((1, 1)), 9).map(|lines| (lines.encoding, lines.eol));
    assert_eq!(known(b"a\nb\n"), Some((TextEncoding::Utf8, LineEnding::Lf)));
    assert_eq!(known(b"a\r\nb\r\n"), Some((TextEncoding::Utf8, LineEnding::Crlf)));
    assert_eq!(known(b"\xef\xbb\xbfa\r\nb\n"), Some((TextEncoding::Utf8Bom, LineEnding::Mixed)));
    assert_eq!(known(b"\xff\xfea\0\r\0\n\0"), Some((TextEncoding::Utf16Le, LineEnding::Crlf)));
    assert_eq!(known(b"a\nb\ncaf\xe9"), Some((TextEncoding::Latin1, LineEnding::Lf)));
    assert_eq!(known(b"a\nb\0"), None);
}

/// A reader whose bytes are stored nowhere.
struct Endless {
    left: u64,
}

impl Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = out.len().min(usize::try_from(self.left).unwrap());
        out[..count].fill(b'x');
        if let Some(last) = out[..count].last_mut() {
            *last = b'\n';
        }
        self.left -= count as u64;
        Ok(count)
    }
}

#[test]
fn a_gigabyte_is_read_through_and_not_kept() {
    let size = 1 << 30;
    let window = ReadWindow { range: Some((2, 3)), max_bytes: 1000, hash_bytes: 64 << 20 };
    let lines = read_lines(Endless { left: size }, size, window).unwrap().unwrap();
    assert_eq!((lines.size, lines.hash, lines.content.len(), lines.cut), (size, None, 1000, true));
    assert_eq!((lines.total_lines, lines.content.capacity() < 4000), (4096, true));
}
