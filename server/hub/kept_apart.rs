//! The changes of ignored paths that commands made and that are kept apart, and the person's decision on them.

use tokio_util::sync::CancellationToken;

use super::ServedFolder;
use crate::execution::TakeOverOutcome;
use crate::protocol::{ApartAct, DirectWrites, Event, Fault, Origin};
use crate::session::CallScope;

impl ServedFolder {
    /// Lists the changes that are kept apart, or carries out the person's decision on them; returns those that it was
    /// about, and the ones that were not taken over, a sentence each.
    ///
    /// # Errors
    /// The error that keeps the layer from being removed, or the decision from being logged.
    pub async fn kept_apart(&self, act: Option<ApartAct>) -> Result<(Vec<DirectWrites>, Vec<String>), Fault> {
        let scope =
            CallScope::new(self.session().clone(), &Origin::default(), CancellationToken::default(), None);
        let Some(act) = act else { return Ok((self.executor().kept_apart(&scope), Vec::new())) };
        let TakeOverOutcome { written, left_out } = match act {
            ApartAct::Take => self.executor().take_over(&scope).await?,
            ApartAct::Drop => {
                let written = self.executor().kept_apart(&scope);
                self.executor().drop_apart(&scope)?;
                TakeOverOutcome { written, left_out: Vec::new() }
            }
        };
        let event = Event::ApartDecision { act, files: written.clone(), left_out: left_out.clone() };
        self.session().log().write_event(event)?;
        Ok((written, left_out))
    }
}
