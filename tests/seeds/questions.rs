//! Documents 000 (§2, §7) and 003 (fetch): what a call asks the person is asked where the call is made.

use std::path::Path;

use serde_json::{Value, json};

use crate::environment::Project;
use crate::environment::agent::{Agent, LEGACY};
use crate::environment::terminal::Terminal;
use crate::servers::{page_server, report_no_terminal};

fn with_why(mut arguments: Value) -> Value {
    arguments["why"] = json!("Keep the project's notes as the document's examples do");
    arguments
}

/// `wherefore call` at a terminal of its own.
fn call_at_terminal(project: &Project, tool: &str, arguments: Value) -> Terminal {
    let arguments = with_why(arguments).to_string();
    let program = Path::new(env!("CARGO_BIN_EXE_wherefore"));
    Terminal::run(project.folder(), program, &["call", tool, &arguments])
}

fn answer(terminal: &Terminal, key: &str) {
    terminal.sees("[n] Deny");
    terminal.keys(&[key, "Enter"]);
}

/// A tool of the project that a program runs.
const GREET: &str = "tool:\n  name: greet.person\n  description: Greets a person.\n  input_schema:\n    properties: { who: string, \
                     why: string }\n    required: [who, why]\n  command: [echo, \"hello {{who}}\"]\n";

#[test]
fn document_003_fetch_asks_at_the_terminal_and_always_is_kept_for_the_host() {
    if report_no_terminal() {
        return;
    }
    let address = page_server();
    let project = Project::new(&[]);
    project.put_home(".config/wherefore/config.toml", &format!("[fetch]\nlocal = [\"{address}\"]\n"));
    let page = json!({ "url": format!("http://{address}/") });
    let terminal = call_at_terminal(&project, "fetch", page.clone());
    terminal.sees("Allow to reach the host");
    answer(&terminal, "n");
    terminal.sees("the person said no");
    drop(terminal);
    let terminal = call_at_terminal(&project, "fetch", page.clone());
    answer(&terminal, "y");
    terminal.sees("welcome!");
    drop(terminal);
    let unasked = project.call("fetch", &with_why(page.clone())).json();
    let suggestion = unasked["suggestion"].as_str().unwrap().to_owned();
    assert_eq!(unasked["code"], "PERMISSION_DENIED", "a yes is for its call: {unasked}");
    assert!(
        suggestion.contains("at a terminal") && suggestion.contains("[rules.network]"),
        "the fault says how: {suggestion}"
    );
    let terminal = call_at_terminal(&project, "fetch", page.clone());
    answer(&terminal, "a");
    terminal.sees("welcome!");
    let read = project.call("fetch", &with_why(page));
    assert!(read.out.contains("welcome!"), "{read:?}");
}

#[test]
fn document_000_section_7_a_projects_own_program_asks_at_the_terminal_also_where_a_server_has_the_folder() {
    if report_no_terminal() {
        return;
    }
    let project = Project::new(&[(".wherefore/tools/greet.yaml", GREET)]);
    let terminal = call_at_terminal(&project, "greet.person", json!({ "who": "Ada" }));
    answer(&terminal, "y");
    terminal.sees("hello Ada");
    drop(terminal);
    let mut agent = Agent::start(project.folder(), LEGACY, &[]);
    agent.call("fs.read", with_why(json!({ "path": "a.txt" })));
    let terminal = call_at_terminal(&project, "greet.person", json!({ "who": "Grace" }));
    answer(&terminal, "y");
    terminal.sees("hello Grace");
    let refused = project.call("greet.person", &with_why(json!({ "who": "Ada" }))).json();
    assert_eq!(refused["code"], "PERMISSION_DENIED", "{refused}");
}

#[test]
fn document_000_section_7_always_for_a_projects_own_program_lasts_as_a_consent_does() {
    if report_no_terminal() {
        return;
    }
    let script = "tools/greet.sh";
    let tool = GREET.replace("[echo, \"hello {{who}}\"]", "[sh, tools/greet.sh, \"{{who}}\"]");
    let project = Project::new(&[(".wherefore/tools/greet.yaml", &tool), (script, "echo hello $1\n")]);
    let greet = |who: &str| project.call("greet.person", &with_why(json!({ "who": who })));
    let is_asked = |who: &str| greet(who).json()["code"] == "PERMISSION_DENIED";
    let allow_always = |who: &str| {
        let terminal = call_at_terminal(&project, "greet.person", json!({ "who": who }));
        terminal.sees(script);
        terminal.sees("[a] Always allow this tool");
        answer(&terminal, "a");
        terminal.sees(&format!("hello {who}"));
    };
    assert!(is_asked("Ada"));
    allow_always("Ada");
    // It holds for other arguments, without a terminal.
    assert!(greet("Grace").out.contains("hello Grace"), "{:?}", greet("Grace"));
    // It ends with a change of what runs.
    project.put(script, "echo hello $1 and $0\n");
    assert!(is_asked("Ada"));
    allow_always("Ada");
    project.put(".wherefore/tools/greet.yaml", &tool.replace("Greets a person", "Greets anyone"));
    assert!(is_asked("Ada"));
    allow_always("Ada");
    assert_eq!(project.run(&["consent", "--json"]).json()["consented_tools"], json!(["greet.person"]));
    let taken_back = project.run(&["consent", "--revoke", "greet.person"]);
    assert!(taken_back.out.contains("greet.person"), "{taken_back:?}");
    assert!(is_asked("Ada"));
}

#[test]
fn document_000_section_2_network_true_is_honoured_once_the_person_says_yes() {
    let project = Project::new(&[]);
    let tool = "tool:\n  name: own.online\n  description: Says by which proxy it goes online.\n  input_schema:\n    properties: { why: \
                string }\n    required: [why]\n  command: [sh, -c, \"echo online by $https_proxy\"]\n  sandbox: { network: true }\n";
    project.put_home(".config/wherefore/tools/online.yaml", tool);
    let unasked = project.call("own.online", &with_why(json!({}))).json();
    assert_eq!(unasked["code"], "PERMISSION_DENIED", "{unasked}");
    assert!(unasked["message"].as_str().unwrap().contains("asked-network"), "{unasked}");
    if report_no_terminal() {
        return;
    }
    let terminal = call_at_terminal(&project, "own.online", json!({}));
    terminal.sees("reach any host of the network");
    answer(&terminal, "y");
    terminal.sees("online by http");
}

#[test]
fn document_004_list_processes_lists_the_machines_once_the_person_says_yes() {
    let project = Project::new(&[]);
    let wanted = json!({ "machine": true, "filter": "sleep 61.75" });
    let unasked = project.call("list_processes", &with_why(wanted.clone())).json();
    assert_eq!(unasked["code"], "PERMISSION_DENIED", "{unasked}");
    assert!(unasked["message"].as_str().unwrap().contains("asked-processes"), "{unasked}");
    if report_no_terminal() {
        return;
    }
    let mut other =
        std::process::Command::new("sleep").arg("61.75").stdout(std::process::Stdio::null()).spawn().unwrap();
    let terminal = call_at_terminal(&project, "list_processes", wanted);
    terminal.sees("list the processes of this machine");
    answer(&terminal, "y");
    // The terminal's own command line names it too.
    terminal.sees("\"pid\":");
    other.kill().unwrap();
    other.wait().unwrap();
}
