//! `wherefore tools search` and `search-nodes`: in a workspace's tools, or in a catalogue from a file.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::catalogue::discovery::{Directory, Item};
use crate::cli::answer;
use crate::hub::Hub;
use crate::protocol::{Code, Fault, SearchNodesParams, SearchToolsParams};

/// Find the tools that answer a request, best first
#[derive(Debug, clap::Args)]
pub struct Search {
    /// What is wanted, in plain words
    #[arg(required_unless_present = "batch")]
    query: Option<String>,
    /// Only under this node, its names with `/` between
    #[arg(long, value_name = "NODE")]
    under: Option<String>,
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

/// Find the nodes that may hold what a request asks for
#[derive(Debug, clap::Args)]
pub struct SearchNodes {
    /// What is wanted, in plain words
    #[arg(required_unless_present = "batch")]
    query: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Look through the tools of this file instead, as `search` takes it
    #[arg(long, value_name = "FILE")]
    pub catalogue: Option<PathBuf>,
    /// Read a request {"id", "query", "limit"} a line from standard input, answer {"id", "results"} a line each
    #[arg(long, conflicts_with_all = ["query", "json"])]
    batch: bool,
}

impl Search {
    /// Runs it, on the hub's tools where no file is named.
    ///
    /// # Errors
    /// What the search or reading the file says.
    pub fn run(&self, hub: Option<&Hub>) -> Result<(), Fault> {
        let file = self.catalogue.as_deref().map(read).transpose()?;
        let under = self.under.as_deref().unwrap_or_default();
        let category_path: Vec<String> =
            under.split('/').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let find = |query: String, limit: usize| {
            let params = SearchToolsParams {
                query,
                category_path: category_path.clone(),
                limit,
                cursor: None,
                root: None,
            };
            match (&file, hub) {
                (Some(directory), _) => directory.search(&params),
                (None, Some(hub)) => hub.search_tools(&params),
                (None, None) => Err(Fault::internal("nothing to search in")),
            }
        };
        if self.batch {
            return batch(|query, limit| match find(query, limit) {
                Ok(found) => Ok(json!(found.results)),
                Err(fault) if fault.code == Code::NoMatchInCategory => Ok(json!([])),
                Err(fault) => Err(fault),
            });
        }
        let found = find(self.query.clone().unwrap_or_default(), self.limit)?;
        if self.json {
            answer::json(&found);
            return Ok(());
        }
        for tool in found.results {
            answer::line(&format!("{:.2}  {:<24} {}", tool.confidence, tool.tool_id, tool.summary));
        }
        Ok(())
    }
}

impl SearchNodes {
    /// Runs it, on the hub's tools where no file is named.
    ///
    /// # Errors
    /// What the search or reading the file says.
    pub fn run(&self, hub: Option<&Hub>) -> Result<(), Fault> {
        let file = self.catalogue.as_deref().map(read).transpose()?;
        let find = |query: String, limit: usize| {
            let params = SearchNodesParams { query, limit, root: None };
            match (&file, hub) {
                (Some(directory), _) => Ok(directory.search_nodes(&params)),
                (None, Some(hub)) => hub.search_nodes(&params),
                (None, None) => Err(Fault::internal("nothing to search in")),
            }
        };
        if self.batch {
            return batch(|query, limit| find(query, limit).map(|found| json!(found.results)));
        }
        let found = find(self.query.clone().unwrap_or_default(), self.limit)?;
        if self.json {
            answer::json(&found);
            return Ok(());
        }
        for node in found.results {
            answer::line(&format!("{:.2}  {:<24} {}", node.confidence, node.path.join("/"), node.summary));
        }
        Ok(())
    }
}

/// Answers requests line by line.
fn batch(find: impl Fn(String, usize) -> Result<Value, Fault>) -> Result<(), Fault> {
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| unreadable("standard input", &error))?;
        if line.trim().is_empty() {
            continue;
        }
        let request: Value = serde_json::from_str(&line).unwrap_or_default();
        let query = request.get("query").and_then(Value::as_str).unwrap_or_default().to_owned();
        let limit =
            request.get("limit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        let id = request.get("id").cloned().unwrap_or_default();
        let found = match find(query, limit.unwrap_or(10)) {
            Ok(results) => json!({ "id": id, "results": results }),
            Err(fault) => json!({ "id": id, "results": [], "error": fault }),
        };
        answer::line(&found.to_string());
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
