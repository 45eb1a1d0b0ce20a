//! The description of a change as a sentence for a person, if no line of a hunk shows it.

use super::{ChangeKind, PathContent, ProposedFile};

impl ProposedFile {
    /// The sentence for this file's hunk; none if its lines show everything. The caller escapes the hidden characters
    /// of its paths.
    pub fn change_sentence(&self) -> Option<String> {
        let path = &self.path;
        let from = || self.from.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string);
        let has_lines = || self.hunks.iter().any(|hunk| !hunk.old.is_empty() || !hunk.new.is_empty());
        Some(match self.kind {
            ChangeKind::Edit => return None,
            ChangeKind::Create if self.executable == Some(true) => {
                format!("makes the executable file {path}")
            }
            ChangeKind::Create if !has_lines() => format!("makes the empty file {path}"),
            ChangeKind::Delete if !has_lines() => format!("removes the empty file {path}"),
            ChangeKind::Create | ChangeKind::Delete => return None,
            ChangeKind::Mkdir => format!("makes the folder {path}"),
            ChangeKind::Rmdir => format!("removes the folder {path}"),
            ChangeKind::Copy => format!("copies {} to {path}", from()),
            ChangeKind::Rename => format!("renames {} to {path}", from()),
            ChangeKind::Mode if self.executable == Some(true) => format!("makes {path} executable"),
            ChangeKind::Mode => format!("makes {path} not executable"),
            ChangeKind::Symlink => self.link_sentence(),
            ChangeKind::Binary => self.binary_sentence(),
        })
    }

    fn link_sentence(&self) -> String {
        let path = &self.path;
        let target = |content: &Option<PathContent>| match content {
            Some(PathContent::Symlink(target)) => Some(target.clone()),
            _ => None,
        };
        match (target(&self.before), target(&self.after)) {
            (None, Some(after)) => format!("links {path} to {after}"),
            (Some(before), Some(after)) => format!("links {path} to {after} instead of {before}"),
            (Some(before), None) => format!("removes the link {path} to {before}"),
            (None, None) => format!("changes the link {path}"),
        }
    }

    fn binary_sentence(&self) -> String {
        let path = &self.path;
        let bytes = |content: &Option<PathContent>| match content {
            Some(PathContent::Bytes { hash, size }) => Some((hash.clone(), *size)),
            _ => None,
        };
        let executable = if self.executable == Some(true) { ", executable" } else { "" };
        match (bytes(&self.before), bytes(&self.after)) {
            (None, Some((hash, size))) => {
                format!("new binary {path}, {}, hash {hash}{executable}", size_words(size))
            }
            // Two sizes with the same rounded form are written to the byte.
            (Some((_, was)), Some((hash, size))) if was != size && size_words(was) == size_words(size) => {
                format!("binary {path}, {was} B → {size} B, hash {hash}")
            }
            (Some((_, was)), Some((hash, size))) => {
                format!("binary {path}, {} → {}, hash {hash}", size_words(was), size_words(size))
            }
            (Some((hash, size)), None) => {
                format!("removes the binary {path}, {}, hash {hash}", size_words(size))
            }
            (None, None) => format!("changes the binary {path}"),
        }
    }
}

/// A size in bytes for a person: `512 B`, `12 KB`, `3.4 MB`.
fn size_words(size: u64) -> String {
    match size {
        0..1_000 => format!("{size} B"),
        1_000..1_000_000 => format!("{} KB", size.div_ceil(1_000)),
        _ => format!("{}.{} MB", size / 1_000_000, size % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ProposedFile;

    #[test]
    fn each_kind_without_lines_has_a_sentence() {
        let said = |kind: &str, more: serde_json::Value| {
            let hunk = json!({ "id": "h1", "start": 0, "old": [], "new": [] });
            let mut file = json!({ "path": "b", "uri": "file:///b", "kind": kind, "hunks": [hunk] });
            file.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_value::<ProposedFile>(file).unwrap().change_sentence().unwrap()
        };
        let bytes = |size: u64| json!({ "bytes": { "hash": "ab12", "size": size } });
        assert_eq!(said("rename", json!({ "from": "a" })), "renames a to b");
        assert_eq!(said("mode", json!({ "executable": true })), "makes b executable");
        assert_eq!(said("mode", json!({ "executable": false })), "makes b not executable");
        assert_eq!(said("symlink", json!({ "after": { "symlink": "c" } })), "links b to c");
        assert_eq!(
            said("binary", json!({ "before": bytes(12_000), "after": bytes(14_000) })),
            "binary b, 12 KB → 14 KB, hash ab12"
        );
        assert_eq!(
            said("binary", json!({ "before": bytes(2_990), "after": bytes(2_900) })),
            "binary b, 2990 B → 2900 B, hash ab12"
        );
        assert_eq!(said("binary", json!({ "before": bytes(3) })), "removes the binary b, 3 B, hash ab12");
        assert_eq!(said("create", json!({ "executable": true })), "makes the executable file b");
        assert_eq!(said("rmdir", json!({})), "removes the folder b");
    }
}
