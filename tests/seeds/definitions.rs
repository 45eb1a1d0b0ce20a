//! Documents 000, 001 and 002: definitions in the forms that others write, the projects that share them, the warnings about them.

use serde_json::{Value, json};

use crate::environment::agent::{Agent, LEGACY};
use crate::environment::{Editor, Options, Project};

/// A tool of a project that runs a program of the project.
const GREET: &str = "tool:\n  name: greet.person\n  description: Greets a person.\n  input_schema:\n    properties: { who: string, why: \
                     string }\n    required: [who, why]\n  command: [sh, tools/greet.sh, \"{{who}}\"]\n  sandbox: { filesystem: [\"workspace:r\"] }\n";

fn greet(project: &Project) -> Value {
    project
        .call("greet.person", &json!({ "who": "Ada", "why": "See that the greeting fits a person" }))
        .json()
}

fn shown_names(project: &Project) -> Vec<String> {
    let all = project.run(&["tools", "list", "--json"]).json();
    all.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// Document 002, "Schemas that language models can reason about": the forms of models' interfaces and of MCP are read.
#[test]
fn document_002_definitions_in_the_forms_of_others_are_read() {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string", "description": "The city" } }, "required": ["city"] });
    let of = |name: &str, key: &str| json!({ "name": name, "description": "Says what the weather is.", key: schema });
    let mut openai = of("weather.openai", "parameters");
    (openai["type"], openai["strict"]) = (json!("function"), json!(true));
    let mut mcp = of("weather.mcp", "inputSchema");
    mcp["annotations"] = json!({ "readOnlyHint": true });
    mcp["outputSchema"] = json!({ "type": "object", "properties": { "celsius": { "type": "number" } } });
    let listed = json!([
        of("weather.list_openai", "parameters"),
        of("weather.list_anthropic", "input_schema"),
        { "type": "function", "function": of("weather.list_function", "parameters") },
        { "tool": of("weather.list_framed", "inputSchema") },
        { "description": "It has no name.", "parameters": schema },
    ]);
    let project = Project::new(&[
        (".wherefore/tools/a.json", &openai.to_string()),
        (".wherefore/tools/b.json", &of("weather.anthropic", "input_schema").to_string()),
        (".wherefore/tools/c.json", &mcp.to_string()),
        (".wherefore/tools/d.yaml", &serde_json::to_string_pretty(&listed).unwrap()),
        (".wherefore/tools/e.json", &json!({ "tools": [of("weather.listing", "inputSchema")] }).to_string()),
        (
            ".wherefore/tools/f.yaml",
            "weather.keyed:\n  description: Says what the weather is.\n  parameters: { properties: { city: string } }\n",
        ),
    ]);
    let names = shown_names(&project);
    for name in [
        "openai",
        "anthropic",
        "mcp",
        "list_openai",
        "list_anthropic",
        "list_function",
        "list_framed",
        "listing",
        "keyed",
    ] {
        let name = format!("weather.{name}");
        assert!(names.contains(&name), "{name}: {names:?}");
        let shown = project.run(&["tools", "show", &name]).json();
        let required = shown["tool"]["input_schema"]["required"].as_array().unwrap().clone();
        assert!(required.contains(&json!("why")), "`why` comes to it: {shown}");
    }
    let shown = project.run(&["tools", "show", "weather.mcp"]).json();
    assert_eq!(shown["tool"]["output_schema"]["properties"]["celsius"], json!({ "type": "number" }));
    let told = project.run(&["tools", "list"]).err;
    assert_eq!(told.lines().count(), 1, "one problem costs no other tool: {told}");
    assert!(told.contains("d.yaml") && told.contains("`name` is missing"), "{told}");
}

/// Document 000 §2: the template leaves `output_schema` to a comment.
#[test]
fn document_000_section_2_keys_with_nothing_behind_them_state_nothing() {
    let tool = "tool:\n  name: video.length\n  description: Says how long a video is.\n  category: custom\n  input_schema:\n    type: object\n    \
                properties: { why: string }\n    required: [why]\n  output_schema:\n    # ... what the tool returns\n  sandbox:\n  \
                examples:\n  tags:\n";
    let project = Project::new(&[(".wherefore/tools/video.yaml", tool)]);
    assert_eq!(project.run(&["tools", "list"]).err, "");
    assert!(shown_names(&project).contains(&"video.length".to_owned()));
    project.put(".wherefore/tools/two.yaml", &format!("{tool}---\n{tool}"));
    let told = project.run(&["tools", "list"]).err;
    assert!(told.contains("two.yaml:14: a second document begins here"), "{told}");
    assert!(told.contains("items of one list") && !told.contains("budget"), "{told}");
}

/// Document 000 §2, "filesystem: allowed path patterns", and §7, "Document sandbox requirements".
#[test]
fn document_000_section_2_a_sandbox_is_enforced_or_the_author_is_told() {
    let tool = |name: &str, rest: &str| {
        format!(
            "tool:\n  name: {name}\n  description: Shows a file.\n  input_schema:\n    properties: {{ why: string }}\n    required: \
             [why]\n{rest}"
        )
    };
    let project = Project::new(&[]);
    let put =
        |file: &str, text: &str| project.put_home(&format!(".config/wherefore/tools/{file}.yaml"), text);
    put("closed", &tool("own.closed", "  command: [cat, a.txt]\n  sandbox: { filesystem: [] }\n"));
    put("open", &tool("own.open", "  command: [cat, a.txt]\n"));
    put(
        "server",
        &tool(
            "own.server",
            "  mcp_server: nowhere\n  sandbox: { network: false, filesystem: [], timeout_ms: 5 }\n",
        ),
    );
    let sees = |name: &str| {
        let answer =
            project.call(name, &json!({ "why": "Learn whether the command can read the file" })).json();
        answer["stdout"].as_str().unwrap_or_else(|| panic!("{answer}")).contains("two")
    };
    assert!(!sees("own.closed"), "no pattern allows no path");
    assert!(sees("own.open"));
    let told = project.run(&["tools", "list"]).err;
    assert!(
        told.contains("open.yaml:7: no `sandbox`: the command reads and writes all of the workspace"),
        "{told}"
    );
    assert!(
        told.contains(
            "server.yaml:8: `network`, `filesystem` of `sandbox` does not confine a tool of a server"
        ),
        "{told}"
    );
    assert!(!told.contains("closed.yaml"), "{told}");
}

/// Document 000 §7: a project's definitions are for everybody who works in it.
#[test]
fn document_000_section_7_a_call_before_init_leaves_the_definitions_to_git() {
    let project = Project::new(&[]);
    let git = |args: &[&str]| {
        let ran =
            std::process::Command::new("git").current_dir(project.path("")).args(args).output().unwrap();
        String::from_utf8_lossy(&ran.stdout).into_owned()
    };
    git(&["init", "-q"]);
    let read = json!({ "path": "a.txt", "why": "Find out which number the report begins with" });
    assert_eq!(project.call("fs.read", &read).code, Some(0));
    for file in ["config.toml", "tools/a.yaml", "tools/b.yml", "tools/c.json", "hot.yml"] {
        project.put(&format!(".wherefore/{file}"), "");
    }
    let shared = "?? .wherefore/config.toml\n?? .wherefore/tools/a.yaml\n?? .wherefore/tools/b.yml\n\
                  ?? .wherefore/tools/c.json\n";
    let listed = || git(&["status", "--short", "--untracked-files=all", ".wherefore"]);
    assert_eq!(listed(), shared);
    // The form that was written before is mended.
    project.put(".wherefore/.gitignore", "*\n");
    assert_eq!(listed(), "");
    let ran = project.run(&["init", "--yes", "--agents", "claude"]);
    assert!(ran.out.contains(".wherefore/.gitignore"), "{ran:?}");
    assert_eq!(listed(), shared);
    project.put(".wherefore/.gitignore", "*\n!mine\n");
    project.run(&["init", "--yes", "--agents", "claude"]);
    assert_eq!(project.text(".wherefore/.gitignore"), "*\n!mine\n", "a person's own form stays");
}

/// Document 000 §7: a project's own program is consented to ahead, as its servers are.
#[test]
fn document_000_section_7_a_projects_program_is_consented_to_ahead() {
    let script = "tools/greet.sh";
    let project = Project::new(&[(".wherefore/tools/greet.yaml", GREET), (script, "echo hello $1\n")]);
    let is_asked = || greet(&project)["code"] == "PERMISSION_DENIED";
    let suggestion = greet(&project)["suggestion"].as_str().unwrap().to_owned();
    assert!(suggestion.contains("`wherefore consent --yes greet.person`"), "{suggestion}");
    let shown = project.run(&["consent"]).out;
    assert!(shown.contains("greet.person") && shown.contains(script), "{shown}");
    let waiting = project.run(&["consent", "--json"]).json();
    assert_eq!(waiting["waiting_tools"][0]["tool"], "greet.person");
    assert_eq!(project.run(&["consent", "--yes", "greet.person", "--unconfined"]).code, Some(1));
    assert!(is_asked());
    for way in [["--yes", "greet.person"].as_slice(), &["--all"]] {
        let ran = project.run(&[&["consent"], way].concat());
        assert!(ran.code == Some(0) && ran.out.contains("You consented to greet.person."), "{ran:?}");
        assert_eq!(greet(&project)["stdout"], "hello Ada\n");
        assert_eq!(project.run(&["consent"]).out, "Nothing waits for your consent.\n");
        // It ends with a change of what runs, and when it is taken back.
        project.put(script, "echo hello $1 # again\n");
        assert!(is_asked());
        project.put(script, "echo hello $1\n");
        assert!(project.run(&["consent", "--revoke", "greet.person"]).out.contains("taken back"));
        assert!(is_asked());
    }
}

/// Document 002, "LLM integration": what a model fills stands in every form of a latent tool.
#[test]
fn document_002_every_form_of_a_latent_tool_has_its_output() {
    let tool = "tool:\n  name: mood.of\n  description: Analyzes text sentiment.\n  input_schema:\n    properties: { text: string, why: string \
                }\n    required: [text, why]\n  output_schema:\n    type: object\n    properties: { sentiment: string }\n";
    let project = Project::new(&[(".wherefore/tools/mood.yaml", tool)]);
    let run = |args: &[&str]| project.run(&[&["tools"], args].concat()).json();
    for (shown, pointer) in [
        (run(&["show", "mood.of", "--format", "function"]), "/function/parameters"),
        (run(&["show", "mood.of", "--format", "anthropic"]), "/input_schema"),
        (run(&["show", "mood.of", "--format", "mcp"]), "/inputSchema"),
        (run(&["compose", "--tools", "mood.of", "--format", "openai"]), "/0/function/parameters"),
        (run(&["compose", "--tools", "mood.of", "--format", "mcp"]), "/tools/0/inputSchema"),
    ] {
        let schema = shown.pointer(pointer).unwrap_or_else(|| panic!("{pointer}: {shown}"));
        assert_eq!(schema["properties"]["_output"]["properties"]["sentiment"]["type"], "string", "{shown}");
        assert!(schema["required"].as_array().unwrap().contains(&json!("_output")), "{shown}");
    }
    let read = run(&["show", "fs.read", "--format", "function"]);
    assert_eq!(read["function"]["parameters"]["properties"].get("_output"), None, "code fills it");
}

/// Document 001, "each error includes a message and a next action": a program reads them, and flags stand where one looks for them.
#[test]
fn document_001_a_programs_errors_are_json() {
    let project = Project::new(&[]);
    for args in [
        ["tools", "list", "Nowhere", "--json"].as_slice(),
        &["tools", "search", "quantum teleportation", "--under", "Nowhere", "--json"],
    ] {
        let ran = project.run(args);
        assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "{ran:?}");
        assert_eq!(ran.json()["code"], "UNKNOWN_PATH", "{ran:?}");
    }
    let settings = "[activities.dev]\n\"fs.ls\" = { latent = true }\n";
    project.put_home(".config/wherefore/config.toml", settings);
    for args in [["tools", "--env", "dev", "show", "fs.ls"], ["tools", "show", "fs.ls", "--env", "dev"]] {
        assert_eq!(project.run(&args).json()["tool"]["_runs"], "dev: latent", "{args:?}");
    }
}

/// Document 002, "Type Safety": an editor shows what is advice as advice.
#[test]
fn document_002_an_editor_shows_warnings_as_warnings() {
    let warned = GREET.replace("  sandbox: { filesystem: [\"workspace:r\"] }\n", "");
    let options = Options::default();
    let mut editor = Editor::unconnected(&options);
    let tools = editor.folder.path().join("work/.wherefore/tools");
    std::fs::create_dir_all(&tools).unwrap();
    std::fs::write(tools.join("a.yaml"), warned).unwrap();
    std::fs::write(tools.join("b.yaml"), "tool: { name: x }\n").unwrap();
    editor.initialize(&options);
    for _ in 0..2 {
        let shown = editor.expect("textDocument/publishDiagnostics")["params"].clone();
        let severity = if shown["uri"].as_str().unwrap().ends_with("a.yaml") { 2 } else { 1 };
        for diagnostic in shown["diagnostics"].as_array().unwrap() {
            assert_eq!(diagnostic["severity"], severity, "{shown}");
        }
    }
    editor.drain(std::time::Duration::from_millis(200));
}

/// Document 002, "Runtime Flexibility": an environment that an agent was started with shows.
#[test]
fn document_002_status_names_the_environment_of_an_agent() {
    let project = Project::new(&[]);
    let mut agent = Agent::start(project.folder(), LEGACY, &["--env", "test"]);
    let status = project.run(&["status"]).out;
    assert!(status.contains("env       test for s-"), "{status}");
    agent.call("fs_read", json!({ "path": "a.txt", "why": "Find out which number the report begins with" }));
    let status = project.run(&["status"]).out;
    assert!(
        status.lines().any(|line| line.starts_with("  env       test for ") && line.contains(" (s-")),
        "{status}"
    );
    agent.leave();
}
