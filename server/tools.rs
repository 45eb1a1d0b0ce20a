//! The activities, one file each.

mod change;
mod context_assemble;
mod fs_append;
mod fs_copy;
mod fs_edit;
mod fs_ls;
mod fs_mkdir;
mod fs_patch;
mod fs_read;
mod fs_write;
mod memory_advise;
mod memory_summarize;
mod refused;
mod review_wait;
mod search_lexical;
mod search_vector;
mod task_complete;
mod workspace_files;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::memory::Extractive;
use crate::protocol::{Code, Fault};
use crate::registry::{Activities, Activity, PROD};
use crate::review::Desk;
use crate::session::Scope;
use change::Rewrite;

/// Every built-in activity, under the name of its tool.
pub(crate) fn activities(desk: &Arc<Desk>) -> Arc<Activities> {
    let activities = Activities::default();
    let all: [(&str, Arc<dyn Activity>); 16] = [
        ("fs.ls", Arc::new(fs_ls::Ls)),
        ("fs.read", Arc::new(fs_read::Read)),
        ("fs.append", Arc::new(Rewrite(fs_append::draft))),
        ("fs.patch", Arc::new(Rewrite(fs_patch::draft))),
        ("fs.edit", Arc::new(Rewrite(fs_edit::draft))),
        ("fs.write", Arc::new(Rewrite(fs_write::draft))),
        ("fs.mkdir", Arc::new(fs_mkdir::Mkdir)),
        ("fs.copy", Arc::new(fs_copy::Copy)),
        ("search.lexical", Arc::new(search_lexical::Lexical)),
        ("search.vector", Arc::new(search_vector::Vector)),
        ("workspace.files", Arc::new(workspace_files::List)),
        ("context.assemble", Arc::new(context_assemble::Assemble)),
        ("memory.advise", Arc::new(memory_advise::Advise)),
        ("memory.summarize", Arc::new(memory_summarize::Summarize(Arc::new(Extractive)))),
        ("review.wait", Arc::new(review_wait::Wait(desk.clone()))),
        ("task_complete", Arc::new(task_complete::Complete(desk.clone()))),
    ];
    for (name, activity) in all {
        activities.register(PROD, name, activity);
    }
    Arc::new(activities)
}

/// A string argument; empty where it is missing, which no valid call is.
fn text<'a>(args: &'a Map<String, Value>, name: &str) -> &'a str {
    args.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Does work that waits for the disk where it holds up nobody.
async fn off_thread<T: Send + 'static>(
    scope: &Scope,
    work: impl FnOnce(&Scope) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let scope = scope.clone();
    let done = tokio::task::spawn_blocking(move || work(&scope)).await;
    done.unwrap_or_else(|error| Err(Fault::new(Code::Internal, format!("the work failed: {error}"))))
}
