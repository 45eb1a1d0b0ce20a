//! `wherefore tools list`: every tool in a line, or the contents of one node of the catalogue.

use super::find::{SearchPlace, parse_node_path};
use crate::cli::answer;
use crate::cli::print::visible_line;
use crate::hub::Hub;
use crate::protocol::{Door, Fault, ListNodeParams};
use crate::requests::list_tools::ListToolsParams;
use crate::requests::{Asker, List, ListTools, Request};

/// The number of tools that are shown where no limit is given.
const LIMIT: usize = 10;

/// The part of the catalogue that is listed: everything by default.
#[derive(Debug, Default, clap::Args)]
pub(super) struct ListRequest {
    /// The node of the catalogue to list, as `Files`; `/` separates names, and is the root by itself
    path: Option<String>,
    /// Only nodes and tools with this tag; several --tag options have to match together
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only tools that answer this request in plain words, the best first
    #[arg(long)]
    query: Option<String>,
    /// The most nodes and tools to list, up to 50 [default: 10]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// The cursor that the previous page ended with
    #[arg(long)]
    cursor: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl ListRequest {
    /// The parameters of the list; none to list everything.
    fn list_params(&self) -> Option<ListNodeParams> {
        let Self { path, tags, query, limit, cursor, .. } = self;
        let plain =
            path.is_none() && tags.is_empty() && query.is_none() && limit.is_none() && cursor.is_none();
        (!plain).then(|| ListNodeParams {
            path: parse_node_path(path.as_deref().unwrap_or_default()),
            tags: tags.clone(),
            query: query.clone(),
            limit: limit.unwrap_or(LIMIT),
            cursor: cursor.clone(),
            why: None,
            root: None,
        })
    }
}

/// Prints the list.
///
/// # Errors
/// UNKNOWN_PATH, STALE for an old cursor, INVALID_ARGS for an invalid one.
pub(super) async fn show_list(listing: &ListRequest, hub: &Hub) -> Result<(), Fault> {
    let Some(params) = listing.list_params() else {
        let all = ListTools::answer_request(hub, ListToolsParams::default(), Asker::from_door(Door::Cli))
            .await?
            .tools;
        if listing.json {
            answer::write_json(&all);
            return Ok(());
        }
        for tool in all {
            let latent = match &tool.environment {
                Some(words) => format!(" ({})", visible_line(words)),
                None if tool.activity.is_empty() => " (latent)".to_owned(),
                None => String::new(),
            };
            answer::write_line(&format!(
                "{:<16} {:<8} {}{latent}",
                tool.name,
                tool.risk.as_str(),
                visible_line(&tool.summary)
            ));
        }
        return Ok(());
    };
    let asked = params.query.is_some();
    if asked {
        SearchPlace::Workspace(hub.clone()).prepare_vectors().await;
    }
    let found = List::answer_request(hub, params, Asker::from_door(Door::Cli)).await?;
    if listing.json {
        answer::write_json(&found);
        return Ok(());
    }
    for node in &found.nodes {
        let path = visible_line(&node.path.join("/"));
        answer::write_line(&format!("{:<24} {}", format!("{path}/"), visible_line(&node.summary)));
    }
    for tool in &found.tools {
        let line = format!("{:<24} {}", visible_line(&tool.tool_id), visible_line(&tool.summary));
        match asked {
            true => answer::write_line(&format!("{:.2}  {line}", tool.confidence)),
            false => answer::write_line(&line),
        }
    }
    if let Some(cursor) = &found.next_cursor {
        answer::write_note(&format!("There is more: the same with `--cursor {cursor}`."));
    }
    Ok(())
}
