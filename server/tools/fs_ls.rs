//! fs.ls: what a folder holds.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::off_thread;
use crate::protocol::{CallEffects, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;
use crate::workspace::{FileKind, FolderItem};

/// Lists a folder.
pub(super) struct ListFolder;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListInput {
    path: String,
}

/// An entry of a folder.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FolderEntry {
    name: String,
    #[serde(rename = "type")]
    kind: FolderEntryKind,
    size: u64,
    modified: String,
}

/// The kind of an entry.
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

    fn call_effects(&self, input: &ListInput) -> CallEffects {
        CallEffects::read(&input.path)
    }

    async fn run_call(
        &self,
        input: Arc<ListInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<Vec<FolderEntry>>, Fault> {
        off_thread(scope, move |scope| list_folder(scope, &input.path)).await
    }
}

fn list_folder(scope: &CallScope, asked: &str) -> Result<ActivityOutput<Vec<FolderEntry>>, Fault> {
    let path = scope.parse_path(asked)?;
    let most = scope.settings().limits.output_items;
    let listing = scope.files().list_folder(&path, 0, most)?;
    let truncated = listing.total > listing.entries.len();
    let rest = truncated.then(|| {
        format!(
            "{most} of {} entries are shown; search.lexical with a `glob` finds the others",
            listing.total
        )
    });
    let value = listing.entries.into_iter().map(folder_entry).collect();
    Ok(ActivityOutput { truncated, rest, ..ActivityOutput::from_value(value) })
}

fn folder_entry(entry: FolderItem) -> FolderEntry {
    let kind = match entry.kind {
        FileKind::File => FolderEntryKind::File,
        FileKind::Folder => FolderEntryKind::Directory,
        FileKind::Symlink => FolderEntryKind::Symlink,
        _ => FolderEntryKind::Other,
    };
    FolderEntry { name: entry.name, kind, size: entry.size, modified: entry.modified }
}
