//! The changes that one connection shows just now: each can be taken back while it waits.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::hub::{Folder, Hub, ShownChange, ShownOutcome};
use crate::protocol::{Code, Door, Fault, Origin};

/// The changes that one connection shows, by the names that its agent gives them. They are taken back with the connection.
#[derive(Debug)]
pub(super) struct ShownChanges {
    hub: Hub,
    folders: Vec<String>,
    /// The connection's name in the log.
    session: String,
    open: Arc<Mutex<HashMap<String, CancellationToken>>>,
    gone: CancellationToken,
}

impl Drop for ShownChanges {
    fn drop(&mut self) {
        self.gone.cancel();
    }
}

/// What became of a change that was shown.
pub(super) type Shown = Result<Option<ShownOutcome>, Fault>;

impl ShownChanges {
    pub(super) fn new(hub: Hub, folders: Vec<String>) -> Self {
        let session = format!("s-{}", crate::base::ids::unique());
        Self { hub, folders, session, open: Arc::default(), gone: CancellationToken::new() }
    }

    pub(super) fn hub(&self) -> &Hub {
        &self.hub
    }

    pub(super) fn folders(&self) -> &[String] {
        &self.folders
    }

    /// Who shows a change: `agent` by its name and version, `tool` by the name of its own tool.
    pub(super) fn origin(&self, agent: Option<String>, tool: &str) -> Origin {
        Origin {
            agent,
            session: Some(self.session.clone()),
            call: Some(crate::base::ids::unique()),
            tool: Some(tool.to_owned()),
            ..Origin::door(Door::Ide)
        }
    }

    /// Ended with the connection.
    pub(super) fn gone(&self) -> &CancellationToken {
        &self.gone
    }

    /// Shows a change under a name; what it gives says what becomes of the change, or nothing where it is taken back. That
    /// goes on where nobody waits for it, and keeps no connection.
    ///
    /// # Errors
    /// Where the file is in none of the folders.
    pub(super) fn show(
        &self,
        name: String,
        change: ShownChange,
    ) -> Result<impl Future<Output = Shown> + Send + 'static + use<>, Fault> {
        let is_here = |folder: &Arc<Folder>| self.folders.iter().any(|root| root == folder.root());
        let outside = || {
            let message = format!("{} is outside of the folders of this editor", change.path);
            Fault::new(Code::PermissionDenied, message)
        };
        let folder = self.hub.folder(Some(&change.path)).ok().filter(is_here).ok_or_else(outside)?;
        let (closed, open) = (self.gone.child_token(), self.open.clone());
        if let Some(earlier) = self.open.lock().insert(name.clone(), closed.clone()) {
            earlier.cancel();
        }
        let given_up = closed.clone();
        let task = tokio::spawn(async move {
            // What is given up at once may come to the person only then.
            let is_over = async {
                given_up.cancelled().await;
                folder.until_shown(&change).await;
            };
            tokio::select! {
                outcome = folder.show_change(&change) => outcome.map(Some),
                () = is_over => {
                    folder.withdraw_change(&change).await;
                    Ok(None)
                }
            }
        });
        Ok(async move {
            let outcome = task.await.unwrap_or_else(|error| Err(Fault::internal(error.to_string())));
            let mut open = open.lock();
            // Another change may stand under the same name by now: then this one was given up for it.
            if !closed.is_cancelled() {
                open.remove(&name);
            }
            outcome
        })
    }

    /// Takes back the change under a name; whether there was one.
    pub(super) fn close(&self, name: &str) -> bool {
        self.open.lock().remove(name).inspect(CancellationToken::cancel).is_some()
    }

    /// Takes back all changes; how many.
    pub(super) fn close_all(&self) -> usize {
        self.open.lock().drain().map(|(_, closed)| closed.cancel()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::HubOptions;
    use crate::ports::NoEditor;
    use crate::sandbox::Launcher;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_change_that_ended_leaves_the_name_to_a_later_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("ws");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.txt"), "one\n").unwrap();
        let root = root.canonicalize().unwrap().display().to_string();
        let hub = Hub::new(HubOptions {
            editor: Arc::new(NoEditor),
            shared_log: false,
            state: Some(folder.path().join("state")),
            launcher: Launcher::own(),
        });
        hub.add_root(&root).unwrap();
        let shown = ShownChanges::new(hub, vec![root.clone()]);
        let change = |name: &str| ShownChange {
            path: format!("{root}/{name}"),
            content: "two\n".to_owned(),
            origin: shown.origin(None, "openDiff"),
        };
        // The rules close the first one's file: it ends by itself, and is heard of only after the second one came.
        let first = shown.show("tab".to_owned(), change(".env")).unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let second = shown.show("tab".to_owned(), change("a.txt")).unwrap();
        assert_eq!(first.await.unwrap(), Some(ShownOutcome::Rejected));
        assert!(shown.close("tab"), "the second one can be taken back");
        assert_eq!(second.await.unwrap(), None);
    }
}
