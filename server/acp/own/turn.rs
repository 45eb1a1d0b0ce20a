//! A turn as its editor sees it: each event of the run as an update, its questions as questions for permission.

use std::sync::atomic::Ordering;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use serde_json::{Value, json};

use super::OwnAgent;
use super::calls::OpenCalls;
use super::files;
use super::session::OwnSession;
use crate::acp::change::ChangeQuestion;
use crate::acp::request;
use crate::base::ProposalId;
use crate::base::hidden::in_line;
use crate::protocol::{
    AgentEnd, AgentEvent, AgentEventsParams, AgentHappening, AgentSayParams, AgentState, Fault,
};
use crate::requests::{AgentEvents, Status};

/// How long one request waits for something to happen, in milliseconds.
const WAIT_MS: u64 = 20_000;

/// Questions to the person that are open; one that is dropped is withdrawn.
type OpenQuestions<'a> = FuturesUnordered<BoxFuture<'a, ()>>;

/// Follows a run until its turn ends; why it ended, in the protocol's words.
///
/// # Errors
/// What failed.
pub(super) async fn follow(agent: &OwnAgent, session: &OwnSession, run: &str) -> Result<&'static str, Fault> {
    let mut calls = OpenCalls::default();
    let (mut reviews, mut questions) = (OpenQuestions::new(), OpenQuestions::new());
    let mut wanted = OpenQuestions::new();
    loop {
        let params = AgentEventsParams {
            run: run.to_owned(),
            after: session.seen.load(Ordering::SeqCst),
            wait_ms: WAIT_MS,
            ..AgentEventsParams::default()
        };
        let mut asked = std::pin::pin!(request::<AgentEvents>(&*agent.folders, &session.root, params));
        let told = loop {
            tokio::select! {
                told = &mut asked => break told?,
                Some(()) = reviews.next() => {}
                Some(()) = questions.next() => {}
                Some(()) = wanted.next() => {}
            }
        };
        for AgentEvent { seq, what, .. } in told.events {
            session.seen.store(seq, Ordering::SeqCst);
            match what {
                AgentHappening::Proposed { proposal, .. } => {
                    calls.proposed(agent, session, &proposal).await;
                    reviews.push(Box::pin(review(agent, session, proposal)));
                }
                AgentHappening::Question { id, text, answers } => {
                    questions.push(Box::pin(question(agent, session, id, text, answers)));
                }
                AgentHappening::ReadFile { id, path } => {
                    wanted.push(Box::pin(files::read(agent, session, id, path)));
                }
                AgentHappening::WriteFile { id, path, text } => {
                    wanted.push(Box::pin(files::write(agent, session, id, path, text)));
                }
                AgentHappening::Ended { end, text, fault, .. } => {
                    return ended(agent, session, end, text, fault).await;
                }
                AgentHappening::Result { .. } => {
                    // A change waits alone: it is decided, and a question that is open still is withdrawn.
                    reviews.clear();
                    calls.told(agent, session, what).await;
                }
                AgentHappening::Began { .. } => {}
                what => tell(agent, session, &mut calls, what).await,
            }
        }
        if told.state == AgentState::Ended {
            return Ok("cancelled");
        }
    }
}

async fn ended(
    agent: &OwnAgent,
    session: &OwnSession,
    end: AgentEnd,
    text: String,
    fault: Option<Fault>,
) -> Result<&'static str, Fault> {
    match end {
        AgentEnd::Failed => return Err(fault.unwrap_or_else(|| Fault::internal(text))),
        // Answers in words were told as they came.
        AgentEnd::Answered | AgentEnd::Asks | AgentEnd::Cancelled => {}
        AgentEnd::Complete | AgentEnd::Limit | AgentEnd::Stuck => {
            agent.update(&session.id, chunk("agent_message_chunk", &format!("\n{text}\n"))).await;
        }
    }
    Ok(match end {
        AgentEnd::Cancelled => "cancelled",
        AgentEnd::Limit => "max_turn_requests",
        _ => "end_turn",
    })
}

/// Tells the editor what happened at an earlier time, the person's words too.
pub(super) async fn replay(
    agent: &OwnAgent,
    session: &OwnSession,
    calls: &mut OpenCalls,
    what: AgentHappening,
) {
    match what {
        AgentHappening::Began { task, .. } => {
            agent.update(&session.id, chunk("user_message_chunk", &task)).await;
        }
        AgentHappening::Ended { text, .. } => {
            agent.update(&session.id, chunk("agent_message_chunk", &format!("\n{text}\n"))).await;
        }
        what => tell(agent, session, calls, what).await,
    }
}

async fn tell(agent: &OwnAgent, session: &OwnSession, calls: &mut OpenCalls, what: AgentHappening) {
    let (kind, text) = match what {
        AgentHappening::Text { text } => ("agent_message_chunk", text),
        AgentHappening::Thinking { text } => ("agent_thought_chunk", text),
        AgentHappening::Note { text } => ("agent_thought_chunk", format!("\n({text})\n")),
        what => return calls.told(agent, session, what).await,
    };
    agent.update(&session.id, chunk(kind, &text)).await;
}

fn chunk(kind: &str, text: &str) -> Value {
    json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } })
}

/// Has the person decide on a change, where no editor that is attached shows it. What they leave waits, and the model
/// goes on.
async fn review(agent: &OwnAgent, session: &OwnSession, proposal: ProposalId) {
    let status = request::<Status>(&*agent.folders, &session.root, ()).await;
    if status.is_ok_and(|status| status.editor) {
        return;
    }
    let (folders, editor) = (&*agent.folders, &agent.editor);
    let question = ChangeQuestion { folders, editor, session: &session.id, root: &session.root };
    question.ask(proposal.as_str()).await;
    let later = AgentSayParams { later: Some(proposal), ..AgentSayParams::default() };
    // A run that has ended waits for nothing.
    let _ = session.say(agent, later).await;
}

/// Puts a question of the run; where the person chooses nothing, the answer is the last one, which refuses.
async fn question(agent: &OwnAgent, session: &OwnSession, id: String, text: String, answers: Vec<String>) {
    let option = |(at, name): (usize, &String)| {
        let kind = if at + 1 == answers.len() { "reject_once" } else { "allow_once" };
        json!({ "optionId": format!("wherefore-{at}"), "name": name, "kind": kind })
    };
    let options: Vec<Value> = answers.iter().enumerate().map(option).collect();
    let call = json!({ "toolCallId": id, "title": in_line(&text), "kind": "other", "status": "pending" });
    let params = json!({ "sessionId": session.id, "toolCall": call, "options": options });
    let mut put = agent.editor.ask("session/request_permission", params).await;
    let chosen = put.answer().await.and_then(Result::ok).and_then(|answer| {
        let chosen = answer.pointer("/outcome/optionId")?.as_str()?;
        answers.get(chosen.strip_prefix("wherefore-")?.parse::<usize>().ok()?).cloned()
    });
    let text = chosen.or_else(|| answers.last().cloned()).unwrap_or_default();
    // It may have been answered elsewhere, or its turn ended.
    let _ =
        session.say(agent, AgentSayParams { question: Some(id), text, ..AgentSayParams::default() }).await;
}
