//! `wherefore tools search` and `search-nodes`: in a workspace's tools, or in a catalogue from a file.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde::Serialize;
use serde_json::{Value, json};

use crate::catalogue::discovery::{Directory, Item};
use crate::cli::answer;
use crate::hub::Hub;
use crate::protocol::{Code, Fault, Origin, SearchNodesParams, SearchToolsParams};

/// What is looked for, and in what.
#[derive(Debug, clap::Args)]
pub struct Request {
    /// What is wanted, in plain words
    #[arg(required_unless_present = "batch")]
    query: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Look through the tools of this file instead, {"id", "path", "name", "description", "schema"} a line, gzipped
    /// or not
    #[arg(long, value_name = "FILE")]
    pub catalogue: Option<PathBuf>,
    /// Read a request {"id", "query", "limit"} a line from standard input, answer {"id", "results"} a line each
    #[arg(long, conflicts_with_all = ["query", "json"])]
    batch: bool,
}

/// Finds tools, only under the node `under` where one is named: its names with `/` between.
///
/// # Errors
/// What the search or reading the file says.
pub fn tools(request: &Request, under: Option<&str>, hub: Option<&Hub>) -> Result<(), Fault> {
    let file = request.catalogue.as_deref().map(read).transpose()?;
    let category_path = node(under.unwrap_or_default());
    let find = |query: String, limit: usize| {
        let category_path = category_path.clone();
        let params = SearchToolsParams { query, category_path, limit, cursor: None, root: None };
        match (&file, hub) {
            (Some(directory), _) => directory.search(&params),
            (None, Some(hub)) => hub.search_tools(&params, &Origin::default()),
            (None, None) => Err(Fault::internal("nothing to search in")),
        }
    };
    if request.batch {
        return batch(|query, limit| match find(query, limit) {
            Ok(found) => Ok(json!(found.results)),
            Err(fault) if fault.code == Code::NoMatchInCategory => Ok(json!([])),
            Err(fault) => Err(fault),
        });
    }
    let found = find(request.query.clone().unwrap_or_default(), request.limit)?;
    let lines = found.results.iter().map(|tool| (tool.confidence, tool.tool_id.clone(), &*tool.summary));
    show(request, &found, lines);
    Ok(())
}

/// A node as a person writes it, its names with `/` between; the root is `/`.
pub fn node(path: &str) -> Vec<String> {
    path.split('/').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Finds nodes.
///
/// # Errors
/// What the search or reading the file says.
pub fn nodes(request: &Request, hub: Option<&Hub>) -> Result<(), Fault> {
    let file = request.catalogue.as_deref().map(read).transpose()?;
    let find = |query: String, limit: usize| {
        let params = SearchNodesParams { query, limit, root: None };
        match (&file, hub) {
            (Some(directory), _) => Ok(directory.search_nodes(&params)),
            (None, Some(hub)) => hub.search_nodes(&params, &Origin::default()),
            (None, None) => Err(Fault::internal("nothing to search in")),
        }
    };
    if request.batch {
        return batch(|query, limit| find(query, limit).map(|found| json!(found.results)));
    }
    let found = find(request.query.clone().unwrap_or_default(), request.limit)?;
    let lines = found.results.iter().map(|node| (node.confidence, node.path.join("/"), &*node.summary));
    show(request, &found, lines);
    Ok(())
}

/// Prints what was found, as JSON or a line each.
fn show<'a>(request: &Request, found: &impl Serialize, lines: impl Iterator<Item = (f64, String, &'a str)>) {
    if request.json {
        return answer::json(found);
    }
    for (confidence, name, summary) in lines {
        answer::line(&format!("{confidence:.2}  {name:<24} {summary}"));
    }
}

/// Answers requests line by line; a line that is none has its fault for an answer.
fn batch(find: impl Fn(String, usize) -> Result<Value, Fault>) -> Result<(), Fault> {
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line.map_err(|error| unreadable("standard input", &error))?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let request: Value = serde_json::from_slice(&line).unwrap_or_default();
        let limit =
            request.get("limit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        let found = match request.get("query").and_then(Value::as_str) {
            Some(query) => find(query.to_owned(), limit.unwrap_or(10)),
            None => Err(Fault::new(Code::InvalidArgs, "the line is no object with a `query`")
                .suggest("write {\"id\": 1, \"query\": \"…\"} on one line")),
        };
        let id = request.get("id").cloned().unwrap_or_default();
        let answer = match found {
            Ok(results) => json!({ "id": id, "results": results }),
            Err(fault) => json!({ "id": id, "results": [], "error": fault }),
        };
        answer::line(&answer.to_string());
    }
    Ok(())
}

/// Reads a catalogue in JSON lines.
fn read(path: &Path) -> Result<Directory, Fault> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|error| unreadable(&name, &error))?;
    let mut lines = BufReader::new(file);
    let zipped = lines.fill_buf().map_err(|error| unreadable(&name, &error))?.starts_with(&[0x1f, 0x8b]);
    let reader: Box<dyn Read> = if zipped { Box::new(GzDecoder::new(lines)) } else { Box::new(lines) };
    let mut items = Vec::new();
    for (at, line) in BufReader::new(reader).lines().enumerate() {
        let line = line.map_err(|error| unreadable(&name, &error))?;
        if line.trim().is_empty() {
            continue;
        }
        let value: Value = serde_json::from_str(&line).unwrap_or_default();
        let item = Item::read(&value).ok_or_else(|| {
            Fault::new(Code::InvalidArgs, format!("{name}:{}: this line is no tool with an `id`", at + 1))
        })?;
        items.push(item);
    }
    Ok(Directory::new(items, Vec::new()))
}

fn unreadable(what: &str, error: &std::io::Error) -> Fault {
    Fault::new(Code::InvalidArgs, format!("{what} cannot be read: {error}"))
}
