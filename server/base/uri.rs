//! `file:` URIs and the paths they name.

use std::fmt::Write;

/// The absolute path that a `file:` URI names; nothing for other URIs, other hosts and names that are not
/// UTF-8.
pub fn path_from_uri(uri: &str) -> Option<String> {
    let rest = uri.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://")).map(|_| &uri[7..])?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = path.split(['?', '#']).next().filter(|path| path.starts_with('/'))?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut at = 0;
    while let Some(&byte) = path.as_bytes().get(at) {
        let escaped =
            (byte == b'%').then(|| u8::from_str_radix(path.get(at + 1..at + 3)?, 16).ok()).flatten();
        bytes.push(escaped.unwrap_or(byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8(bytes).ok().filter(|path| !path.contains('\0'))
}

/// The `file:` URI of an absolute path, with everything escaped that may not stand in one.
pub fn uri_from_path(path: &str) -> String {
    let mut uri = String::from("file://");
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into())
            }
            // Writing to a string never fails.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_back() {
        for path in ["/a/b.rs", "/a b/ü%41#?:;[]&\"\\.rs", "/", "/日本/😀\n"] {
            assert_eq!(path_from_uri(&uri_from_path(path)).as_deref(), Some(path));
        }
        assert_eq!(uri_from_path("/a b/ü%"), "file:///a%20b/%C3%BC%25");
    }

    #[test]
    fn other_spellings() {
        let check = |uri, path| assert_eq!(path_from_uri(uri).as_deref(), path, "{uri}");
        check("FILE://localhost/a%2fb", Some("/a/b"));
        check("file:///c%3A/x?q#f", Some("/c:/x"));
        check("file:///bad%zz%2", Some("/bad%zz%2"));
        for none in
            ["file://host/a", "untitled:1", "wherefore://log/x", "file:///%ff", "file:///a%00b", "file"]
        {
            check(none, None);
        }
    }
}
