//! The initial context of a run: the project's instructions to agents, and the current files of the working set, both
//! read like any call reads.

use serde_json::{Value, json};

use super::feedback;
use crate::base::WorkspacePath;
use crate::hub::ServedFolder;
use crate::protocol::{Envelope, Origin, RawCall};

/// Files with a project's instructions to agents. The first that exists is read.
const INSTRUCTIONS: [&str; 3] = ["AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"];
/// Bytes of such a file that are sent.
const SAID: usize = 24 << 10;
/// The room for the files of the working set.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileRoom {
    /// The share of the budget, in percent.
    share: u64,
    /// The most tokens.
    most: u64,
    /// The tokens below which a model gets no files.
    least: u64,
}

/// Their room with the whole prompt, and with the short one.
pub(super) const WHOLE: FileRoom = FileRoom { share: 20, most: 12_000, least: 400 };
pub(super) const SHORT: FileRoom = FileRoom { share: 5, most: 1000, least: 200 };

/// The project's instructions to agents: the name of the file, and its text.
pub(super) async fn read_instructions(folder: &ServedFolder, origin: &Origin) -> Vec<(String, String)> {
    let files = folder.session().files().unasked_files();
    let is_there = |name: &&str| {
        let path = WorkspacePath::from_relative(name);
        path.is_some_and(|path| files.stat(&path).is_ok_and(|stat| stat.is_some()))
    };
    let Some(name) = INSTRUCTIONS.into_iter().find(|name| is_there(name)) else { return Vec::new() };
    let args = json!({ "path": name, "why": "Read what the project says to agents before the task begins" });
    let envelope = call_tool(folder, origin, "fs.read", args).await;
    let text = envelope.result.as_ref().and_then(|result| result.get("content")).and_then(Value::as_str);
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    text.map(|text| (name.to_owned(), feedback::cut_text(text.to_owned(), SAID))).into_iter().collect()
}

/// The heading of the files that are sent with the person's first message.
pub(super) const FILES: &str = "Files that the person worked on lately, which may or may not matter here:";

/// Calls `context.assemble` for the task. Returns the files as text for the model, and the sentence in it on parts that were
/// cut or left out; both are empty if there is too little room, or the call fails.
pub(super) async fn assemble_context(
    folder: &ServedFolder,
    origin: &Origin,
    task: &str,
    room: FileRoom,
    budget: u64,
) -> (String, Option<String>) {
    let tokens = (budget * room.share / 100).min(room.most);
    if tokens < room.least || folder.session().working_files().working_set().files.is_empty() {
        return (String::new(), None);
    }
    let query: String = task.chars().take(400).collect();
    let args =
        json!({ "budget": tokens, "query": query, "why": "Begin the task with the files that matter now" });
    let envelope = call_tool(folder, origin, "context.assemble", args).await;
    let Some(result) = envelope.result.as_deref() else { return (String::new(), None) };
    let list = |key: &str| result.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut shown = String::new();
    for file in list("included") {
        let (path, content) = (text(&file, "path"), text(&file, "content"));
        let fence = crate::base::markdown::code_fence(&content);
        let end = if content.ends_with('\n') { "" } else { "\n" };
        shown.push_str(&format!("{path}:\n{fence}\n{content}{end}{fence}\n"));
    }
    if shown.is_empty() {
        return (shown, None);
    }
    let (cut, left_out) = (list("cut"), list("left_out"));
    let name = |files: &[Value]| files.iter().map(|file| text(file, "path")).collect::<Vec<_>>().join(", ");
    let mut lacks = Vec::new();
    if !cut.is_empty() {
        lacks.push(format!("cut: {}", name(&cut)));
    }
    if !left_out.is_empty() {
        lacks.push(format!("left out: {}", name(&left_out)));
    }
    let lacks = (!lacks.is_empty())
        .then(|| format!("of the files that matter now some did not fit; {}", lacks.join("; ")));
    let note = lacks.as_ref().map(|lacks| format!("({lacks})\n")).unwrap_or_default();
    (format!("{FILES}\n\n{shown}{note}"), lacks)
}

async fn call_tool(folder: &ServedFolder, origin: &Origin, tool: &str, arguments: Value) -> Envelope {
    let raw = RawCall { tool: tool.to_owned(), arguments, origin: origin.clone(), ..RawCall::default() };
    folder.pipeline().call_tool(raw, None).await
}
