//! workspace.files: the files that are not ignored, and how they are watched.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::unmatched_place::describe_no_files;
use super::{off_thread, whole_unless};
use crate::protocol::{CallEffects, Fault, WatchStatus};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::{CallScope, SearchScope};
use crate::watch::FileEntry;

/// Files in one answer, where the caller names no limit.
const LIMIT: Count = Count(200);

/// Lists the workspace's files.
pub(super) struct ListFiles;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FilesInput {
    #[serde(default)]
    scope: String,
    #[serde(default)]
    glob: String,
    limit: Option<Count>,
    #[serde(default)]
    cursor: String,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FileList {
    files: Vec<SizedFile>,
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    watch: Option<WatchStatus>,
}

/// A file with its size.
#[derive(Debug, Serialize, JsonSchema)]
struct SizedFile {
    path: Arc<str>,
    size: u64,
}

impl Activity for ListFiles {
    type Input = FilesInput;
    type Output = FileList;

    fn call_effects(&self, input: &FilesInput) -> CallEffects {
        CallEffects::read(whole_unless(&input.scope))
    }

    async fn run_call(
        &self,
        input: Arc<FilesInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<FileList>, Fault> {
        off_thread(scope, move |scope| list_files(scope, &input)).await
    }
}

fn list_files(scope: &CallScope, input: &FilesInput) -> Result<ActivityOutput<FileList>, Fault> {
    let limit = input.limit.unwrap_or(LIMIT).as_usize().min(scope.settings().limits.output_items);
    let after = input.cursor.as_str();
    let place = SearchScope { scope: &input.scope, glob: &input.glob };
    let files = scope.search().list_files(place)?;
    let from = if after.is_empty() { 0 } else { files.partition_point(|entry| &*entry.path <= after) };
    let shown: Vec<&FileEntry> = files.iter().skip(from).take(limit).collect();
    let truncated = from + shown.len() < files.len();
    let rest = shown.last().filter(|_| truncated).map(|last| {
        format!("{} of {} files are shown; go on with the cursor {}", shown.len(), files.len(), last.path)
    });
    let sized = |entry: &&FileEntry| SizedFile { path: entry.path.clone(), size: entry.stamp.size };
    let list = FileList {
        files: shown.iter().map(sized).collect(),
        total: files.len(),
        watch: scope.search().watch_status(),
    };
    let warnings = match files.is_empty() {
        true => describe_no_files(scope, place)?.into_iter().collect(),
        false => Vec::new(),
    };
    Ok(ActivityOutput { truncated, rest, warnings, ..ActivityOutput::from_value(list) })
}
