//! Background work of the server, as progress that the client did not ask for.

use tower_lsp::ls_types::{
    ProgressToken, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::language_client::LanguageClient;
use crate::base::ids;
use crate::protocol::BackgroundWork;

/// The work that is shown, with the token of its progress; none if the client shows no progress.
#[derive(Debug, Default)]
pub(super) struct ProgressOfWork(Vec<(BackgroundWork, Option<ProgressToken>)>);

impl ProgressOfWork {
    /// Shows the progress of some work: begun with the first report, ended with the last.
    pub(super) async fn show_work(&mut self, client: &LanguageClient, work: BackgroundWork) {
        if !client.features().progress {
            return;
        }
        let place = self.0.iter().position(|(other, _)| other.is_same(&work));
        let over = work.done >= work.total;
        let token = match place {
            Some(place) if over => self.0.swap_remove(place).1,
            Some(place) => self.0.get(place).and_then(|(_, token)| token.clone()),
            None if over => None,
            None => {
                let token = begin_progress(client, work.what).await;
                self.0.push((work.clone(), token.clone()));
                token
            }
        };
        let Some(token) = token else { return };
        let BackgroundWork { done, total, .. } = work;
        let value = match over {
            true => WorkDoneProgress::End(WorkDoneProgressEnd { message: None }),
            false => WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: None,
                message: Some(format!("{done} of {total} files")),
                percentage: u32::try_from(done * 100 / total).ok(),
            }),
        };
        client.send_progress(token, value).await;
    }
}

async fn begin_progress(client: &LanguageClient, what: &str) -> Option<ProgressToken> {
    let token = ProgressToken::String(format!("wherefore-{}", ids::unique_word()));
    if !client.create_progress(token.clone()).await {
        return None;
    }
    let title = format!("wherefore: {what}");
    let begin = WorkDoneProgressBegin { title, cancellable: None, message: None, percentage: Some(0) };
    client.send_progress(token.clone(), WorkDoneProgress::Begin(begin)).await;
    Some(token)
}
