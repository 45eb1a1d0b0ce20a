//! Runs of models that get the short prompt.

use super::*;

/// Tokens of a request, as generously counted as a small model counts them.
fn tokens(request: &ModelRequest) -> usize {
    let tools = request
        .tools
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + tool.schema.to_string().len());
    let messages = request.messages.iter().map(|message| match message {
        ModelMessage::User { text }
        | ModelMessage::Assistant { text, .. }
        | ModelMessage::ToolResult { text, .. } => text.len(),
    });
    (request.system.len() + tools.chain(messages).sum::<usize>()) * 2 / 7
}

fn asked(world: &World) -> ModelRequest {
    world.model.asked.lock()[0].clone()
}

fn words(call: Value) -> Answer {
    Answer::Words(Box::leak(call.to_string().into_boxed_str()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_context_gets_a_short_prompt_and_what_it_does_without_is_told_and_logged() {
    let world = World::with_context(
        vec![Answer::Calls(vec![edit("two", "three")]), Answer::Calls(vec![complete()])],
        8192,
    );
    let long = "Use tabs.\n".repeat(2000);
    std::fs::write(world.dir.path().join("ws/AGENTS.md"), long).unwrap();
    let run = world.start();
    let events = until_ended(&run, 0).await;
    assert_eq!(ended(&events).0, AgentEnd::Complete);
    assert_eq!(world.file("a.txt"), "one\nthree\n");
    // The files of the working set are no part of the prompt; they have a share of their own.
    let request = ModelRequest { messages: Vec::new(), ..asked(&world) };
    assert!(tokens(&request) <= 1000, "{} tokens: {request:?}", tokens(&request));
    let names: Vec<&str> = request.tools.iter().map(|tool| &*tool.name).collect();
    for name in ["fs_read", "fs_write", "fs_edit", "task_complete"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(!names.contains(&"git_log"), "{names:?}");
    assert!(request.max_output_tokens.is_some());
    let told = format!("{events:?}");
    assert!(told.contains("the model gets the short prompt") && told.contains("AGENTS.md"), "{told}");
    let log = world.folder().session_log(None).unwrap().text;
    assert!(log.contains("type: context_assembly") && log.contains("fs_write"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_with_no_calls_of_its_own_is_asked_for_one_call_after_an_example() {
    let write = json!({ "_tool": "fs_write", "path": "new.txt", "content": "new", "why": "Have the file that is wanted" });
    let done =
        json!({ "_tool": "task_complete", "summary": "There it is.", "why": "All of the task is done" });
    let world = World::with_model(vec![words(write), words(done)], 8192, true);
    let run =
        start_run(&world.hub, AgentStart { task: "Write the file new.txt".to_owned(), ..world.begin() })
            .unwrap();
    assert_eq!(ended(&until_ended(&run, 0).await), (AgentEnd::Complete, "There it is.".to_owned()));
    assert_eq!(world.file("new.txt"), "new");
    let request = asked(&world);
    assert!(tokens(&request) <= 1000 && request.tools.is_empty(), "{} tokens", tokens(&request));
    // The tool that the task asks for comes first.
    let first = request.system.find("- fs_write(path, content, why)").unwrap();
    assert!(request.system.find("- fs_read(").is_some_and(|read| first < read), "{}", request.system);
    let schema = request.output_schema.unwrap();
    let forms = schema["anyOf"].as_array().unwrap();
    let of = |name: &str| forms.iter().find(|form| form["properties"]["_tool"]["const"] == name).unwrap();
    assert_eq!(of("fs_write")["required"], json!(["_tool", "path", "content", "why"]));
    assert!(of("terminal_run")["required"].as_array().unwrap().contains(&json!("line")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_smallest_context_keeps_the_tools_without_which_no_task_is_done() {
    let done =
        json!({ "_tool": "task_complete", "summary": "Nothing to do.", "why": "All of the task is done" });
    let world = World::with_model(vec![words(done)], 2048, true);
    let events = until_ended(&world.start(), 0).await;
    let system = asked(&world).system;
    for name in ["fs_read(", "fs_write(", "task_complete("] {
        assert!(system.contains(name), "{system}");
    }
    assert!(!system.contains("call_tool"), "{system}");
    assert!(format!("{events:?}").contains("left out: finding other tools"), "{events:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_changed_nothing_cannot_be_the_next_one_too() {
    let write = || {
        words(
            json!({ "_tool": "fs_write", "path": "new.txt", "content": "new", "why": "Have the file that is wanted" }),
        )
    };
    let done =
        json!({ "_tool": "task_complete", "summary": "There it is.", "why": "All of the task is done" });
    let world = World::with_model(vec![write(), write(), words(done)], 8192, true);
    assert_eq!(ended(&until_ended(&world.start(), 0).await).0, AgentEnd::Complete);
    let may_write =
        |request: &ModelRequest| request.output_schema.as_ref().unwrap().to_string().contains("\"fs_write\"");
    let asked = world.model.asked.lock();
    assert_eq!(asked.iter().map(may_write).collect::<Vec<_>>(), [true, true, false]);
    // The prompt stays as it was, so that its server need not read it again.
    assert_eq!(asked[1].system, asked[2].system);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_the_short_prompt_does_not_list_is_found_and_called() {
    let find = ("search_tool_by_category", json!({ "query": "make a folder" }));
    let expand = ("expand_tool", json!({ "tool_id": "fs.mkdir" }));
    let args = json!({ "path": "sub", "why": "Have a folder for the parts" });
    let call = ("call_tool", json!({ "tool_id": "fs.mkdir", "arguments": args }));
    let steps = [find, expand, call, complete()].map(|call| Answer::Calls(vec![call]));
    let world = World::with_context(steps.into(), 8192);
    let events = until_ended(&world.start(), 0).await;
    assert_eq!(ended(&events).0, AgentEnd::Complete);
    assert!(world.dir.path().join("ws/sub").is_dir(), "{events:?}");
}
