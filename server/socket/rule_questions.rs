//! The questions of the rules to a client of the socket whose person sits at a terminal.

use std::collections::HashMap;
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::io::{AsyncWriteExt, WriteHalf};
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::ports::Caller;
use crate::protocol::{AskParams, Unanswered};

/// The writing side of a client's connection.
pub(super) type ClientWriter = Arc<tokio::sync::Mutex<WriteHalf<tokio::io::BufReader<UnixStream>>>>;

/// A question as a line to the client.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct QuestionLine {
    /// The number of the question in its connection.
    pub(super) asks: u64,
    /// The question.
    pub(super) question: AskParams,
}

/// The client's answer as a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerLine {
    /// The number of the question.
    pub(super) answers: u64,
    /// The chosen answer, or the cause for which there is none.
    pub(super) answer: Result<String, Unanswered>,
}

#[derive(Debug, Default)]
struct OpenQuestions {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<Result<String, Unanswered>>>,
}

/// The caller behind a connection: a person at a terminal, who answers the questions of the rules about their own calls.
#[derive(Debug)]
pub(super) struct TerminalClient {
    writer: ClientWriter,
    open: Mutex<OpenQuestions>,
}

impl TerminalClient {
    /// Returns the caller that is asked through this writer.
    pub(super) fn new(writer: ClientWriter) -> Arc<Self> {
        Arc::new(Self { writer, open: Mutex::default() })
    }

    /// Hands an answer to the call that waits for it; one that comes too late is dropped.
    pub(super) fn take_answer(&self, line: AnswerLine) {
        if let Some(waiting) = self.open.lock().waiting.remove(&line.answers) {
            // A call that was cancelled meanwhile needs no answer.
            let _ = waiting.send(line.answer);
        }
    }
}

impl Caller for TerminalClient {
    fn progress(&self, _: &str, _: Option<u32>) {}

    fn answers_rules(&self) -> bool {
        true
    }

    fn question(&self, question: AskParams) -> BoxFuture<'_, Result<String, Unanswered>> {
        Box::pin(async move {
            let (sender, answer) = oneshot::channel();
            let number = {
                let mut open = self.open.lock();
                open.last += 1;
                let number = open.last;
                open.waiting.insert(number, sender);
                number
            };
            let line = format!("{}\n", json!(QuestionLine { asks: number, question }));
            if self.writer.lock().await.write_all(line.as_bytes()).await.is_err() {
                return Err(Unanswered::Lost);
            }
            let answer = timeout(Unanswered::TIMEOUT, answer).await;
            self.open.lock().waiting.remove(&number);
            match answer {
                Ok(Ok(answer)) => answer,
                Ok(Err(_)) => Err(Unanswered::Lost),
                Err(_) => Err(Unanswered::Late),
            }
        })
    }
}
