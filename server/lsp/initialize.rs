//! `initialize` and what follows from it: what this server can do, which folders it works in.

use serde_json::{Value, json};
use tower_lsp::ls_types::*;

use super::backend::Backend;
use super::commands;
use super::features::Features;
use super::parent;
use crate::base::uri;
use crate::socket;

impl Backend {
    pub(super) fn connect(&self, params: InitializeParams) -> InitializeResult {
        let features = Features::of(&params);
        self.outbox.connect(features, params.client_info.as_ref().map(|client| client.name.clone()));
        if let Some(pid) = params.process_id {
            self.parent.send_replace(Some(parent::id(pid)));
        }
        // A second client that has none leaves those of the first.
        if let Some(settings) = params.initialization_options.clone().filter(Value::is_object) {
            self.hub.settings_changed(Some(settings));
        }
        let order = socket::StartOrder::starting();
        for root in roots(&params) {
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
            capabilities: capabilities(features),
            server_info: Some(server_info),
            ..InitializeResult::default()
        }
    }

    /// The client is ready: tell it what there is to tell.
    pub(super) async fn settle(&self) {
        self.outbox.attach(true);
        self.outbox.start();
        self.configure(None).await;
        self.hub.stands_otherwise();
        if self.outbox.features().register_configuration {
            self.outbox.register_configuration().await;
        }
        self.follow();
        self.outbox.load(self.proposals()).await;
        self.meet().await;
    }

    /// Warns where another editor's server works in a folder too: each shows what comes to it, and no more.
    async fn meet(&self) {
        let roots = self.hub.roots();
        let ours = std::process::id();
        for server in socket::servers().into_iter().filter(|server| server.pid != ours && !server.headless) {
            if let Some(root) = roots.iter().find(|root| server.roots.contains(root)) {
                let text = format!(
                    "wherefore: another editor's server (process {}) works in {root} too. Agents that come from \
                     now on are shown here, those that came before are shown there, and neither knows what the \
                     other decides: close one of the two.",
                    server.pid
                );
                self.outbox.say(MessageType::WARNING, text).await;
            }
        }
    }

    /// Keeps what is shown of definitions up to date, and gets to know the tools of servers that are new.
    fn follow(&self) {
        let (hub, outbox, mut problems) = (self.hub.clone(), self.outbox.clone(), self.hub.watch_problems());
        tokio::spawn(async move {
            while problems.changed().await.is_ok() {
                outbox.problems(hub.problems()).await;
            }
        });
        let hub = self.hub.clone();
        tokio::spawn(async move { hub.settle().await });
    }

    /// Takes the client's settings: asks for them where it can be asked, else those it sent along.
    pub(super) async fn configure(&self, sent: Option<Value>) {
        let settings = match self.outbox.features().configuration {
            true => self.outbox.configuration().await,
            false => sent.map(|mut sent| sent.get_mut("wherefore").map(Value::take).unwrap_or(sent)),
        };
        if let Some(settings) = settings.filter(Value::is_object) {
            self.hub.settings_changed(Some(settings));
        }
        self.show_by_settings();
        self.outbox.problems(self.hub.problems()).await;
    }

    /// What is shown goes by the settings of the first folder.
    fn show_by_settings(&self) {
        let settings =
            self.hub.folder(None).map(|folder| folder.session().workspace().settings()).unwrap_or_default();
        self.outbox.configure(settings.notify.clone());
    }

    pub(super) async fn change_folders(&self, event: WorkspaceFoldersChangeEvent) {
        for folder in event.removed {
            if let Some(path) = uri::path_of(folder.uri.as_str()) {
                self.hub.remove_root(&path);
            }
        }
        let mut faults = Vec::new();
        for folder in event.added {
            if let Some(path) = uri::path_of(folder.uri.as_str())
                && let Err(error) = self.hub.add_root(&path)
            {
                faults.push(format!("wherefore does not serve {path}: {error}"));
            }
        }
        for fault in faults {
            self.outbox.say(MessageType::ERROR, fault).await;
        }
        self.outbox.problems(self.hub.problems()).await;
    }
}

/// The folders to work in, newest way of saying so first.
#[allow(deprecated, reason = "older clients send nothing else")]
fn roots(params: &InitializeParams) -> Vec<String> {
    if let Some(folders) = params.workspace_folders.as_ref().filter(|folders| !folders.is_empty()) {
        return folders.iter().filter_map(|folder| uri::path_of(folder.uri.as_str())).collect();
    }
    let root = params.root_uri.as_ref().and_then(|uri| uri::path_of(uri.as_str()));
    root.or_else(|| params.root_path.clone()).into_iter().collect()
}

fn capabilities(features: Features) -> ServerCapabilities {
    let save = TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) });
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(save),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
        ..CodeActionOptions::default()
    };
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    };
    ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::from(features.encoding.name().to_owned())),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        completion_provider: Some(CompletionOptions::default()),
        // A plugin of ours shows what a hunk does itself.
        hover_provider: (!features.hunks).then_some(HoverProviderCapability::Simple(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::NAMES.iter().map(|name| (*name).to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            ..WorkspaceServerCapabilities::default()
        }),
        experimental: Some(json!({ "wherefore": { "version": env!("CARGO_PKG_VERSION") } })),
        ..ServerCapabilities::default()
    }
}
