//! The questions of the rules about a person's own call, asked at the terminal that the call was made at.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Instant;

use futures::future::BoxFuture;

use super::print::escape_hidden;
use crate::ports::Caller;
use crate::protocol::{AskParams, Unanswered};

/// Returns whether a person can be asked here: they see standard error and type on standard input.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// The person at this terminal, as the caller of a call that runs in this process.
#[derive(Clone, Copy, Debug)]
pub(super) struct TerminalCaller;

impl Caller for TerminalCaller {
    fn progress(&self, _: &str, _: Option<u32>) {}

    fn answers_rules(&self) -> bool {
        true
    }

    fn question(&self, question: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        Box::pin(async move {
            tokio::task::spawn_blocking(move || ask_at_terminal(&question))
                .await
                .unwrap_or(Err(Unanswered::Lost))
        })
    }
}

/// Asks a question on standard error, and reads the answer from standard input.
///
/// # Errors
/// The reason why there is no answer.
pub(super) fn ask_at_terminal(question: &AskParams) -> Result<String, Unanswered> {
    let (began, keys) = (Instant::now(), answer_keys(&question.answers));
    show(&format!("{}\n", question.text));
    loop {
        let choices: Vec<String> = keys.iter().map(|(key, answer)| format!("[{key}] {answer}")).collect();
        show(&format!("{}: ", choices.join("  ")));
        let left = Unanswered::TIMEOUT.saturating_sub(began.elapsed());
        let (sender, typed) = channel();
        // A line that is typed too late is read by a thread that nobody waits for.
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line);
            sender.send(read.map(|bytes| (bytes, line)))
        });
        let line = match typed.recv_timeout(left) {
            Ok(Ok((1.., line))) => line,
            Ok(_) => return Err(Unanswered::Closed),
            Err(RecvTimeoutError::Timeout) => return Err(Unanswered::Late),
            Err(RecvTimeoutError::Disconnected) => return Err(Unanswered::Lost),
        };
        if let Some(answer) = chosen_answer(&keys, line.trim()) {
            return Ok(answer);
        }
    }
}

fn show(text: &str) {
    let mut stderr = io::stderr().lock();
    // Without a terminal nobody answers, which is reported.
    let _ = stderr.write_all(escape_hidden(text).as_bytes()).and_then(|()| stderr.flush());
}

/// The key of each answer: `y` for the first, which allows, `n` for the last, `a` or `s` for always or the session.
fn answer_keys(answers: &[String]) -> Vec<(char, String)> {
    let last = answers.len().saturating_sub(1);
    let key = |(at, answer): (usize, &String)| {
        let key = match at {
            0 => 'y',
            at if at == last => 'n',
            _ if answer.starts_with("Always") => 'a',
            _ => 's',
        };
        (key, answer.clone())
    };
    answers.iter().enumerate().map(key).collect()
}

/// The answer that was typed: its key, its first word, or all of it; nothing is a no.
fn chosen_answer(keys: &[(char, String)], typed: &str) -> Option<String> {
    let typed = typed.to_lowercase();
    let is_typed = |(key, answer): &&(char, String)| {
        let answer = answer.to_lowercase();
        typed == key.to_string() || typed == answer || answer.split(' ').next() == Some(&typed)
    };
    let word = match typed.as_str() {
        "" | "no" => Some('n'),
        "yes" => Some('y'),
        _ => None,
    };
    let by_word = |word| keys.iter().find(|(key, _)| *key == word);
    word.and_then(by_word).or_else(|| keys.iter().find(is_typed)).map(|(_, answer)| answer.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_chosen_by_its_key_or_its_words_and_nothing_else_is_one() {
        let answers = ["Allow", "Always allow this host", "Deny"].map(str::to_owned);
        let keys = answer_keys(&answers);
        for (typed, chosen) in [
            ("y", Some("Allow")),
            ("Yes", Some("Allow")),
            ("a", Some("Always allow this host")),
            ("always", Some("Always allow this host")),
            ("n", Some("Deny")),
            ("deny", Some("Deny")),
            ("", Some("Deny")),
            ("yy", None),
            ("maybe", None),
        ] {
            assert_eq!(chosen_answer(&keys, typed).as_deref(), chosen, "{typed:?}");
        }
        let session = answer_keys(&["Allow", "Allow for this session", "Deny"].map(str::to_owned));
        assert_eq!(chosen_answer(&session, "s").as_deref(), Some("Allow for this session"));
    }
}
