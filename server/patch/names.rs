//! File names in a diff: what a header names, and whether that is the file at hand.

/// The name in a `---` or `+++` line: no timestamp, unquoted; none for `/dev/null`.
pub(super) fn of_header(rest: &str) -> Option<String> {
    let rest = rest.trim_start();
    let name = match rest.strip_prefix('"') {
        Some(quoted) => unquote(quoted).0,
        None => rest.split_once('\t').map_or(rest.trim_end(), |(name, _)| name).to_owned(),
    };
    (name != "/dev/null" && !name.is_empty()).then_some(name)
}

/// The two names of a `diff --git` line, where they can be told apart.
pub(super) fn of_git(rest: &str) -> Option<(String, String)> {
    if let Some(quoted) = rest.strip_prefix('"') {
        let (old, rest) = unquote(quoted);
        return Some((old, of_header(rest)?));
    }
    let even = rest.match_indices(' ').map(|(at, _)| (&rest[..at], &rest[at + 1..]));
    let same = even.clone().find(|(old, new)| plain(old) == plain(new));
    let (old, new) = same.or_else(|| even.clone().find(|(_, new)| new.starts_with("b/")))?;
    Some((old.to_owned(), new.to_owned()))
}

/// How well a name of a diff fits a path: 2 the same, 1 one of them is the tail of the other, 0 another file.
pub(super) fn fit(name: &str, path: &str) -> u8 {
    let path = parts(path);
    let fits = |name: &str| match parts(name) {
        name if name == path => 2,
        name if name.is_empty() || path.is_empty() => 0,
        name if name.ends_with(&path) || path.ends_with(&name) => 1,
        _ => 0,
    };
    fits(name).max(fits(plain(name)))
}

/// Whether a name says nothing about which file is meant.
pub(super) fn placeholder(name: &str) -> bool {
    const SAID: [&str; 11] =
        ["", "-", "a", "b", "old", "new", "original", "modified", "before", "after", "file"];
    SAID.contains(&plain(name))
}

/// A name without the `a/` or `b/` that git writes before it.
pub(super) fn plain(name: &str) -> &str {
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

/// A path as a `---` or `+++` line shows it, with a tab after it where a reader would lose its end.
pub(super) fn show(prefix: &str, path: &str) -> String {
    let full = format!("{prefix}{path}");
    match full.chars().any(|c| c.is_control() || c == '"' || c == '\\') {
        true => quote(&full),
        false if full.contains(' ') => full + "\t",
        false => full,
    }
}

fn parts(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts
}

fn quote(name: &str) -> String {
    let mut quoted = String::from('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    quoted.push_str(&format!("\\{byte:03o}"));
                }
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// The inverse of [`quote`] up to the closing quote (C escapes, octal bytes), and what follows that.
fn unquote(quoted: &str) -> (String, &str) {
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => {
                let mut octal = None;
                for _ in 0..3 {
                    let Some(digit) = rest.next_if(|digit| (b'0'..=b'7').contains(digit)) else { break };
                    octal = Some(octal.unwrap_or(0u8).wrapping_mul(8).wrapping_add(digit - b'0'));
                }
                bytes.extend(octal.or_else(|| rest.next().map(unescape)));
            }
            byte => bytes.push(byte),
        }
    }
    // It stopped after an ASCII byte or at the end.
    let rest = &quoted[quoted.len() - rest.len()..];
    (String::from_utf8_lossy(&bytes).into_owned(), rest)
}

fn unescape(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        byte => byte,
    }
}
