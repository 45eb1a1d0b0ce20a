//! Document 002, the tool protocol: latent tools, activities and environments.

use serde_json::{Value, json};

use crate::environment::Project;
use crate::environment::agent::{Agent, LEGACY};

/// The document's `sendEmail`: recipient, subject, and an output that says whether it was sent.
const SEND_EMAIL: &str = "tool:
  name: sendEmail
  description: Sends an email to one recipient.
  input_schema:
    type: object
    properties:
      recipient: { type: string, description: The address }
      subject: { type: string, description: The subject }
      why: { type: string, description: Why }
    required: [recipient, subject, why]
  output_schema:
    type: object
    properties: { sent: { type: boolean } }
    required: [sent]
";

/// A server whose `send` is there, and a fixed answer for development.
const BY_ENVIRONMENT: &str = "[activities.dev]
sendEmail = { answer = { sent = true } }
[activities.prod]
sendEmail = { command = [\"sh\", \"-c\", \"echo '{\\\"sent\\\": false}'; echo {{recipient}} >> sent.txt\"] }
[activities.copy]
sendEmail = { activity = \"fs.append\" }
[activities.broken]
sendEmail = { answer = { sent = \"perhaps\" } }
";

fn mail() -> Value {
    json!({ "recipient": "a@b.example", "subject": "Hello", "why": "Tell the customer that the order is on its way" })
}

fn project(settings: &str) -> Project {
    let project = Project::new(&[]);
    project.put_home(".config/wherefore/tools/mail.yaml", SEND_EMAIL);
    project.put_home(".config/wherefore/config.toml", settings);
    project
}

/// "Swap implementations by environment": the definition is the same in all of them.
#[test]
fn practical_applications_an_environment_swaps_what_runs_a_tool() {
    let project = project(BY_ENVIRONMENT);
    let mail = mail().to_string();
    let call = |args: &[&str], variables: &[(&str, &str)]| {
        project.run_with(&[&["call", "sendEmail", &mail], args].concat(), variables, "")
    };
    assert_eq!(call(&["--env", "dev"], &[]).json(), json!({ "sent": true }));
    assert_eq!(call(&[], &[("WHEREFORE_ENV", "dev")]).json(), json!({ "sent": true }));
    assert!(call(&["--env", "dev"], &[]).err.contains("nothing ran"), "a fixed answer says what it is");
    // The flag is nearer than the variable, and prototypes are latent.
    let latent = call(&["--env", "test"], &[("WHEREFORE_ENV", "dev")]).json();
    assert_eq!((&latent["_tool"], &latent["_activity"]), (&json!("sendEmail"), &json!("")));
    // Code of ours takes what it takes.
    let misfit = call(&["--env", "copy"], &[]).json();
    assert!(misfit["message"].as_str().unwrap().contains("sendEmail runs fs.append"), "{misfit}");
    // What cannot run refuses the call, and no other code runs in its place.
    let broken = call(&["--env", "broken"], &[]).json();
    assert_eq!(broken["code"], "UNSUPPORTED");
    assert!(broken["message"].as_str().unwrap().contains("breaks the tool's `output_schema`"), "{broken}");
    let unknown = call(&["--env", "tset"], &[]).json();
    assert_eq!(unknown["message"], "there is no environment named \"tset\"");
    assert_eq!(
        unknown["suggestion"],
        "name one of broken, copy, dev, prod, test, or define it: [activities.NAME] in the settings"
    );
    let log = project.log();
    assert!(
        log.contains("environment: \"dev: a fixed answer\"")
            || log.contains("environment: 'dev: a fixed answer'"),
        "{log}"
    );
    // A reader of the log, and of the report, sees that nothing was sent.
    let shown = project.run(&["log"]).out;
    assert!(
        shown.lines().any(|line| line.contains("sendEmail") && line.contains("dev: a fixed answer")),
        "{shown}"
    );
    let report = project.run(&["report", "--format", "md"]).out;
    assert!(report.contains("3 results that no code ran"), "{report}");
}

/// "Runtime Flexibility: swap implementations without code changes", under a running server.
#[test]
fn when_to_use_a_switch_holds_from_the_next_call_on() {
    let project = project(BY_ENVIRONMENT);
    let mut agent = Agent::start(project.folder(), LEGACY, &[]);
    let shown = project.run(&["env"]);
    assert!(shown.out.starts_with("prod: nothing chose another"), "{shown:?}");
    assert!(shown.out.contains("* prod       sendEmail: the command sh -c"), "{shown:?}");
    assert!(project.run(&["env", "dev"]).out.starts_with("dev: `wherefore env` chose it"));
    let sent = agent.call("sendEmail", mail());
    assert_eq!(sent["sent"], true);
    assert!(sent["warnings"].to_string().contains("nothing ran"), "{sent}");
    let status = project.run(&["status"]).out;
    assert!(status.contains("env       dev: sendEmail is a fixed answer"), "{status}");
    let shown = project.run(&["tools", "show", "sendEmail"]).json();
    assert_eq!(shown["tool"]["_runs"], "dev: a fixed answer");
    // Another one is refused, and the choice stays.
    assert_eq!(project.run(&["env", "none"]).code, Some(1));
    assert_eq!(agent.call("sendEmail", mail())["sent"], true);
    let mut other = Agent::start(project.folder(), LEGACY, &["--env", "test"]);
    assert_eq!(other.call("sendEmail", mail())["_activity"], "", "an agent may have one of its own");
    assert!(project.run(&["env", "--reset"]).out.starts_with("prod: "));
    agent.leave();
    other.leave();
    // A choice is kept where no server runs.
    project.run(&["env", "dev"]);
    assert_eq!(project.call("sendEmail", &mail()).json()["sent"], true);
    assert!(!project.path(".wherefore/environment").exists(), "nothing of it lies in the project");
}

/// "Replace real Activities with test doubles", by a definition that stands in for another one.
#[test]
fn practical_applications_a_definition_stands_in_as_a_test_double() {
    let project = project("");
    project.put(".wherefore/tools/mail.yaml", SEND_EMAIL);
    let taken = project.run(&["tools", "list"]).err;
    let person = "the name `sendEmail` is taken by sendEmail in ";
    assert!(taken.contains(person) && taken.contains(".config/wherefore/tools/mail.yaml, line 2"), "{taken}");
    assert!(taken.contains("say `environment: test` to have this stand in for it there"), "{taken}");
    let double = "tool:\n  name: sendEmail\n  environment: [test, staging]\n  answer: { sent: true }\n";
    project.put(".wherefore/tools/mail.yaml", double);
    let mail = mail().to_string();
    for environment in ["test", "staging"] {
        let sent = project.run(&["call", "sendEmail", &mail, "--env", environment]).json();
        assert_eq!(sent, json!({ "sent": true }), "{environment}");
    }
    assert_eq!(project.call("sendEmail", &serde_json::from_str(&mail).unwrap()).json()["_activity"], "");
    // A project replaces neither built-in tools nor, of its own accord, the person's.
    project.put(".wherefore/tools/read.yaml", "tool:\n  name: fs.read\n  environment: test\n  answer: {}\n");
    project.put(".wherefore/config.toml", "environment = \"test\"\n");
    let status = project.run(&["status"]).out;
    assert!(status.contains("fs.read in the environment test: it is a built-in tool"), "{status}");
    assert!(status.contains("sendEmail in the environment test: it is a tool of the person's"), "{status}");
    let read = json!({ "path": "a.txt", "why": "See that the file is the one on the disk" });
    assert_eq!(project.call("fs.read", &read).json()["content"], "one\ntwo\nthree\n");
    assert_eq!(project.call("sendEmail", &serde_json::from_str(&mail).unwrap()).json()["_activity"], "");
}

/// The document's `sentimentAnalysis`, as it is registered there.
const SENTIMENT: &str = "type: object
description: Analyzes text sentiment
properties:
  _tool: { type: string, const: 'sentimentAnalysis' }
  text: { type: string, description: Text to analyze }
  _output:
    type: object
    properties:
      sentiment: { type: string }
      confidence: { type: number }
";

fn sentiment() -> Value {
    json!({ "text": "What a day!", "why": "Learn whether the review is a good one" })
}

/// "Basic Tool Schema": the definition of the document is one.
#[test]
fn basic_tool_schema_is_read_as_it_stands_there() {
    let project = Project::new(&[(".wherefore/tools/sentiment.yaml", SENTIMENT)]);
    let listed = project.run(&["tools", "list"]);
    assert_eq!(listed.err, "", "nothing is wrong with it");
    assert!(listed.out.contains("sentimentAnalysis"), "{listed:?}");
    let shown = project.run(&["tools", "show", "sentimentAnalysis"]).json();
    let tool = &shown["tool"];
    assert_eq!(tool["_activity"], "");
    assert_eq!(tool["input_schema"]["required"], json!(["why"]));
    assert_eq!(tool["output_schema"]["properties"]["confidence"], json!({ "type": "number" }));
    // The same schema as JSON, in our own frame, and in a list.
    let value: Value = json!({
        "type": "object", "description": "Analyzes text sentiment",
        "properties": {
            "_tool": { "type": "string", "const": "moodAnalysis" }, "text": { "type": "string" },
            "_reasoningForCall": { "type": "string", "description": "The reason" },
            "_output": { "type": "object", "properties": { "sentiment": { "type": "string" } } },
        },
        "required": ["_tool", "text", "_output"],
    });
    project.put(".wherefore/tools/mood.json", &serde_json::to_string_pretty(&value).unwrap());
    let shown = project.run(&["tools", "show", "moodAnalysis"]).json();
    assert_eq!(shown["tool"]["input_schema"]["required"], json!(["text", "why"]));
    assert_eq!(shown["tool"]["input_schema"]["properties"]["why"]["description"], "The reason");
    let text = value.to_string().replace("moodAnalysis", "framedAnalysis");
    project.put(".wherefore/tools/framed.yaml", &format!("tool: {text}\n"));
    let text = value.to_string().replace("moodAnalysis", "listedAnalysis");
    project.put(".wherefore/tools/listed.yaml", &format!("custom_tools:\n  - {text}\n"));
    for name in ["framedAnalysis", "listedAnalysis"] {
        assert_eq!(project.run(&["tools", "show", name]).json()["tool"]["name"], name);
    }
    project
        .put(".wherefore/tools/odd.yaml", &SENTIMENT.replace("const: 'sentimentAnalysis'", "minLength: 1"));
    let odd = project.run(&["tools", "list"]).err;
    assert!(odd.contains("odd.yaml:4: `_tool` is fixed by a `const`"), "{odd}");
}

/// "Latent Execution: the agent produces the output directly in the same invocation."
#[test]
fn activity_resolution_a_latent_tool_is_filled_in_one_call_over_mcp() {
    let project = Project::new(&[(".wherefore/tools/sentiment.yaml", SENTIMENT)]);
    let mut agent = Agent::start(project.folder(), LEGACY, &[]);
    let listed = agent.request("tools/list", json!({})).unwrap();
    let tools = listed["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == "sentimentAnalysis").unwrap();
    let schema = &tool["inputSchema"];
    assert_eq!(schema["properties"]["_output"]["properties"]["sentiment"], json!({ "type": "string" }));
    assert!(schema["required"].as_array().unwrap().contains(&json!("_output")), "{schema}");
    let mut filled = sentiment();
    filled["_output"] = json!({ "sentiment": "good", "confidence": 0.9 });
    let answer = agent.call("sentimentAnalysis", filled);
    assert_eq!((&answer["sentiment"], &answer["latent"]), (&json!("good"), &json!(true)));
    let expanded = project.run(&["tools", "expand", "sentimentAnalysis"]).json();
    assert!(expanded["args_schema"]["properties"]["_output"].is_object(), "{expanded}");
    // Both kinds of latent calls are seen as such.
    agent.call("sentimentAnalysis", sentiment());
    agent.leave();
    let latent = project.run(&["log", "--status", "latent", "--format", "json"]).lines();
    let results = latent.iter().filter(|event| event["type"] == "tool_result").count();
    assert_eq!(results, 2, "{latent:#?}");
}

/// "Schema Composition: generate multiple Calls in a single request", filled as `tools compose` asks for it.
#[test]
fn schema_composition_a_message_of_calls_is_run() {
    let project = Project::new(&[(".wherefore/tools/sentiment.yaml", SENTIMENT)]);
    let composed =
        project.run(&["tools", "compose", "--tools", "fs.read,fs.append,sentimentAnalysis"]).json();
    let calls = |why: &str| {
        json!({ "calls": [
            { "_tool": "fs.read", "_activity": "fs.read", "_reasoningForCall": why, "path": "a.txt" },
            { "_tool": "fs.append", "_activity": "fs.append", "_reasoningForCall": why, "path": "a.txt",
              "text": "four\n" },
            { "_tool": "fs.read", "_activity": "fs.read", "_reasoningForCall": why, "path": "a.txt" },
            { "_tool": "sentimentAnalysis", "_activity": "", "_reasoningForCall": why, "text": "Fine",
              "_output": { "sentiment": "good", "confidence": 1 } },
        ] })
    };
    let message = calls("Add the fourth number and see that it stands there");
    let validator = jsonschema::validator_for(&composed).unwrap();
    assert!(validator.is_valid(&message), "it is what the schema asks for");
    let check = |answers: &[Value], lines: u64| {
        let lines_of = |at: usize| answers[at]["result"]["lines"].as_u64();
        assert_eq!(
            (answers.len(), lines_of(0), lines_of(2)),
            (4, Some(lines), Some(lines + 1)),
            "{answers:#?}"
        );
        assert_eq!(answers[3]["result"], json!({ "sentiment": "good", "confidence": 1 }));
    };
    check(&project.run_with(&["call", "--batch"], &[], &format!("{message}\n")).lines(), 3);
    check(&project.run(&["call", &message.to_string()]).lines(), 4);
    check(&project.run_with(&["call", "-"], &[], &message.to_string()).lines(), 5);
    // One that is no call has its own answer, and the others are made.
    let mut broken = message.clone();
    broken["calls"][1] = json!({ "tol": "fs.append" });
    let ran = project.run(&["call", &broken.to_string()]);
    assert_eq!((ran.code, ran.lines().len()), (Some(1), 4));
    assert_eq!(ran.lines()[1]["error"]["code"], "INVALID_ARGS");
    assert_eq!(ran.lines()[2]["result"]["lines"], 6);

    let mut agent = Agent::start(project.folder(), LEGACY, &["--policy", "auto"]);
    let answers = agent.call("call_tools", message);
    let answers = answers["answers"].as_array().unwrap();
    assert_eq!((answers.len(), &answers[0]["lines"], &answers[2]["lines"]), (4, &json!(6), &json!(7)));
    let fault = agent.fault("call_tools", json!({ "calls": [] }));
    assert_eq!(fault["message"], "`calls` holds no call");
    agent.leave();
}

/// "System Boundaries: higher-level systems handle execution policies": a message is the model's.
#[test]
fn no_call_of_a_message_chooses_its_own_review() {
    let project = Project::new(&[]);
    let write = json!({ "path": "made.txt", "content": "1\n", "why": "Find out who decides on this file" });
    let call = |tool: &str, arguments: &Value, name: &str, value: Value| {
        let mut call = json!({ "tool": tool, "arguments": arguments });
        call[name] = value;
        json!({ "calls": [call] })
    };
    let run = json!({ "line": "echo 1 > made.txt", "why": "Find out who decides on this file" });
    let messages = [
        ("policy", call("fs.write", &write, "policy", json!("auto"))),
        ("policy", call("terminal.run", &run, "policy", json!("auto"))),
        ("environment", call("fs.write", &write, "environment", json!("prod"))),
        ("root", call("fs.write", &write, "root", json!("/"))),
        ("origin", call("fs.write", &write, "origin", json!({ "agent": "a-person" }))),
    ];
    let mut agent = Agent::start(project.folder(), LEGACY, &["--policy", "hold"]);
    for (name, message) in &messages {
        let id = agent.begin_call("call_tools", message.clone());
        let told = agent.finish_call(id).0.to_string();
        assert!(told.contains("INVALID_ARGS") && told.contains(&format!("`{name}`")), "{message}: {told}");
    }
    let held = json!({ "calls": [{ "tool": "fs.write", "arguments": write }] });
    assert_eq!(agent.call("call_tools", held)["answers"][0]["status"], "pending");
    agent.leave();
    for (name, message) in &messages {
        let ran = project.run(&["call", &message.to_string()]);
        assert!(ran.code == Some(1) && ran.out.contains(&format!("`{name}`")), "{message}: {ran:?}");
    }
    assert!(!project.folder().join("made.txt").exists());
}

/// Documents 003 and 004: "Example usage by model", a function with its name and arguments.
#[test]
fn a_call_comes_as_a_function_of_a_models_api() {
    let project = Project::new(&[]);
    let arguments = json!({ "path": "a.txt", "why": "Find out which number the report begins with" });
    let function = json!({ "function": { "name": "read_file", "arguments": arguments } });
    let named = json!({ "name": "read_file", "arguments": arguments.to_string() });
    let whole = json!({ "role": "assistant", "content": "", "tool_calls": [
        { "id": "call_1", "type": "function", "function": { "name": "fs_read", "arguments": arguments.to_string() } },
    ] });
    for call in [&function, &named] {
        assert_eq!(project.run(&["call", &call.to_string()]).json()["lines"], 3, "{call}");
    }
    for answer in project.batch(&[
        function,
        named,
        whole,
        json!({ "calls": [{ "tool_id": "fs.read", "arguments": arguments }] }),
        json!({ "tool": "fs.read", "args": arguments }),
    ]) {
        assert_eq!(answer["result"]["lines"], 3, "{answer}");
    }
    assert!(project.log().contains("\"call\":\"call_1\""), "{}", project.log());
}

#[test]
fn latent_execution_the_log_says_whether_the_output_was_asked_for_or_filled() {
    let tool = "tool:\n  name: mood.of\n  description: Analyzes text sentiment.\n  input_schema:\n    properties: { text: string, why: string \
                }\n    required: [text, why]\n  output_schema:\n    type: object\n    properties: { sentiment: string }\n";
    let project = Project::new(&[(".wherefore/tools/mood.yaml", tool)]);
    let asked = json!({ "text": "good", "why": "Sort the reviews by their mood before they are answered" });
    project.call("mood.of", &asked);
    assert!(project.run(&["log"]).out.contains("the caller was asked for the result"));
    let report = |project: &Project| project.run(&["report", "--format", "md"]).out;
    assert!(!report(&project).contains("that no code ran"), "nobody filled it yet: {}", report(&project));
    let mut filled = asked;
    filled["_output"] = json!({ "sentiment": "good" });
    project.call("mood.of", &filled);
    assert!(project.run(&["log"]).out.contains("the caller filled the result"));
    assert!(report(&project).contains("1 result that no code ran"), "{}", report(&project));
}

/// "Tool Schema": `_output` is required, and one without it says so.
#[test]
fn tool_schema_a_definition_without_output_is_warned_of() {
    let without = SENTIMENT.split("  _output:").next().unwrap();
    let project = Project::new(&[(".wherefore/tools/sentiment.yaml", without)]);
    let listed = project.run(&["tools", "list"]);
    assert!(listed.err.contains("sentiment.yaml:4: `_output` is missing"), "{listed:?}");
    assert!(listed.out.contains("sentimentAnalysis"), "it counts all the same: {listed:?}");
    project.put(".wherefore/tools/sentiment.yaml", &format!("{without}  _output: {{}}\n"));
    assert_eq!(project.run(&["tools", "list"]).err, "", "anything, where that is said");
}

/// "Registration": where two files define one name, both say so.
#[test]
fn registration_a_taken_name_is_told_at_both_files() {
    let project = Project::new(&[
        (".wherefore/tools/dup.yaml", SEND_EMAIL),
        (".wherefore/tools/mail.yaml", SEND_EMAIL),
    ]);
    let listed = project.run(&["tools", "list"]).err;
    assert!(
        listed.contains("dup.yaml:2: .wherefore/tools/mail.yaml, line 2, defines `sendEmail` too"),
        "{listed}"
    );
    assert!(listed.contains("mail.yaml:2: the name `sendEmail` is taken by sendEmail in "), "{listed}");
}
