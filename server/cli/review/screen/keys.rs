//! What each key does on the whole screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Doing, Next, ReviewScreen, SEEN};
use crate::cli::review::desk::Decides;
use crate::protocol::Act;

/// What each key does, as `?` lists them.
pub(super) const HELP: [(&str, &str); 15] = [
    ("y", "accept this hunk"),
    ("n", "reject this hunk"),
    ("r", "reject it, and tell the agent why"),
    ("a", "accept this hunk and all that follow in this file"),
    ("d", "reject this hunk and all that follow in this file"),
    ("e", "edit its new lines in $EDITOR, then accept it"),
    ("u", "take back the last key of an undecided change"),
    ("j, ↓, l", "the next hunk"),
    ("k, ↑", "the hunk before"),
    ("PgDn, Space", "scroll down; PgUp scrolls up, Home and End too"),
    ("J, K", "one row down, one row up"),
    ("Tab", "show the list of hunks, or fold it away"),
    ("/", "go to the next hunk that holds a text"),
    ("q", "end the review; what is left goes on waiting"),
    ("?", "this list"),
];

impl ReviewScreen<'_> {
    /// Does what a key says.
    pub(super) fn key(&mut self, key: KeyEvent, to: &mut dyn Decides) -> Next {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && matches!(key.code, KeyCode::Char('c' | 'd')) {
            return Next::End;
        }
        if is_control || key.modifiers.contains(KeyModifiers::ALT) {
            return Next::Go;
        }
        self.status.clear();
        match self.doing.clone() {
            Doing::Reason(text) => {
                if let Typed::Done(reason) = self.typed(key.code, text, Doing::Reason)
                    && !reason.trim().is_empty()
                {
                    self.decide(&[self.at], Act::Reject, Some(reason.trim()), to);
                }
                Next::Go
            }
            Doing::Search(text) => {
                if let Typed::Done(sought) = self.typed(key.code, text, Doing::Search) {
                    self.seek(&sought);
                }
                Next::Go
            }
            Doing::Help => {
                self.doing = Doing::Deciding;
                Next::Go
            }
            Doing::Deciding if self.has_questions() => self.question_key(key.code),
            Doing::Deciding => self.deciding_key(key.code, to),
        }
    }

    fn deciding_key(&mut self, code: KeyCode, to: &mut dyn Decides) -> Next {
        let decides = matches!(code, KeyCode::Char('y' | 'n' | 'r' | 'a' | 'd' | 'e'));
        if decides && self.desk.steps.is_empty() {
            self.status = "Nothing waits for a decision".to_owned();
            return Next::Go;
        }
        if decides && self.is_too_soon() {
            return Next::Go;
        }
        match code {
            KeyCode::Char('y') => self.decide(&[self.at], Act::Accept, None, to),
            KeyCode::Char('n') => self.decide(&[self.at], Act::Reject, None, to),
            KeyCode::Char('a') => self.decide(&self.desk.rest_of_file(self.at), Act::Accept, None, to),
            KeyCode::Char('d') => self.decide(&self.desk.rest_of_file(self.at), Act::Reject, None, to),
            KeyCode::Char('r') => self.doing = Doing::Reason(String::new()),
            KeyCode::Char('e') => return Next::Edit,
            KeyCode::Char('u') => match self.desk.undo() {
                Some(at) => self.go(at),
                None => {
                    self.status =
                        "Nothing to take back here; `wherefore undo` takes a whole change back".to_owned();
                }
            },
            KeyCode::Char('s') => {
                self.status = "A hunk here has no unchanged lines to split it at: e edits it".to_owned();
            }
            KeyCode::Char('/') => self.doing = Doing::Search(String::new()),
            KeyCode::Char('?') | KeyCode::F(1) => self.doing = Doing::Help,
            KeyCode::Char('q') => return Next::End,
            code => self.move_by(code),
        }
        Next::Go
    }

    fn move_by(&mut self, code: KeyCode) {
        let last = self.desk.steps.len().saturating_sub(1);
        let page = self.shown.height.saturating_sub(2).max(1);
        match code {
            KeyCode::Char('j' | 'l') | KeyCode::Down => self.go((self.at + 1).min(last)),
            KeyCode::Char('k') | KeyCode::Up => self.go(self.at.saturating_sub(1)),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll += page,
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(page),
            KeyCode::Char('J') => self.scroll += 1,
            KeyCode::Char('K') => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::Home => self.scroll = 0,
            KeyCode::End => self.scroll = usize::MAX,
            // What the width says by itself is not kept for another width.
            KeyCode::Tab => {
                self.list = (self.shown.has_list == self.shown.is_wide).then_some(!self.shown.has_list)
            }
            _ => self.status = "That is no key; ? lists them".to_owned(),
        }
        // Drawing knows how many rows there are.
        self.scroll = self.scroll.min(self.shown.rows.len().saturating_sub(self.shown.height));
    }

    /// A key that was pressed before anybody can have seen what it would decide on.
    fn is_too_soon(&mut self) -> bool {
        let soon = self.came.is_some_and(|came| came.elapsed() < SEEN);
        if soon {
            self.status = "This came up just now: look at it, then press the key again".to_owned();
        }
        soon
    }

    fn question_key(&mut self, code: KeyCode) -> Next {
        if code == KeyCode::Char('q') {
            return Next::End;
        }
        if self.is_too_soon() {
            return Next::Go;
        }
        let Some(watch) = &mut self.watch else { return Next::Go };
        let Some(question) = watch.questions.front().cloned() else { return Next::Go };
        match code {
            KeyCode::Esc => watch.answer(&question, None),
            KeyCode::Char(digit @ '1'..='9') => {
                let index = usize::from(digit as u8 - b'1');
                if let Some(answer) = question.params.answers.get(index) {
                    watch.answer(&question, Some(answer));
                }
            }
            _ => self.status = "Press the number of an answer; Esc turns the question away".to_owned(),
        }
        Next::Go
    }

    fn typed(&mut self, code: KeyCode, mut text: String, doing: fn(String) -> Doing) -> Typed {
        match code {
            KeyCode::Enter => {
                self.doing = Doing::Deciding;
                return Typed::Done(text);
            }
            KeyCode::Esc => {
                self.doing = Doing::Deciding;
                return Typed::Not;
            }
            KeyCode::Backspace => drop(text.pop()),
            KeyCode::Char(c) => text.push(c),
            _ => {}
        }
        self.doing = doing(text);
        Typed::Not
    }

    /// Goes to the next hunk whose path or lines hold a text, as small letters; none means the one looked for last.
    fn seek(&mut self, sought: &str) {
        if !sought.is_empty() {
            self.sought = sought.to_lowercase();
        }
        let holds = |at: &usize| {
            let step = &self.desk.steps[*at];
            let lines = step.hunk.old.iter().chain(&step.hunk.new);
            let mut texts = lines.map(String::as_str).chain([step.file().path.as_str()]);
            texts.any(|text| text.to_lowercase().contains(&self.sought))
        };
        let count = self.desk.steps.len();
        let found = (self.at + 1..count).chain(0..count.min(self.at + 1)).find(holds);
        match found {
            Some(at) => self.go(at),
            None => self.status = "No hunk holds that".to_owned(),
        }
    }
}

/// How far a text is that the person types.
enum Typed {
    Done(String),
    Not,
}
