//! The cost for a model to find one tool among four hundred, compared with reading every schema.
//!
//! The texts shown to a model are counted: name, description and input schema of the listed tools, and the arguments
//! and answers of calls. Four characters count as a token; OpenAI's o200k encoding makes 4.2 to 4.8 of these texts.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};

use crate::support::agent::{Agent, LEGACY, place};

/// Tools in the catalogue.
const TOOLS: usize = 400;
/// Requests whose tools are found, at most.
const REQUESTS: usize = 40;

/// A tool and a request that it answers.
struct Case {
    definition: Value,
    request: Option<String>,
}

fn tokens(text: &str) -> f64 {
    text.chars().count() as f64 / 4.0
}

/// The lines of a file of the sample, which not every checkout has.
fn sample(name: &str) -> Option<Vec<Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/dev/discovery").join(name);
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).ok()?).read_to_string(&mut text).ok()?;
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Every so many of the sample's tools, as definitions of our own.
fn sampled() -> Option<Vec<Case>> {
    let (tools, requests) = (sample("catalogue.jsonl.gz")?, sample("queries.jsonl.gz")?);
    let asked = |id: &Value| {
        let answers = |request: &&Value| request["relevant"].as_array().unwrap().contains(id);
        requests.iter().find(answers).map(|request| request["query"].as_str().unwrap().to_owned())
    };
    let case = |at: usize| {
        let tool = &tools[at * tools.len() / TOOLS];
        Case { definition: adapted(at, tool), request: asked(&tool["id"]) }
    };
    Some((0..TOOLS).map(case).collect())
}

/// A tool of the sample by the rules for definitions: every property has a type and a description, and `why` is one.
fn adapted(at: usize, tool: &Value) -> Value {
    let said = |value: &Value, other: &str| {
        value.as_str().filter(|text| !text.trim().is_empty()).unwrap_or(other).to_owned()
    };
    let kinds = ["string", "integer", "number", "boolean", "array", "object"];
    let mut properties = Map::new();
    let own = tool["schema"]["properties"].as_object().into_iter().flatten();
    for (name, schema) in own.filter(|(name, _)| !name.starts_with('_') && *name != "why") {
        let kind = schema["type"].as_str().filter(|kind| kinds.contains(kind)).unwrap_or("string");
        let mut property = json!({ "type": kind, "description": said(&schema["description"], name) });
        if let Some(values) = schema.get("enum").filter(|_| kind == "string") {
            property["enum"] = values.clone();
        }
        properties.insert(name.clone(), property);
    }
    let name: String =
        tool["name"].as_str().unwrap().chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    let description = said(&tool["description"], &name);
    let summary: String = description.split(['.', '\n']).next().unwrap().chars().take(100).collect();
    let required = tool["schema"]["required"].as_array().into_iter().flatten().cloned();
    let required: Vec<Value> =
        required.filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name))).collect();
    definition(
        &format!("sample.t{at}_{name}"),
        &said(&json!(summary), &name),
        &description,
        properties,
        required,
    )
}

fn definition(
    name: &str,
    summary: &str,
    description: &str,
    mut properties: Map<String, Value>,
    mut required: Vec<Value>,
) -> Value {
    let why = "One sentence on what you want to accomplish with this call.";
    properties.insert("why".to_owned(), json!({ "type": "string", "description": why }));
    required.push(json!("why"));
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    json!({ "tool": {
        "name": name, "category": "custom", "summary": summary, "description": description, "risk": "network",
        "sandbox": { "network": true }, "input_schema": schema,
    } })
}

/// Tools of the length of real ones, where the sample is not there.
fn made_up() -> Vec<Case> {
    let verbs =
        ["create", "delete", "describe", "export", "list", "merge", "publish", "rename", "restore", "tag"];
    let things = [
        "archive",
        "branch",
        "calendar",
        "certificate",
        "cluster",
        "contact",
        "dashboard",
        "deployment",
        "document",
        "domain",
        "folder",
        "gateway",
        "image",
        "invoice",
        "issue",
        "key",
        "ledger",
        "message",
        "milestone",
        "model",
        "notebook",
        "order",
        "package",
        "payment",
        "pipeline",
        "policy",
        "project",
        "queue",
        "record",
        "release",
        "report",
        "role",
        "room",
        "schedule",
        "snapshot",
        "stream",
        "table",
        "ticket",
        "volume",
        "webhook",
    ];
    let case = |at: usize| {
        let (verb, thing) = (verbs[at % verbs.len()], things[at / verbs.len()]);
        let arguments = [
            (format!("{thing}_id"), format!("The identifier of the {thing}, as another call gave it.")),
            (
                "region".to_owned(),
                format!("Where the {thing} is kept; the account's own region when absent."),
            ),
            ("dry_run".to_owned(), format!("Say what would become of the {thing}, and leave it as it is.")),
            ("token".to_owned(), "Makes a repeated request count once.".to_owned()),
        ];
        let property =
            |(name, text): (String, String)| (name, json!({ "type": "string", "description": text }));
        let properties = arguments.into_iter().map(property).collect();
        let summary = format!("{verb} one {thing} of the account");
        let description = format!(
            "{summary}. The caller must be allowed to {verb} it. What depends on the {thing} is told in the answer. A \
             {thing} that another request is changing is left alone, and the answer says so."
        );
        let request = at.is_multiple_of(10).then(|| format!("I want to {verb} a {thing}"));
        let required = vec![json!(format!("{thing}_id"))];
        Case {
            definition: definition(
                &format!("made.{verb}_{thing}"),
                &summary,
                &description,
                properties,
                required,
            ),
            request,
        }
    };
    (0..TOOLS).map(case).collect()
}

/// An agent of a folder that has these tools in addition to wherefore's own.
fn agent(cases: &[Case], surface: &str) -> (tempfile::TempDir, Agent) {
    let folder = place();
    let tools = folder.path().join("work/.wherefore/tools");
    std::fs::create_dir_all(&tools).unwrap();
    for (at, case) in cases.iter().enumerate() {
        // JSON is YAML.
        std::fs::write(tools.join(format!("t{at}.yaml")), case.definition.to_string()).unwrap();
    }
    let settings = folder.path().join("home/.config/wherefore");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(settings.join("config.toml"), format!("[discovery]\nsurface = \"{surface}\"\n")).unwrap();
    let agent = Agent::start(folder.path(), LEGACY, &[]);
    (folder, agent)
}

/// The texts shown to a model for the listed tools, one for each tool.
fn listed(agent: &mut Agent) -> Vec<String> {
    let listed = agent.request("tools/list", json!({})).unwrap();
    assert_eq!(listed.get("nextCursor"), None, "all on one page");
    let shown = |tool: &Value| {
        let schema = &tool["inputSchema"];
        json!({ "name": tool["name"], "description": tool["description"], "inputSchema": schema }).to_string()
    };
    listed["tools"].as_array().unwrap().iter().map(shown).collect()
}

#[test]
fn one_tool_among_hundreds_is_found_for_little() {
    let (cases, source) = sampled().map_or_else(|| (made_up(), "made up"), |cases| (cases, "of the sample"));
    let (_direct_folder, mut direct) = agent(&cases, "direct");
    let all = listed(&mut direct);
    assert!(all.len() >= TOOLS, "every definition is taken: {} tools", all.len());
    let (_folder, mut agent) = agent(&cases, "discovery");
    let surface = listed(&mut agent);
    let mut costs = Vec::new();
    for (definition, request) in
        cases.iter().filter_map(|case| Some((&case.definition, case.request.as_ref()?))).take(REQUESTS)
    {
        let search = json!({ "query": request });
        let expand = json!({ "tool_id": definition["tool"]["name"] });
        let found = agent.call("search_tool_by_category", search.clone());
        let expanded = agent.call("expand_tool", expand.clone());
        costs.push([search, found, expand, expanded].map(|value| tokens(&value.to_string())));
    }
    let mean = |at: usize| costs.iter().map(|cost| cost[at]).sum::<f64>() / costs.len() as f64;
    let steps: f64 = (0..4).map(mean).sum();
    let sum = |texts: &[String]| texts.iter().map(|text| tokens(text)).sum::<f64>();
    let (all, offered) = (sum(&all), sum(&surface));
    eprintln!("{TOOLS} tools {source}, {} requests; tokens at four characters each", costs.len());
    eprintln!("  every schema                {all:>8.0}");
    eprintln!("  the small surface           {offered:>8.0}, 1/{:.0} of that", all / offered);
    eprintln!("  a search and its answer     {:>8.0}", mean(0) + mean(1));
    eprintln!("  an expand and its answer    {:>8.0}", mean(2) + mean(3));
    eprintln!("  all that, once              {:>8.0}, 1/{:.0}", offered + steps, all / (offered + steps));
    let factor = all / (offered + steps);
    assert!(
        factor >= 70.0 || source != "of the sample",
        "all that costs {} tokens, every schema {all}",
        offered + steps
    );
    assert!(offered + steps <= 2000.0, "finding one tool costs {} tokens", offered + steps);
}
