//! What the person has before them, as agents ask for it.

use std::path::Path;

use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::base::uri;
use crate::hub::{Hub, HubChange};
use crate::protocol::{LookAnswer, LookParams, SelectedText};
use crate::workspace::Document;

/// Bytes of a selected text that an agent is told.
const LONGEST: usize = 16 << 10;

/// The documents of some folders that are open, but for those that the rules close to agents.
pub(super) fn documents(hub: &Hub, folders: &[String]) -> Vec<Document> {
    let is_there = |document: &Document| {
        document.root.as_ref().is_some_and(|root| folders.iter().any(|own| **own == **root))
            && uri::path_of(&document.uri).is_some_and(|path| is_open(hub, &path))
    };
    hub.documents().into_iter().filter(is_there).collect()
}

/// What the person has selected in one of some folders.
pub(super) async fn selection(hub: &Hub, folders: &[String]) -> Option<SelectedText> {
    let LookAnswer { selection, .. } = hub.editor().look(LookParams::default()).await?;
    let mut selection = selection?;
    let path = uri::path_of(&selection.uri)?;
    let is_there = folders.iter().any(|root| Path::new(&path).starts_with(root));
    if !is_there || !is_open(hub, &path) {
        return None;
    }
    let mut end = selection.text.len().min(LONGEST);
    while !selection.text.is_char_boundary(end) {
        end -= 1;
    }
    selection.text.truncate(end);
    Some(selection)
}

/// Waits until the person selects something else, or other files are open; whether there is anybody who tells of that.
pub(super) async fn looks_elsewhere(changes: &mut Receiver<HubChange>) -> bool {
    loop {
        match changes.recv().await {
            // What was missed may have been that.
            Ok(HubChange::WorkingSet | HubChange::Selection) | Err(RecvError::Lagged(_)) => return true,
            Ok(_) => {}
            Err(RecvError::Closed) => return false,
        }
    }
}

/// Whether the rules let agents read a file.
fn is_open(hub: &Hub, path: &str) -> bool {
    hub.locate(path).is_some_and(|(root, path)| {
        let folder = hub.folder(Some(&root));
        folder.is_ok_and(|folder| {
            folder.session().files().unasked().admit(crate::protocol::Access::Read, &path).is_ok()
        })
    })
}

/// The diagnostics of a document, or of all, as far as agents may read those.
pub(super) async fn diagnostics(hub: &Hub, folders: &[String], uri: Option<String>) -> Value {
    let asked = LookParams { diagnostics: true, uri };
    let answer = hub.editor().look(asked).await.unwrap_or_default();
    let of_folder = answer.diagnostics.into_iter().filter(|document| {
        let path = uri::path_of(&document.uri);
        path.is_some_and(|path| {
            folders.iter().any(|root| Path::new(&path).starts_with(root)) && is_open(hub, &path)
        })
    });
    let shown = |mut diagnostic: Value| {
        let severity = match diagnostic["severity"].as_u64() {
            Some(2) => "Warning",
            Some(3) => "Info",
            Some(4) => "Hint",
            _ => "Error",
        };
        diagnostic["severity"] = json!(severity);
        diagnostic
    };
    let each = of_folder.map(|document| {
        let all: Vec<_> = document.diagnostics.into_iter().map(shown).collect();
        json!({ "uri": document.uri, "diagnostics": all })
    });
    each.collect()
}

/// A selection in Claude Code's form.
pub(super) fn claude_selection(selection: &SelectedText) -> Value {
    let path = uri::path_of(&selection.uri).unwrap_or_default();
    json!({
        "text": selection.text, "filePath": path, "fileUrl": selection.uri,
        "selection": {
            "start": selection.start, "end": selection.end, "isEmpty": selection.start == selection.end,
        },
    })
}

/// The open files in the companion's form, the one that is looked at first.
pub(super) fn companion_context(open: &[Document], selection: Option<&SelectedText>, now: u64) -> Value {
    let active = selection.map(|selection| selection.uri.as_str());
    let mut files: Vec<Value> = Vec::new();
    for document in open {
        let Some(path) = uri::path_of(&document.uri) else { continue };
        let is_active = active == Some(document.uri.as_str());
        let mut file = json!({ "path": path, "timestamp": now, "isActive": is_active });
        if let Some(selection) = selection.filter(|_| is_active) {
            let SelectedText { text, start, .. } = selection;
            file["cursor"] = json!({ "line": start.line + 1, "character": start.character + 1 });
            if !text.is_empty() {
                file["selectedText"] = json!(text);
            }
            files.insert(0, file);
        } else {
            files.push(file);
        }
    }
    json!({ "workspaceState": { "openFiles": files, "isTrusted": true } })
}
