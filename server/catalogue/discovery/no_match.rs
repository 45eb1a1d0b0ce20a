//! The way on where nothing in a catalogue matches: why that is, the nearest nodes, and the operation to call next.

use serde_json::{Value, json};

use super::ToolDirectory;
use super::error::DirectoryError;
use super::tool_query::describe_lack;
use crate::base::nearest::likely_name;
use crate::protocol::{ListNodeParams, SearchToolsParams};

/// Nodes that are named where nothing matches.
const NEAREST: usize = 3;
/// Letters from which on a word of a request may be a name in another spelling.
const SPELLED: usize = 4;
/// Words of a request that are compared with names.
const MOST_WORDS: usize = 20;

impl ToolDirectory {
    /// The nodes nearest to a request whose words no tool has: by the spelling of a word, else by what it is about.
    pub(super) fn nearest_nodes(&self, request: &str) -> Vec<Vec<String>> {
        let named = self.nodes.iter().map(|node| (node.name.as_str(), node.path.as_slice()));
        let tools = self
            .index
            .items()
            .iter()
            .filter_map(|item| Some((item.id.as_str(), item.nodes.first()?.as_slice())));
        let all: Vec<(&str, &[String])> = named.chain(tools).collect();
        let words = request.split_whitespace().filter(|word| word.chars().count() >= SPELLED);
        let spelled =
            words.take(MOST_WORDS).filter_map(|word| likely_name(word, all.iter().map(|(name, _)| *name)));
        let spelled = spelled.filter_map(|name| all.iter().find(|one| one.0 == name)).map(|one| one.1);
        let mut near: Vec<Vec<String>> = Vec::new();
        for path in spelled.chain(self.index.related_nodes(request)) {
            if near.len() < NEAREST && near.iter().all(|other| other != path) {
                near.push(path.to_vec());
            }
        }
        near
    }

    /// The nodes to look at where a list holds nothing: the nearest to its query, else those of the root.
    pub(super) fn choose_empty_list_hints(
        &self,
        params: &ListNodeParams,
        query: Option<&str>,
    ) -> Vec<String> {
        let near = query.filter(|_| params.tags.is_empty()).map(|query| self.nearest_nodes(query));
        match near {
            Some(near) if !near.is_empty() => join_paths(&near),
            _ => self.roots(),
        }
    }

    /// The names of the root's nodes.
    pub(super) fn roots(&self) -> Vec<String> {
        self.nodes.iter().filter(|node| node.path.len() == 1).map(|node| node.name.clone()).collect()
    }

    /// Makes the error of a search without a match, with up to three nodes elsewhere that fit it and the names of the root's
    /// nodes.
    pub(super) fn make_no_match_error(
        &self,
        params: &SearchToolsParams,
        cosines: Option<&[f32]>,
    ) -> DirectoryError {
        let elsewhere = self.index.search_nodes(&params.query, cosines, 3);
        DirectoryError::NoMatch {
            asked: params.query.chars().take(100).collect(),
            lack: describe_lack(&params.query),
            category: params.category_path.clone(),
            elsewhere: elsewhere.into_iter().map(|found| found.path.to_vec()).collect(),
            near: self.nearest_nodes(&params.query),
            roots: self.roots(),
        }
    }
}

/// Paths of nodes as a person reads them.
pub(super) fn join_paths(paths: &[Vec<String>]) -> Vec<String> {
    paths.iter().map(|path| path.join(" / ")).collect()
}

/// The operation that lists a node; the root where there is none.
pub(super) fn make_list_action(path: Option<&[String]>) -> Value {
    json!({ "tool": "list", "arguments": { "path": path.unwrap_or_default() } })
}

/// Says why a list holds nothing.
pub(super) fn describe_empty_list(params: &ListNodeParams, query: Option<&str>) -> String {
    let lack = query.map(describe_lack);
    match (params.tags.as_slice(), lack) {
        ([], Some(lack)) => lack,
        ([], None) => "no node and no tool stands here".to_owned(),
        (tags, None) => format!("nothing there has the tags {}", tags.join(", ")),
        (tags, Some(_)) => {
            format!("nothing there has the tags {} and answers the query", tags.join(", "))
        }
    }
}

/// The operation to go on with where a list holds nothing: a search in other words, or all that is there.
pub(super) fn way_on(params: &ListNodeParams, query: Option<&str>) -> Value {
    match query {
        Some(query) if !params.path.is_empty() || !params.tags.is_empty() => {
            json!({ "tool": "search_nodes", "arguments": { "query": query } })
        }
        _ => json!({ "tool": "list", "arguments": { "path": [] } }),
    }
}
