//! The built-in tools: the activities, one file each, and the list of them.
//!
//! # Invariants
//!
//! - No tool shows or writes a file that a rule closes or asks about, by any spelling.
//!   Test: `no_tool_shows_or_writes_a_closed_file_by_any_spelling`

mod background;
mod change;
mod context_assemble;
mod count;
mod editor_diagnostics;
mod fetch;
mod file_part;
mod fs_append;
mod fs_copy;
mod fs_edit;
mod fs_ls;
mod fs_mkdir;
mod fs_patch;
mod fs_read;
mod fs_write;
mod git_diff;
mod git_log;
mod git_status;
mod js_exec;
mod machine_processes;
mod memory_advise;
mod memory_summarize;
mod process_list;
mod provenance_why;
mod python_exec;
mod refusal;
mod repository;
mod review_wait;
mod search_lexical;
mod search_vector;
mod task_complete;
mod terminal_kill;
mod terminal_output;
mod terminal_run;
#[cfg(test)]
mod tests;
mod unmatched_place;
mod workspace_files;

use std::sync::Arc;

pub(crate) use fs_patch::{PlacedPart, draft_parts, envelope_fault};
pub(crate) use terminal_run::{AFTERWARDS, RunOutput};

use crate::execution::CommandExecutor;
use crate::proposals::ProposalQueue;
use crate::protocol::{Code, Fault};
use crate::registry::Activities;
use crate::session::CallScope;

/// The built-in tools: each name with the code behind it. Its definition is `schemas/tools/NAME.yaml`.
macro_rules! tools {
    ($queue:ident, $executor:ident: $($name:literal => $activity:expr,)+) => {
        /// Each built-in definition: its path in the repository, and its text.
        pub(crate) const DEFINITIONS: &[(&str, &str)] = &[$((
            concat!("schemas/tools/", $name, ".yaml"),
            include_str!(concat!("../schemas/tools/", $name, ".yaml")),
        )),+];

        /// Every built-in activity, under the name of its tool.
        pub(crate) fn activities($queue: &Arc<ProposalQueue>, $executor: &Arc<CommandExecutor>) -> Arc<Activities> {
            let activities = Activities::default();
            $(activities.register($name, Arc::new($activity));)+
            Arc::new(activities)
        }
    };
}

tools! { queue, executor:
    "context.assemble" => context_assemble::AssembleContext,
    "editor.diagnostics" => editor_diagnostics::ListDiagnostics,
    "fetch" => fetch::FetchUrl::default(),
    "fs.append" => fs_append::AppendText,
    "fs.copy" => fs_copy::CopyPath,
    "fs.edit" => fs_edit::EditFile,
    "fs.ls" => fs_ls::ListFolder,
    "fs.mkdir" => fs_mkdir::MakeFolder,
    "fs.patch" => fs_patch::ApplyPatch,
    "fs.read" => fs_read::ReadFile,
    "fs.write" => fs_write::WriteFile,
    "git.diff" => git_diff::ShowDiff(executor.clone()),
    "git.log" => git_log::ListCommits(executor.clone()),
    "git.status" => git_status::ShowStatus(executor.clone()),
    "js.exec" => js_exec::RunScript(executor.clone()),
    "memory.advise" => memory_advise::TakeAdvice,
    "memory.summarize" => memory_summarize::SummarizeFiles,
    "process.list" => process_list::ListProcesses(executor.clone()),
    "provenance.why" => provenance_why::ExplainLines(executor.clone()),
    "python.exec" => python_exec::RunPython(executor.clone()),
    "review.wait" => review_wait::WaitForReview(queue.clone()),
    "search.lexical" => search_lexical::SearchLines,
    "search.vector" => search_vector::SearchFiles,
    "task_complete" => task_complete::CompleteTask(queue.clone()),
    "terminal.kill" => terminal_kill::EndCommand(executor.clone()),
    "terminal.output" => terminal_output::ShowOutput(executor.clone()),
    "terminal.run" => terminal_run::RunCommand(executor.clone()),
    "workspace.files" => workspace_files::ListFiles,
}

/// The folder that a search goes through: the whole workspace where none is named.
fn whole_unless(scope: &str) -> &str {
    if scope.is_empty() { "." } else { scope }
}

/// Runs work that waits for the disk on a thread that may block.
async fn off_thread<T: Send + 'static>(
    scope: &CallScope,
    work: impl FnOnce(&CallScope) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let scope = scope.clone();
    let done = tokio::task::spawn_blocking(move || work(&scope)).await;
    done.unwrap_or_else(|error| Err(Fault::new(Code::Internal, format!("the work failed: {error}"))))
}
