//! fs.ls: what a folder holds.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::off_thread;
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;
use crate::workspace::{FileKind, FolderItem};

/// Lists a folder.
pub(super) struct ListFolder;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListInput {
    path: String,
}

/// One entry of a folder.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FolderEntry {
    name: String,
    #[serde(rename = "type")]
    kind: FolderEntryKind,
    size: u64,
    modified: String,
}

/// What an entry is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FolderEntryKind {
    File,
    Directory,
    Symlink,
    Other,
}

impl Activity for ListFolder {
    type Input = ListInput;
    type Output = Vec<FolderEntry>;

    fn effects(&self, input: &ListInput) -> Effects {
        Effects::read(&input.path)
    }

    async fn run(
        &self,
        input: Arc<ListInput>,
        _: &Permitted,
        scope: &Scope,
    ) -> Result<Output<Vec<FolderEntry>>, Fault> {
        off_thread(scope, move |scope| list(scope, &input.path)).await
    }
}

fn list(scope: &Scope, asked: &str) -> Result<Output<Vec<FolderEntry>>, Fault> {
    let path = scope.path(asked)?;
    let most = scope.settings().limits.output_items;
    let listing = scope.files().list(&path, 0, most)?;
    let truncated = listing.total > listing.entries.len();
    let rest = truncated.then(|| {
        format!(
            "{most} of {} entries are shown; search.lexical with a `glob` finds the others",
            listing.total
        )
    });
    let value = listing.entries.into_iter().map(listed).collect();
    Ok(Output { truncated, rest, ..Output::value(value) })
}

fn listed(entry: FolderItem) -> FolderEntry {
    let kind = match entry.kind {
        FileKind::File => FolderEntryKind::File,
        FileKind::Folder => FolderEntryKind::Directory,
        FileKind::Symlink => FolderEntryKind::Symlink,
        _ => FolderEntryKind::Other,
    };
    FolderEntry { name: entry.name, kind, size: entry.size, modified: entry.modified }
}
