//! `wherefore tools list`: every tool in a line, or one node of the catalogue with what stands there.

use super::find::{SearchPlace, node};
use crate::cli::answer;
use crate::cli::print::visible;
use crate::hub::Hub;
use crate::protocol::{Door, Fault, ListToolsParams};
use crate::requests::list::ListParams;
use crate::requests::{Asker, List, ListTools, Request};

/// How many tools are shown where no limit is given.
const LIMIT: usize = 10;

/// What is listed: everything where nothing is said.
#[derive(Debug, Default, clap::Args)]
pub(super) struct ListRequest {
    /// The node of the catalogue to list, as `Files`; `/` separates names, and is the root by itself
    path: Option<String>,
    /// Only tools with this tag; several --tag options have to match together
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only tools that answer this request in plain words, the best first
    #[arg(long)]
    query: Option<String>,
    /// The most tools to list, up to 50 [default: 10]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// The cursor that the previous page ended with
    #[arg(long)]
    cursor: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ListRequest {
    /// What is asked for, where not simply everything is.
    fn params(&self) -> Option<ListToolsParams> {
        let Self { path, tags, query, limit, cursor, .. } = self;
        let plain =
            path.is_none() && tags.is_empty() && query.is_none() && limit.is_none() && cursor.is_none();
        (!plain).then(|| ListToolsParams {
            path: node(path.as_deref().unwrap_or_default()),
            tags: tags.clone(),
            query: query.clone(),
            limit: limit.unwrap_or(LIMIT),
            cursor: cursor.clone(),
            root: None,
        })
    }
}

/// Prints the list.
///
/// # Errors
/// UNKNOWN_PATH, STALE for an old cursor, INVALID_ARGS for what is none.
pub(super) async fn show(listing: &ListRequest, hub: &Hub) -> Result<(), Fault> {
    let Some(params) = listing.params() else {
        let all = List::answer(hub, ListParams::default(), Asker::door(Door::Cli)).await?.tools;
        if listing.json {
            answer::json(&all);
            return Ok(());
        }
        for tool in all {
            let latent = if tool.activity.is_empty() { " (latent)" } else { "" };
            answer::line(&format!(
                "{:<16} {:<8} {}{latent}",
                tool.name,
                tool.risk.word(),
                visible(&tool.summary)
            ));
        }
        return Ok(());
    };
    let asked = params.query.is_some();
    if asked {
        SearchPlace::Workspace(hub.clone()).prepare().await;
    }
    let found = ListTools::answer(hub, params, Asker::door(Door::Cli)).await?;
    if listing.json {
        answer::json(&found);
        return Ok(());
    }
    for node in &found.nodes {
        let path = visible(&node.path.join("/"));
        answer::line(&format!("{:<24} {}", format!("{path}/"), visible(&node.summary)));
    }
    for tool in &found.tools {
        let line = format!("{:<24} {}", visible(&tool.tool_id), visible(&tool.summary));
        match asked {
            true => answer::line(&format!("{:.2}  {line}", tool.confidence)),
            false => answer::line(&line),
        }
    }
    if let Some(cursor) = &found.next_cursor {
        answer::note(&format!("There is more: the same with `--cursor {cursor}`."));
    }
    Ok(())
}
