//! What the conformance suite calls for: its tools, prompts and resources, behind the real door, in this process.

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
use wherefore::mcp::{Agent, ClientWait, Seal, Terms, http};
use wherefore::ports::NoEditor;
use wherefore::sandbox::Launcher;

use activities::Fixture;
use handler::Handler;

/// The served fixtures. They end with this.
pub(crate) struct Fixtures {
    /// Where they are.
    pub url: String,
    _state: tempfile::TempDir,
    _runtime: Runtime,
}

impl Fixtures {
    /// Serves a folder with the suite's tools, over HTTP and for whoever comes.
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
            launcher: Launcher::own(),
        });
        hub.add_root(&root).unwrap();
        // There are many, and the suite calls each by its name.
        hub.settings_changed(Some(json!({ "discovery": { "surface": "direct" } })));
        let served = hub.folder(Some(&root)).unwrap();
        assert_eq!(served.status().problems, [""; 0], "the definitions are good");
        let activities = served.registry().activities();
        for (name, _) in definitions::schemas() {
            activities.register("test", name, Arc::new(Fixture(name)));
        }
        activities.activate("test").unwrap();
        let bound = runtime.block_on(http::bind("127.0.0.1:0")).unwrap();
        let url = bound.url();
        let (terms, seal) = (
            Arc::new(Terms { root, policy: None, wait: ClientWait::default() }),
            Arc::new(Seal::new().unwrap()),
        );
        let prompts = broadcast::Sender::new(8);
        let handler = move || Handler {
            agent: Agent::new(hub.clone(), terms.clone(), seal.clone(), true),
            hub: hub.clone(),
            prompts: prompts.clone(),
        };
        runtime.spawn(bound.serve(None, handler));
        Self { url, _state: kept, _runtime: runtime }
    }
}
