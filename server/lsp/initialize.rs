//! `initialize` and its consequences: the server's capabilities, and the workspace folders.

use serde_json::Value;
use tower_lsp::ls_types::*;

use super::backend::{LspBackend, server_capabilities};
use super::features::ClientFeatures;
use super::parent;
use crate::base::uri;
use crate::socket;

impl LspBackend {
    pub(super) fn connect_client(&self, params: InitializeParams) -> InitializeResult {
        let features = ClientFeatures::of(&params);
        self.outbox
            .client()
            .set_client(features, params.client_info.as_ref().map(|client| client.name.clone()));
        if let Some(pid) = params.process_id {
            self.parent.send_replace(Some(parent::process_id(pid)));
        }
        // A second client without settings leaves those of the first.
        if let Some(settings) = params.initialization_options.clone().filter(Value::is_object) {
            self.hub.settings_changed(Some(settings));
        }
        let order = socket::StartOrder::for_start();
        for root in workspace_roots(&params) {
            if let Err(error) = self.hub.add_root(&root) {
                tracing::warn!("{root} is not served: {error}");
            }
        }
        drop(order);
        self.show_by_settings();
        let server_info = ServerInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        };
        InitializeResult {
            capabilities: server_capabilities(features),
            server_info: Some(server_info),
            ..InitializeResult::default()
        }
    }

    /// Sends the client the current state when it is ready.
    pub(super) async fn announce_ready(&self) {
        self.outbox.set_attached(true);
        self.outbox.start_telling();
        self.load_settings(None).await;
        if self.outbox.client().features().register_configuration {
            self.outbox.client().register_configuration().await;
        }
        self.follow_definitions();
        self.outbox.show_pending(self.waiting_proposals()).await;
        self.warn_of_other_servers().await;
    }

    /// Warns if another editor's server works in the same folder: each shows only its own agents.
    async fn warn_of_other_servers(&self) {
        let roots = self.hub.roots();
        let ours = std::process::id();
        for server in
            socket::running_servers().into_iter().filter(|server| server.pid != ours && !server.headless)
        {
            if let Some(root) = roots.iter().find(|root| server.roots.contains(root)) {
                let text = format!(
                    "wherefore: another editor's server (process {}) works in {root} too. Agents that come from \
                     now on are shown here, those that came before are shown there, and neither knows what the \
                     other decides: close one of the two.",
                    server.pid
                );
                self.outbox.client().show_message(MessageType::WARNING, text).await;
            }
        }
    }

    /// Keeps the problems of definitions up to date, and reads the tools of new servers.
    fn follow_definitions(&self) {
        let (hub, outbox, mut problems) = (self.hub.clone(), self.outbox.clone(), self.hub.watch_problems());
        tokio::spawn(async move {
            while problems.changed().await.is_ok() {
                outbox.show_problems(hub.definition_problems()).await;
            }
        });
        let hub = self.hub.clone();
        tokio::spawn(async move { hub.settle_servers().await });
    }

    /// Loads the client's settings: asks for them if possible, otherwise takes those that it sent.
    pub(super) async fn load_settings(&self, sent: Option<Value>) {
        let settings = match self.outbox.client().features().configuration {
            true => self.outbox.client().fetch_settings().await,
            false => sent.map(|mut sent| sent.get_mut("wherefore").map(Value::take).unwrap_or(sent)),
        };
        if let Some(settings) = settings.filter(Value::is_object) {
            self.hub.settings_changed(Some(settings));
        }
        self.show_by_settings();
        self.outbox.show_problems(self.hub.definition_problems()).await;
    }

    /// Takes the display settings of the first folder.
    fn show_by_settings(&self) {
        let settings = self
            .hub
            .folder_at(None)
            .map(|folder| folder.session().workspace().settings())
            .unwrap_or_default();
        self.outbox.set_notify_settings(settings.notify.clone());
    }

    pub(super) async fn change_folders(&self, event: WorkspaceFoldersChangeEvent) {
        for folder in event.removed {
            if let Some(path) = uri::path_from_uri(folder.uri.as_str()) {
                self.hub.remove_root(&path);
            }
        }
        let mut faults = Vec::new();
        for folder in event.added {
            if let Some(path) = uri::path_from_uri(folder.uri.as_str())
                && let Err(error) = self.hub.add_root(&path)
            {
                faults.push(format!("wherefore does not serve {path}: {error}"));
            }
        }
        for fault in faults {
            self.outbox.client().show_message(MessageType::ERROR, fault).await;
        }
        self.outbox.show_problems(self.hub.definition_problems()).await;
    }
}

/// The workspace folders, from the newest form of the params that is there.
#[allow(deprecated, reason = "older clients send nothing else")]
fn workspace_roots(params: &InitializeParams) -> Vec<String> {
    if let Some(folders) = params.workspace_folders.as_ref().filter(|folders| !folders.is_empty()) {
        return folders.iter().filter_map(|folder| uri::path_from_uri(folder.uri.as_str())).collect();
    }
    let root = params.root_uri.as_ref().and_then(|uri| uri::path_from_uri(uri.as_str()));
    root.or_else(|| params.root_path.clone()).into_iter().collect()
}
