//! A model that plays answers over each interface, whatever it is asked.

#[allow(dead_code, unreachable_pub, reason = "the tests of the models use all of it, too")]
#[path = "../../../server/model/tests/scripted.rs"]
pub(super) mod scripted;

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use self::scripted::{Played, Scripted, Seen};

/// An answer: words, or calls by name and arguments.
#[derive(Clone, Debug)]
pub(super) enum Said {
    Words(&'static str),
    Calls(Vec<(&'static str, Value)>),
    /// Whatever comes over the wire.
    Plays(Played),
}

/// A call alone.
pub(super) fn call(name: &'static str, arguments: Value) -> Said {
    Said::Calls(vec![(name, arguments)])
}

/// An interface: its name in the settings, the prefix of its paths, and the path of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interface(pub(super) &'static str, pub(super) &'static str, &'static str);

pub(super) const CHAT: Interface = Interface("chat", "/v1", "/v1/chat/completions");
pub(super) const INTERFACES: [Interface; 4] = [
    CHAT,
    Interface("responses", "/v1", "/v1/responses"),
    Interface("messages", "/v1", "/v1/messages"),
    Interface("ollama", "", "/api/chat"),
];

/// A server of such a model, which answers its last answer again when it has no further one.
pub(super) struct Player {
    server: Scripted,
    interface: Interface,
}

impl Player {
    /// Starts one.
    pub(super) fn start(interface: Interface, answers: Vec<Said>) -> Self {
        let asked = AtomicUsize::new(0);
        let server = Scripted::start(move |_, seen| {
            if seen.line == "POST /api/show" {
                let info = json!({ "general.architecture": "q", "q.context_length": 16_384 });
                let shown = json!({ "model_info": info, "capabilities": ["completion", "tools"] });
                return Played::body(200, "application/json", &shown.to_string());
            }
            if seen.line != format!("POST {}", interface.2) {
                return Played::body(404, "application/json", r#"{"error": "not here"}"#);
            }
            let number = asked.fetch_add(1, Ordering::SeqCst);
            let said = answers.get(number).or(answers.last()).expect("it has an answer");
            written(interface.0, number, said, seen.body.to_string().len() / 4)
        });
        Self { server, interface }
    }

    /// The table of the settings that names it.
    pub(super) fn settings(&self) -> String {
        let Interface(api, base, _) = self.interface;
        format!("[model]\nname = \"player\"\nurl = \"{}{base}\"\napi = \"{api}\"\n", self.server.url)
    }

    /// The name that `--model` takes.
    pub(super) fn name(&self) -> String {
        format!("{}{}#player", self.server.url, self.interface.1)
    }

    /// The requests to the model, in order.
    pub(super) fn asked(&self) -> Vec<Seen> {
        let line = format!("POST {}", self.interface.2);
        self.server.seen().into_iter().filter(|seen| seen.line == line).collect()
    }
}

/// An answer as the interface writes it; the model read so many tokens.
fn written(api: &str, number: usize, said: &Said, tokens: usize) -> Played {
    let (words, calls) = match said {
        Said::Words(words) => (*words, Vec::new()),
        Said::Calls(calls) => ("", calls.clone()),
        Said::Plays(played) => return played.clone(),
    };
    let calls: Vec<(String, &str, Value)> = calls
        .into_iter()
        .enumerate()
        .map(|(at, (name, arguments))| (format!("call-{number}-{at}"), name, arguments))
        .collect();
    match api {
        "chat" => chat(words, &calls),
        "responses" => responses(words, &calls, tokens),
        "messages" => messages(words, &calls, tokens),
        _ => ollama(words, &calls, tokens),
    }
}

type Made<'a> = &'a [(String, &'a str, Value)];

fn chat(words: &str, calls: Made<'_>) -> Played {
    let event = |delta: Value, reason: Value| {
        json!({ "model": "player", "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] })
            .to_string()
    };
    let mut events = vec![event(json!({ "role": "assistant", "content": words }), Value::Null)];
    events.extend(calls.iter().enumerate().map(|(at, (id, name, arguments))| {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        event(json!({ "tool_calls": [{ "index": at, "id": id, "function": function }] }), Value::Null)
    }));
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    events.extend([event(json!({}), json!(reason)), "[DONE]".to_owned()]);
    Played::events(events)
}

fn responses(words: &str, calls: Made<'_>, tokens: usize) -> Played {
    let mut events = vec![json!({ "type": "response.created", "response": { "model": "player" } })];
    if !words.is_empty() {
        events.push(json!({ "type": "response.output_text.delta", "output_index": 0, "delta": words }));
    }
    events.extend(calls.iter().enumerate().map(|(at, (id, name, arguments))| {
        let item = json!({ "type": "function_call", "id": format!("fc-{id}"), "call_id": id, "name": name,
            "arguments": arguments.to_string(), "status": "completed" });
        json!({ "type": "response.output_item.done", "output_index": at, "item": item })
    }));
    let usage = json!({ "input_tokens": tokens, "output_tokens": 4 });
    events.push(json!({ "type": "response.completed", "response": { "usage": usage } }));
    Played::events(events.iter().map(Value::to_string))
}

fn messages(words: &str, calls: Made<'_>, tokens: usize) -> Played {
    let begin = |at: usize, block: Value| json!({ "type": "content_block_start", "index": at, "content_block": block });
    let more =
        |at: usize, delta: Value| json!({ "type": "content_block_delta", "index": at, "delta": delta });
    let usage = json!({ "input_tokens": tokens, "output_tokens": 1 });
    let mut events =
        vec![json!({ "type": "message_start", "message": { "model": "player", "usage": usage } })];
    if !words.is_empty() {
        events.push(begin(0, json!({ "type": "text", "text": "" })));
        events.push(more(0, json!({ "type": "text_delta", "text": words })));
        events.push(json!({ "type": "content_block_stop", "index": 0 }));
    }
    for (at, (id, name, arguments)) in calls.iter().enumerate() {
        events.push(begin(at, json!({ "type": "tool_use", "id": id, "name": name, "input": {} })));
        let part = json!({ "type": "input_json_delta", "partial_json": arguments.to_string() });
        events.push(more(at, part));
        events.push(json!({ "type": "content_block_stop", "index": at }));
    }
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let end = json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 4 } });
    events.extend([end, json!({ "type": "message_stop" })]);
    Played::events(events.iter().map(Value::to_string))
}

fn ollama(words: &str, calls: Made<'_>, tokens: usize) -> Played {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(_, name, arguments)| json!({ "function": { "name": name, "arguments": arguments } }))
        .collect();
    let message = json!({ "role": "assistant", "content": words, "tool_calls": calls });
    let end = json!({ "done": true, "done_reason": "stop", "prompt_eval_count": tokens, "eval_count": 4 });
    let lines = [json!({ "model": "player", "message": message, "done": false }), end];
    Played::stream("application/x-ndjson", lines.map(|line| format!("{line}\n")))
}
