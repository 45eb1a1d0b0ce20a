//! A change that an agent shows in its editor before it writes it: reviewed like any call, and handed back to the agent.

use std::time::{Duration, Instant};

use serde_json::json;

use super::places;
use crate::base::{WorkspacePath, text};
use crate::hub::Folder;
use crate::native::told;
use crate::protocol::{Code, Fault, Origin, ProposalsParams, RawCall};
use crate::review::FileAsRead;

/// How long a person may take.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);
/// How long an agent may take to write what the person accepted in its terminal.
const SETTLED: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(50);

/// A change that an agent shows.
#[derive(Clone, Debug)]
pub struct ShownChange {
    /// The file, as an absolute path.
    pub path: String,
    /// Its whole text, as the agent would have it.
    pub content: String,
    /// Who shows it: an origin that no other call has.
    pub origin: Origin,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownOutcome {
    /// The agent is to write this text.
    Accepted(String),
    /// The agent is to write nothing.
    Rejected,
}

impl Folder {
    /// Has the person decide on a change, and gives the text that the decisions leave. The file holds what the agent read
    /// once this is answered, and the agent writes.
    ///
    /// # Errors
    /// Why it cannot be shown: then the agent's own question to the person stands.
    pub async fn show_change(&self, change: &ShownChange) -> Result<ShownOutcome, Fault> {
        let outside =
            || Fault::new(Code::PermissionDenied, format!("{} is outside of the folder", change.path));
        let path = places::inside(self.root(), None, &change.path).ok_or_else(outside)?;
        // What the rules close has no text here, and the call below is refused.
        let read = self.queue().as_read(&path).ok();
        let written = read.as_ref().and_then(FileAsRead::bytes).and_then(text::decode);
        let document = self.session().files().document(&path).filter(|document| document.dirty);
        // Also an editor that read the file again tells of another text.
        if document.is_some_and(|document| self.session().files().is_unsaved(&path, &document.text)) {
            let message = format!("{path} has unsaved changes in the editor");
            return Err(Fault::new(Code::Stale, message).suggest("ask the person to save it"));
        }
        let returns = Returns::of(written.as_ref().map(|decoded| &*decoded.text), &change.content);
        let content = returns.with(&change.content);
        let raw = RawCall {
            tool: "fs.write".to_owned(),
            arguments: json!({ "path": path, "content": content }),
            origin: change.origin.clone(),
            root: Some(self.root().to_owned()),
            ..RawCall::default()
        };
        let envelope = self.pipeline().call(raw, None).await;
        let envelope = self.decided(envelope, Instant::now() + LONGEST).await;
        let (outcome, words) = told::edited(&envelope);
        self.log_native(&envelope, &change.origin, outcome, &words);
        match (envelope.error, read) {
            (Some(fault), _) if is_no(fault.code) => Ok(ShownOutcome::Rejected),
            (Some(fault), _) => Err(fault),
            (None, None) => Ok(ShownOutcome::Rejected),
            (None, Some(read)) => self.handed_back(&path, read, returns).await,
        }
    }

    async fn handed_back(
        &self,
        path: &WorkspacePath,
        read: FileAsRead,
        returns: Returns,
    ) -> Result<ShownOutcome, Fault> {
        let document = self.session().files().document(path);
        if let Some(document) = document.filter(|document| document.dirty) {
            // What was accepted stands in the editor alone.
            self.session().editor().save(document.uri).await;
        }
        let bytes = self.queue().hand_over(read).await?;
        let binary = || Fault::new(Code::Unsupported, format!("{path} is no text any more"));
        let accepted = text::decode(bytes).ok_or_else(binary)?;
        Ok(ShownOutcome::Accepted(returns.without(&accepted.text)))
    }

    /// Waits until a change waits for the person.
    pub async fn until_shown(&self, change: &ShownChange) {
        while self.shown_proposal(&change.origin).is_none() {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Takes back what is shown of a change: the agent gave it up, or asked the person itself. Where it writes the change
    /// now, with the person's word, that is what was decided.
    pub async fn withdraw_change(&self, change: &ShownChange) {
        let Some(path) = places::inside(self.root(), None, &change.path) else { return };
        let known = self.session().files().known();
        known.expect(&path, SETTLED * 2);
        let until = Instant::now() + SETTLED;
        while let Some(id) = self.shown_proposal(&change.origin) {
            self.queue().take_written(&path, &change.content);
            if Instant::now() >= until {
                // What the log does not take now it takes with the next decision.
                let _ = self.queue().withdraw(&id);
                break;
            }
            tokio::time::sleep(LOOK).await;
        }
        self.session().files().note_known(&path);
        known.expect_no_more(&path);
    }

    fn shown_proposal(&self, origin: &Origin) -> Option<String> {
        let waiting = self.queue().select(&ProposalsParams::default());
        let of_it = waiting.iter().find(|item| item.proposal().origin == *origin && item.is_waiting());
        of_it.map(|item| item.proposal().id.to_string())
    }
}

/// Whether a fault says that the change is not to be, and not that it cannot be shown.
fn is_no(code: Code) -> bool {
    matches!(code, Code::Rejected | Code::PermissionDenied | Code::Stale | Code::Cancelled)
}

/// Whether an agent leaves out the carriage returns of a file, as some read texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Returns {
    Kept,
    LeftOut,
}

impl Returns {
    fn of(before: Option<&str>, content: &str) -> Self {
        match before.is_some_and(|before| before.contains("\r\n")) && !content.contains('\r') {
            true => Self::LeftOut,
            false => Self::Kept,
        }
    }

    fn with(self, content: &str) -> String {
        match self {
            Self::Kept => content.to_owned(),
            Self::LeftOut => content.replace('\n', "\r\n"),
        }
    }

    fn without(self, text: &str) -> String {
        match self {
            Self::Kept => text.to_owned(),
            Self::LeftOut => text.replace("\r\n", "\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_goes_to_an_agent_in_the_form_in_which_it_came() {
        let dos = Returns::of(Some("a\r\nb\r\n"), "a\nc\n");
        assert_eq!(dos.with("a\nc\n"), "a\r\nc\r\n");
        assert_eq!(dos.without("a\r\nc\r\n"), "a\nc\n");
        assert_eq!(Returns::of(Some("a\r\n"), "a\r\nb\r\n"), Returns::Kept);
        assert_eq!(Returns::of(None, "a\n"), Returns::Kept);
    }
}
