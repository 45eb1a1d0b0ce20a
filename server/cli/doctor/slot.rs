//! The slot of an agent that looks for its editor: whether the one that the settings want is open for this folder.

use super::Check;
use crate::cli::backend::RootArgs;
use crate::protocol::{IdeSlot, SlotStatus};
use crate::requests::Status;
use crate::socket::ServerLink;
use crate::workspace::config;

const NAME: &str = "slot";

/// The check of the slot; none where nobody wants one. An editor's own settings may want it too.
pub(super) fn check() -> Option<Check> {
    let root = RootArgs::default().find().ok()?;
    let status = ServerLink::find(&root).and_then(|mut link| link.ask::<Status>(&()).ok());
    if let Some(slot) = status.and_then(|status| status.slot) {
        return Some(standing(slot));
    }
    let agent = config::at(Some(root.as_ref())).native.slot();
    let found = format!("{} finds no editor: none has this folder open", agent.name());
    (agent != IdeSlot::Off).then(|| Check::lacking(NAME, found, "Open it in Neovim or VS Code."))
}

fn standing(slot: SlotStatus) -> Check {
    let SlotStatus { agent, file, problem } = slot;
    match file {
        Some(file) => {
            Check { gap: problem, ..Check::well(NAME, format!("{agent} finds its editor by {file}")) }
        }
        None => {
            let found = format!("{agent} finds no editor: {}", problem.unwrap_or_default());
            Check::lacking(NAME, found, "`wherefore init --guard` has its edits reviewed without a slot.")
        }
    }
}
