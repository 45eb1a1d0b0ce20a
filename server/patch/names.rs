//! File names in a diff: the names in headers, and their fit to a file.

use super::file_time;

/// The name in a `---` or `+++` line: no timestamp, unquoted; none for `/dev/null`.
pub(super) fn parse_header_name(rest: &str) -> Option<String> {
    let rest = rest.trim_start();
    let name = match rest.strip_prefix('"') {
        Some(quoted) => unquote_name(quoted).0,
        None => match rest.split_once('\t') {
            Some((name, _)) => name.to_owned(),
            None => file_time::split_time(rest).0.to_owned(),
        },
    };
    (name != "/dev/null" && !name.is_empty()).then_some(name)
}

/// Returns whether the name in a `---` or `+++` line has the time with which GNU diff says that there is no such file.
pub(super) fn states_absence(rest: &str) -> bool {
    let rest = rest.trim_start();
    let time = match rest.strip_prefix('"') {
        Some(quoted) => unquote_name(quoted).1,
        None => rest.split_once('\t').map_or_else(|| file_time::split_time(rest).1, |(_, time)| time),
    };
    file_time::is_epoch(time)
}

/// Returns whether a name in git's headers is that of a file, whose path may have git's prefix too. Either may have the ending
/// of a copy. A prefix is taken off once: `a` and `b` are names of folders as well.
pub(super) fn is_same_file(name: &str, other: &str) -> bool {
    let spellings = |name| {
        let name = strip_backup_suffix(name);
        [name, strip_git_prefix(name)].map(path_parts)
    };
    let others = spellings(other);
    spellings(name).iter().any(|name| others.contains(name))
}

/// The mode in one of git's headers.
pub(super) fn parse_mode(text: &str) -> Option<u32> {
    u32::from_str_radix(text.trim(), 8).ok()
}

/// The fault of a header that states a mode, if the mode is none.
pub(super) fn mode_fault(line: &str) -> Option<String> {
    const HEADERS: [&str; 4] = ["old mode", "new mode", "new file mode", "deleted file mode"];
    let mode = HEADERS.iter().find_map(|header| line.strip_prefix(header))?;
    (parse_mode(mode).is_none() && (mode.is_empty() || mode.starts_with(' ')))
        .then(|| format!("the line {line:?} states no mode"))
}

/// A name without the ending that a copy of the text before a change has.
pub(super) fn strip_backup_suffix(name: &str) -> &str {
    [".orig", ".old", ".bak", "~"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

/// The two names of a `diff --git` line, if they can be separated.
pub(super) fn parse_git_names(rest: &str) -> Option<(String, String)> {
    if let Some(quoted) = rest.strip_prefix('"') {
        let (old, rest) = unquote_name(quoted);
        return Some((old, parse_header_name(rest)?));
    }
    let even = rest.match_indices(' ').map(|(at, _)| (&rest[..at], &rest[at + 1..]));
    let same = even.clone().find(|(old, new)| strip_git_prefix(old) == strip_git_prefix(new));
    let (old, new) = same.or_else(|| even.clone().find(|(_, new)| new.starts_with("b/")))?;
    Some((old.to_owned(), new.to_owned()))
}

/// The two names of a line `Binary files a/x and b/x differ`.
pub(super) fn parse_binary_names(line: &str) -> Option<(String, String)> {
    let named = line.strip_prefix("Binary files ")?.strip_suffix(" differ")?;
    let even = named.match_indices(" and ").map(|(at, _)| (&named[..at], &named[at + 5..]));
    let same = even.clone().find(|(old, new)| strip_git_prefix(old) == strip_git_prefix(new));
    let (old, new) = same.or_else(|| even.clone().next())?;
    Some((old.to_owned(), new.to_owned()))
}

/// The fit of a diff's name to a path: 2 for the same, 1 if one of them is the tail of the other, 0 for another file.
pub(super) fn name_fit(name: &str, path: &str) -> u8 {
    let path = path_parts(path);
    let fits = |name: &str| match path_parts(name) {
        name if name == path => 2,
        name if name.is_empty() || path.is_empty() => 0,
        name if name.ends_with(&path) || path.ends_with(&name) => 1,
        _ => 0,
    };
    fits(name).max(fits(strip_git_prefix(name)))
}

/// Returns whether a name does not identify a file.
pub(super) fn is_placeholder(name: &str) -> bool {
    const SAID: [&str; 11] =
        ["", "-", "a", "b", "old", "new", "original", "modified", "before", "after", "file"];
    SAID.contains(&strip_git_prefix(name))
}

/// A name without the `a/` or `b/` that git writes before it.
pub(super) fn strip_git_prefix(name: &str) -> &str {
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

/// A path as a `---` or `+++` line shows it, with a tab after it if a reader would lose its end.
pub(super) fn show_path(prefix: &str, path: &str) -> String {
    let full = format!("{prefix}{path}");
    match full.chars().any(|c| c.is_control() || c == '"' || c == '\\') {
        true => quote_name(&full),
        false if full.contains(' ') => full + "\t",
        false => full,
    }
}

fn path_parts(path: &str) -> Vec<&str> {
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

fn quote_name(name: &str) -> String {
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

/// The inverse of [`quote_name`] up to the closing quote (C escapes, octal bytes), and what follows that.
fn unquote_name(quoted: &str) -> (String, &str) {
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
                bytes.extend(octal.or_else(|| rest.next().map(unescape_byte)));
            }
            byte => bytes.push(byte),
        }
    }
    // It stopped after an ASCII byte or at the end.
    let rest = &quoted[quoted.len() - rest.len()..];
    (String::from_utf8_lossy(&bytes).into_owned(), rest)
}

fn unescape_byte(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        byte => byte,
    }
}
