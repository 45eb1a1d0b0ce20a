//! The result of a command that ran in the place of an agent's own shell, in words for its model.

use std::fmt::Write;

use serde::Deserialize;

use super::outcome_text;
use crate::protocol::Envelope;

/// Bytes of a stream that the words hold; the middle of a longer one is left out.
const SHOWN: usize = 16 << 10;

/// A command's result, as `terminal.run` answers it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CommandResult {
    exit_code: Option<i32>,
    signal: Option<String>,
    limit: Option<String>,
    stdout: String,
    stderr: String,
    stdout_hash: Option<String>,
    stderr_hash: Option<String>,
    left_out: Vec<String>,
}

/// The text of a command's result: its end, its output, and the outcome of its changes. It mentions if the agent's mode
/// kept the command from changing anything.
pub fn describe_command_result(envelope: &Envelope, is_read_only: bool) -> String {
    let result =
        envelope.result.as_deref().or(envelope.error.as_ref().and_then(|fault| fault.details.as_ref()));
    let result =
        result.and_then(|result| CommandResult::deserialize(result).ok()).filter(CommandResult::has_ended);
    let Some(result) = result else {
        let why = envelope.error.as_ref().map(outcome_text::fault_text);
        return why.unwrap_or_else(|| "wherefore: the command did not run".to_owned());
    };
    let mut words = format!(
        "{}. wherefore ran this command in its sandbox, in the place of this tool: this is its result, and no refusal. Do \
         not run it again for that.",
        result.describe_end()
    );
    let (stdout, stderr) = (TextExcerpt::of(&result.stdout), TextExcerpt::of(&result.stderr));
    for (name, excerpt) in [("stdout", &stdout), ("stderr", &stderr)] {
        if !excerpt.text.is_empty() {
            let _ = write!(words, "\n\n{name}:\n{}", excerpt.text);
        }
    }
    if stdout.text.is_empty() && stderr.text.is_empty() {
        words.push_str("\n\nIt printed nothing.");
    }
    let is_cut = result.stdout_hash.is_some() || result.stderr_hash.is_some();
    if is_cut || stdout.is_cut || stderr.is_cut {
        words.push_str(
            "\n\nThe output is longer than what stands here. To see the rest, run the command again with its output narrowed \
             (`| grep`, `| sed -n 100,200p`) or written to a file.",
        );
    }
    if is_read_only {
        words.push_str(
            "\n\nYour mode is read-only, or cannot be told, so the command could write nothing in the workspace.",
        );
    }
    result.left_out.iter().for_each(|left| {
        let _ = write!(words, "\n\nnot taken: {left}");
    });
    if let Some(changes) = outcome_text::command_changes_text(envelope) {
        let _ = write!(words, "\n\n{changes}");
    }
    words
}

/// The words for a command that was ended since the agent waits no longer.
pub fn describe_timeout(seconds: u64) -> String {
    format!(
        "exit code unknown. wherefore ended this command after {seconds} seconds, since the hook of this tool waits no \
         longer. What it changed is not in the workspace. Run a shorter part of it, or start what goes on for long by the tool \
         terminal.run with `background`."
    )
}

impl CommandResult {
    fn has_ended(&self) -> bool {
        self.exit_code.is_some() || self.signal.is_some() || self.limit.is_some()
    }

    fn describe_end(&self) -> String {
        match (&self.limit, self.exit_code, &self.signal) {
            (Some(limit), ..) => format!("exit code 124: ended by the limit of {limit}"),
            (None, Some(code), _) => format!("exit code {code}"),
            (None, None, signal) => format!("ended by {}", signal.as_deref().unwrap_or("a signal")),
        }
    }
}

/// The head and the tail of a text.
struct TextExcerpt {
    text: String,
    is_cut: bool,
}

impl TextExcerpt {
    fn of(text: &str) -> Self {
        let text = text.trim_end_matches('\n');
        if text.len() <= SHOWN {
            return Self { text: text.to_owned(), is_cut: false };
        }
        let head = text.floor_char_boundary(SHOWN / 2);
        let tail = text.ceil_char_boundary(text.len() - SHOWN / 2);
        let left_out = tail - head;
        let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
        Self { text: format!("{head}\n… {left_out} bytes are left out here …\n{tail}"), is_cut: true }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::protocol::{Code, Fault};

    fn envelope(result: Option<Value>, error: Option<Fault>) -> Envelope {
        let status = if error.is_some() { "error" } else { "ok" };
        let envelope = json!({ "call_id": "c-1", "status": status, "result": result, "error": error });
        serde_json::from_value(envelope).unwrap()
    }

    fn words(result: Value) -> String {
        describe_command_result(&envelope(Some(result), None), false)
    }

    #[test]
    fn the_end_stands_first_and_long_output_is_bounded() {
        let told =
            words(json!({ "exit_code": 3, "stdout": "out\n", "stderr": "bad\n", "status": "unchanged" }));
        assert!(
            told.starts_with("exit code 3. ") && told.ends_with("stdout:\nout\n\nstderr:\nbad"),
            "{told}"
        );
        let told = words(json!({ "signal": "SIGSEGV", "stdout": "", "stderr": "" }));
        assert!(told.starts_with("ended by SIGSEGV. ") && told.ends_with("It printed nothing."), "{told}");
        let told = words(json!({ "limit": "time", "stdout": "a", "stderr": "" }));
        assert!(told.starts_with("exit code 124: ended by the limit of time"), "{told}");
        let long = format!("begin {} end", "é".repeat(40_000));
        let told = words(json!({ "exit_code": 0, "stdout": long, "stderr": "" }));
        assert!(
            told.contains("begin") && told.contains("é end") && told.contains("longer than what stands"),
            "{told}"
        );
        assert!(told.len() < SHOWN + 1000);
    }

    #[test]
    fn the_outcome_of_a_commit_is_told() {
        let git = "a commit of 1 file on main: it waits for the person";
        let told =
            words(json!({ "exit_code": 0, "stdout": "", "stderr": "", "status": "unchanged", "git": [git] }));
        assert!(told.ends_with(&format!("wherefore: {git}")), "{told}");
    }

    #[test]
    fn a_command_that_did_not_run_has_no_exit_code() {
        let error = Fault::new(Code::PermissionDenied, "the person said no");
        assert_eq!(
            describe_command_result(&envelope(None, Some(error)), true),
            "wherefore: the person said no"
        );
    }

    #[test]
    fn a_mode_that_writes_nothing_is_named() {
        let result = json!({ "exit_code": 1, "stdout": "", "stderr": "Read-only file system" });
        let told = describe_command_result(&envelope(Some(result), None), true);
        assert!(told.ends_with("could write nothing in the workspace."), "{told}");
    }
}
