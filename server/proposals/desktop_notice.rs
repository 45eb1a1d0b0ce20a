//! A notification of the desktop: a change waits for the person, and no editor shows it.

use std::process::{Command, Stdio};
use std::thread;

use crate::base::hidden::escape_to_line;
use crate::base::numbers::format_count;
use crate::protocol::Proposal;

/// The program that shows a notification, on every desktop of freedesktop.org.
const PROGRAM: &str = "notify-send";

/// Shows a notification that a proposal waits in the workspace at `root`. It is shown in the background; a desktop
/// without such a program shows nothing.
pub(super) fn notify_waiting(proposal: &Proposal, root: &str) {
    let [title, body] = notification_text(proposal, root);
    let show = move || {
        let mut command = Command::new(PROGRAM);
        command.args(["--app-name=wherefore", "--"]).args([title, body]);
        let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    };
    let _ = thread::Builder::new().name("desktop".to_owned()).spawn(show);
}

/// The title and the body. They hold no text of the change: others may see the screen.
fn notification_text(proposal: &Proposal, root: &str) -> [String; 2] {
    let hunks = proposal.files.iter().map(|file| file.hunks.len()).sum::<usize>();
    let waits = if hunks == 1 { "waits" } else { "wait" };
    let files = format_count(proposal.files.len() as u64, "file");
    let title = format!("{} in {files} {waits} for you", format_count(hunks as u64, "hunk"));
    let who = proposal.origin.agent.as_deref().unwrap_or("an agent");
    let body = format!(
        "{}: open {} in your editor, or run `wherefore review` there",
        escape_to_line(who),
        escape_to_line(root)
    );
    [title, escape_markup(&body)]
}

/// A text as a desktop shows it that takes bodies for markup.
fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
