//! Tells agents what changed: the tools, the resources, and those resources that they asked to hear of.

use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::model::{
    ResourceListChangedNotification, ResourceUpdatedNotification, ResourceUpdatedNotificationParam,
    ServerNotification, ToolListChangedNotification,
};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::sleep;

use super::resources;
use crate::hub::HubChange;

/// How long changes are gathered before they are told: a busy log is not told line by line.
const GATHER: Duration = Duration::from_millis(100);

/// What an agent wants to hear of.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    /// That the tools are others.
    pub tools: bool,
    /// That there is a resource more or less.
    pub resources: bool,
    /// That one of these resources is another.
    pub uris: BTreeSet<String>,
}

/// The next notifications for an agent with those wishes; nothing when the server ends. Ask for the wishes at the
/// moment that they count.
pub(super) async fn next(
    changes: &mut Receiver<HubChange>,
    wishes: impl Fn() -> Wishes,
) -> Option<Vec<ServerNotification>> {
    loop {
        let mut gathered = BTreeSet::new();
        let mut missed = false;
        take(changes.recv().await, &mut gathered, &mut missed)?;
        sleep(GATHER).await;
        while let Ok(change) = changes.try_recv() {
            gathered.insert(change);
        }
        let wishes = wishes();
        let list = |change: &HubChange| matches!(change, HubChange::Proposed(_) | HubChange::Decided(_));
        let mut notifications: Vec<ServerNotification> = Vec::new();
        if wishes.tools && (missed || gathered.contains(&HubChange::Tools)) {
            notifications.push(ToolListChangedNotification::default().into());
        }
        if wishes.resources && (missed || gathered.iter().any(list)) {
            notifications.push(ResourceListChangedNotification::default().into());
        }
        let touched: BTreeSet<String> = gathered.iter().filter_map(resources::touched).collect();
        let uris = wishes.uris.into_iter().filter(|uri| missed || touched.contains(uri));
        notifications.extend(uris.map(|uri| {
            let params = ResourceUpdatedNotificationParam::new(uri);
            ServerNotification::from(ResourceUpdatedNotification::new(params))
        }));
        if !notifications.is_empty() {
            return Some(notifications);
        }
    }
}

/// Takes one change in; one that came too late for its place was missed, and anything may have changed.
fn take(
    received: Result<HubChange, RecvError>,
    gathered: &mut BTreeSet<HubChange>,
    missed: &mut bool,
) -> Option<()> {
    match received {
        Ok(change) => {
            gathered.insert(change);
        }
        Err(RecvError::Lagged(_)) => *missed = true,
        Err(RecvError::Closed) => return None,
    }
    Some(())
}
