//! Sends the person's messages to agents: a message is made, logged, and kept for the agent's next result.

use super::ServedFolder;
use crate::base::{HunkId, WorkspacePath};
use crate::protocol::{
    Code, Event, Fault, Hunk, LONGEST_MESSAGE, LineSpan, PathAccess, PersonMessage, Proposal,
    ProposalsParams, SendAnswer, SendParams, WAITING_MESSAGES,
};
use crate::session::MessageRecipient;

/// Diagnostics of one message, and characters of each.
const DIAGNOSTICS: usize = 20;
const DIAGNOSTIC: usize = 500;

impl ServedFolder {
    /// Keeps the person's words for an agent: for the one whose proposal they are about, else the one named, else the one
    /// that did something last, else whichever calls first.
    ///
    /// # Errors
    /// INVALID_ARGS where nothing is said or too much is, NOT_FOUND for a proposal or a hunk that is not there, and what
    /// keeps the log from being written.
    pub fn send_message(&self, params: &SendParams) -> Result<SendAnswer, Fault> {
        let mut draft = MessageDraft { folder: self, message: new_message(params)?, problems: Vec::new() };
        let proposal = draft.add_comment(params)?;
        if proposal.is_none() {
            draft.add_quote(params)?;
        }
        let to = draft.choose_recipient(params, proposal.as_ref());
        let MessageDraft { mut message, mut problems, .. } = draft;
        message.sent = self.session().now();
        let agent = match &to {
            MessageRecipient::Anyone => None,
            MessageRecipient::Named(name) => Some(name.clone()),
            MessageRecipient::Caller(origin) => Some(origin.display_name().to_owned()),
        };
        let event = Event::PersonMessage { to: agent.clone(), message: message.clone() };
        self.session().log().write_event(event)?;
        let (waiting, is_full) = self.session().messages().put_message(to, message);
        if is_full {
            problems.push(format!(
                "the oldest message was dropped: {WAITING_MESSAGES} wait for their agents at most"
            ));
        }
        Ok(SendAnswer { agent, waiting: u32::try_from(waiting).unwrap_or(u32::MAX), problems })
    }

    /// Of folders, the one that a message belongs to: the one with the proposal, else the first.
    pub fn is_addressed(&self, params: &SendParams) -> bool {
        params.proposal.as_ref().is_none_or(|id| self.queue().store().get(id).is_some())
    }
}

/// The message so far, with what has to be said of the parts that were left out.
struct MessageDraft<'a> {
    folder: &'a ServedFolder,
    message: PersonMessage,
    problems: Vec<String>,
}

impl MessageDraft<'_> {
    /// Makes the message a comment on a proposal or a hunk of it, where one is named, and gives the proposal.
    fn add_comment(&mut self, params: &SendParams) -> Result<Option<Proposal>, Fault> {
        let Some(id) = &params.proposal else { return Ok(None) };
        let gone = || {
            let waiting = self.folder.queue().store().list_proposals(&ProposalsParams::default());
            let waiting = waiting.into_iter().map(|proposal| proposal.id.to_string());
            Fault::new(Code::NotFound, format!("there is no proposal {id}")).with_hints(waiting)
        };
        let item = self.folder.queue().store().get(id).ok_or_else(gone)?;
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
            Fault::new(Code::NotFound, format!("the proposal {} has no hunk {id}", proposal.id))
                .with_hints(hunks)
        };
        let (path, hunk) = found.ok_or_else(gone)?;
        self.message.hunk = Some(id.clone());
        self.message.path = Some(path.clone());
        let first = hunk.start + 1;
        let last = hunk.start + u32::try_from(hunk.old.len()).unwrap_or(u32::MAX).max(1);
        self.message.lines = Some(LineSpan { first, last });
        if self.is_open(path) {
            self.take_text(signed_lines(hunk));
        }
        Ok(())
    }

    /// Adds the file and its lines to the message. A path that the rules close, or ask about, is named and not quoted.
    fn add_quote(&mut self, params: &SendParams) -> Result<(), Fault> {
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
        let text = files.read_text_through(&files.unasked_files(), &path)?;
        let gone = || Fault::new(Code::NotFound, format!("there is no file {path}"));
        self.take_text(cut_out(&text.ok_or_else(gone)?.text, lines));
        Ok(())
    }

    /// Returns whether agents may read a file without asking the person; otherwise the answer states that its text was
    /// left out.
    fn is_open(&mut self, path: &WorkspacePath) -> bool {
        let refused =
            self.folder.session().files().unasked_files().paths().admit_path(PathAccess::Read, path).err();
        let says = |why: &_| format!("the text of {path} was not sent: {why}");
        self.problems.extend(refused.as_ref().map(says));
        refused.is_none()
    }

    /// Returns the agent that gets the message.
    fn choose_recipient(&self, params: &SendParams, proposal: Option<&Proposal>) -> MessageRecipient {
        let author = proposal.map(|proposal| &proposal.origin).filter(|origin| origin.is_agent());
        let last = || self.folder.session().presence().last_agent();
        match (author, &params.agent) {
            (Some(author), _) => MessageRecipient::Caller(author.without_call_ids()),
            (None, Some(name)) => MessageRecipient::Named(name.clone()),
            (None, None) => last().map_or(MessageRecipient::Anyone, MessageRecipient::Caller),
        }
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
fn new_message(params: &SendParams) -> Result<PersonMessage, Fault> {
    let text = params.text.trim().to_owned();
    // Without a file it is not known whether the rules close the text that the diagnostics quote.
    let is_of_file = params.path.is_some() && params.proposal.is_none();
    let has_more = params.lines.is_some() || !params.diagnostics.is_empty();
    if text.is_empty() && !(is_of_file && has_more) {
        return Err(Fault::new(Code::InvalidArgs, "the message is empty")
            .with_suggestion("write what the agent is to know, or name lines of a file"));
    }
    let length = text.chars().count();
    if length > LONGEST_MESSAGE {
        let message = format!("the message has {length} characters; {LONGEST_MESSAGE} are the most");
        return Err(Fault::new(Code::InvalidArgs, message)
            .with_suggestion("put the long part into a file and name it"));
    }
    let cut = |text: &String| text.chars().take(DIAGNOSTIC).collect();
    let diagnostics = params.diagnostics.iter().filter(|_| is_of_file).take(DIAGNOSTICS).map(cut).collect();
    Ok(PersonMessage { text, diagnostics, ..PersonMessage::default() })
}

/// Returns the lines of a text from the first to the last, or up to the end of a shorter text.
fn cut_out(text: &str, lines: LineSpan) -> String {
    let (first, last) = (lines.first.max(1) as usize, lines.last as usize);
    text.split_inclusive('\n').take(last).skip(first - 1).collect()
}

/// The lines of a hunk, with `-` before those that it removes and `+` before those that it adds.
fn signed_lines(hunk: &Hunk) -> String {
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
        assert_eq!(new_message(&send(" a\n")).unwrap().text, "a");
        let long = "ä".repeat(LONGEST_MESSAGE);
        assert!(new_message(&send(&long)).is_ok());
        for wrong in [" \n", &format!("{long}b")] {
            assert_eq!(new_message(&send(wrong)).unwrap_err().code, Code::InvalidArgs);
        }
        let lines =
            SendParams { path: Some("a".into()), lines: Some(LineSpan { first: 1, last: 1 }), ..send("") };
        assert!(new_message(&lines).is_ok(), "lines say enough");
        assert!(
            new_message(&SendParams { proposal: Some("p-1".into()), ..lines }).is_err(),
            "a comment has words"
        );
    }
}
