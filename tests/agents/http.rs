//! Requests as they stand on a connection: as much of HTTP/1.1 as the programs under test speak.

use std::io::BufRead;

/// An HTTP request.
pub(crate) struct Request {
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names as they were sent.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Reads the next request of a connection; nothing where it ended.
pub(crate) fn read(reader: &mut impl BufRead) -> Option<Request> {
    let first = line(reader)?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut request = Request { method, path, headers: Vec::new(), body: Vec::new() };
    loop {
        let line = line(reader)?;
        let Some((name, value)) = line.split_once(':') else { break };
        request.headers.push((name.to_owned(), value.trim().to_owned()));
    }
    if request.header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
        loop {
            let length = usize::from_str_radix(&line(reader)?, 16).ok()?;
            take(reader, length, &mut request.body)?;
            line(reader)?;
            if length == 0 {
                break;
            }
        }
    } else if let Some(length) = request.header("content-length") {
        let length = length.parse().ok()?;
        take(reader, length, &mut request.body)?;
    }
    Some(request)
}

impl Request {
    /// The value of a header, whose name is given in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    (reader.read_line(&mut line).ok()? > 0).then(|| line.trim_end().to_owned())
}

fn take(reader: &mut impl BufRead, length: usize, body: &mut Vec<u8>) -> Option<()> {
    let start = body.len();
    body.resize(start + length, 0);
    reader.read_exact(&mut body[start..]).ok()
}
