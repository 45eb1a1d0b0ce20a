//! Messages of the Language Server Protocol on a stream, one frame each.

use std::io::{self, BufRead, Write};

use serde_json::Value;

/// Bytes of the longest message that is read.
const LONGEST: usize = 256 << 20;

/// Writes one framed message.
///
/// # Errors
/// The error of the stream.
pub(super) fn write_frame(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    output.write_all(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())?;
    output.flush()
}

/// Reads one framed message; nothing at the end of the stream.
///
/// # Errors
/// The error of the stream, or a message that is malformed.
pub(super) fn read_frame(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length: Option<usize> = None;
    loop {
        let mut header = String::new();
        if input.read_line(&mut header)? == 0 {
            return Ok(None);
        }
        match header.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().ok(),
            Some(_) => {}
            None => break,
        }
    }
    let length = length.filter(|length| *length <= LONGEST);
    let mut body = vec![0; length.ok_or_else(|| io::Error::other("a message without Content-Length"))?];
    input.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}
