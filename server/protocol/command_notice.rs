//! Notices to editors about a running command.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::CallId;

/// Bytes of output that one notice holds.
pub const LARGEST_OUTPUT: usize = 64 << 10;

/// The event of a command that a notice reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandState {
    /// The command started.
    Started,
    /// The command wrote something.
    Output,
    /// The command ended, with all that it started.
    Ended,
}

/// A command started, wrote something or ended: the params of `wherefore/command`. Each notice describes the command, so
/// that an editor which comes later knows it too. Only a client with the capability `experimental.wherefore.commands`
/// gets these notices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommandNotice {
    /// The id of the call that runs it. `wherefore/cancel` with this id ends the command.
    pub call_id: CallId,
    /// The session of the call.
    pub session: String,
    /// The workspace's root, as a `file:` URI.
    pub root: String,
    /// The program and its arguments as one line, cut if they are long.
    pub command: String,
    /// The reason for the call.
    pub why: String,
    /// The confinement of the command.
    pub tier: String,
    /// True if the command continues after its call was answered.
    pub background: bool,
    /// The event.
    pub state: CommandState,
    /// The output of both streams since the notice before. Colors are the only escape sequences in it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Bytes that the command wrote after `text` and that no notice holds, because they came too fast.
    #[serde(default)]
    pub left_out: u64,
    /// The outcome of the command, in words: `exit code 1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The exit code, if the command exited by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The duration of the command, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl CommandNotice {
    /// Returns whether another notice is about the same command.
    pub fn is_same(&self, other: &Self) -> bool {
        self.call_id == other.call_id && self.session == other.session && self.root == other.root
    }

    /// Adds later output. Output beyond the limit is counted.
    pub fn append_output(&mut self, text: &str, left_out: u64) {
        let room = if self.left_out == 0 { LARGEST_OUTPUT.saturating_sub(self.text.len()) } else { 0 };
        let fits = cut_text(text, room);
        self.text.push_str(fits);
        self.left_out += (text.len() - fits.len()) as u64 + left_out;
    }
}

/// The beginning of a text, at most `most` bytes, that cuts no character and no escape sequence in two.
fn cut_text(text: &str, most: usize) -> &str {
    let cut = &text[..text.floor_char_boundary(most)];
    match cut.rfind('\x1b') {
        Some(at) if cut.len() < text.len() && !cut[at..].contains('m') => &cut[..at],
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_is_counted_and_nothing_is_cut_in_two() {
        assert_eq!(cut_text("a\u{e9}b", 2), "a");
        assert_eq!(cut_text("ab\x1b[31mred", 5), "ab");
        assert_eq!(cut_text("ab\x1b[31mred", 8), "ab\x1b[31mr");
        let mut notice = CommandNotice {
            call_id: "c-1".into(),
            session: String::new(),
            root: String::new(),
            command: String::new(),
            why: String::new(),
            tier: String::new(),
            background: false,
            state: CommandState::Output,
            text: "x".repeat(LARGEST_OUTPUT - 3),
            left_out: 0,
            outcome: None,
            exit_code: None,
            duration_ms: None,
        };
        notice.append_output("12345", 7);
        assert_eq!((notice.text.len(), notice.left_out), (LARGEST_OUTPUT, 9));
        notice.append_output("6", 0);
        assert_eq!((notice.text.len(), notice.left_out), (LARGEST_OUTPUT, 10));
    }
}
