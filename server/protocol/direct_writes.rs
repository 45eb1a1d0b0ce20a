//! Writes of a command without a review.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person's decision on changes of commands to ignored paths that are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApartAct {
    /// It is written to the workspace.
    Take,
    /// It is removed.
    Drop,
}

/// The changes of a command in one folder that git ignores, or to one such file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DirectWrites {
    /// The folder or file, from the workspace's root.
    pub path: String,
    /// The number of files and links written.
    pub files: u64,
    /// Set if they are kept apart from the workspace, until the person takes them over or drops them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// The number of files removed.
    #[serde(skip_serializing_if = "is_none")]
    pub removed: u64,
    /// The number of written files that a program outside of the sandbox runs later.
    #[serde(skip_serializing_if = "is_none")]
    pub run_later: u64,
    /// The programs that run them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub run_by: Vec<String>,
    /// Some of the files that are run later, by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl fmt::Display for DirectWrites {
    /// Writes a text such as `412 files in node_modules, 3 of them run later by your editor:
    /// node_modules/typescript/lib/tsserver.js …`.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: u64| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let removed = || {
            if self.files == 0 {
                format!("{} removed", counted(self.removed))
            } else {
                format!("{} removed", self.removed)
            }
        };
        match (self.files, self.removed) {
            (files, 0) => write!(to, "{}", counted(files))?,
            (0, _) => write!(to, "{}", removed())?,
            (files, _) => write!(to, "{}, {}", counted(files), removed())?,
        }
        write!(to, " in {}", self.path)?;
        if self.apart {
            to.write_str(", kept apart from the workspace")?;
        }
        if self.run_later > 0 {
            write!(to, ", {} of them run later by {}", self.run_later, self.run_by.join(" and "))?;
            let more = self.run_later > self.named.len() as u64;
            write!(to, ": {}{}", self.named.join(", "), if more { " …" } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct_writes_are_counted_and_named_in_words() {
        let mut writes =
            DirectWrites { path: "node_modules".to_owned(), files: 412, ..DirectWrites::default() };
        assert_eq!(writes.to_string(), "412 files in node_modules");
        writes.removed = 2;
        assert_eq!(writes.to_string(), "412 files, 2 removed in node_modules");
        (writes.run_later, writes.run_by) = (3, vec!["your editor".to_owned()]);
        writes.named = vec!["node_modules/eslint/a.js".to_owned()];
        assert_eq!(
            writes.to_string(),
            "412 files, 2 removed in node_modules, 3 of them run later by your editor: node_modules/eslint/a.js …"
        );
        let apart = DirectWrites { path: "out".to_owned(), files: 2, apart: true, ..DirectWrites::default() };
        assert_eq!(apart.to_string(), "2 files in out, kept apart from the workspace");
        let gone = DirectWrites { path: "dist".to_owned(), removed: 1, ..DirectWrites::default() };
        assert_eq!(gone.to_string(), "1 file removed in dist");
    }
}
