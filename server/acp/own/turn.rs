//! A turn for its editor: each event of the run as an update, its questions as requests for permission.

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
use crate::acp::send_request;
use crate::base::ProposalId;
use crate::base::hidden::escape_to_line;
use crate::protocol::{
    AgentEnd, AgentEvent, AgentEventsParams, AgentHappening, AgentSayParams, AgentState, Fault,
};
use crate::requests::{AgentEvents, Status};

/// The longest time that one request waits for an event, in milliseconds.
const WAIT_MS: u64 = 20_000;

/// Open questions to the person; dropping one withdraws it.
type OpenQuestions<'a> = FuturesUnordered<BoxFuture<'a, ()>>;

/// Follows a run until its turn ends; returns the reason of the end, in the protocol's words.
///
/// # Errors
/// The failure of the turn.
pub(super) async fn follow_turn(
    agent: &OwnAgent,
    session: &OwnSession,
    run: &str,
) -> Result<&'static str, Fault> {
    let mut calls = OpenCalls::default();
    let (mut reviews, mut questions) = (OpenQuestions::new(), OpenQuestions::new());
    let mut wanted = OpenQuestions::new();
    loop {
        let params = AgentEventsParams {
            run: run.to_owned(),
            after: session.last_seen.load(Ordering::SeqCst),
            wait_ms: WAIT_MS,
            ..AgentEventsParams::default()
        };
        let mut asked = std::pin::pin!(send_request::<AgentEvents>(&*agent.folders, &session.root, params));
        let told = loop {
            tokio::select! {
                told = &mut asked => break told?,
                Some(()) = reviews.next() => {}
                Some(()) = questions.next() => {}
                Some(()) = wanted.next() => {}
            }
        };
        for AgentEvent { seq, what, .. } in told.events {
            session.last_seen.store(seq, Ordering::SeqCst);
            match what {
                AgentHappening::Proposed { proposal, .. } => {
                    calls.show_proposal(agent, session, &proposal).await;
                    reviews.push(Box::pin(review_change(agent, session, proposal)));
                }
                AgentHappening::Question { id, text, answers } => {
                    questions.push(Box::pin(ask_question(agent, session, id, text, answers)));
                }
                AgentHappening::ReadFile { id, path } => {
                    wanted.push(Box::pin(files::read_in_editor(agent, session, id, path)));
                }
                AgentHappening::WriteFile { id, path, text } => {
                    wanted.push(Box::pin(files::write_in_editor(agent, session, id, path, text)));
                }
                AgentHappening::Ended { end, text, fault, .. } => {
                    return finish_turn(agent, session, end, text, fault).await;
                }
                AgentHappening::Result { .. } => {
                    // Only one change waits at a time: it is decided now, so that its open question is withdrawn.
                    reviews.clear();
                    calls.show_call(agent, session, what).await;
                }
                AgentHappening::Began { .. } => {}
                what => tell_event(agent, session, &mut calls, what).await,
            }
        }
        if told.state == AgentState::Ended {
            return Ok("cancelled");
        }
    }
}

async fn finish_turn(
    agent: &OwnAgent,
    session: &OwnSession,
    end: AgentEnd,
    text: String,
    fault: Option<Fault>,
) -> Result<&'static str, Fault> {
    match end {
        AgentEnd::Failed => return Err(fault.unwrap_or_else(|| Fault::internal(text))),
        // Text answers were sent as they came.
        AgentEnd::Answered | AgentEnd::Asks | AgentEnd::Cancelled => {}
        AgentEnd::Complete | AgentEnd::Limit | AgentEnd::Stuck => {
            agent.send_update(&session.id, chunk_update("agent_message_chunk", &format!("\n{text}\n"))).await;
        }
    }
    Ok(match end {
        AgentEnd::Cancelled => "cancelled",
        AgentEnd::Limit => "max_turn_requests",
        _ => "end_turn",
    })
}

/// Sends the editor the events of an earlier time, with the person's messages.
pub(super) async fn replay_event(
    agent: &OwnAgent,
    session: &OwnSession,
    calls: &mut OpenCalls,
    what: AgentHappening,
) {
    match what {
        AgentHappening::Began { task, .. } => {
            agent.send_update(&session.id, chunk_update("user_message_chunk", &task)).await;
        }
        AgentHappening::Ended { text, .. } => {
            agent.send_update(&session.id, chunk_update("agent_message_chunk", &format!("\n{text}\n"))).await;
        }
        what => tell_event(agent, session, calls, what).await,
    }
}

async fn tell_event(agent: &OwnAgent, session: &OwnSession, calls: &mut OpenCalls, what: AgentHappening) {
    let (kind, text) = match what {
        AgentHappening::Text { text } => ("agent_message_chunk", text),
        AgentHappening::Thinking { text } => ("agent_thought_chunk", text),
        AgentHappening::Note { text } => ("agent_thought_chunk", format!("\n({text})\n")),
        what => return calls.show_call(agent, session, what).await,
    };
    agent.send_update(&session.id, chunk_update(kind, &text)).await;
}

fn chunk_update(kind: &str, text: &str) -> Value {
    json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } })
}

/// Asks the person to decide on a change if no attached editor shows it. Undecided hunks stay pending, and the model goes on.
async fn review_change(agent: &OwnAgent, session: &OwnSession, proposal: ProposalId) {
    let status = send_request::<Status>(&*agent.folders, &session.root, ()).await;
    if status.is_ok_and(|status| status.editor) {
        return;
    }
    let (folders, editor) = (&*agent.folders, &agent.editor);
    let question = ChangeQuestion { folders, editor, session: &session.id, root: &session.root };
    question.ask_and_decide(proposal.as_str()).await;
    let later = AgentSayParams { later: Some(proposal), ..AgentSayParams::default() };
    // A run that has ended waits for nothing.
    let _ = session.send_to_run(agent, later).await;
}

/// Asks a question of the run; the answer is empty if no option is chosen.
async fn ask_question(
    agent: &OwnAgent,
    session: &OwnSession,
    id: String,
    text: String,
    answers: Vec<String>,
) {
    let option = |(at, name): (usize, &String)| {
        let kind = if at + 1 == answers.len() { "reject_once" } else { "allow_once" };
        json!({ "optionId": format!("wherefore-{at}"), "name": name, "kind": kind })
    };
    let options: Vec<Value> = answers.iter().enumerate().map(option).collect();
    let call =
        json!({ "toolCallId": id, "title": escape_to_line(&text), "kind": "other", "status": "pending" });
    let params = json!({ "sessionId": session.id, "toolCall": call, "options": options });
    let mut put = agent.editor.send_request("session/request_permission", params).await;
    let chosen = put.wait_for_answer().await.and_then(Result::ok).and_then(|answer| {
        let chosen = answer.pointer("/outcome/optionId")?.as_str()?;
        answers.get(chosen.strip_prefix("wherefore-")?.parse::<usize>().ok()?).cloned()
    });
    let text = chosen.unwrap_or_default();
    // It may have been answered elsewhere, or its turn has ended.
    let _ = session
        .send_to_run(agent, AgentSayParams { question: Some(id), text, ..AgentSayParams::default() })
        .await;
}
