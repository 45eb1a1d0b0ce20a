//! Settings and rules, heard while the workspace is served.

use std::sync::Arc;

use serde_json::Value;

use super::Session;
use crate::protocol::{Fault, Notice};
use crate::workspace::Governance;

impl Session {
    /// The settings and rules as they hold now.
    pub fn governance(&self) -> Arc<Governance> {
        self.governance.read().clone()
    }

    /// Hears of settings files that changed. It takes two looks at the disk where none did.
    ///
    /// # Errors
    /// INTERNAL where the files could not be read for a reason of our own.
    pub async fn hear(self: &Arc<Self>) -> Result<(), Fault> {
        if self.governance().is_current(&self.store) {
            return Ok(());
        }
        let session = self.clone();
        let heard = tokio::task::spawn_blocking(move || {
            let client = session.client.lock();
            // Another call may have heard it meanwhile.
            if !session.governance().is_current(&session.store) {
                session.govern(client.as_ref());
            }
        });
        heard.await.map_err(|error| Fault::internal(format!("the settings were not read: {error}")))
    }

    /// Reads the settings files again, with what the editor holds on top of the person's.
    pub fn configure(&self, client: Option<&Value>) {
        let mut held = self.client.lock();
        *held = client.cloned();
        self.govern(client);
    }

    /// Puts settings and rules in place of those that held. To be called with the editor's settings locked.
    fn govern(&self, client: Option<&Value>) {
        let before = self.governance();
        let now = Arc::new(Governance::load(&self.store, client, Some(&before)));
        *self.governance.write() = now.clone();
        if !Arc::ptr_eq(before.rules(), now.rules()) {
            // A text that was shown under other rules is not compared with any more.
            *self.seen.lock() = super::seen::Seen::default();
        }
        self.nearness.configure(now.settings().embeddings.as_ref(), now.no_model().cloned());
        self.memory.set_half_life(now.settings().memory.half_life_min);
        for warning in now.warnings().iter().filter(|warning| !before.warnings().contains(warning)) {
            self.editor.tell(Notice::Trouble(warning.clone()));
        }
    }

    /// What is wrong with the settings and with our folders, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = self.governance().problems();
        problems.extend(self.store.unheard());
        problems
            .extend(self.state().trouble().map(|fault| format!("nothing can be changed: {}", fault.message)));
        problems.extend(self.troubles());
        problems
    }
}
