//! From a file's tree to a definition: every rule is checked, and everything that breaks one is reported.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::node::{NodeEntry, YamlNode};
use super::own_nodes::{is_node_name, path_of};
use super::reader::DefinitionReader;
use super::tree::OntologyTree;
use super::{DefinitionProblem, Risk, ToolAlias, ToolDef, ToolExample, ToolRunner, ToolSandbox, schema};
use crate::base::nearest::likely_name;

mod runs;
mod sandbox;
mod stand_in;

pub(crate) use runs::find_placeholder_problem;
pub(super) use stand_in::stand_in;

/// The keys of a definition.
pub(super) const KEYS: &[&str] = &[
    "name",
    "category",
    "nodes",
    "title",
    "summary",
    "description",
    "tags",
    "risk",
    "input_schema",
    "output_schema",
    "sandbox",
    "examples",
    "version",
    "aliases",
    "activity",
    "_activity",
    "notes",
    "mcp_server",
    "remote_tool",
    "command",
    "answer",
    "environment",
];

/// Reads the definition in `tool`; nothing where a problem prevents it. The name's line comes with it.
pub(super) fn read_definition(
    reader: &mut DefinitionReader,
    tool: &YamlNode,
    known: &dyn Fn(&str) -> bool,
) -> Option<(ToolDef, u32)> {
    reader.check_map(tool, "`tool`", KEYS);
    let name = reader.required_text(tool, "name");
    reader.names.extend(name.clone());
    let name = name.filter(|name| check_name(reader, tool.line_at("/name"), name));
    let description = reader.required_text(tool, "description");
    let notes = reader.read_text(tool, "notes");
    let title = read_title(reader, tool);
    let summary = read_summary(reader, tool, description.as_deref());
    let input = reader.required_entry(tool, "input_schema").map(|entry| &entry.value);
    let input_validator = input.and_then(|node| schema::check_input_schema(reader, node));
    let output = tool.stated_entry("output_schema").map(|entry| &entry.value);
    let output_validator = output.and_then(|node| schema::check_output_schema(reader, node));
    let sandbox = sandbox::read_sandbox(reader, tool);
    let runs = runs::read_runs(reader, tool, input);
    sandbox::warn_of_sandbox(reader, tool, runs.as_ref());
    if let (Some(ToolRunner::Answer { answer }), Some(entry)) = (&runs, tool.entry("answer")) {
        check_example(reader, &entry.value, answer, output_validator.as_ref(), "the answer");
    }
    let nodes = read_nodes(reader, tool);
    let def = ToolDef {
        category: read_category(reader, tool, &nodes),
        nodes,
        tags: reader.read_texts(tool, "tags"),
        risk: read_risk(reader, tool, &sandbox, runs.as_ref()),
        examples: read_examples(reader, tool, input_validator.as_ref(), output_validator.as_ref()),
        version: reader.read_number(tool, "version", 1, u64::from(u32::MAX)).unwrap_or(1),
        aliases: read_aliases(reader, tool, input),
        activity: read_activity(reader, tool, known),
        name: name?,
        title,
        summary: summary?,
        description: [description?].into_iter().chain(notes).collect::<Vec<_>>().join("\n\n"),
        input_schema: input?.to_value(),
        output_schema: output.map(YamlNode::to_value),
        sandbox,
        runs,
        source: None,
    };
    (reader.problem_count() == 0).then(|| (def, tool.line_at("/name")))
}

/// Letters, digits, `_` and `-` in parts between dots, each of which starts with a letter.
fn check_name(reader: &mut DefinitionReader, line: u32, name: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    let fits = name.len() <= 64 && name.split('.').all(part);
    if !fits {
        let name: String = name.chars().take(80).collect();
        let message = format!(
            "{name:?} is no name: it has at most 64 letters, digits, `_` and `-`, in parts between dots that each \
             start with a letter, as `video.extract_frames`"
        );
        reader.add_problem(line, "name", message);
    }
    fits
}

fn read_title(reader: &mut DefinitionReader, tool: &YamlNode) -> Option<String> {
    let (entry, title) = (tool.entry("title")?, reader.read_text(tool, "title")?);
    if title.contains('\n') || title.trim().is_empty() || title.chars().count() > 40 {
        reader.add_problem(entry.line, "title", "`title` is a name of at most 40 characters, as `Edit file`");
    }
    Some(title)
}

fn read_summary(reader: &mut DefinitionReader, tool: &YamlNode, description: Option<&str>) -> Option<String> {
    let Some(entry) = tool.entry("summary") else {
        let first = description?.split(['\n', '.']).next()?.trim();
        return Some(first.chars().take(120).collect());
    };
    let summary = reader.read_text(tool, "summary")?;
    if summary.contains('\n') || summary.chars().count() > 120 {
        reader.add_problem(entry.line, "summary", "`summary` is one line of at most 120 characters");
    }
    Some(summary)
}

fn read_category(reader: &mut DefinitionReader, tool: &YamlNode, nodes: &[Vec<String>]) -> String {
    let Some(category) = reader.read_text(tool, "category") else {
        // A tool that is listed under nodes of its own needs none.
        return nodes.last().map_or_else(|| "custom".to_owned(), |node| node.join("/").to_lowercase());
    };
    let tree = reader.tree.clone();
    let known = tree.all_categories();
    if !known.contains(&category.as_str()) {
        // Any other word is a category of the tool's own.
        let message = match likely_name(&category, known.iter().copied()) {
            Some(near) => format!("there is no category {category:?}; did you mean `{near}`?"),
            None if is_node_name(&category) => return category,
            None => format!("{category:?} is no category: it is a name on one line, as `storage`"),
        };
        reader.add_problem(tool.line_at("/category"), "category", message);
    }
    category
}

/// Reads the named nodes. A node that the tree does not have is reported, and the tool is listed elsewhere.
fn read_nodes(reader: &mut DefinitionReader, tool: &YamlNode) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let tree = reader.tree.clone();
    for item in reader.read_list(tool, "nodes") {
        match path_of(item) {
            Some(names) if tree.at(&names).is_some() => paths.push(names),
            Some(names) => {
                let message = unknown_node(&tree, &names);
                let path = reader.path().to_owned();
                reader.missing_nodes.push(DefinitionProblem {
                    path,
                    line: item.line,
                    rule: "nodes",
                    message,
                    is_warning: true,
                });
            }
            None => {
                let message = "each of `nodes` is a path of names in the tree, as `[Files]`";
                reader.add_problem(item.line, "nodes", message);
            }
        }
    }
    paths
}

fn unknown_node(tree: &OntologyTree, names: &[String]) -> String {
    let shown =
        names.iter().map(|name| name.chars().take(60).collect::<String>()).collect::<Vec<_>>().join("/");
    let elsewhere = names.last().map(|last| tree.named(last)).unwrap_or_default();
    let hint = match elsewhere.first() {
        Some(path) => format!("did you mean [{}]?", path.join(", ")),
        None => "define it in tools/tree.yaml, or name another".to_owned(),
    };
    format!("there is no node {shown:?}, and the tool does not stand there; {hint}")
}

/// The risk named; else the worst that the sandbox allows. What runs elsewhere is not held by it.
fn read_risk(
    reader: &mut DefinitionReader,
    tool: &YamlNode,
    sandbox: &ToolSandbox,
    runs: Option<&ToolRunner>,
) -> Risk {
    let Some(word) = reader.read_text(tool, "risk") else {
        let writes = sandbox.filesystem.iter().flatten().any(|pattern| pattern.ends_with('w'));
        return if sandbox.network || !sandbox.hosts.is_empty() {
            Risk::Network
        } else if matches!(runs, Some(ToolRunner::Command { .. } | ToolRunner::Remote { .. })) {
            Risk::Execute
        } else if writes {
            Risk::Write
        } else {
            Risk::Read
        };
    };
    match Risk::ALL.iter().find(|(known, _)| *known == word) {
        Some((_, risk)) => *risk,
        None => {
            let message = format!("{word:?} is no risk; it is read, write, execute or network");
            reader.add_problem(tool.line_at("/risk"), "risk", message);
            Risk::Network
        }
    }
}

fn read_examples(
    reader: &mut DefinitionReader,
    tool: &YamlNode,
    input: Option<&Validator>,
    output: Option<&Validator>,
) -> Vec<ToolExample> {
    let mut examples = Vec::new();
    for (at, node) in reader.read_list(tool, "examples").iter().enumerate() {
        reader.check_map(node, &format!("`examples[{at}]`"), &["input", "output", "why"]);
        let given = reader.required_entry(node, "input").map(|entry| &entry.value);
        let inside = given.and_then(|input| input.entry("why")).and_then(|why| why.value.text());
        let why = match inside {
            Some(why) if node.entry("why").is_none() => Some(why.to_owned()),
            _ => reader.required_text(node, "why"),
        };
        let (Some(given), Some(why)) = (given, why) else { continue };
        let mut args = given.to_value();
        if let Some(args) = args.as_object_mut() {
            args.insert("why".to_owned(), Value::String(why.clone()));
        }
        check_example(reader, given, &args, input, "the example");
        let shown = node.entry("output").map(|entry| &entry.value);
        if let Some(shown) = shown {
            shown_valid(reader, shown, output);
        }
        if let Some(args) = args.as_object_mut() {
            args.shift_remove("why");
        }
        examples.push(ToolExample { input: args, output: shown.map(YamlNode::to_value), why });
    }
    examples
}

/// Reports what a value breaks.
fn check_example(
    reader: &mut DefinitionReader,
    node: &YamlNode,
    value: &Value,
    validator: Option<&Validator>,
    what: &str,
) {
    let errors = validator.into_iter().flat_map(|validator| validator.iter_errors(value));
    report(reader, node, errors, what);
}

/// Reports what the output of an example breaks. It names only what is compared, so that what it leaves out is right.
fn shown_valid(reader: &mut DefinitionReader, node: &YamlNode, validator: Option<&Validator>) {
    let value = node.to_value();
    let errors = validator.into_iter().flat_map(|validator| validator.iter_errors(&value));
    let errors = errors.filter(|error| !matches!(error.kind(), ValidationErrorKind::Required { .. }));
    report(reader, node, errors, "the example");
}

fn report<'a>(
    reader: &mut DefinitionReader,
    node: &YamlNode,
    errors: impl Iterator<Item = ValidationError<'a>>,
    what: &str,
) {
    for error in errors.take(10) {
        let at = error.instance_path().as_str();
        let message: String = error.masked_with("it").to_string().chars().take(200).collect();
        let place = if at.is_empty() { what.to_owned() } else { format!("{what}'s `{at}`") };
        reader.add_problem(node.line_at(at), "example", format!("{place} breaks the schema: {message}"));
    }
}

fn read_aliases(reader: &mut DefinitionReader, tool: &YamlNode, input: Option<&YamlNode>) -> Vec<ToolAlias> {
    let properties =
        input.and_then(|input| input.entry("properties")).map_or(&[][..], |all| all.value.entries());
    let has = |name: &str| properties.iter().any(|entry| entry.key == name);
    let mut aliases = Vec::new();
    for (at, node) in reader.read_list(tool, "aliases").iter().enumerate() {
        let name = match node.text() {
            Some(name) => Some(name.to_owned()),
            None => {
                reader.check_map(node, &format!("`aliases[{at}]`"), &["name", "args", "defaults"]);
                reader.required_text(node, "name")
            }
        };
        reader.names.extend(name.clone());
        let Some(name) = name.filter(|name| check_name(reader, node.line, name)) else { continue };
        let mut alias = ToolAlias { name, ..ToolAlias::default() };
        for entry in member_entries(node, "args") {
            let own = entry.value.text().unwrap_or_default();
            if !has(own) {
                reader.add_problem(
                    entry.line,
                    "alias",
                    format!("`{}` stands for {own:?}, which is no argument", entry.key),
                );
            }
            alias.args.insert(entry.key.clone(), own.to_owned());
        }
        for entry in member_entries(node, "defaults") {
            if !has(&entry.key) {
                reader.add_problem(entry.line, "alias", format!("`{}` is no argument", entry.key));
            }
            alias.defaults.insert(entry.key.clone(), entry.value.to_value());
        }
        aliases.push(alias);
    }
    aliases
}

fn member_entries<'a>(node: &'a YamlNode, key: &str) -> &'a [NodeEntry] {
    node.entry(key).map_or(&[], |entry| entry.value.entries())
}

fn read_activity(
    reader: &mut DefinitionReader,
    tool: &YamlNode,
    known: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let entry = tool.entry("_activity").or_else(|| tool.entry("activity"))?;
    match entry.value.text() {
        Some(name) if name.is_empty() || known(name) => return Some(name.to_owned()),
        Some(name) => {
            let name: String = name.chars().take(80).collect();
            let message = format!(
                "there is no activity named {name:?}; leave `{}` out, say \"\" for latent, or name {name} in \
                 [activities.ENVIRONMENT] of the settings",
                entry.key
            );
            reader.add_problem(entry.line, "activity", message);
        }
        None => {
            reader.add_problem(entry.line, "type", format!("`{}` is a text; \"\" means latent", entry.key))
        }
    }
    None
}
