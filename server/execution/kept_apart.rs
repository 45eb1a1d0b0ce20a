//! The person's decision on what commands changed of ignored paths and is kept apart: taken over or dropped, as one.

use std::path::Path;

use super::apart_layer::ApartLayer;
use super::error::ExecutionError;
use super::{CommandExecutor, direct};
use crate::base::run_blocking;
use crate::protocol::{DirectWrites, IgnoredEffects};
use crate::sandbox::EarlierLayer;
use crate::session::CallScope;

/// The outcome of taking over the changes that were kept apart.
#[derive(Debug, Default)]
pub(crate) struct TakeOverOutcome {
    /// The changes written to the workspace.
    pub(crate) written: Vec<DirectWrites>,
    /// The changes that were not written, a sentence each.
    pub(crate) left_out: Vec<String>,
}

/// The layer that a command sees over the workspace; none where the settings keep nothing apart.
pub(super) fn earlier_layer(scope: &CallScope) -> Option<EarlierLayer> {
    if scope.settings().sandbox.ignored != IgnoredEffects::Session {
        return None;
    }
    ApartLayer::in_state(scope.files().state())?
        .over_root(Path::new(scope.files().paths().root().real_path()))
}

impl CommandExecutor {
    /// Counts the changes that are kept apart, by ignored folder.
    pub(crate) fn kept_apart(&self, scope: &CallScope) -> Vec<DirectWrites> {
        let Some(layer) = ApartLayer::in_state(scope.files().state()) else { return Vec::new() };
        run_blocking(|| {
            let counted = direct::kept_apart(scope, &layer).into_iter().map(|path| layer.count_below(&path));
            counted.filter(|writes| writes.files + writes.removed > 0).collect()
        })
    }

    /// Writes the changes that are kept apart to the workspace. The person's own changes there stay.
    ///
    /// # Errors
    /// Fails where the layer cannot be removed afterwards.
    pub(crate) async fn take_over(&self, scope: &CallScope) -> Result<TakeOverOutcome, ExecutionError> {
        let Some(layer) = ApartLayer::in_state(scope.files().state()) else {
            return Ok(TakeOverOutcome::default());
        };
        let direct::DirectOutcome { written, mut left_out, .. } =
            direct::take_over(self, scope, &layer).await;
        let left = self.kept_apart(scope);
        if left.is_empty() {
            self.drop_apart(scope)?;
        }
        let stays = |writes: &DirectWrites| {
            format!("{writes}: no command may write that to the workspace, so it stays apart")
        };
        left_out.extend(left.iter().map(stays));
        Ok(TakeOverOutcome { written, left_out })
    }

    /// Removes the changes that are kept apart.
    ///
    /// # Errors
    /// Fails where it cannot be removed.
    pub(crate) fn drop_apart(&self, scope: &CallScope) -> Result<(), ExecutionError> {
        let Some(layer) = ApartLayer::in_state(scope.files().state()) else { return Ok(()) };
        run_blocking(|| layer.remove()).map_err(ExecutionError::while_doing("removing what commands left"))
    }
}
