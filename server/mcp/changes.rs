//! Notifies agents of changes: of the tools, the resources, and the resources that they subscribed to.

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

/// The time for which changes are collected before they are sent: a busy log is not notified line by line.
const GATHER: Duration = Duration::from_millis(100);

/// The notifications that an agent subscribed to.
#[derive(Clone, Debug, Default)]
pub(super) struct ChangeSubscriptions {
    /// Notifications that the tools have changed.
    pub tools: bool,
    /// Notifications that a resource was added or removed.
    pub resources: bool,
    /// Notifications that one of these resources has changed.
    pub uris: BTreeSet<String>,
}

/// The next notifications for an agent with those subscriptions; none when the server ends. `wishes` is called when the
/// notifications are made.
pub(super) async fn next_notifications(
    changes: &mut Receiver<HubChange>,
    wishes: impl Fn() -> ChangeSubscriptions,
) -> Option<Vec<ServerNotification>> {
    loop {
        let mut gathered = BTreeSet::new();
        let mut missed = false;
        take_change(changes.recv().await, &mut gathered, &mut missed)?;
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
        let touched: BTreeSet<String> = gathered.iter().filter_map(resources::touched_uri).collect();
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

/// Adds one change; after a lag, some were missed, and anything may have changed.
fn take_change(
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
