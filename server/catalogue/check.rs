//! From a file's tree to a definition: every rule is checked, and everything that breaks one is reported.

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::node::{Node, NodeEntry, NodeKind};
use super::reader::FileReader;
use super::{Alias, Example, Risk, Sandbox, ToolDef, schema, tree};
use crate::base::nearest::meant;
use crate::fetch::HostList;
use crate::protocol::CommandEffects;

mod runs;

/// What a definition may hold.
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
];

/// Reads the definition in `tool`; nothing where a problem stands in its way. The name's line comes with it.
pub(super) fn definition(
    reader: &mut FileReader,
    tool: &Node,
    known: &dyn Fn(&str) -> bool,
) -> Option<(ToolDef, u32)> {
    reader.map(tool, "`tool`", KEYS);
    let name = reader.required_text(tool, "name");
    reader.names.extend(name.clone());
    let name = name.filter(|name| grammar(reader, tool.line_at("/name"), name));
    let description = reader.required_text(tool, "description");
    let notes = reader.text(tool, "notes");
    let title = title(reader, tool);
    let summary = summary(reader, tool, description.as_deref());
    let input = reader.required(tool, "input_schema").map(|entry| &entry.value);
    let input_validator = input.and_then(|node| schema::input(reader, node));
    let output = tool.entry("output_schema").map(|entry| &entry.value);
    let output_validator = output.and_then(|node| schema::output(reader, node));
    let sandbox = sandbox(reader, tool);
    let runs = runs::runs(reader, tool, input);
    let def = ToolDef {
        category: category(reader, tool),
        nodes: nodes(reader, tool),
        tags: reader.texts(tool, "tags"),
        risk: risk(reader, tool, &sandbox, runs.is_some()),
        examples: examples(reader, tool, input_validator.as_ref(), output_validator.as_ref()),
        version: reader.number(tool, "version", 1, u64::from(u32::MAX)).unwrap_or(1),
        aliases: aliases(reader, tool, input),
        activity: activity(reader, tool, known),
        name: name?,
        title,
        summary: summary?,
        description: [description?].into_iter().chain(notes).collect::<Vec<_>>().join("\n\n"),
        input_schema: input?.value(),
        output_schema: output.map(Node::value),
        sandbox,
        runs,
        source: None,
    };
    (reader.count() == 0).then(|| (def, tool.line_at("/name")))
}

/// Letters, digits, `_` and `-` in parts between dots, each of which starts with a letter.
fn grammar(reader: &mut FileReader, line: u32, name: &str) -> bool {
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
        reader.problem(line, "name", message);
    }
    fits
}

fn title(reader: &mut FileReader, tool: &Node) -> Option<String> {
    let (entry, title) = (tool.entry("title")?, reader.text(tool, "title")?);
    if title.contains('\n') || title.trim().is_empty() || title.chars().count() > 40 {
        reader.problem(entry.line, "title", "`title` is a name of at most 40 characters, as `Edit file`");
    }
    Some(title)
}

fn summary(reader: &mut FileReader, tool: &Node, description: Option<&str>) -> Option<String> {
    let Some(entry) = tool.entry("summary") else {
        let first = description?.split(['\n', '.']).next()?.trim();
        return Some(first.chars().take(120).collect());
    };
    let summary = reader.text(tool, "summary")?;
    if summary.contains('\n') || summary.chars().count() > 120 {
        reader.problem(entry.line, "summary", "`summary` is one line of at most 120 characters");
    }
    Some(summary)
}

fn category(reader: &mut FileReader, tool: &Node) -> String {
    let Some(category) = reader.text(tool, "category") else {
        return "custom".to_owned();
    };
    let known = tree::categories();
    if !known.contains(&category.as_str()) {
        let message = match meant(&category, known.iter().copied()) {
            Some(near) => format!("there is no category {category:?}; did you mean `{near}`?"),
            None => format!("there is no category {category:?}; there are {}", known.join(", ")),
        };
        reader.problem(tool.line_at("/category"), "category", message);
    }
    category
}

fn nodes(reader: &mut FileReader, tool: &Node) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for item in reader.list(tool, "nodes") {
        let names: Option<Vec<String>> = match &item.kind {
            NodeKind::List(names) => names.iter().map(|name| name.text().map(str::to_owned)).collect(),
            _ => None,
        };
        match names.filter(|names| tree::has_path(names)) {
            Some(names) => paths.push(names),
            None => {
                reader.problem(
                    item.line,
                    "nodes",
                    "each of `nodes` is a path of names in the tree, as `[Files]`",
                );
            }
        }
    }
    paths
}

/// The risk named; else the worst that the sandbox allows. What runs elsewhere is not held by it.
fn risk(reader: &mut FileReader, tool: &Node, sandbox: &Sandbox, runs: bool) -> Risk {
    let Some(word) = reader.text(tool, "risk") else {
        let writes = sandbox.filesystem.iter().any(|pattern| pattern.ends_with('w'));
        return if sandbox.network || !sandbox.hosts.is_empty() {
            Risk::Network
        } else if runs {
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
            reader.problem(tool.line_at("/risk"), "risk", message);
            Risk::Network
        }
    }
}

fn sandbox(reader: &mut FileReader, tool: &Node) -> Sandbox {
    let mut sandbox = Sandbox::default();
    let Some(entry) = tool.entry("sandbox") else {
        return sandbox;
    };
    let node = &entry.value;
    reader.map(node, "`sandbox`", &["network", "filesystem", "timeout_ms", "hosts", "effects"]);
    sandbox.network = reader.boolean(node, "network").unwrap_or(false);
    sandbox.timeout_ms = reader.number(node, "timeout_ms", 1, 86_400_000).unwrap_or(sandbox.timeout_ms);
    sandbox.hosts = reader.texts(node, "hosts");
    if let Err(error) = HostList::parse(sandbox.hosts.iter().map(String::as_str)) {
        reader.problem(node.line_at("/hosts"), "sandbox", error.to_string());
    }
    sandbox.effects = effects(reader, node);
    for item in reader.list(node, "filesystem") {
        let pattern = item.text().unwrap_or_default();
        match pattern.rsplit_once(':') {
            Some((place, "r" | "w" | "rw")) if !place.is_empty() => {
                sandbox.filesystem.push(pattern.to_owned())
            }
            _ => {
                let message = "each of `sandbox.filesystem` is a place and how it is touched, as \
                               \"workspace:r\", \"workspace:rw\" or \"docs/**:r\"";
                reader.problem(item.line, "sandbox", message);
            }
        }
    }
    sandbox
}

fn effects(reader: &mut FileReader, sandbox: &Node) -> Option<CommandEffects> {
    match reader.text(sandbox, "effects")?.as_str() {
        "review" => Some(CommandEffects::Review),
        "apply" => Some(CommandEffects::Apply),
        word => {
            let message = format!("`effects` is review or apply, not {word:?}");
            reader.problem(sandbox.line_at("/effects"), "sandbox", message);
            None
        }
    }
}

fn examples(
    reader: &mut FileReader,
    tool: &Node,
    input: Option<&Validator>,
    output: Option<&Validator>,
) -> Vec<Example> {
    let mut examples = Vec::new();
    for (at, node) in reader.list(tool, "examples").iter().enumerate() {
        reader.map(node, &format!("`examples[{at}]`"), &["input", "output", "why"]);
        let given = reader.required(node, "input").map(|entry| &entry.value);
        let inside = given.and_then(|input| input.entry("why")).and_then(|why| why.value.text());
        let why = match inside {
            Some(why) if node.entry("why").is_none() => Some(why.to_owned()),
            _ => reader.required_text(node, "why"),
        };
        let (Some(given), Some(why)) = (given, why) else { continue };
        let mut args = given.value();
        if let Some(args) = args.as_object_mut() {
            args.insert("why".to_owned(), Value::String(why.clone()));
        }
        valid(reader, given, &args, input, true);
        let shown = node.entry("output").map(|entry| &entry.value);
        if let Some(shown) = shown {
            valid(reader, shown, &shown.value(), output, false);
        }
        if let Some(args) = args.as_object_mut() {
            args.shift_remove("why");
        }
        examples.push(Example { input: args, output: shown.map(Node::value), why });
    }
    examples
}

/// Reports what an example breaks. An output names only what is compared, so that what it leaves out is right.
fn valid(reader: &mut FileReader, node: &Node, value: &Value, validator: Option<&Validator>, whole: bool) {
    let errors = validator.into_iter().flat_map(|validator| validator.iter_errors(value));
    let errors =
        errors.filter(|error| whole || !matches!(error.kind(), ValidationErrorKind::Required { .. }));
    for error in errors.take(10) {
        let at = error.instance_path().as_str();
        let message: String = error.masked_with("it").to_string().chars().take(200).collect();
        let place = if at.is_empty() { "the example".to_owned() } else { format!("the example's `{at}`") };
        reader.problem(node.line_at(at), "example", format!("{place} breaks the schema: {message}"));
    }
}

fn aliases(reader: &mut FileReader, tool: &Node, input: Option<&Node>) -> Vec<Alias> {
    let properties =
        input.and_then(|input| input.entry("properties")).map_or(&[][..], |all| all.value.entries());
    let has = |name: &str| properties.iter().any(|entry| entry.key == name);
    let mut aliases = Vec::new();
    for (at, node) in reader.list(tool, "aliases").iter().enumerate() {
        let name = match node.text() {
            Some(name) => Some(name.to_owned()),
            None => {
                reader.map(node, &format!("`aliases[{at}]`"), &["name", "args", "defaults"]);
                reader.required_text(node, "name")
            }
        };
        reader.names.extend(name.clone());
        let Some(name) = name.filter(|name| grammar(reader, node.line, name)) else { continue };
        let mut alias = Alias { name, ..Alias::default() };
        for entry in members(node, "args") {
            let own = entry.value.text().unwrap_or_default();
            if !has(own) {
                reader.problem(
                    entry.line,
                    "alias",
                    format!("`{}` stands for {own:?}, which is no argument", entry.key),
                );
            }
            alias.args.insert(entry.key.clone(), own.to_owned());
        }
        for entry in members(node, "defaults") {
            if !has(&entry.key) {
                reader.problem(entry.line, "alias", format!("`{}` is no argument", entry.key));
            }
            alias.defaults.insert(entry.key.clone(), entry.value.value());
        }
        aliases.push(alias);
    }
    aliases
}

fn members<'a>(node: &'a Node, key: &str) -> &'a [NodeEntry] {
    node.entry(key).map_or(&[], |entry| entry.value.entries())
}

fn activity(reader: &mut FileReader, tool: &Node, known: &dyn Fn(&str) -> bool) -> Option<String> {
    let entry = tool.entry("_activity").or_else(|| tool.entry("activity"))?;
    match entry.value.text() {
        Some(name) if name.is_empty() || known(name) => return Some(name.to_owned()),
        Some(name) => {
            let name: String = name.chars().take(80).collect();
            let message = format!(
                "there is no activity named {name:?}; leave `{}` out, or say \"\" for latent",
                entry.key
            );
            reader.problem(entry.line, "activity", message);
        }
        None => reader.problem(entry.line, "type", format!("`{}` is a text; \"\" means latent", entry.key)),
    }
    None
}
