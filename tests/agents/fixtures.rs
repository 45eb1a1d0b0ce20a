//! The tools, prompts and resources that the conformance suite requires, behind the real door, in this process.

mod activities;
mod content;
mod definitions;
mod handler;
mod prompts;
mod resources;

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tokio::runtime::Runtime;
use tokio::sync::broadcast;
use wherefore::hub::{Hub, HubOptions};
use wherefore::mcp::{ClientWait, ConnectionOptions, McpConnection, StateSeal, http};
use wherefore::ports::NoEditor;
use wherefore::sandbox::SandboxLauncher;

use activities::Fixture;
use handler::Handler;

/// The served fixtures. They end with this.
pub(crate) struct Fixtures {
    /// The URL of the server.
    pub url: String,
    _state: tempfile::TempDir,
    _runtime: Runtime,
}

impl Fixtures {
    /// Serves a folder with the suite's tools over HTTP, without a token.
    pub(crate) fn serve(folder: &Path) -> Self {
        definitions::write(folder);
        let runtime = Runtime::new().unwrap();
        let root = folder.canonicalize().unwrap().display().to_string();
        let kept = tempfile::tempdir().unwrap();
        let state = Some(kept.path().to_owned());
        let hub = Hub::new(HubOptions {
            editor: Arc::new(NoEditor),
            shared_log: false,
            state,
            launcher: SandboxLauncher::own(),
            environment: None,
        });
        hub.add_root(&root).unwrap();
        // There are many, and the suite calls each by its name.
        hub.settings_changed(Some(json!({ "discovery": { "surface": "direct" } })));
        let served = hub.folder_at(Some(&root)).unwrap();
        assert_eq!(served.workspace_status().problems, [""; 0], "the definitions are good");
        let activities = served.toolbox().registry().activities();
        for (name, _) in definitions::schemas() {
            activities.register(name, Arc::new(Fixture(name)));
        }
        let bound = runtime.block_on(http::bind_loopback("127.0.0.1:0")).unwrap();
        let url = bound.url();
        let (terms, seal) = (
            Arc::new(ConnectionOptions {
                root,
                policy: None,
                environment: None,
                wait: ClientWait::default(),
            }),
            Arc::new(StateSeal::new().unwrap()),
        );
        let prompts = broadcast::Sender::new(8);
        let handler = move || Handler {
            agent: McpConnection::new(hub.clone(), terms.clone(), seal.clone(), true),
            hub: hub.clone(),
            prompts: prompts.clone(),
        };
        runtime.spawn(bound.serve_clients(None, handler));
        Self { url, _state: kept, _runtime: runtime }
    }
}
