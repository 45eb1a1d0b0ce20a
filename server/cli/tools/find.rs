//! `wherefore tools search` and `search-nodes`: in a workspace's tools, or in a catalogue from a file.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::GzDecoder;
use serde::Serialize;
use serde_json::{Value, json};

use crate::catalogue::discovery::{ToolDirectory, ToolItem};
use crate::cli::answer;
use crate::cli::print::visible_line;
use crate::cli::progress::ProgressReport;
use crate::hub::{Hub, ToolSimilarity};
use crate::protocol::{
    Code, Door, Fault, SearchNodesAnswer, SearchNodesParams, SearchToolsAnswer, SearchToolsParams,
};
use crate::requests::{Asker, Request as _, SearchNodes, SearchTools};
use crate::workspace::config;

/// The query of a search for tools, and the part of the tree that it searches.
#[derive(Debug, clap::Args)]
pub(super) struct FindRequest {
    /// The request in plain words
    #[arg(required_unless_present = "batch")]
    query: Option<String>,
    /// The most results, up to 50
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Search the tools of this file instead, one {"id", "path", "name", "description", "schema"} a line, plain or
    /// gzipped
    #[arg(long, value_name = "FILE")]
    pub catalogue: Option<PathBuf>,
    /// Read requests {"id", "query", "limit"} from standard input, one a line, for tools also with a "cursor", and print {"id",
    /// "results"} for each, with "next_cursor" where there is more
    #[arg(long, conflicts_with_all = ["query", "json"])]
    batch: bool,
}

/// The place to search.
pub(super) enum SearchPlace {
    /// A workspace's tools.
    Workspace(Hub),
    /// The tools of a file, with the model of the person's settings.
    Catalogue(Arc<ToolDirectory>, Box<ToolSimilarity>),
}

impl SearchPlace {
    /// The tools of a file.
    ///
    /// # Errors
    /// INVALID_ARGS for a file that is no catalogue.
    pub(super) fn open_catalogue(path: &Path) -> Result<Self, Fault> {
        let loaded = config::of_person();
        loaded.problems.iter().for_each(|problem| answer::write_note(&format!("wherefore: {problem}")));
        Ok(Self::Catalogue(
            Arc::new(read_catalogue(path)?),
            Box::new(ToolSimilarity::new(loaded.settings.embeddings)),
        ))
    }

    /// Makes the missing vectors of tools, if the person configured a model. If that fails, the search goes on without them.
    pub(super) async fn prepare_vectors(&self) {
        let mut progress = ProgressReport::default();
        let told = |done: usize, all: usize| {
            let share = done as f64 / all.max(1) as f64;
            progress.report_share(share, &format!("vectors of {done} of {all} tools"), done == all);
        };
        let filled = match self {
            Self::Workspace(hub) => match hub.folder_at(None) {
                Ok(folder) => {
                    let (similarity, tools) = (folder.toolbox().similarity(), folder.toolbox().directory());
                    similarity.fill_vectors(&tools, told).await.map_err(|error| error.to_string())
                }
                Err(error) => Err(error.to_string()),
            },
            Self::Catalogue(directory, similarity) => {
                similarity.fill_vectors(directory, told).await.map_err(|error| error.to_string())
            }
        };
        if let Err(why) = filled {
            answer::write_note(&format!("wherefore: {}; tools are ranked without it", visible_line(&why)));
        }
    }

    async fn search_tools(&self, params: SearchToolsParams) -> Result<SearchToolsAnswer, Fault> {
        match self {
            Self::Workspace(hub) => {
                SearchTools::answer_request(hub, params, Asker::from_door(Door::Cli)).await
            }
            Self::Catalogue(directory, similarity) => Ok(directory
                .search_tools(&params, similarity.cosines_of(&params.query, directory).await.as_deref())?),
        }
    }

    async fn search_nodes(&self, params: SearchNodesParams) -> Result<SearchNodesAnswer, Fault> {
        match self {
            Self::Workspace(hub) => {
                SearchNodes::answer_request(hub, params, Asker::from_door(Door::Cli)).await
            }
            Self::Catalogue(directory, similarity) => {
                let similarity = similarity.cosines_of(&params.query, directory).await;
                Ok(directory.search_nodes(&params, similarity.as_deref())?)
            }
        }
    }
}

/// Finds tools, only under the node `under` where one is named: its names with `/` between. A cursor goes on from an earlier
/// page.
///
/// # Errors
/// The error of the search or reading the file.
pub(super) async fn find_tools(
    request: &FindRequest,
    under: Option<&str>,
    cursor: Option<String>,
    place: &SearchPlace,
) -> Result<(), Fault> {
    place.prepare_vectors().await;
    let params = |BatchedRequest { query, limit, cursor }| {
        let category_path = parse_node_path(under.unwrap_or_default());
        SearchToolsParams { query, category_path, limit, cursor, why: None, root: None }
    };
    if request.batch {
        let find = async |asked| match place.search_tools(params(asked)).await {
            Ok(found) => Ok((json!(found.results), found.next_cursor)),
            Err(fault) if fault.code == Code::NoMatchInCategory => Ok((json!([]), None)),
            Err(fault) => Err(fault),
        };
        return find_batch(find).await;
    }
    let query = request.query.clone().unwrap_or_default();
    let found = place.search_tools(params(BatchedRequest { query, limit: request.limit, cursor })).await?;
    let lines = found.results.iter().map(|tool| (tool.confidence, tool.tool_id.clone(), &*tool.summary));
    show_found(request, &found, lines);
    if let Some(cursor) = &found.next_cursor
        && !request.json
    {
        answer::write_note(&format!("There is more: the same with `--cursor {cursor}`."));
    }
    Ok(())
}

/// A node as a person writes it, its names with `/` between; the root is `/`.
pub(super) fn parse_node_path(path: &str) -> Vec<String> {
    path.split('/').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Finds nodes.
///
/// # Errors
/// The error of the search or reading the file.
pub(super) async fn find_nodes(request: &FindRequest, place: &SearchPlace) -> Result<(), Fault> {
    place.prepare_vectors().await;
    let params = |query: String, limit: usize| SearchNodesParams { query, limit, why: None, root: None };
    if request.batch {
        let find = async |BatchedRequest { query, limit, .. }| {
            place.search_nodes(params(query, limit)).await.map(|found| (json!(found.results), None))
        };
        return find_batch(find).await;
    }
    let found = place.search_nodes(params(request.query.clone().unwrap_or_default(), request.limit)).await?;
    let lines = found.results.iter().map(|node| (node.confidence, node.path.join("/"), &*node.summary));
    show_found(request, &found, lines);
    if found.results.is_empty() && !request.json {
        let reason = found.message.as_deref().unwrap_or("no node seems to fit");
        answer::write_note(&format!(
            "wherefore: {}; say it in other words, or see all: wherefore tools list /",
            visible_line(reason)
        ));
    }
    Ok(())
}

/// Prints the results, as JSON or a line each.
fn show_found<'a>(
    request: &FindRequest,
    found: &impl Serialize,
    lines: impl Iterator<Item = (f64, String, &'a str)>,
) {
    if request.json {
        return answer::write_json(found);
    }
    for (confidence, name, summary) in lines {
        answer::write_line(&format!(
            "{confidence:.2}  {:<24} {}",
            visible_line(&name),
            visible_line(summary)
        ));
    }
}

/// A request of a batch.
struct BatchedRequest {
    query: String,
    limit: usize,
    cursor: Option<String>,
}

/// Answers requests line by line; a malformed line is answered with its fault.
async fn find_batch(
    find: impl AsyncFn(BatchedRequest) -> Result<(Value, Option<String>), Fault>,
) -> Result<(), Fault> {
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line.map_err(|error| unreadable_fault("standard input", &error))?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let request: Value = serde_json::from_slice(&line).unwrap_or_default();
        let limit =
            request.get("limit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        let found = match request.get("query").and_then(Value::as_str) {
            Some(query) => {
                let cursor = request.get("cursor").and_then(Value::as_str).map(str::to_owned);
                find(BatchedRequest { query: query.to_owned(), limit: limit.unwrap_or(10), cursor }).await
            }
            None => Err(Fault::new(Code::InvalidArgs, "the line is not an object with a `query`")
                .with_suggestion("write {\"id\": 1, \"query\": \"…\"} on one line")),
        };
        let id = request.get("id").cloned().unwrap_or_default();
        let answer = match found {
            Ok((results, None)) => json!({ "id": id, "results": results }),
            Ok((results, Some(cursor))) => json!({ "id": id, "results": results, "next_cursor": cursor }),
            Err(fault) => json!({ "id": id, "results": [], "error": fault }),
        };
        answer::write_json_line(&answer);
    }
    Ok(())
}

/// Reads a catalogue in JSON lines.
fn read_catalogue(path: &Path) -> Result<ToolDirectory, Fault> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|error| unreadable_fault(&name, &error))?;
    let mut lines = BufReader::new(file);
    let zipped =
        lines.fill_buf().map_err(|error| unreadable_fault(&name, &error))?.starts_with(&[0x1f, 0x8b]);
    let reader: Box<dyn Read> = if zipped { Box::new(GzDecoder::new(lines)) } else { Box::new(lines) };
    let mut items = Vec::new();
    for (at, line) in BufReader::new(reader).lines().enumerate() {
        let line = line.map_err(|error| unreadable_fault(&name, &error))?;
        if line.trim().is_empty() {
            continue;
        }
        let value: Value = serde_json::from_str(&line).unwrap_or_default();
        let item = ToolItem::read_json(&value).ok_or_else(|| {
            Fault::new(Code::InvalidArgs, format!("{name}:{}: this line is not a tool with an `id`", at + 1))
        })?;
        items.push(item);
    }
    Ok(ToolDirectory::new(items, Vec::new()))
}

fn unreadable_fault(what: &str, error: &std::io::Error) -> Fault {
    Fault::new(Code::InvalidArgs, format!("{what} cannot be read: {error}"))
}
