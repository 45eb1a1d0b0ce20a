//! Document 001, tool discovery: the operations, the rules and the example interaction.

use serde_json::{Value, json};

use crate::environment::Project;
use crate::environment::agent::{Agent, LEGACY, until};

/// The nodes of the document's example, and one that holds no tool.
const TREE: &str = "nodes:
  - name: Coding
    summary: Write, change and check code
    nodes:
      - name: Refactoring
        summary: Change code without changing what it does
        tags: [refactor]
  - path: [Storage, Buckets]
    summary: Create and manage object storage buckets
    tags: [storage, objects]
  - name: User
    summary: Accounts of people
    nodes:
      - { name: Auth, summary: Authentication and authorization workflows, tags: [oauth, login] }
";

/// The document's `refactor.rename_symbol`, in a node of the tree.
const RENAME: &str = "tool:
  name: refactor.rename_symbol
  summary: Renames a symbol project-wide and updates references
  description: Renames a symbol project-wide and updates references.
  nodes: [[Coding, Refactoring]]
  tags: [refactor, rename]
  input_schema:
    type: object
    properties:
      project_root: { type: string, description: The project }
      symbol: { type: string, description: The symbol }
      new_name: { type: string, description: Its new name }
      language: { type: string, enum: [ts, js, py, go, java], description: The language }
      dry_run: { type: boolean, default: true, description: Whether nothing is written }
      why: { type: string, description: Why }
    required: [project_root, symbol, new_name, why]
  output_schema:
    type: object
    properties: { changed_files: { type: integer }, diff_preview: { type: string } }
    required: [changed_files]
  answer: { changed_files: 3 }
";

fn tool(name: &str, summary: &str, nodes: &str) -> String {
    format!(
        "tool:\n  name: {name}\n  summary: {summary}\n  description: {summary}.\n  nodes: {nodes}\n  input_schema:\n    \
         type: object\n    properties: {{ why: {{ type: string, description: Why }} }}\n    required: [why]\n"
    )
}

fn discovering(files: &[(&str, &str)]) -> (Project, Agent) {
    let project = Project::new(files);
    project.put_home(".config/wherefore/config.toml", "[discovery]\nsurface = \"discovery\"\n");
    let agent = Agent::start(project.folder(), LEGACY, &[]);
    (project, agent)
}

fn names(nodes: &Value) -> Vec<&str> {
    nodes.as_array().unwrap().iter().map(|node| node["name"].as_str().unwrap()).collect()
}

/// "Example interaction": its five steps, as they are written.
#[test]
fn example_interaction_runs_step_by_step() {
    let (project, mut agent) =
        discovering(&[(".wherefore/tools/tree.yaml", TREE), (".wherefore/tools/rename.yaml", RENAME)]);
    let root = agent.call("list", json!({}));
    let roots = names(&root["nodes"]);
    assert!(["Coding", "Storage", "User"].iter().all(|name| roots.contains(name)), "{roots:?}");
    let listed = agent.call("list", json!({ "path": ["Coding", "Refactoring"] }));
    assert_eq!(listed["tools"][0]["tool_id"], "refactor.rename_symbol");
    assert_eq!(listed["tools"][0]["path"], json!(["Coding", "Refactoring"]));
    let found = agent.call(
        "search_tool_by_category",
        json!({ "query": "rename symbol", "category_path": ["Coding", "Refactoring"] }),
    );
    assert_eq!(found["results"][0]["tool_id"], "refactor.rename_symbol");
    let expanded = agent.call("expand_tool", json!({ "tool_id": "refactor.rename_symbol" }));
    assert_eq!(expanded["path"], json!(["Coding", "Refactoring"]));
    assert_eq!(expanded["result_schema"]["required"], json!(["changed_files"]));
    let arguments = json!({
        "project_root": ".", "symbol": "parseAtom", "new_name": "parse_atom",
        "why": "Bring the parser's names into the project's style",
    });
    // Arguments come as an object or as text.
    for arguments in [arguments.clone(), json!(arguments.to_string())] {
        let answer =
            agent.call("call_tool", json!({ "tool_id": "refactor.rename_symbol", "arguments": arguments }));
        assert_eq!(answer["changed_files"], 3);
    }
    assert_eq!(project.run(&["tools", "list"]).err, "");
    agent.leave();
}

/// "Node": name, path, summary and tags, a tree or a DAG; many tools in many nodes.
#[test]
fn concepts_a_person_defines_nodes_and_tools_stand_in_them() {
    let project = Project::new(&[(".wherefore/tools/tree.yaml", TREE)]);
    let tree: String = (0..40)
        .map(|at| format!("  - {{ name: Area {at}, summary: What belongs to area {at} }}\n"))
        .collect();
    project.put_home(".config/wherefore/tools/tree.yaml", &format!("nodes:\n{tree}"));
    for at in 0..300 {
        let (node, other) = (at % 40, (at + 1) % 40);
        let nodes = format!("[[Area {node}], Area {other}]");
        project.put(
            &format!(".wherefore/tools/t{at}.yaml"),
            &tool(&format!("area.tool{at}"), "Does its work", &nodes),
        );
    }
    project.put(
        ".wherefore/tools/put.yaml",
        &tool("storage.put_object", "Uploads an object to a bucket", "[Storage/Buckets]"),
    );
    project.put(".wherefore/tools/odd.yaml", &tool("odd.tool", "Stands elsewhere", "[[Buckets]]"));
    let listed = project.run(&["tools", "list", "Storage", "--json"]);
    let storage = listed.json();
    assert_eq!(
        storage["nodes"][0],
        json!({
            "name": "Buckets", "path": ["Storage", "Buckets"],
            "summary": "Create and manage object storage buckets", "tags": ["storage", "objects"],
        })
    );
    // What is wrong with a line costs no tool.
    assert!(listed.err.contains("odd.yaml:5: there is no node \"Buckets\""), "{listed:?}");
    assert!(listed.err.contains("did you mean [Storage, Buckets]?"), "{listed:?}");
    assert_eq!(project.run(&["tools", "expand", "odd.tool"]).json()["path"], json!(["Custom"]));
    let area = project.run(&["tools", "list", "Area 3", "--limit", "50", "--json"]).json();
    assert_eq!(area["tools"].as_array().unwrap().len(), 16, "a tool stands at each of its nodes");
    let root = project.run(&["tools", "list", "/", "--limit", "50", "--json"]).json();
    let cursor = root["next_cursor"].as_str().unwrap();
    let rest = project.run(&["tools", "list", "/", "--limit", "50", "--cursor", cursor, "--json"]).json();
    let all = [names(&root["nodes"]), names(&rest["nodes"])].concat();
    assert_eq!(all.iter().filter(|name| name.starts_with("Area")).count(), 40, "{all:?}");
    let nodes = project.run(&["tools", "search-nodes", "upload an object to a bucket", "--json"]).json();
    assert_eq!(nodes["results"][0]["path"], json!(["Storage", "Buckets"]));
}

/// "`list`": a query filters within the path, a limit counts nodes and tools, and a page follows the other.
#[test]
fn list_a_query_filters_nodes_and_pages_hold_nodes_then_tools() {
    let (_project, mut agent) =
        discovering(&[(".wherefore/tools/tree.yaml", TREE), (".wherefore/tools/rename.yaml", RENAME)]);
    let first = agent.call("list", json!({}));
    assert_eq!(names(&first["nodes"]).len(), 10, "ten where nothing is said: {first}");
    let (mut all, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page = agent.call("list", json!({ "limit": 3, "cursor": cursor }));
        assert_eq!(page["tools"], json!([]), "no tool stands at the root: {page}");
        assert!((1..=3).contains(&names(&page["nodes"]).len()), "{page}");
        all.extend(names(&page["nodes"]).into_iter().map(str::to_owned));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert!(all.iter().any(|name| name == "Storage") && all.len() > 10, "{all:?}");
    let asked = agent.call("list", json!({ "query": "rename a symbol across the codebase" }));
    let nodes = names(&asked["nodes"]);
    assert!(nodes.contains(&"Coding") && !nodes.contains(&"Storage") && !nodes.contains(&"Web"), "{nodes:?}");
    let tagged = agent.call("list", json!({ "tags": ["refactor"] }));
    assert_eq!(names(&tagged["nodes"]), ["Coding"]);
    for limit in [0, 51, 1000] {
        let fault = agent.fault("list", json!({ "path": ["Storage"], "limit": limit }));
        assert!(fault["message"].as_str().unwrap().contains("from 1 to 50"), "{fault}");
        let again = fault["next_action"]["arguments"].clone();
        assert_eq!(names(&agent.call("list", again)["nodes"]), ["Buckets"]);
    }
    agent.leave();
}

/// "`list`": filters nodes by their own tags, also where no tool has them.
#[test]
fn list_the_tags_of_a_node_are_its_own() {
    let (_project, mut agent) = discovering(&[
        (".wherefore/tools/tree.yaml", TREE),
        (".wherefore/tools/put.yaml", &tool("storage.put_object", "Uploads an object", "[Storage/Buckets]")),
    ]);
    let in_storage = agent.call("list", json!({ "path": ["Storage"], "tags": ["objects"] }));
    assert_eq!((names(&in_storage["nodes"]), &in_storage["tools"]), (vec!["Buckets"], &json!([])));
    // A node above leads there.
    assert_eq!(names(&agent.call("list", json!({ "tags": ["oauth", "login"] }))["nodes"]), ["User"]);
    let both = json!({ "path": ["Storage"], "tags": ["storage"], "query": "upload an object" });
    assert_eq!(names(&agent.call("list", both)["nodes"]), ["Buckets"]);
    let none = agent.call("list", json!({ "path": ["Storage"], "tags": ["oauth"] }));
    assert_eq!(none["nodes"], json!([]));
    agent.leave();
}

/// "Progressive disclosure": a node shows its children and its own tools, and leaves what is below to them.
#[test]
fn goals_a_node_with_children_shows_the_children() {
    let tree = "nodes:\n  - { path: [Company, Mail], summary: What customers are told }\n  - { path: [Company, Rooms], summary: Where people \
                meet }\n";
    let (_project, mut agent) = discovering(&[
        (".wherefore/tools/tree.yaml", tree),
        (".wherefore/tools/send.yaml", &tool("mail.send", "Sends a letter", "[Company/Mail]")),
    ]);
    let company = agent.call("list", json!({ "path": ["Company"] }));
    assert_eq!((names(&company["nodes"]), &company["tools"]), (vec!["Mail", "Rooms"], &json!([])));
    let mail = agent.call("list", json!({ "path": "Company/Mail" }));
    assert_eq!(mail["tools"][0]["tool_id"], "mail.send", "a path may be one text");
    let asked = agent.call("list", json!({ "path": ["Company"], "query": "send a letter" }));
    assert_eq!(asked["tools"][0]["tool_id"], "mail.send");
    // A node that only a longer path made says what is below it.
    let root = agent.call("list", json!({ "limit": 50 }));
    let node = root["nodes"].as_array().unwrap().iter().find(|node| node["name"] == "Company").unwrap();
    assert_eq!(node["summary"], "Mail, Rooms");
    agent.leave();
}

/// "Concepts": one slip in the tree is one message, however many tools name its nodes.
#[test]
fn concepts_one_slip_in_the_tree_is_one_message() {
    let project = Project::new(&[(".wherefore/tools/tree.yaml", "nodes:\n  - { name: Area\n")]);
    for at in 0..30 {
        let (file, name) = (format!(".wherefore/tools/t{at}.yaml"), format!("area.tool{at}"));
        project.put(&file, &tool(&name, "Does its work", "[[Area]]"));
    }
    let listed = project.run(&["tools", "list", "--json"]);
    assert!(
        listed.err.contains("30 tools name nodes that are not there while this file is wrong"),
        "{listed:?}"
    );
    assert!(!listed.err.contains("there is no node"), "{listed:?}");
    assert_eq!(listed.err.lines().count(), 2, "{listed:?}");
    assert!(listed.out.contains("area.tool29"));
}

/// "Auditability": the reason given with an operation is in the log.
#[test]
fn goals_the_reason_of_an_operation_is_kept() {
    let (project, mut agent) = discovering(&[]);
    let why = "Find out what there is to change files with";
    agent.call("list", json!({ "path": ["Files"], "why": why }));
    agent.call("search_nodes", json!({ "query": "files", "why": why }));
    agent.call("search_tool_by_category", json!({ "query": "read a file", "why": why }));
    agent.call("expand_tool", json!({ "tool_id": "fs.read", "why": why }));
    agent.leave();
    until("the reasons in the log", || project.log().matches(why).count() >= 4);
}

/// "Semantic escape hatch": a request that no tool answers is told why, and what to do next.
#[test]
fn semantic_search_an_empty_answer_says_why() {
    let (project, mut agent) = discovering(&[]);
    let why = "no tool there has the word \"login\"";
    let fault = agent.fault("search_tool_by_category", json!({ "query": "who is logged in" }));
    assert_eq!(fault["code"], "NO_MATCH_IN_CATEGORY", "{fault}");
    assert!(fault["message"].as_str().unwrap().ends_with(why), "{fault}");
    assert_eq!(fault["next_action"]["tool"], "list", "{fault}");
    let nodes = agent.call("search_nodes", json!({ "query": "who is logged in" }));
    assert_eq!((&nodes["results"], nodes["message"].as_str().unwrap().ends_with(why)), (&json!([]), true));
    let listed = agent.call("list", json!({ "query": "who is logged in", "path": ["Files"] }));
    assert_eq!((&listed["tools"], &listed["message"]), (&json!([]), &json!(why)));
    let asked = agent.fault("search_tool_by_category", json!({ "query": "who is it" }));
    assert!(asked["message"].as_str().unwrap().contains("no word to find a tool by"), "{asked}");
    let printed = project.run(&["tools", "search-nodes", "who is logged in"]);
    assert!(printed.err.contains(why) && printed.err.contains("in other words"), "{printed:?}");
    agent.leave();
}

/// "Error model": what does not fit, and what is empty, says how to go on too.
#[test]
fn error_model_what_does_not_fit_has_a_next_action() {
    let (_project, mut agent) = discovering(&[(".wherefore/tools/tree.yaml", TREE)]);
    let next =
        |fault: &Value| (fault["next_action"]["tool"].clone(), fault["next_action"]["arguments"].clone());
    let cursor = agent.fault("list", json!({ "path": ["Files"], "cursor": "nonsense" }));
    let (tool, arguments) = next(&cursor);
    assert_eq!(
        (&tool, &arguments["path"], arguments.get("cursor")),
        (&json!("list"), &json!(["Files"]), None)
    );
    let page = agent.call("list", json!({ "path": ["Files"], "limit": 2 }));
    let other =
        agent.fault("list", json!({ "path": ["Git"], "limit": 2, "cursor": page["next_cursor"].clone() }));
    assert!(other["message"].as_str().unwrap().contains("of another request"), "{other}");
    let path = agent.fault("list", json!({ "path": { "name": "Files" }, "limit": 5 }));
    assert!(path["suggestion"].as_str().unwrap().contains("as [\"Files\"]"), "{path}");
    assert_eq!(next(&path), (json!("list"), json!({ "limit": 5 })));
    let query = agent.fault("search_nodes", json!({ "limit": 5 }));
    assert_eq!(next(&query), (json!("list"), json!({ "path": [] })));
    let arguments = agent.fault("call_tool", json!({ "tool_id": "fs.read" }));
    assert_eq!(next(&arguments), (json!("expand_tool"), json!({ "tool_id": "fs.read" })));
    let empty = agent.call("list", json!({ "query": "zzyzx" }));
    assert_eq!((&empty["hints"][0], &empty["next_action"]["tool"]), (&json!("Coding"), &json!("list")));
    agent.leave();
}

/// "Follow error hints": the next action of a call that was not expanded can be made as it stands.
#[test]
fn behavioural_rules_the_next_action_of_an_unexpanded_call_is_a_call() {
    let project = Project::new(&[]);
    let settings = "[discovery]\nsurface = \"discovery\"\nrequire_expand = \"refuse\"\n";
    project.put_home(".config/wherefore/config.toml", settings);
    let mut agent = Agent::start(project.folder(), LEGACY, &[]);
    let arguments = json!({ "path": ".", "why": "See which files the report is made of" });
    let call = json!({ "tool_id": "fs.ls", "arguments": arguments });
    let fault = agent.fault("call_tool", call.clone());
    assert!(fault["message"].as_str().unwrap().contains("fs.ls"), "{fault}");
    assert_eq!(fault["next_action"], json!({ "tool": "expand_tool", "arguments": { "tool_id": "fs.ls" } }));
    assert!(fault["details"]["args_schema"]["properties"]["path"].is_object(), "{fault}");
    agent.call("expand_tool", fault["next_action"]["arguments"].clone());
    agent.call("call_tool", call);
    agent.leave();
}

/// "Error model": each has an actionable message, hints, and a next action.
#[test]
fn error_model_every_error_says_how_to_go_on() {
    let (project, mut agent) = discovering(&[]);
    let none = agent.call("search_nodes", json!({ "query": "zzyzx" }));
    assert_eq!((&none["results"], &none["hints"][0]), (&json!([]), &json!("Files")));
    assert_eq!(none["next_action"]["tool"], "list");
    let near = agent.fault("expand_tool", json!({ "tool_id": "fs.raed" }));
    assert!(near["hints"].as_array().unwrap().len() <= 5);
    assert_eq!(near["next_action"], json!({ "tool": "expand_tool", "arguments": { "tool_id": "fs.read" } }));
    let far = agent.fault("call_tool", json!({ "tool_id": "order.pizza", "arguments": {} }));
    assert_eq!(far["next_action"]["arguments"]["query"], "order pizza");
    assert!(far["suggestion"].as_str().unwrap().len() < 120, "no list of every tool: {far}");
    let unmatched = agent.fault("search_tool_by_category", json!({ "query": "zzyzx" }));
    assert!(unmatched["hints"].as_array().unwrap().len() > 3 && unmatched["next_action"].is_object());
    // What is refused is in the log, with what was asked.
    agent.fault("list", json!({ "path": { "name": "Files" }, "query": "read a file" }));
    agent.leave();
    until("the refused list in the log", || {
        let log = project.log();
        log.contains("query: \"read a file\"") && log.contains("list \"read a file\" by")
    });
}

/// "Behavioural rules for models": all five are what a model is told first.
#[test]
fn behavioural_rules_stand_in_the_instructions() {
    let project = Project::new(&[]);
    project.put_home(".config/wherefore/config.toml", "[discovery]\nsurface = \"discovery\"\n");
    let mut agent = Agent::start(project.folder(), crate::environment::agent::MODERN, &[]);
    let told = agent.request("server/discover", json!({})).unwrap();
    let told = told["instructions"].as_str().unwrap();
    for rule in [
        "Do not assume that a tool exists",
        "Look through the nodes with list, before you search",
        "use search_nodes or search_tool_by_category",
        "Never call a tool that you have not expanded",
        "follow its hints and its next_action",
    ] {
        assert!(told.contains(rule), "{rule}: {told}");
    }
    agent.leave();
}

/// "Semantic escape hatch": what a person would say finds the tool that they mean.
#[test]
fn semantic_search_plain_words_find_the_tool_that_is_meant() {
    let project = Project::new(&[]);
    for (name, summary) in [
        ("list_table", "Lists the tables of a database"),
        ("delete_table", "Deletes a table of a database"),
        ("list_sessions", "Lists the login sessions of users"),
    ] {
        project.put(&format!(".wherefore/tools/{name}.yaml"), &tool(name, summary, "[]"));
    }
    let first = |query: &str| -> String {
        let found = project.run(&["tools", "search", query, "--json"]).json();
        found["results"][0]["tool_id"].as_str().unwrap().to_owned()
    };
    assert_eq!(first("find text in files"), "search.lexical");
    assert_eq!(first("get rid of a table"), "delete_table");
    assert_eq!(first("who is logged in"), "list_sessions");
    assert_eq!(first("look at what changed"), "git.diff");
}

/// Document 002, "Runtime Flexibility": a definition saved under a running server is in force at the next call.
#[test]
fn a_definition_is_in_force_at_the_next_call() {
    let project = Project::new(&[(".wherefore/tools/rename.yaml", RENAME)]);
    let mut agent = Agent::start(project.folder(), LEGACY, &[]);
    let arguments = json!({
        "project_root": ".", "symbol": "a", "new_name": "b", "why": "Bring the names into the project's style",
    });
    assert_eq!(agent.call("refactor_rename_symbol", arguments.clone())["changed_files"], 3);
    for count in 4..8 {
        project.put(".wherefore/tools/rename.yaml", &RENAME.replace("files: 3", &format!("files: {count}")));
        // The kernel tells of the change within a moment; from then on calls wait until it is read.
        std::thread::sleep(std::time::Duration::from_millis(10));
        assert_eq!(agent.call("refactor_rename_symbol", arguments.clone())["changed_files"], count);
    }
    std::fs::remove_file(project.path(".wherefore/tools/rename.yaml")).unwrap();
    until("the tool is gone", || {
        let listed = agent.request("tools/list", json!({})).unwrap();
        !listed.to_string().contains("refactor_rename_symbol")
    });
    agent.leave();
}
