//! The state of one workspace folder: its root, what is kept of it, and the settings and rules that hold in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use serde_json::Value;

use crate::base::WorkspacePath;
use crate::base::uri::uri_from_path;
use crate::protocol::Settings;
use crate::workspace::{Governance, WorkspaceError, WorkspaceState, WorkspaceStore};

/// A workspace folder: its root, its state, settings and rules.
#[derive(Debug)]
pub struct Workspace {
    store: Arc<WorkspaceStore>,
    governance: RwLock<Arc<Governance>>,
    /// The settings that the editor holds. Locked while settings are read.
    client: Mutex<Option<Value>>,
    /// The number of the opening of the root that the settings were read from.
    root_seen: AtomicU64,
}

/// Settings and rules that were put in place of others.
#[derive(Debug)]
pub(super) struct GovernanceSwap {
    pub before: Arc<Governance>,
    pub now: Arc<Governance>,
}

impl Workspace {
    /// The folder of a store, with the settings files as they are.
    pub(super) fn new(store: Arc<WorkspaceStore>) -> Self {
        let governance = RwLock::new(Arc::new(Governance::load(&store, None, None)));
        Self { store, governance, client: Mutex::default(), root_seen: AtomicU64::new(0) }
    }

    /// Its absolute path.
    pub fn root(&self) -> &str {
        self.store.root().path()
    }

    /// The `file:` URI of a path in it.
    pub fn uri(&self, path: &WorkspacePath) -> String {
        let root = self.root();
        match path.is_root() {
            true => uri_from_path(root),
            false => uri_from_path(&format!("{}/{path}", root.trim_end_matches('/'))),
        }
    }

    /// Our own folder in it: documents.
    pub fn store(&self) -> &Arc<WorkspaceStore> {
        &self.store
    }

    /// The state that this machine keeps of it, outside of it.
    pub fn state(&self) -> &Arc<WorkspaceState> {
        self.store.state()
    }

    /// The settings and rules as they hold now.
    pub fn governance(&self) -> Arc<Governance> {
        self.governance.read().clone()
    }

    /// The settings as they hold now.
    pub fn settings(&self) -> Arc<Settings> {
        self.governance().settings().clone()
    }

    /// Returns whether the settings files are those that were read.
    pub(super) fn is_current(&self) -> bool {
        self.governance().is_current(&self.store)
    }

    /// Reads the settings files again, with `client` on top of the person's. `spread` is called with the swap before
    /// another one is made.
    pub(super) fn configure(&self, client: Option<&Value>, spread: impl FnOnce(&GovernanceSwap)) {
        let mut held = self.client.lock();
        *held = client.cloned();
        spread(&self.swap_governance(client));
    }

    /// Reads the settings files again, with the settings that the editor already holds.
    pub(super) fn reconfigure(&self, spread: impl FnOnce(&GovernanceSwap)) {
        let held = self.client.lock();
        spread(&self.swap_governance(held.as_ref()));
    }

    /// Reads the settings files again where they differ from those that were read.
    pub(super) fn refresh_settings(&self, spread: impl FnOnce(&GovernanceSwap)) {
        let held = self.client.lock();
        // Another call may have read them meanwhile.
        if !self.is_current() {
            spread(&self.swap_governance(held.as_ref()));
        }
    }

    /// Puts settings and rules in place of those that held. To be called with the editor's settings locked.
    fn swap_governance(&self, client: Option<&Value>) -> GovernanceSwap {
        let before = self.governance();
        let now = Arc::new(Governance::load(&self.store, client, Some(&before)));
        *self.governance.write() = now.clone();
        GovernanceSwap { before, now }
    }

    /// Opens the root again where another folder is at its path; returns whether that happened since the last call.
    ///
    /// # Errors
    /// NOT_FOUND where the folder was removed.
    pub(super) fn follow_root(&self) -> Result<bool, WorkspaceError> {
        let opened = self.store.root().renew_folder()?;
        Ok(self.root_seen.swap(opened, Ordering::Relaxed) != opened)
    }
}
