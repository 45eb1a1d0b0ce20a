//! The keys of the whole screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{KeyOutcome, ReviewScreen, SEEN, ScreenMode};
use crate::cli::review::desk::DecisionTarget;
use crate::protocol::Act;

/// The descriptions of the keys, as `?` lists them.
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
    /// Carries out a key.
    pub(super) fn handle_key(&mut self, key: KeyEvent, to: &mut dyn DecisionTarget) -> KeyOutcome {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && matches!(key.code, KeyCode::Char('c' | 'd')) {
            return KeyOutcome::End;
        }
        if is_control || key.modifiers.contains(KeyModifiers::ALT) {
            return KeyOutcome::Go;
        }
        self.status.clear();
        match self.doing.clone() {
            ScreenMode::Reason(text) => {
                if let TypedText::Done(reason) = self.type_text(key.code, text, ScreenMode::Reason)
                    && !reason.trim().is_empty()
                {
                    self.decide_and_go_on(&[self.at], Act::Reject, Some(reason.trim()), to);
                }
                KeyOutcome::Go
            }
            ScreenMode::Search(text) => {
                if let TypedText::Done(sought) = self.type_text(key.code, text, ScreenMode::Search) {
                    self.seek_text(&sought);
                }
                KeyOutcome::Go
            }
            ScreenMode::Help => {
                self.doing = ScreenMode::Deciding;
                KeyOutcome::Go
            }
            ScreenMode::Deciding if self.has_questions() => self.question_key(key.code),
            ScreenMode::Deciding => self.deciding_key(key.code, to),
        }
    }

    fn deciding_key(&mut self, code: KeyCode, to: &mut dyn DecisionTarget) -> KeyOutcome {
        let decides = matches!(code, KeyCode::Char('y' | 'n' | 'r' | 'a' | 'd' | 'e'));
        if decides && self.desk.steps.is_empty() {
            self.status = "Nothing waits for a decision".to_owned();
            return KeyOutcome::Go;
        }
        if decides && self.is_too_soon() {
            return KeyOutcome::Go;
        }
        match code {
            KeyCode::Char('y') => self.decide_and_go_on(&[self.at], Act::Accept, None, to),
            KeyCode::Char('n') => self.decide_and_go_on(&[self.at], Act::Reject, None, to),
            KeyCode::Char('a') => {
                self.decide_and_go_on(&self.desk.open_in_file(self.at), Act::Accept, None, to)
            }
            KeyCode::Char('d') => {
                self.decide_and_go_on(&self.desk.open_in_file(self.at), Act::Reject, None, to)
            }
            KeyCode::Char('r') => self.doing = ScreenMode::Reason(String::new()),
            KeyCode::Char('e') => return KeyOutcome::Edit,
            KeyCode::Char('u') => match self.desk.undo_held() {
                Some(at) => self.show_hunk(at),
                None => {
                    self.status =
                        "Nothing to take back here; `wherefore undo` takes a whole change back".to_owned();
                }
            },
            KeyCode::Char('s') => {
                self.status = "A hunk here has no unchanged lines to split it at: e edits it".to_owned();
            }
            KeyCode::Char('/') => self.doing = ScreenMode::Search(String::new()),
            KeyCode::Char('?') | KeyCode::F(1) => self.doing = ScreenMode::Help,
            KeyCode::Char('q') => return KeyOutcome::End,
            code => self.move_by(code),
        }
        KeyOutcome::Go
    }

    fn move_by(&mut self, code: KeyCode) {
        let last = self.desk.steps.len().saturating_sub(1);
        let page = self.shown.height.saturating_sub(2).max(1);
        match code {
            KeyCode::Char('j' | 'l') | KeyCode::Down => self.show_hunk((self.at + 1).min(last)),
            KeyCode::Char('k') | KeyCode::Up => self.show_hunk(self.at.saturating_sub(1)),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll += page,
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(page),
            KeyCode::Char('J') => self.scroll += 1,
            KeyCode::Char('K') => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::Home => self.scroll = 0,
            KeyCode::End => self.scroll = usize::MAX,
            // The choice is kept only if it differs from the default of the width.
            KeyCode::Tab => {
                self.list = (self.shown.has_list == self.shown.is_wide).then_some(!self.shown.has_list)
            }
            _ => self.status = "That is no key; ? lists them".to_owned(),
        }
        // Drawing determines the number of rows.
        self.scroll = self.scroll.min(self.shown.rows.len().saturating_sub(self.shown.height));
    }

    /// A key that was pressed before a person could see the hunk that it decides on.
    fn is_too_soon(&mut self) -> bool {
        let soon = self.came.is_some_and(|came| came.elapsed() < SEEN);
        if soon {
            self.status = "This came up just now: look at it, then press the key again".to_owned();
        }
        soon
    }

    fn question_key(&mut self, code: KeyCode) -> KeyOutcome {
        if code == KeyCode::Char('q') {
            return KeyOutcome::End;
        }
        if self.is_too_soon() {
            return KeyOutcome::Go;
        }
        let Some(watch) = &mut self.watch else { return KeyOutcome::Go };
        let Some(question) = watch.questions.front().cloned() else { return KeyOutcome::Go };
        match code {
            KeyCode::Esc => watch.answer_question(&question, None),
            KeyCode::Char(digit @ '1'..='9') => {
                let index = usize::from(digit as u8 - b'1');
                if let Some(answer) = question.params.answers.get(index) {
                    watch.answer_question(&question, Some(answer));
                }
            }
            _ => self.status = "Press the number of an answer; Esc refuses this time".to_owned(),
        }
        KeyOutcome::Go
    }

    fn type_text(&mut self, code: KeyCode, mut text: String, doing: fn(String) -> ScreenMode) -> TypedText {
        match code {
            KeyCode::Enter => {
                self.doing = ScreenMode::Deciding;
                return TypedText::Done(text);
            }
            KeyCode::Esc => {
                self.doing = ScreenMode::Deciding;
                return TypedText::Not;
            }
            KeyCode::Backspace => drop(text.pop()),
            KeyCode::Char(c) => text.push(c),
            _ => {}
        }
        self.doing = doing(text);
        TypedText::Not
    }

    /// Goes to the next hunk whose path or lines contain a text, ignoring case; an empty text repeats the last search.
    fn seek_text(&mut self, sought: &str) {
        if !sought.is_empty() {
            self.last_search = sought.to_lowercase();
        }
        let holds = |at: &usize| {
            let step = &self.desk.steps[*at];
            let lines = step.hunk.old.iter().chain(&step.hunk.new);
            let mut texts = lines.map(String::as_str).chain([step.file().path.as_str()]);
            texts.any(|text| text.to_lowercase().contains(&self.last_search))
        };
        let count = self.desk.steps.len();
        let found = (self.at + 1..count).chain(0..count.min(self.at + 1)).find(holds);
        match found {
            Some(at) => self.show_hunk(at),
            None => self.status = "No hunk holds that".to_owned(),
        }
    }
}

/// The state of a text that the person types.
enum TypedText {
    Done(String),
    Not,
}
