//! The state of one workspace folder: its root, what is kept of it, and the settings and rules that hold in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use serde_json::Value;

use crate::base::WorkspacePath;
use crate::base::uri::uri_of;
use crate::protocol::Settings;
use crate::workspace::{Governance, State, Store, WorkspaceError};

/// One workspace folder.
#[derive(Debug)]
pub struct Workspace {
    store: Arc<Store>,
    governance: RwLock<Arc<Governance>>,
    /// What the editor holds of the settings. Held while settings are read.
    client: Mutex<Option<Value>>,
    /// Which opening of the root the settings were read from.
    root_seen: AtomicU64,
}

/// Settings and rules that were put in place of others.
#[derive(Debug)]
pub(super) struct Swap {
    pub before: Arc<Governance>,
    pub now: Arc<Governance>,
}

impl Workspace {
    /// The folder of a store, with the settings files as they are.
    pub(super) fn new(store: Arc<Store>) -> Self {
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
            true => uri_of(root),
            false => uri_of(&format!("{}/{path}", root.trim_end_matches('/'))),
        }
    }

    /// Our own folder in it: documents.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// What this machine keeps of it, outside of it.
    pub fn state(&self) -> &Arc<State> {
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

    /// Whether the settings files are those that were read.
    pub(super) fn is_current(&self) -> bool {
        self.governance().is_current(&self.store)
    }

    /// Reads the settings files again, with `client` on top of the person's. `spread` hears of the swap before anybody
    /// makes another.
    pub(super) fn configure(&self, client: Option<&Value>, spread: impl FnOnce(&Swap)) {
        let mut held = self.client.lock();
        *held = client.cloned();
        spread(&self.govern(client));
    }

    /// The same with what the editor holds already.
    pub(super) fn reconfigure(&self, spread: impl FnOnce(&Swap)) {
        let held = self.client.lock();
        spread(&self.govern(held.as_ref()));
    }

    /// The same where the settings files are others than those that were read.
    pub(super) fn refresh(&self, spread: impl FnOnce(&Swap)) {
        let held = self.client.lock();
        // Another call may have read them meanwhile.
        if !self.is_current() {
            spread(&self.govern(held.as_ref()));
        }
    }

    /// Puts settings and rules in place of those that held. To be called with the editor's settings locked.
    fn govern(&self, client: Option<&Value>) -> Swap {
        let before = self.governance();
        let now = Arc::new(Governance::load(&self.store, client, Some(&before)));
        *self.governance.write() = now.clone();
        Swap { before, now }
    }

    /// Opens the root anew where another folder stands at its path; says whether one does since this was asked last.
    ///
    /// # Errors
    /// NOT_FOUND where the folder was removed.
    pub(super) fn follow_root(&self) -> Result<bool, WorkspaceError> {
        let opened = self.store.root().renew()?;
        Ok(self.root_seen.swap(opened, Ordering::Relaxed) != opened)
    }
}
