//! The door for agents that look for their editor: wherefore stands where the official extension of one of them stands.
//!
//! A slot is open while an editor has a folder open whose settings want one (`[native] ide`). It is announced by a file in
//! the agent's own folder, listens on loopback, and lets in whoever shows the token of that file.

mod announce;
mod claude;
mod companion;
mod said;
mod shown;
mod view;
mod websocket;

use tokio::task::JoinHandle;

use crate::hub::{Folder, Hub};
use crate::protocol::{Code, Fault, IdeSlot, NativeSettings, Notice, SlotNotice, SlotStatus};
use announce::Announcement;

/// The slot that the settings want just now.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WantedSlot {
    agent: IdeSlot,
    /// The folders that it is for.
    folders: Vec<String>,
    /// Whether one of them takes no edit without a reason.
    wants_reasons: bool,
}

/// A slot that is open. Dropping it closes it.
struct OpenSlot {
    announcement: Announcement,
    serving: JoinHandle<()>,
}

impl Drop for OpenSlot {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Opens the slot that the settings want, and closes it where they want none, until it is dropped.
pub(crate) async fn serve(hub: &Hub) {
    let mut standing = hub.watch_standing();
    let mut open: Option<OpenSlot> = None;
    // One that could not be opened is tried again, and told of, once something else is wanted.
    let mut tried: Option<WantedSlot> = None;
    loop {
        let wanted = wanted(hub);
        if tried != wanted {
            tried.clone_from(&wanted);
            let was_open = open.take().is_some();
            hub.note_slot(None);
            open = match wanted {
                Some(wanted) => opened(hub, wanted).await,
                None => None,
            };
            if was_open && open.is_none() {
                hub.editor().tell(Notice::Slot(SlotNotice::default()));
            }
        }
        // Also for an editor that has just come.
        if let Some(open) = &open {
            hub.editor().tell(Notice::Slot(SlotNotice { env: open.announcement.env() }));
        }
        if standing.changed().await.is_err() {
            return;
        }
    }
}

async fn opened(hub: &Hub, wanted: WantedSlot) -> Option<OpenSlot> {
    let agent = wanted.agent.name().to_owned();
    match open(hub, wanted.clone()).await {
        Ok(open) => {
            let others = open.announcement.others();
            let problem = others.first().map(|other| {
                format!(
                    "{other} announces another editor for the same folder: `/ide` in the agent shows both"
                )
            });
            hub.note_slot(Some(SlotStatus { agent, file: Some(open.announcement.file()), problem }));
            Some(open)
        }
        Err(fault) => {
            hub.note_slot(Some(SlotStatus { agent, file: None, problem: Some(fault.message.clone()) }));
            let text = format!("no slot for {} ([native] ide): {}", wanted.agent.name(), fault.message);
            hub.editor().tell(Notice::Trouble(text));
            None
        }
    }
}

fn wanted(hub: &Hub) -> Option<WantedSlot> {
    if !hub.attached() {
        return None;
    }
    let folders: Vec<_> = hub.folders().iter().map(|folder| native_settings(folder)).collect();
    let agent = folders.iter().map(|(_, native)| native.slot()).find(|slot| *slot != IdeSlot::Off)?;
    let of_it: Vec<_> = folders.into_iter().filter(|(_, native)| native.slot() == agent).collect();
    let wants_reasons = of_it.iter().any(|(_, native)| native.require_why);
    Some(WantedSlot { agent, folders: of_it.into_iter().map(|(root, _)| root).collect(), wants_reasons })
}

fn native_settings(folder: &Folder) -> (String, NativeSettings) {
    (folder.root().to_owned(), folder.session().workspace().settings().native.clone())
}

async fn open(hub: &Hub, wanted: WantedSlot) -> Result<OpenSlot, Fault> {
    if wanted.wants_reasons {
        let message = "`require_why` wants a reason for each edit, and this way brings none";
        return Err(Fault::new(Code::Unsupported, message)
            .suggest("`wherefore init --guard` brings the agent's words"));
    }
    let token = token()?;
    let (port, serving) = match wanted.agent {
        IdeSlot::ClaudeCode => websocket::listen(hub.clone(), wanted.folders.clone(), token.clone()).await?,
        _ => companion::listen(hub.clone(), wanted.folders.clone(), token.clone()).await?,
    };
    let made = Announcement::make(&wanted, port, token);
    let announcement =
        made.inspect_err(|_| serving.abort()).map_err(|error| Fault::internal(error.to_string()))?;
    Ok(OpenSlot { announcement, serving })
}

/// A new secret.
fn token() -> Result<String, Fault> {
    let bytes: [u8; 32] = crate::base::random::bytes()?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
