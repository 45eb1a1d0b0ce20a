//! Work that the server does by itself, as progress that the client did not ask for.

use tower_lsp::ls_types::{
    ProgressToken, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::Outbox;
use crate::base::ids;
use crate::protocol::Background;

/// Work that is shown, with the token of its progress: none where the client would have none.
#[derive(Debug, Default)]
pub(super) struct ShownWork(Vec<(Background, Option<ProgressToken>)>);

impl Outbox {
    /// Shows how far some work is: begun at the first that is told of it, ended at the last.
    pub(super) async fn show_work(&self, work: Background, shown: &mut ShownWork) {
        if !self.features().progress {
            return;
        }
        let place = shown.0.iter().position(|(other, _)| other.is_same(&work));
        let over = work.done >= work.total;
        let token = match place {
            Some(place) if over => shown.0.swap_remove(place).1,
            Some(place) => shown.0.get(place).and_then(|(_, token)| token.clone()),
            None if over => None,
            None => {
                let token = self.begin(work.what).await;
                shown.0.push((work.clone(), token.clone()));
                token
            }
        };
        let Some(token) = token else { return };
        let Background { done, total, .. } = work;
        let value = match over {
            true => WorkDoneProgress::End(WorkDoneProgressEnd { message: None }),
            false => WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: None,
                message: Some(format!("{done} of {total} files")),
                percentage: u32::try_from(done * 100 / total).ok(),
            }),
        };
        self.progress(token, value).await;
    }

    async fn begin(&self, what: &str) -> Option<ProgressToken> {
        let token = ProgressToken::String(format!("wherefore-{}", ids::unique()));
        if !self.create_progress(token.clone()).await {
            return None;
        }
        let title = format!("wherefore: {what}");
        let begin = WorkDoneProgressBegin { title, cancellable: None, message: None, percentage: Some(0) };
        self.progress(token.clone(), WorkDoneProgress::Begin(begin)).await;
        Some(token)
    }
}
