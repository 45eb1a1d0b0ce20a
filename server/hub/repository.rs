//! The changes of a folder's repository by commands that wait, and the person's decision on them.

use tokio_util::sync::CancellationToken;

use super::ServedFolder;
use crate::execution::{RepositoryDecision, TakenRepository};
use crate::protocol::{Event, Fault, Origin, RepositoryAct, RepositoryChange};
use crate::session::CallScope;

impl ServedFolder {
    /// Lists the waiting changes, or carries the person's decision on them out. Returns the changes, and a sentence for each
    /// reason why the decision was not carried out. Changes that hold texts that no person accepted are not taken over.
    ///
    /// # Errors
    /// Fails if the decision cannot be logged.
    pub async fn repository(
        &self,
        act: Option<RepositoryAct>,
    ) -> Result<(Vec<RepositoryChange>, Vec<String>), Fault> {
        let scope =
            CallScope::new(self.session().clone(), &Origin::default(), CancellationToken::default(), None);
        let decision = RepositoryDecision::new(self.executor(), &scope);
        let Some(act) = act else { return Ok((decision.waiting_changes().await, Vec::new())) };
        let TakenRepository { changes, problems } = match act {
            RepositoryAct::Take => {
                let waiting = decision.waiting_changes().await;
                let of = |change: &RepositoryChange| {
                    change.not_accepted.iter().map(|path| unlike(path)).collect::<Vec<_>>()
                };
                let problems: Vec<String> = waiting.iter().flat_map(of).collect();
                match problems.is_empty() {
                    true => decision.take_changes().await,
                    false => TakenRepository { changes: Vec::new(), problems },
                }
            }
            RepositoryAct::Drop => decision.drop_changes().await,
            RepositoryAct::Undo => decision.undo_last().await,
        };
        let summaries = changes.iter().map(|change| change.summary.clone()).collect();
        let event = Event::RepositoryDecision { act, changes: summaries, problems: problems.clone() };
        self.session().log().write_event(event)?;
        Ok((changes, problems))
    }
}

fn unlike(path: &str) -> String {
    format!(
        "{path} stands otherwise in the workspace than it is committed: decide on its changes first, or drop the commit"
    )
}
