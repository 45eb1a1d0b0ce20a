//! Document 002, "Testing Isolation": where a test double cannot stand in, the real tool does not run in its place unnoticed.

use serde_json::{Value, json};

use crate::environment::Project;

fn run_with_env(project: &Project, tool: &str, arguments: &Value, environment: &str) -> Value {
    project.run(&["call", tool, &arguments.to_string(), "--env", environment]).json()
}

fn list() -> Value {
    json!({ "cmd": ["touch", "ran.txt"], "why": "Find out whether the real command runs" })
}

fn read() -> Value {
    json!({ "path": "a.txt", "why": "See that the file is the one on the disk" })
}

/// A name with a dot is one name, in quotes or without.
#[test]
fn testing_isolation_a_dotted_name_needs_no_quotes() {
    for settings in [
        "[activities.test]\nterminal.run = { latent = true }\n",
        "[activities.test]\n\"terminal.run\" = { latent = true }\n",
        "[activities.test.terminal]\nrun = { latent = true }\n",
    ] {
        let project = Project::new(&[]);
        project.put_home(".config/wherefore/config.toml", settings);
        assert_eq!(run_with_env(&project, "terminal.run", &list(), "test")["_activity"], "", "{settings}");
        assert!(!project.path("ran.txt").exists(), "{settings}");
        assert!(!project.run(&["status"]).out.contains("problem "), "{settings}");
    }
}

/// Each way in which the person's settings may miss the tool that they mean.
#[test]
fn testing_isolation_a_double_that_cannot_stand_in_refuses_the_call() {
    for (settings, says) in [
        ("terminal.run = { anser = { stdout = \"\" } }", "`anser` is none of command, mcp_server"),
        ("terminal.run = { latent = true, env = { A = \"b\" } }", "`env` is none of command, mcp_server"),
        ("terminal.run = { latent = true, env = 3 }", "unknown field `env`"),
        (
            "terminal.rum = { latent = true }",
            "terminal.rum: there is no such tool; did you mean terminal.run?",
        ),
        ("terminal.run = 3", "invalid type"),
        ("terminal.run = {}", "it names nothing"),
        ("terminal.run = { activity = \"terminal.ran\" }", "there is no built-in tool \"terminal.ran\""),
    ] {
        let project = Project::new(&[]);
        project.put_home(".config/wherefore/config.toml", &format!("[activities.test]\n{settings}\n"));
        let fault = run_with_env(&project, "terminal.run", &list(), "test");
        assert_eq!(fault["code"], "UNSUPPORTED", "{settings}: {fault}");
        assert!(fault["message"].as_str().unwrap().contains(says), "{settings}: {fault}");
        assert_eq!(
            fault["suggestion"],
            "ask the person to mend what [activities.test] in the person's settings says of it",
            "{settings}"
        );
        assert!(!project.path("ran.txt").exists(), "{settings}");
        assert_eq!(run_with_env(&project, "fs.read", &read(), "test")["lines"], 3, "{settings}: others run");
        assert_eq!(run_with_env(&project, "terminal.run", &list(), "dev")["exit_code"], 0, "{settings}");
    }
}

/// A definition that stands in, over a tool of ours, with a mistake in it, and as no YAML.
#[test]
fn testing_isolation_a_definition_that_cannot_stand_in_refuses_the_call() {
    for (file, says) in [
        (
            "tool:\n  name: terminal.run\n  environment: test\n  answer: {}\n",
            "only the person's settings replace",
        ),
        (
            "tool:\n  name: terminal.run\n  environment: test\n  anser: {}\n",
            "only the person's settings replace",
        ),
        (
            "tool:\n  name: terminal.run\n  environment: [dev, test]\n  answer: {\n",
            "only the person's settings replace",
        ),
    ] {
        let project = Project::new(&[(".wherefore/tools/double.yaml", file)]);
        let fault = run_with_env(&project, "terminal.run", &list(), "test");
        assert_eq!(fault["code"], "UNSUPPORTED", "{file}: {fault}");
        let text = fault.to_string();
        assert!(text.contains(says) && text.contains("double.yaml, line "), "{file}: {fault}");
        assert!(!project.path("ran.txt").exists(), "{file}");
        assert_eq!(project.run(&["tools", "list"]).err.lines().count(), 1, "the problem is told once");
        // Where nobody asked for that environment, the call says what it did not use.
        project.put(".wherefore/config.toml", "environment = \"test\"\n");
        let ran = project.call("terminal.run", &list());
        assert_eq!(ran.json()["exit_code"], 0, "{file}: {ran:?}");
        let warned = "names another activity for terminal.run in the environment test, which is not used";
        assert!(ran.err.contains(warned), "{file}: {ran:?}");
    }
    let project = Project::new(&[]);
    let double = "tool:\n  name: terminal.run\n  environment: test\n  anser: {}\n";
    project.put_home(".config/wherefore/tools/double.yaml", double);
    let fault = run_with_env(&project, "terminal.run", &list(), "test");
    assert!(
        fault["code"] == "UNSUPPORTED" && fault.to_string().contains("did you mean `answer`?"),
        "{fault}"
    );
    assert!(!project.path("ran.txt").exists());
}

/// "Explicit `_activity` Field: use as-is": an activity that only an environment has.
#[test]
fn activity_resolution_an_activity_of_an_environment_is_named_by_definitions() {
    let tool = |name: &str| {
        format!(
            "tool:\n  name: {name}\n  description: Sends an email.\n  _activity: mailer\n  input_schema:\n    properties: {{ why: string }}\n    \
             required: [why]\n  output_schema: {{ type: object, properties: {{ sent: boolean }} }}\n"
        )
    };
    let project = Project::new(&[]);
    project.put_home(".config/wherefore/tools/one.yaml", &tool("mail.one"));
    project.put_home(".config/wherefore/tools/two.yaml", &tool("mail.two"));
    let refused = project.run(&["tools", "list"]).err;
    assert!(
        refused.contains("there is no activity named \"mailer\"") && refused.contains("[activities."),
        "{refused}"
    );
    let settings = "[activities.dev]\nmailer = { answer = { sent = true } }\n";
    project.put_home(".config/wherefore/config.toml", settings);
    let why = json!({ "why": "Tell the customer that the order is on its way" });
    for name in ["mail.one", "mail.two"] {
        assert_eq!(run_with_env(&project, name, &why, "dev"), json!({ "sent": true }));
        assert_eq!(run_with_env(&project, name, &why, "test")["_activity"], "", "latent where it is missing");
    }
    assert_eq!(project.run(&["tools", "list"]).err, "");
}
