//! What Claude Code asks of its editor: tools of the Model Context Protocol under names of its own.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomNotification, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerConfig, ServerNotification,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};

use super::said::{agent, config, refused, tools};
use super::shown::ShownChanges;
use super::view;
use crate::base::uri;
use crate::hub::{ShownChange, ShownOutcome};
use crate::protocol::IdeSlot;
use crate::workspace::Document;

/// The tools, each with the members of its arguments and a sentence.
const TOOLS: &[(&str, &[&str], &str)] = &[
    (
        "openDiff",
        &["old_file_path", "new_file_path", "new_file_contents", "tab_name"],
        "Show a change for review.",
    ),
    ("close_tab", &["tab_name"], "Take back a change that is shown."),
    ("closeAllDiffTabs", &[], "Take back every change that is shown."),
    ("openFile", &["filePath"], "Show a file."),
    ("getDiagnostics", &["uri"], "Diagnostics of the editor's language servers."),
    ("getCurrentSelection", &[], "What the person has selected."),
    ("getLatestSelection", &[], "What the person selected last."),
    ("getOpenEditors", &[], "The documents that are open."),
    ("getWorkspaceFolders", &[], "The folders that are open."),
    ("checkDocumentDirty", &["filePath"], "Whether a document has unsaved changes."),
    ("saveDocument", &["filePath"], "Save a document."),
];

/// How far a request may be behind a later one.
const BEHIND: Duration = Duration::from_millis(50);

/// One connection of Claude Code.
#[derive(Clone, Debug)]
pub(super) struct ClaudeSlot {
    shown: Arc<ShownChanges>,
}

impl ClaudeSlot {
    pub(super) fn new(shown: Arc<ShownChanges>) -> Self {
        Self { shown }
    }

    async fn answer(&self, name: &str, arguments: &JsonObject, agent: Option<String>) -> CallToolResult {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        let path = || text("filePath").unwrap_or_default();
        match name {
            "openDiff" => {
                let path = text("new_file_path").or_else(|| text("old_file_path"));
                let (Some(path), Some(content)) = (path, text("new_file_contents")) else {
                    return refused("openDiff needs new_file_path and new_file_contents");
                };
                let tab = text("tab_name").unwrap_or_else(|| path.clone());
                self.open_diff(tab, path, content, agent).await
            }
            "close_tab" => {
                self.close(&text("tab_name").unwrap_or_default()).await;
                said(&["TAB_CLOSED"])
            }
            "closeAllDiffTabs" => said(&[&format!("CLOSED_{}_DIFF_TABS", self.shown.close_all())]),
            "getDiagnostics" => {
                let of = text("uri").filter(|uri| !uri.is_empty());
                told(&view::diagnostics(self.shown.hub(), self.shown.folders(), of).await)
            }
            "getCurrentSelection" | "getLatestSelection" => self.selection().await,
            "getOpenEditors" => self.open_editors().await,
            "getWorkspaceFolders" => told(&self.workspace_folders()),
            "openFile" => self.open_file(&path()).await,
            "checkDocumentDirty" => told(&self.dirty(&path())),
            "saveDocument" => self.save(&path()).await,
            _ => refused(&format!("there is no tool {name:?}")),
        }
    }

    async fn open_diff(
        &self,
        tab: String,
        path: String,
        content: String,
        agent: Option<String>,
    ) -> CallToolResult {
        let origin = self.shown.origin(agent, "openDiff");
        let outcome = match self.shown.show(tab.clone(), ShownChange { path, content, origin }) {
            Ok(outcome) => outcome.await,
            Err(fault) => Err(fault),
        };
        match outcome {
            Ok(Some(ShownOutcome::Accepted(text))) => said(&["FILE_SAVED", &text]),
            Ok(Some(ShownOutcome::Rejected) | None) => said(&["DIFF_REJECTED", &tab]),
            Err(fault) => refused(&format!("wherefore shows no change: {}", fault.message)),
        }
    }

    async fn close(&self, tab: &str) {
        // Requests are taken up side by side: the one that shows it may be a little behind.
        if !self.shown.close(tab) {
            tokio::time::sleep(BEHIND).await;
            self.shown.close(tab);
        }
    }

    async fn selection(&self) -> CallToolResult {
        let selection = view::selection(self.shown.hub(), self.shown.folders()).await;
        told(&match selection {
            Some(selection) => {
                let mut answer = view::claude_selection(&selection);
                answer["success"] = json!(true);
                answer
            }
            None => json!({ "success": false, "message": "No active editor found" }),
        })
    }

    async fn open_editors(&self) -> CallToolResult {
        let active = view::selection(self.shown.hub(), self.shown.folders()).await;
        let tab = |document: Document| {
            json!({
                "uri": document.uri, "isActive": active.as_ref().is_some_and(|active| active.uri == document.uri),
                "label": document.uri.rsplit('/').next(), "languageId": document.language,
                "isDirty": document.dirty,
            })
        };
        let open = view::documents(self.shown.hub(), self.shown.folders());
        told(&json!({ "tabs": open.into_iter().map(tab).collect::<Vec<_>>() }))
    }

    fn workspace_folders(&self) -> Value {
        let folder = |root: &String| json!({ "name": root.rsplit('/').next(), "uri": uri::uri_of(root), "path": root });
        let folders: Vec<_> = self.shown.folders().iter().map(folder).collect();
        json!({ "success": true, "folders": folders, "rootPath": self.shown.folders().first() })
    }

    fn document(&self, path: &str) -> Option<Document> {
        let open = view::documents(self.shown.hub(), self.shown.folders());
        open.into_iter().find(|document| uri::path_of(&document.uri).as_deref() == Some(path))
    }

    fn dirty(&self, path: &str) -> Value {
        match self.document(path) {
            Some(document) => {
                json!({ "success": true, "filePath": path, "isDirty": document.dirty, "isUntitled": false })
            }
            None => json!({ "success": false, "message": format!("Document not open: {path}") }),
        }
    }

    /// Only what is in a folder of this editor is shown.
    async fn open_file(&self, path: &str) -> CallToolResult {
        let is_here =
            self.shown.hub().locate(path).is_some_and(|(root, _)| self.shown.folders().contains(&root));
        if is_here && self.shown.hub().editor().open(uri::uri_of(path)).await {
            return said(&[&format!("Opened file: {path}")]);
        }
        refused(&format!("{path} was not opened"))
    }

    async fn save(&self, path: &str) -> CallToolResult {
        let Some(document) = self.document(path) else {
            return told(&json!({ "success": false, "message": format!("Document not open: {path}") }));
        };
        let is_saved = !document.dirty || self.shown.hub().editor().save(document.uri).await;
        told(&json!({ "success": true, "filePath": path, "saved": is_saved }))
    }
}

/// An answer of several texts.
fn said(texts: &[&str]) -> CallToolResult {
    CallToolResult::success(texts.iter().map(|text| ContentBlock::text(*text)).collect())
}

/// An answer of one value, as text.
fn told(value: &Value) -> CallToolResult {
    said(&[&value.to_string()])
}

impl ServerHandler for ClaudeSlot {
    fn get_info(&self) -> ServerConfig {
        config()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(tools(TOOLS))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        Ok(self.answer(&request.name, &arguments, agent(&context, IdeSlot::ClaudeCode)).await.into())
    }

    /// Tells what is selected when the person looks at another file, or touches one.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (shown, gone) = (Arc::downgrade(&self.shown), self.shown.gone().clone());
        let mut changes = self.shown.hub().listen();
        tokio::spawn(gone.run_until_cancelled_owned(async move {
            let mut last = None;
            loop {
                let Some(slot) = shown.upgrade() else { return };
                let selection = view::selection(slot.hub(), slot.folders()).await;
                drop(slot);
                if let Some(selection) = selection.filter(|now| last.as_ref() != Some(now)) {
                    let told = CustomNotification::new(
                        "selection_changed",
                        Some(view::claude_selection(&selection)),
                    );
                    if context
                        .peer
                        .send_notification(ServerNotification::CustomNotification(told))
                        .await
                        .is_err()
                    {
                        return;
                    }
                    last = Some(selection);
                }
                if !view::looks_elsewhere(&mut changes).await {
                    return;
                }
            }
        }));
    }
}
