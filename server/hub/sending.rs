//! What the person says to an agent beside decisions: the message is made, logged, and kept for the agent's next result.

use super::Folder;
use crate::base::{HunkId, ProposalId, WorkspacePath};
use crate::protocol::{
    Access, Code, Event, Fault, Hunk, LONGEST_MESSAGE, LineSpan, PersonMessage, Proposal, ProposalsParams,
    SendAnswer, SendParams, WAITING_MESSAGES,
};
use crate::session::Recipient;

/// Diagnostics of one message, and characters of each.
const DIAGNOSTICS: usize = 20;
const DIAGNOSTIC: usize = 500;

impl Folder {
    /// Keeps the person's words for an agent: for the one whose proposal they are about, else the one named, else the one
    /// that did something last, else whichever calls first.
    ///
    /// # Errors
    /// INVALID_ARGS where nothing is said or too much is, NOT_FOUND for a proposal or a hunk that is not there, and what
    /// keeps the log from being written.
    pub fn send(&self, params: &SendParams) -> Result<SendAnswer, Fault> {
        let mut draft = MessageDraft { folder: self, message: worded(params)?, problems: Vec::new() };
        let proposal = draft.comment(params)?;
        if proposal.is_none() {
            draft.quote(params)?;
        }
        let to = self.recipient(params, proposal.as_ref());
        let MessageDraft { mut message, mut problems, .. } = draft;
        message.sent = self.session().now();
        let agent = match &to {
            Recipient::Anyone => None,
            Recipient::Named(name) => Some(name.clone()),
            Recipient::Caller(origin) => Some(origin.who().to_owned()),
        };
        let event = Event::PersonMessage { to: agent.clone(), message: message.clone() };
        self.session().log().write(event)?;
        let (waiting, is_full) = self.session().messages().put(to, message);
        if is_full {
            problems.push(format!(
                "the oldest message was dropped: {WAITING_MESSAGES} wait for their agents at most"
            ));
        }
        Ok(SendAnswer { agent, waiting: u32::try_from(waiting).unwrap_or(u32::MAX), problems })
    }

    fn recipient(&self, params: &SendParams, proposal: Option<&Proposal>) -> Recipient {
        let author = proposal.map(|proposal| &proposal.origin).filter(|origin| origin.is_agent());
        let last = || self.session().presence().last_agent();
        match (author, &params.agent) {
            (Some(author), _) => Recipient::Caller(author.caller()),
            (None, Some(name)) => Recipient::Named(name.clone()),
            (None, None) => last().map_or(Recipient::Anyone, Recipient::Caller),
        }
    }

    fn has_proposal(&self, id: &ProposalId) -> bool {
        self.queue().get(id).is_some()
    }

    /// Of folders, the one that a message belongs to: the one with the proposal, else the first.
    pub fn is_meant_by(&self, params: &SendParams) -> bool {
        params.proposal.as_ref().is_none_or(|id| self.has_proposal(id))
    }
}

/// The message so far, with what has to be said of the parts that were left out.
struct MessageDraft<'a> {
    folder: &'a Folder,
    message: PersonMessage,
    problems: Vec<String>,
}

impl MessageDraft<'_> {
    /// Makes the message a comment on a proposal or a hunk of it, where one is named, and gives the proposal.
    fn comment(&mut self, params: &SendParams) -> Result<Option<Proposal>, Fault> {
        let Some(id) = &params.proposal else { return Ok(None) };
        let gone = || {
            let waiting = self.folder.queue().list(&ProposalsParams::default());
            let waiting = waiting.into_iter().map(|proposal| proposal.id.to_string());
            Fault::new(Code::NotFound, format!("there is no proposal {id}")).hint(waiting)
        };
        let item = self.folder.queue().get(id).ok_or_else(gone)?;
        let proposal = item.proposal().clone();
        self.message.proposal = Some(id.clone());
        if let Some(hunk) = &params.hunk {
            self.comment_on_hunk(&proposal, hunk)?;
        } else if let [file] = &proposal.files[..] {
            self.message.path = Some(file.path.clone());
        }
        Ok(Some(proposal))
    }

    fn comment_on_hunk(&mut self, proposal: &Proposal, id: &HunkId) -> Result<(), Fault> {
        let found = proposal
            .files
            .iter()
            .find_map(|file| Some((&file.path, file.hunks.iter().find(|hunk| hunk.id == *id)?)));
        let gone = || {
            let hunks = proposal.hunks().map(|hunk| hunk.id.to_string());
            Fault::new(Code::NotFound, format!("the proposal {} has no hunk {id}", proposal.id)).hint(hunks)
        };
        let (path, hunk) = found.ok_or_else(gone)?;
        self.message.hunk = Some(id.clone());
        self.message.path = Some(path.clone());
        let first = hunk.start + 1;
        let last = hunk.start + u32::try_from(hunk.old.len()).unwrap_or(u32::MAX).max(1);
        self.message.lines = Some(LineSpan { first, last });
        if self.is_open(path) {
            self.take_text(signed(hunk));
        }
        Ok(())
    }

    /// Takes the file and the lines meant. What the rules close, or ask about, is named and not quoted.
    fn quote(&mut self, params: &SendParams) -> Result<(), Fault> {
        let Some(asked) = &params.path else { return Ok(()) };
        let path = WorkspacePath::parse(self.folder.root(), asked)?;
        self.message.path = Some(path.clone());
        self.message.lines = params.lines;
        let has_text = params.lines.is_some() || !self.message.diagnostics.is_empty();
        if has_text && !self.is_open(&path) {
            self.message.diagnostics.clear();
            return Ok(());
        }
        let Some(lines) = params.lines else { return Ok(()) };
        let files = self.folder.session().files();
        let text = files.text_through(&files.unasked(), &path)?;
        let gone = || Fault::new(Code::NotFound, format!("there is no file {path}"));
        self.take_text(cut_out(&text.ok_or_else(gone)?.text, lines));
        Ok(())
    }

    /// Whether agents may read a file unasked; otherwise the answer says that its text stays here.
    fn is_open(&mut self, path: &WorkspacePath) -> bool {
        let refused = self.folder.session().files().unasked().admit(Access::Read, path).err();
        let says = |why: &_| format!("the text of {path} was not sent: {why}");
        self.problems.extend(refused.as_ref().map(says));
        refused.is_none()
    }

    fn take_text(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        if text.chars().count() > LONGEST_MESSAGE {
            self.problems.push(format!("the quoted text was cut after {LONGEST_MESSAGE} characters"));
        }
        self.message.quoted = Some(text.chars().take(LONGEST_MESSAGE).collect());
    }
}

/// The message with its words alone.
fn worded(params: &SendParams) -> Result<PersonMessage, Fault> {
    let text = params.text.trim().to_owned();
    // Without a file nobody knows whether the rules close what the diagnostics quote.
    let is_of_file = params.path.is_some() && params.proposal.is_none();
    let has_more = params.lines.is_some() || !params.diagnostics.is_empty();
    if text.is_empty() && !(is_of_file && has_more) {
        return Err(Fault::new(Code::InvalidArgs, "the message is empty")
            .suggest("write what the agent is to know, or name lines of a file"));
    }
    let length = text.chars().count();
    if length > LONGEST_MESSAGE {
        let message = format!("the message has {length} characters; {LONGEST_MESSAGE} are the most");
        return Err(
            Fault::new(Code::InvalidArgs, message).suggest("put the long part into a file and name it")
        );
    }
    let cut = |text: &String| text.chars().take(DIAGNOSTIC).collect();
    let diagnostics = params.diagnostics.iter().filter(|_| is_of_file).take(DIAGNOSTICS).map(cut).collect();
    Ok(PersonMessage { text, diagnostics, ..PersonMessage::default() })
}

/// The lines of a text from the first to the last, as far as they are there.
fn cut_out(text: &str, lines: LineSpan) -> String {
    let (first, last) = (lines.first.max(1) as usize, lines.last as usize);
    text.split_inclusive('\n').take(last).skip(first - 1).collect()
}

/// The lines of a hunk, with `-` before those that it removes and `+` before those that it adds.
fn signed(hunk: &Hunk) -> String {
    let line = |sign: char, line: &str| format!("{sign}{}\n", line.trim_end_matches(['\n', '\r']));
    let old = hunk.old.iter().map(|text| line('-', text));
    old.chain(hunk.new.iter().map(|text| line('+', text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_out_as_far_as_they_are_there() {
        let cut = |first, last| cut_out("1\n2\n3", LineSpan { first, last });
        assert_eq!([cut(1, 1), cut(2, 3), cut(0, 1), cut(4, 9), cut(3, 2)], ["1\n", "2\n3", "1\n", "", ""]);
    }

    #[test]
    fn a_message_has_words_within_the_limit() {
        let send = |text: &str| SendParams { text: text.to_owned(), ..SendParams::default() };
        assert_eq!(worded(&send(" a\n")).unwrap().text, "a");
        let long = "ä".repeat(LONGEST_MESSAGE);
        assert!(worded(&send(&long)).is_ok());
        for wrong in [" \n", &format!("{long}b")] {
            assert_eq!(worded(&send(wrong)).unwrap_err().code, Code::InvalidArgs);
        }
        let lines =
            SendParams { path: Some("a".into()), lines: Some(LineSpan { first: 1, last: 1 }), ..send("") };
        assert!(worded(&lines).is_ok(), "lines say enough");
        assert!(
            worded(&SendParams { proposal: Some("p-1".into()), ..lines }).is_err(),
            "a comment has words"
        );
    }
}
