//! The list of the tools is the folder of definitions, and each activity's types are those of its definition.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::*;
use crate::base::clock::SystemClock;
use crate::catalogue::{ToolDef, load_catalogue};
use crate::ports::NoEditor;
use crate::sandbox::SandboxLauncher;
use crate::session::{SessionOptions, WorkspaceSession};

/// Members of answers that a definition leaves out, since few models need them: `TOOL MEMBER`.
const UNTOLD: [&str; 7] = [
    "fs.mkdir bytes",
    "terminal.run error.applied",
    "terminal.run error.details",
    "terminal.run error.hints",
    "terminal.run error.near",
    "terminal.run error.next_action",
    "workspace.files watch.last_rescan.",
];

/// Members whose type has more words than the tool comes to say.
const WIDER: [&str; 6] = [
    "context.assemble cut[].strategy",
    "js.exec error.code",
    "memory.advise outcomes[].advice",
    "memory.advise outcomes[].outcome",
    "python.exec error.code",
    "terminal.run error.code",
];

/// The same, of every answer on a change.
const UNTOLD_OF_CHANGES: [&str; 2] = ["hunks[].removed", "hunks[].added"];

fn definitions() -> Vec<ToolDef> {
    load_catalogue(DEFINITIONS, &[], &|_| true).tools
}

fn built_in() -> (tempfile::TempDir, Arc<Activities>) {
    let folder = tempfile::tempdir().unwrap();
    let state = Some(folder.path().join("state"));
    let options = SessionOptions {
        documents: Arc::default(),
        editor: Arc::new(NoEditor),
        clock: Arc::new(SystemClock),
        shared_log: false,
        state,
    };
    let session =
        WorkspaceSession::open(folder.path().canonicalize().unwrap().to_str().unwrap(), options).unwrap();
    let activities = activities(
        &Arc::new(ProposalQueue::open(Arc::new(session))),
        &Arc::new(CommandExecutor::new(SandboxLauncher::own())),
    );
    (folder, activities)
}

#[test]
fn the_list_is_the_folder_of_definitions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/tools");
    let entries = std::fs::read_dir(folder).unwrap();
    let files: BTreeSet<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let listed = definitions().into_iter().map(|def| format!("{}.yaml", def.name));
    assert_eq!(listed.collect::<BTreeSet<_>>(), files, "add the tool to the list in server/tools.rs");
}

/// The properties of a value by its schema, limited to those that a definition and a type can both state.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    kinds: BTreeSet<String>,
    words: BTreeSet<String>,
    required: bool,
}

/// Collects the properties of a schema by place: `watch.mode`, `hunks[].id`.
fn said(schema: &Value, place: &str, required: bool, all: &mut BTreeMap<String, Said>) {
    let texts = |value: &Value| -> BTreeSet<String> {
        let one = value.as_str().into_iter();
        let many = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        one.chain(many).map(str::to_owned).collect()
    };
    let mut own = Said { kinds: texts(&schema["type"]), words: texts(&schema["enum"]), required };
    // A type states `T or null`, or a list of words, as alternatives.
    for part in ["anyOf", "oneOf"].iter().flat_map(|key| schema[key].as_array().into_iter().flatten()) {
        let mut inner = BTreeMap::new();
        said(part, place, required, &mut inner);
        let outer = inner.remove(place).unwrap_or_default();
        own.kinds.extend(outer.kinds);
        own.words.extend(outer.words);
        own.words.extend(texts(&part["const"]));
        all.extend(inner);
    }
    own.kinds.remove("null");
    let needed = texts(&schema["required"]);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let at = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
        said(property, &at, needed.contains(name), all);
    }
    if let Some(items) = schema.get("items") {
        said(items, &format!("{place}[]"), true, all);
    }
    all.insert(place.to_owned(), own);
}

fn all(schema: &Value) -> BTreeMap<String, Said> {
    let mut found = BTreeMap::new();
    said(schema, "", true, &mut found);
    found
}

#[test]
fn inputs_are_those_of_the_definitions() {
    let (_folder, activities) = built_in();
    for def in definitions() {
        let (input, _) = activities.get(&def.name).expect("an activity").type_schemas();
        let mut defined = all(&def.input_schema);
        let why = Said { kinds: ["string".to_owned()].into(), words: BTreeSet::new(), required: true };
        assert_eq!(defined.remove("why"), Some(why), "{}", def.name);
        assert_eq!(all(&input), defined, "the Input of {}, and its input_schema", def.name);
    }
}

#[test]
fn outputs_are_those_of_the_definitions() {
    let (_folder, activities) = built_in();
    let (_, answer) = activities.get("review.wait").expect("an activity").type_schemas();
    for def in definitions() {
        let (_, output) = activities.get(&def.name).expect("an activity").type_schemas();
        let mut typed = all(&output);
        // A tool that may change something, whatever else it does.
        let change = def.name != "review.wait"
            && def.output_schema.as_ref().unwrap()["properties"]["hunks"].is_object();
        if change {
            // The answer to a change holds its state, and the tool's own members.
            typed = all(&answer)
                .into_iter()
                .chain(typed.into_iter().filter(|(place, _)| !place.is_empty()))
                .collect();
        }
        let untold = UNTOLD.iter().filter_map(|untold| untold.strip_prefix(&format!("{} ", def.name)));
        let of_changes = if change || def.name == "review.wait" { &UNTOLD_OF_CHANGES[..] } else { &[] };
        for untold in untold.chain(of_changes.iter().copied()) {
            let inside = |place: &str| place.strip_prefix(untold).is_some_and(|rest| !rest.starts_with('_'));
            typed.retain(|place, _| !inside(place));
        }
        let mut defined = all(def.output_schema.as_ref().unwrap());
        for (place, said) in &mut defined {
            // An answer may hold always what its definition does not promise.
            let always = typed.get(place).is_some_and(|typed| typed.required);
            assert!(always || !said.required || change, "{}: {place} is not always there", def.name);
            said.required = always;
            if let Some(typed) = typed.get_mut(place)
                && WIDER.contains(&format!("{} {place}", def.name).as_str())
            {
                typed.words.clone_from(&said.words);
            }
        }
        assert_eq!(typed, defined, "the Output of {}, and its output_schema", def.name);
    }
}

#[test]
fn generated_table_of_tools_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tools.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let head = "| tool | does |\n|---|---|\n";
    let (before, rest) = page.split_once(head).unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    let rows: Vec<String> =
        definitions().iter().map(|def| format!("| `{}` | {} |", def.name, def.summary)).collect();
    let fresh = format!("{before}{head}{}\n\n{after}", rows.join("\n"));
    if std::env::var_os("WHEREFORE_BLESS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    } else {
        assert_eq!(page, fresh, "write it with WHEREFORE_BLESS=1 cargo test --lib generated");
    }
}
