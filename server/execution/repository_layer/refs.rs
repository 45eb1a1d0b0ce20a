//! The references of a repository, read from its files: the loose ones, and the packed ones.

use std::collections::BTreeMap;
use std::path::Path;

use super::view::{RepositoryView, ViewTime};

/// The prefixes of references that belong to one working tree.
const OWN: [&str; 3] = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];
/// The prefixes of references that a command may change. Wherefore's notes and replacement objects are not among them.
const OPEN: [&str; 6] =
    ["refs/heads/", "refs/tags/", "refs/remotes/", "refs/bisect/", "refs/worktree/", "refs/rewritten/"];
/// Single references that a command may change.
const OPEN_ONES: [&str; 2] = ["refs/stash", "refs/notes/commits"];

/// References by name, each with its hash, or with `ref: NAME`.
pub(super) type Refs = BTreeMap<String, String>;

/// A changed reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefChange {
    pub(super) name: String,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
}

/// Reads the references of a repository whose shared folder is `shared`, and of the working tree whose own folder is `own`.
pub(super) fn read(shared: &RepositoryView, own: &RepositoryView, at: ViewTime) -> Refs {
    let mut refs = packed(&shared.read(Path::new("packed-refs"), at).unwrap_or_default());
    let is_linked = shared.lower() != own.lower();
    for (view, takes_own) in [(shared, !is_linked), (own, true)] {
        for file in view.files(Path::new("refs"), at) {
            let Some(name) = file.to_str().filter(|name| is_name(name)) else { continue };
            let is_own = OWN.iter().any(|own| name.starts_with(own));
            if is_linked && is_own != takes_own {
                continue;
            }
            let value = view.read(&file, at).and_then(|bytes| value_of(&bytes));
            refs.extend(value.map(|value| (name.to_owned(), value)));
        }
    }
    refs
}

/// Returns the references that differ. Those that a command may not change are among them; see [`is_open`].
pub(super) fn changes(before: &Refs, after: &Refs) -> Vec<RefChange> {
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    let change = |name: &String| {
        let (old, new) = (before.get(name).cloned(), after.get(name).cloned());
        (old != new).then(|| RefChange { name: name.clone(), old, new })
    };
    names.filter_map(change).collect()
}

/// Returns whether a command may make this change of a reference.
pub(super) fn is_open(change: &RefChange) -> bool {
    let is_hash_or_none = |value: &Option<String>| value.as_deref().is_none_or(is_hash);
    (OPEN.iter().any(|open| change.name.starts_with(open)) || OPEN_ONES.contains(&change.name.as_str()))
        && is_hash_or_none(&change.old)
        && is_hash_or_none(&change.new)
}

/// Reads the value of HEAD: a hash, or `ref: NAME` of a branch.
pub(super) fn head_of(bytes: &[u8]) -> Option<String> {
    let value = value_of(bytes)?;
    let is_branch = |name: &str| name.starts_with("refs/heads/") && is_name(name);
    (is_hash(&value) || value.strip_prefix("ref: ").is_some_and(is_branch)).then_some(value)
}

/// Returns whether a reference belongs to one working tree.
pub(super) fn is_own(name: &str) -> bool {
    OWN.iter().any(|own| name.starts_with(own))
}

pub(super) fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn packed(bytes: &[u8]) -> Refs {
    let text = String::from_utf8_lossy(bytes);
    let pair = |line: &str| {
        let (hash, name) = line.split_once(' ')?;
        (is_hash(hash) && is_name(name)).then(|| (name.to_owned(), hash.to_owned()))
    };
    text.lines().filter_map(pair).collect()
}

fn value_of(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?.trim_end();
    let name = text.strip_prefix("ref:").map(str::trim_start);
    match name {
        Some(name) => is_name(name).then(|| format!("ref: {name}")),
        None => is_hash(text).then(|| text.to_owned()),
    }
}

/// Returns whether git accepts a text as the name of a reference.
fn is_name(name: &str) -> bool {
    let odd = |c: char| c.is_control() || " ~^:?*[\\\u{7f}".contains(c);
    let part = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && !part.ends_with('.') && !part.ends_with(".lock")
    };
    name.starts_with("refs/")
        && !name.contains(odd)
        && !name.contains("..")
        && !name.contains("@{")
        && name.split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_git_takes_and_a_command_may_change_are_open() {
        let one = "1".repeat(40);
        let open = |name: &str, new: &str| {
            is_open(&RefChange { name: name.to_owned(), old: None, new: Some(new.to_owned()) })
        };
        assert!(open("refs/heads/main", &one) && open("refs/stash", &one) && open("refs/tags/v1", &one));
        assert!(
            !open("refs/replace/x", &one) && !open("refs/notes/wherefore", &one),
            "what changes what others mean"
        );
        assert!(!open("refs/heads/main", "ref: refs/heads/other"));
        for odd in [
            "refs/heads/../../config",
            "refs/heads/a..b",
            "refs/heads/.x",
            "refs/heads/x.lock",
            "HEAD",
            "refs//x",
        ] {
            assert!(!is_name(odd), "{odd}");
        }
        let packed = packed(
            format!("# pack-refs with: peeled\n{one} refs/heads/a\n^{one}\n{one} refs/../x\n").as_bytes(),
        );
        assert_eq!(packed.keys().collect::<Vec<_>>(), ["refs/heads/a"]);
        assert_eq!(head_of(b"ref: refs/heads/main\n").as_deref(), Some("ref: refs/heads/main"));
        assert_eq!(head_of(b"ref: refs/remotes/x/main\n"), None);
    }
}
