//! The requests of each interface, and the reading of its answers.

use serde_json::{Value, json};

use super::scripted::{Played, Scripted};
use super::{SECRET, asked, chat, client, request};
use crate::protocol::ModelApi;
use crate::{AnswerPiece, ModelCall, ModelMessage, ModelRequest, StopReason, TokenUsage};

/// The conversation after an answer: its message, the result of its call, and words.
fn after(answer: &crate::ModelReply) -> ModelRequest {
    let mut next = request();
    next.messages.push(answer.message());
    let call = answer.calls[0].clone();
    next.messages.push(ModelMessage::ToolResult {
        call_id: call.id,
        name: call.name,
        text: "it is empty".to_owned(),
        failed: true,
    });
    next.messages.push(ModelMessage::User { text: "Go on.".to_owned() });
    next
}

#[tokio::test]
async fn chat_streams_text_thinking_and_calls() {
    let server = Scripted::start(|_, _| {
        Played::events(chat(
            &[
                json!({ "role": "assistant", "content": "" }),
                json!({ "reasoning_content": "Hm." }),
                json!({ "content": "Rea" }),
                json!({ "content": "ding." }),
                json!({ "tool_calls": [{ "index": 0, "id": "c1", "function": { "name": "fs_read", "arguments": "" } }] }),
                json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "{\"path\":" } }] }),
                json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "\"a\"}" } }] }),
                json!({ "tool_calls": [{ "index": 1, "function": { "name": "fs_ls", "arguments": { "path": "b" } } }] }),
            ],
            "tool_calls",
        ))
    });
    let client = client(&server, ModelApi::Chat);
    let (answer, pieces) = asked(&client, &request()).await;
    let answer = answer.unwrap();
    assert_eq!((&*answer.text, &*answer.thinking, &*answer.model), ("Reading.", "Hm.", "m-1"));
    assert_eq!(answer.stop, StopReason::Calls);
    assert_eq!(answer.usage, TokenUsage { input: 7, output: 3, cached: 2 });
    let made = &answer.calls[1].id;
    assert!(made.starts_with("call_") && made.len() > 12, "an id is made where none comes: {made}");
    let first = ModelCall {
        id: "c1".to_owned(),
        name: "fs_read".to_owned(),
        arguments: "{\"path\":\"a\"}".to_owned(),
    };
    assert_eq!((&answer.calls[0], &*answer.calls[1].arguments), (&first, "{\"path\":\"b\"}"));
    let started = AnswerPiece::CallStarted { index: 0, name: "fs_read".to_owned() };
    assert_eq!(pieces[0], AnswerPiece::Thinking { text: "Hm.".to_owned() });
    assert_eq!((&pieces[2], &pieces[3]), (&AnswerPiece::Text { text: "ding.".to_owned() }, &started));

    asked(&client, &after(&answer)).await.0.unwrap();
    let seen = server.seen();
    assert_eq!(
        (&*seen[0].line, seen[0].header("authorization")),
        ("POST /v1/chat/completions", &*format!("Bearer {SECRET}"))
    );
    assert_eq!(seen[0].body["messages"][0], json!({ "role": "system", "content": "Be brief." }));
    assert_eq!(seen[0].body["tools"][0]["function"]["name"], "fs_read");
    let messages = &seen[1].body["messages"];
    assert_eq!(
        messages[2]["tool_calls"][0]["function"],
        json!({ "name": "fs_read", "arguments": "{\"path\":\"a\"}" })
    );
    assert_eq!(messages[3], json!({ "role": "tool", "tool_call_id": "c1", "content": "it is empty" }));
}

#[tokio::test]
async fn chat_reads_what_servers_do_differently() {
    // Every call numbered 0; none numbered; the whole answer at once; a name in parts that come late.
    let call = |index: Value, id: &str, name: &str, arguments: &str| json!({ "tool_calls": [{ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }] });
    type Script<'a> = (Vec<Value>, Vec<(&'a str, &'a str)>);
    let scripts: Vec<Script<'_>> = vec![
        (
            vec![call(json!(0), "a", "x", "{}"), call(json!(0), "b", "y", "[]")],
            vec![("x", "{}"), ("y", "[]")],
        ),
        (
            vec![
                call(Value::Null, "a", "x", "{"),
                call(Value::Null, "", "", "}"),
                call(Value::Null, "", "y", "{}"),
            ],
            vec![("x", "{}"), ("y", "{}")],
        ),
        (vec![call(json!(0), "a", "", ""), call(json!(0), "a", "x", "{}")], vec![("x", "{}")]),
        (
            vec![
                json!({ "function_call": { "name": "x", "arguments": "{" } }),
                json!({ "function_call": { "arguments": "}" } }),
            ],
            vec![("x", "{}")],
        ),
    ];
    for (deltas, expected) in scripts {
        let events = chat(&deltas, "stop");
        let server = Scripted::start(move |_, _| Played::events(&events));
        let answer = asked(&client(&server, ModelApi::Chat), &request()).await.0.unwrap();
        let calls: Vec<(&str, &str)> =
            answer.calls.iter().map(|call| (&*call.name, &*call.arguments)).collect();
        assert_eq!((calls, answer.stop), (expected, StopReason::Calls), "{deltas:?}");
    }
    let whole =
        json!({ "choices": [{ "message": { "content": "Hi." }, "finish_reason": "length" }] }).to_string();
    let server = Scripted::start(move |_, _| Played::body(200, "application/json", &whole));
    let answer = asked(&client(&server, ModelApi::Chat), &request()).await.0.unwrap();
    assert_eq!((&*answer.text, answer.stop), ("Hi.", StopReason::Length));
}

#[tokio::test]
async fn a_member_that_a_server_does_not_take_is_left_out() {
    let schema = json!({ "type": "object" });
    let server = Scripted::start(|_, seen| {
        let wrong =
            |text: &str| Played::body(422, "application/json", &json!({ "detail": text }).to_string());
        match &seen.body {
            body if body.get("stream_options").is_some() => {
                wrong("stream_options: extra inputs are not permitted")
            }
            body if body["response_format"]["type"] == "json_schema" => {
                wrong("response_format: not one of text, json_object")
            }
            _ => Played::events(chat(&[json!({ "content": "{}" })], "stop")),
        }
    });
    let client = client(&server, ModelApi::Chat);
    let request = ModelRequest { output_schema: Some(schema.clone()), ..request() };
    assert_eq!(asked(&client, &request).await.0.unwrap().text, "{}");
    assert_eq!(server.seen().len(), 3);
    asked(&client, &request).await.0.unwrap();
    let last = server.seen().pop().unwrap().body;
    assert_eq!(last["response_format"], json!({ "type": "json_object", "schema": schema }));
    assert_eq!(server.seen().len(), 4, "it is learnt once");
}

#[tokio::test]
async fn ollama_is_asked_in_its_own_form() {
    let server = Scripted::start(|number, seen| match &*seen.line {
        "POST /api/show" => Played::body(
            200,
            "application/json",
            &json!({
                "model_info": { "general.architecture": "q", "q.context_length": 8192 },
                "capabilities": ["completion", "tools"], "parameters": "stop \"x\"\nnum_ctx   16384"
            })
            .to_string(),
        ),
        _ => Played::stream(
            "application/x-ndjson",
            [
                json!({ "model": "m", "message": { "content": "", "thinking": "Hm." }, "done": false })
                    .to_string()
                    + "\n",
                json!({ "message": { "content": "Hi", "tool_calls": [{ "function": { "name": "fs_read",
                "arguments": { "path": format!("{number}") } } }] } })
                .to_string()
                    + "\r\n",
                json!({ "done": true, "done_reason": "stop", "prompt_eval_count": 5, "eval_count": 2 })
                    .to_string(),
            ],
        ),
    });
    let mut client = client(&server, ModelApi::Ollama);
    client.context = None;
    client.facts.get_mut().context_tokens = None;
    let request =
        ModelRequest { seed: Some(3), output_schema: Some(json!({ "type": "object" })), ..request() };
    let answer = asked(&client, &request).await.0.unwrap();
    assert_eq!((&*answer.text, &*answer.thinking, &answer.stop), ("Hi", "Hm.", &StopReason::Calls));
    assert_eq!(answer.calls[0].arguments, "{\"path\":\"1\"}");
    assert_eq!(answer.usage, TokenUsage { input: 5, output: 2, cached: 0 });
    let facts = crate::LanguageModel::facts(&client);
    assert_eq!((facts.context_tokens, facts.native_calls), (Some(8192), Some(true)));
    asked(&client, &after(&answer)).await.0.unwrap();
    let seen = server.seen();
    assert_eq!(seen[1].body["options"], json!({ "num_ctx": 8192, "seed": 3 }));
    assert_eq!(seen[1].body["format"], json!({ "type": "object" }));
    let messages = &seen[2].body["messages"];
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], json!({ "path": "1" }));
    assert_eq!(messages[3], json!({ "role": "tool", "tool_name": "fs_read", "content": "it is empty" }));
}

#[tokio::test]
async fn responses_get_their_reasoning_back() {
    let server = Scripted::start(|_, _| {
        let reasoning =
            json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ENC" });
        let call = json!({ "type": "function_call", "id": "fc_1", "call_id": "c1", "name": "fs_read", "arguments": "{}",
            "status": "completed" });
        let events = [
            json!({ "type": "response.created", "response": { "model": "m-2" } }),
            json!({ "type": "response.something.new", "x": 1 }),
            json!({ "type": "response.reasoning_summary_text.delta", "delta": "Hm." }),
            json!({ "type": "response.output_item.done", "output_index": 0, "item": reasoning }),
            json!({ "type": "response.output_item.added", "output_index": 1,
                "item": { "type": "function_call", "id": "fc_1", "call_id": "c1", "name": "fs_read", "arguments": "" } }),
            json!({ "type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{" }),
            json!({ "type": "response.function_call_arguments.delta", "output_index": 1, "delta": "}" }),
            json!({ "type": "response.function_call_arguments.done", "output_index": 1, "arguments": "{}" }),
            json!({ "type": "response.output_item.done", "output_index": 1, "item": call }),
            json!({ "type": "response.completed", "response": { "usage": { "input_tokens": 9, "output_tokens": 4,
                "input_tokens_details": { "cached_tokens": 1 } } } }),
        ];
        Played::events(events.map(|event| event.to_string()))
    });
    let client = client(&server, ModelApi::Responses);
    let answer = asked(&client, &request()).await.0.unwrap();
    assert_eq!((&*answer.thinking, &*answer.calls[0].arguments, &*answer.calls[0].id), ("Hm.", "{}", "c1"));
    assert_eq!((answer.usage.input, answer.usage.cached, &answer.stop), (9, 1, &StopReason::Calls));
    asked(&client, &after(&answer)).await.0.unwrap();
    let seen = server.seen();
    let body = &seen[0].body;
    assert_eq!((&body["store"], &body["include"]), (&json!(false), &json!(["reasoning.encrypted_content"])));
    assert_eq!(
        seen[1].body["input"][1],
        json!({ "type": "reasoning", "summary": [], "encrypted_content": "ENC" })
    );
    assert_eq!(seen[1].body["input"][2]["call_id"], "c1");
    assert_eq!(
        seen[1].body["input"][3],
        json!({ "type": "function_call_output", "call_id": "c1", "output": "it is empty" })
    );
}

#[tokio::test]
async fn anthropic_gets_its_signed_thinking_back() {
    let server = Scripted::start(|_, _| {
        let events = [
            json!({ "type": "message_start", "message": { "model": "m-3", "usage": { "input_tokens": 2,
                "cache_read_input_tokens": 5, "cache_creation_input_tokens": 1 } } }),
            json!({ "type": "ping" }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "" } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "Hm." } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "signature_delta", "signature": "SIG" } }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "tool_use", "id": "t1", "name": "fs_read", "input": {} } }),
            json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": "{\"path\": " } }),
            json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": "\"a\"}" } }),
            json!({ "type": "content_block_stop", "index": 1 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 6 } }),
            json!({ "type": "message_stop" }),
        ];
        Played::events(events.map(|event| event.to_string()))
    });
    let client = client(&server, ModelApi::Messages);
    let answer = asked(&client, &request()).await.0.unwrap();
    assert_eq!((&*answer.thinking, &*answer.calls[0].arguments), ("Hm.", "{\"path\": \"a\"}"));
    assert_eq!(answer.usage, TokenUsage { input: 8, output: 6, cached: 5 });
    asked(&client, &after(&answer)).await.0.unwrap();
    let seen = server.seen();
    assert_eq!(seen[0].header("x-api-key"), SECRET);
    let (kept, body) = (json!({ "type": "ephemeral" }), &seen[1].body);
    assert_eq!((&body["system"][0]["cache_control"], &body["tools"][0]["cache_control"]), (&kept, &kept));
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            { "type": "thinking", "thinking": "Hm.", "signature": "SIG" },
            { "type": "tool_use", "id": "t1", "name": "fs_read", "input": { "path": "a" } },
        ])
    );
    let result = &body["messages"][2]["content"];
    assert_eq!(
        (&result[0]["tool_use_id"], &result[0]["is_error"], &result[1]["text"]),
        (&json!("t1"), &json!(true), &json!("Go on."))
    );

    let other = super::client(&server, ModelApi::Responses);
    let state = answer.state.clone();
    assert!(
        client.own_items(state.as_ref()).is_some() && other.own_items(state.as_ref()).is_none(),
        "it goes to no other server"
    );
}
