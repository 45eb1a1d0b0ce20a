//! A real model, if `WHEREFORE_REAL_MODEL` names one: it writes a file that is then checked, once for each of 20 seeds.
//!
//! `tests/bench/model/run` serves a small model with llama.cpp and runs this.

use serde_json::{Value, json};

use crate::arguments::read_arguments;
use crate::{ModelMessage, ModelRequest, open_model};

const SEEDS: u64 = 20;
const STEPS: usize = 3;
const TASK: &str = "Write the file greeting.txt. Its content is the one word: hello";

/// The calls that the answer is held to: one of two tools, in the Tool Protocol's form.
fn schema() -> Value {
    let tool = |name: &str, properties: Value, required: &[&str]| {
        let mut schema = json!({ "type": "object", "properties": { "_tool": { "const": name } }, "required": required,
            "additionalProperties": false });
        for (name, value) in properties.as_object().unwrap() {
            schema["properties"][name] = value.clone();
        }
        schema
    };
    let text = |longest: u64| json!({ "type": "string", "minLength": 1, "maxLength": longest });
    let write = json!({ "path": text(40), "content": text(40), "why": text(60) });
    let write = tool("fs.write", write, &["_tool", "path", "content", "why"]);
    let done = tool("task_complete", json!({ "summary": text(60) }), &["_tool", "summary"]);
    let calls = json!({ "type": "array", "minItems": 1, "maxItems": 1, "items": { "anyOf": [write, done] } });
    json!({ "type": "object", "properties": { "calls": calls }, "required": ["calls"], "additionalProperties": false })
}

/// Another task with its calls, which shows a small model the form, then the task.
fn conversation() -> Vec<ModelMessage> {
    let user = |text: &str| ModelMessage::User { text: text.to_owned() };
    let call = |call: Value| ModelMessage::Assistant {
        text: json!({ "calls": [call] }).to_string(),
        calls: Vec::new(),
        state: None,
    };
    vec![
        user("Write the file colour.txt. Its content is the one word: green"),
        call(
            json!({ "_tool": "fs.write", "path": "colour.txt", "content": "green", "why": "The task wants it" }),
        ),
        user("fs.write wrote colour.txt. If the task is done, call task_complete."),
        call(json!({ "_tool": "task_complete", "summary": "Wrote colour.txt" })),
        user(TASK),
    ]
}

/// The outcome of the task with one seed.
#[derive(Debug, Default)]
struct Outcome {
    is_written: bool,
    is_complete: bool,
    repairs: usize,
    steps: usize,
    tokens: u64,
}

async fn task(model: &dyn crate::LanguageModel, seed: u64) -> Outcome {
    let folder = std::env::temp_dir().join(format!("wherefore-real-model-{}-{seed}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut request = ModelRequest {
        system: "You work on a task with tools. Answer with one call as JSON. fs.write writes a file: path, content, why. \
                 task_complete ends the task: summary."
            .to_owned(),
        messages: conversation(),
        output_schema: Some(schema()),
        max_output_tokens: Some(200),
        temperature: Some(0.3),
        seed: Some(seed),
        ..ModelRequest::default()
    };
    let mut outcome = Outcome::default();
    while outcome.steps < STEPS && !outcome.is_complete {
        outcome.steps += 1;
        let reply = model.reply(&request, &mut |_| {}).await.unwrap();
        outcome.tokens += reply.usage.output;
        let read =
            read_arguments(&reply.text, &json!({})).unwrap_or_else(|wrong| panic!("{wrong}: {}", reply.text));
        outcome.repairs += read.repairs.len();
        let call = &read.value["calls"][0];
        let said = match call["_tool"].as_str() {
            Some("fs.write") => {
                let name = call["path"].as_str().unwrap().replace(['/', '\\'], "_");
                std::fs::write(folder.join(&name), call["content"].as_str().unwrap()).unwrap();
                format!("fs.write wrote {name}. If the task is done, call task_complete.")
            }
            Some("task_complete") => {
                outcome.is_complete = true;
                String::new()
            }
            _ => panic!("a call of no tool: {call}"),
        };
        request.messages.push(reply.message());
        request.messages.push(ModelMessage::User { text: said });
    }
    // The program that checks: the file is there, and holds the word alone.
    let found = std::fs::read_to_string(folder.join("greeting.txt")).unwrap_or_default();
    outcome.is_written = found.trim() == "hello";
    std::fs::remove_dir_all(&folder).unwrap();
    outcome
}

#[tokio::test]
async fn a_real_model_writes_a_file_that_is_checked() {
    let Ok(name) = std::env::var("WHEREFORE_REAL_MODEL") else {
        println!("skipped: WHEREFORE_REAL_MODEL names no model");
        return;
    };
    let model = open_model(None, Some(&name)).await.unwrap();
    let facts = model.inspect().await.unwrap();
    println!("context {:?}, constrained {:?}, {}", facts.context_tokens, facts.constrained, facts.provider);
    let mut outcomes = Vec::new();
    for seed in 0..SEEDS {
        let outcome = task(&*model, seed).await;
        println!("seed {seed}: {outcome:?}");
        outcomes.push(outcome);
    }
    let written = outcomes.iter().filter(|outcome| outcome.is_written).count();
    let complete = outcomes.iter().filter(|outcome| outcome.is_written && outcome.is_complete).count();
    let steps: usize = outcomes.iter().map(|outcome| outcome.steps).sum();
    println!("{written} of {SEEDS} wrote the file, {complete} of them said so, {steps} answers in all");
    // The server held each answer to the schema: nothing had to be repaired.
    assert!(outcomes.iter().all(|outcome| outcome.repairs == 0));
}
