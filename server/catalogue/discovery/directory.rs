//! The operations on a catalogue: listing a node, and finding the tools and nodes that answer a request.

use std::collections::{BTreeMap, BTreeSet};

use super::error::DirectoryError;
use serde_json::json;

use super::no_match::{describe_empty_list, join_paths, make_list_action, way_on};
use super::tool_query::describe_lack;
use super::{ToolIndex, ToolItem};
use crate::base::hash;
use crate::base::nearest::nearest_names;
use crate::catalogue::{OntologyTree, ToolDef, ToolRunner};
use crate::protocol::{
    ListNodeAnswer, ListNodeParams, MAX_LIMIT, NodeMatch, NodePointer, SearchNodesAnswer, SearchNodesParams,
    SearchToolsAnswer, SearchToolsParams, ToolPointer,
};

/// Results that the first page shows however unlikely they are, if so many are asked for.
const SHOWN: usize = 5;
/// Less than this confidence, and a result behind those is left to the next page.
const UNLIKELY: f64 = 0.02;

/// Tools under their nodes, ready to be looked through.
#[derive(Debug)]
pub struct ToolDirectory {
    pub(super) index: ToolIndex,
    /// Every node, those above before those below.
    pub(super) nodes: Vec<NodePointer>,
    /// Changes with the catalogue: a cursor of another one is known by it.
    mark: String,
}

impl ToolDirectory {
    /// A directory of our own and the user's definitions, under the nodes of `tree`.
    pub fn of_definitions<'a>(tree: &OntologyTree, tools: impl IntoIterator<Item = &'a ToolDef>) -> Self {
        let tools: Vec<&ToolDef> = tools.into_iter().collect();
        // Those that a person made come first: a page holds a few of all.
        let (mut nodes, mut built_in) = (Vec::new(), Vec::new());
        tree.each(&mut |path, node| {
            let is_own = path.get(..1).and_then(|root| tree.at(root)).is_some_and(|root| root.is_own);
            let nodes = if is_own { &mut nodes } else { &mut built_in };
            nodes.push(pointer(path, node.summary_or_names(), node.tags.clone()));
        });
        nodes.append(&mut built_in);
        nodes.extend(nodes_of_servers(tree, &tools));
        let item = |def: &ToolDef| {
            let mut under = tree.of_category(&def.category);
            under.extend(def.nodes.iter().filter(|node| !under.contains(node)).cloned().collect::<Vec<_>>());
            let mut item = ToolItem::from_definition(def, under);
            let own = item.nodes.iter().filter_map(|path| tree.at(path)).filter(|node| node.is_own);
            item.node_words = own.flat_map(|node| node.tags.iter().chain([&node.summary]).cloned()).collect();
            item
        };
        Self::new(tools.into_iter().map(item).collect(), nodes)
    }

    /// Returns a directory of these tools; `nodes` holds the known nodes, and others come from the tools' paths.
    pub fn new(items: Vec<ToolItem>, mut nodes: Vec<NodePointer>) -> Self {
        let mut known: std::collections::HashSet<Vec<String>> =
            nodes.iter().map(|node| node.path.clone()).collect();
        let mut mark = String::new();
        for item in &items {
            mark.push_str(&item.id);
            mark.push('\n');
            for path in &item.nodes {
                // The ancestors of a known node are known too.
                let unknown = (1..=path.len()).rev().take_while(|end| !known.contains(&path[..*end]));
                for end in unknown.collect::<Vec<_>>().into_iter().rev() {
                    if known.insert(path[..end].to_vec()) {
                        nodes.push(pointer(&path[..end], String::new(), Vec::new()));
                    }
                }
            }
        }
        let mark = hash::short_hash(mark.as_bytes())[..8].to_owned();
        Self { index: ToolIndex::new(items), nodes, mark }
    }

    /// Lists a node, a page at a time: the nodes below it, then its tools. Without a filter, those are the tools that stand at
    /// it; with one, all below it that pass.
    ///
    /// # Errors
    /// UNKNOWN_PATH with the closest node there is; STALE for a cursor of a catalogue that has changed; INVALID_ARGS for a
    /// limit that is out of bounds.
    pub fn list_node(
        &self,
        params: &ListNodeParams,
        cosines: Option<&[f32]>,
    ) -> Result<ListNodeAnswer, DirectoryError> {
        self.check_path(&params.path)?;
        let limit = check_limit(params.limit)?;
        let request =
            request_mark(&[&params.path, &params.tags], params.query.as_deref().unwrap_or_default());
        let from = self.cursor_offset(&request, params.cursor.as_deref())?;
        let query = params.query.as_deref().filter(|query| !query.trim().is_empty());
        let is_filtered = query.is_some() || !params.tags.is_empty();
        // Tools without the tags are left out before the best are picked: they take no place among them.
        let tagged = |tags: &[String]| params.tags.iter().all(|tag| tags.contains(tag));
        let meant = |item: &ToolItem| match is_filtered {
            true => item.is_under(&params.path) && tagged(&item.tags),
            false => item.stands_at(&params.path),
        };
        let found: Vec<(usize, f64)> = match query {
            Some(query) => {
                let all = self.index.search_among(query, cosines, usize::MAX, meant);
                all.into_iter().map(|found| (found.item, found.confidence)).collect()
            }
            None => {
                let all = self.index.items().iter().enumerate().filter(|(_, item)| meant(item));
                all.map(|(at, _)| (at, 1.0)).collect()
            }
        };
        let likely = likely(&found);
        let holds_found = |node: &NodePointer| {
            let mut tools = found.iter().take(likely).map(|(item, _)| &self.index.items()[*item]);
            tools.any(|item| item.is_under(&node.path))
        };
        // A node has tags of its own, whatever those of its tools are.
        let answers = |node: &NodePointer| {
            let under = |item: &ToolItem| item.is_under(&node.path);
            query.is_none_or(|query| !self.index.search_among(query, cosines, 1, under).is_empty())
        };
        let has_tags = |node: &NodePointer| {
            let mut all = self.nodes.iter().filter(|below| below.path.starts_with(&node.path));
            !params.tags.is_empty() && all.any(|below| tagged(&below.tags) && answers(below))
        };
        let holds = |node: &&NodePointer| !is_filtered || holds_found(node) || has_tags(node);
        let depth = params.path.len() + 1;
        let below = |node: &&NodePointer| node.path.len() == depth && node.path.starts_with(&params.path);
        let all: Vec<&NodePointer> = self.nodes.iter().filter(below).filter(holds).collect();
        let nodes: Vec<NodePointer> = all.iter().skip(from).take(limit).map(|node| (*node).clone()).collect();
        // The tools follow the nodes, on the same page where it has room.
        let (left, past) = (limit - nodes.len(), from.saturating_sub(all.len()));
        let (tools, next) = self.result_page(&found, past, left, &params.path);
        let next = match from + nodes.len() < all.len() {
            true => Some(from + nodes.len()),
            false => next.map(|next| all.len() + next),
        };
        let is_empty = nodes.is_empty() && tools.is_empty() && from == 0;
        Ok(ListNodeAnswer {
            path: params.path.clone(),
            nodes,
            tools,
            next_cursor: next.map(|next| self.cursor_at(&request, next)),
            message: is_empty.then(|| describe_empty_list(params, query)),
            hints: if is_empty { self.choose_empty_list_hints(params, query) } else { Vec::new() },
            next_action: is_empty.then(|| way_on(params, query)),
        })
    }

    /// The tools under a node that answer a request, best first; `cosines` as for [`ToolIndex::search_under`].
    ///
    /// # Errors
    /// UNKNOWN_PATH; NO_MATCH_IN_CATEGORY with the nodes where there is something; STALE for an old cursor; INVALID_ARGS for a
    /// limit that is out of bounds.
    pub fn search_tools(
        &self,
        params: &SearchToolsParams,
        cosines: Option<&[f32]>,
    ) -> Result<SearchToolsAnswer, DirectoryError> {
        self.check_path(&params.category_path)?;
        let limit = check_limit(params.limit)?;
        let request = request_mark(&[&params.category_path], &params.query);
        let from = self.cursor_offset(&request, params.cursor.as_deref())?;
        let found = self.index.search_under(&params.query, cosines, &params.category_path, usize::MAX);
        if found.is_empty() {
            return Err(self.make_no_match_error(params, cosines));
        }
        let found: Vec<_> = found.into_iter().map(|found| (found.item, found.confidence)).collect();
        let (results, next) = self.result_page(&found, from, limit, &params.category_path);
        let next_cursor = next.map(|next| self.cursor_at(&request, next));
        Ok(SearchToolsAnswer { category_path: params.category_path.clone(), results, next_cursor })
    }

    /// The names of the tools that the words of a request ask for, likeliest first.
    pub fn by_words(&self, request: &str) -> Vec<&str> {
        let found = self.index.search_under(request, None, &[], usize::MAX);
        found
            .into_iter()
            .filter_map(|found| self.index.items().get(found.item))
            .map(|item| item.id.as_str())
            .collect()
    }

    /// The nodes that may hold what a request asks for, likeliest first; `cosines` as for [`ToolIndex::search_under`].
    ///
    /// # Errors
    /// INVALID_ARGS for a limit that is out of bounds.
    pub fn search_nodes(
        &self,
        params: &SearchNodesParams,
        cosines: Option<&[f32]>,
    ) -> Result<SearchNodesAnswer, DirectoryError> {
        let found = self.index.search_nodes(&params.query, cosines, check_limit(params.limit)?);
        let result = |path: &[String], confidence: f64| {
            let node = self.nodes.iter().find(|node| node.path == path);
            let summary = node.map(|node| node.summary.clone()).unwrap_or_default();
            NodeMatch { path: path.to_vec(), summary, confidence: round_confidence(confidence) }
        };
        let results: Vec<NodeMatch> =
            found.into_iter().map(|found| result(found.path, found.confidence)).collect();
        if !results.is_empty() {
            return Ok(SearchNodesAnswer { results, ..SearchNodesAnswer::default() });
        }
        let near = self.nearest_nodes(&params.query);
        Ok(SearchNodesAnswer {
            results,
            message: Some(format!("no node may hold it: {}", describe_lack(&params.query))),
            next_action: Some(make_list_action(near.first().map(Vec::as_slice))),
            hints: if near.is_empty() { self.roots() } else { join_paths(&near) },
        })
    }

    /// Its tools, in the order of their cosines.
    pub fn items(&self) -> &[ToolItem] {
        self.index.items()
    }

    /// Returns the first node that a tool is under.
    pub fn path_of(&self, id: &str) -> Vec<String> {
        let item = self.index.items().iter().find(|item| item.id == id);
        item.and_then(|item| item.nodes.first()).cloned().unwrap_or_default()
    }

    /// Returns a page of what was found, and the offset of the next one.
    fn result_page(
        &self,
        found: &[(usize, f64)],
        from: usize,
        limit: usize,
        within: &[String],
    ) -> (Vec<ToolPointer>, Option<usize>) {
        let pointer = |(item, confidence): &(usize, f64)| {
            let item = &self.index.items()[*item];
            // Of several nodes the one asked for is shown.
            let path = item.nodes.iter().find(|node| node.starts_with(within)).or(item.nodes.first());
            ToolPointer {
                tool_id: item.id.clone(),
                path: path.cloned().unwrap_or_default(),
                summary: item.summary.clone(),
                tags: item.tags.clone(),
                confidence: round_confidence(*confidence),
            }
        };
        let mut next = from.saturating_add(limit);
        if from == 0 {
            // An improbable match costs a reader more than it is worth; it is shown when the reader asks for more.
            next = next.min(likely(found));
        }
        let tools = found.iter().take(next).skip(from).map(pointer).collect();
        (tools, (next < found.len()).then_some(next))
    }

    /// The cursor of an offset in the answers to a request.
    fn cursor_at(&self, request: &str, offset: usize) -> String {
        format!("{}-{request}-{offset}", self.mark)
    }

    /// Returns the offset of a cursor in the answers to a request.
    fn cursor_offset(&self, request: &str, cursor: Option<&str>) -> Result<usize, DirectoryError> {
        let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) else { return Ok(0) };
        let parts: Vec<&str> = cursor.split('-').collect();
        let (mark, of, offset) = match parts[..] {
            [mark, of, offset] => (mark, of, offset.parse().ok()),
            _ => ("", "", None),
        };
        match offset {
            Some(_) if mark != self.mark => Err(DirectoryError::OldCursor),
            Some(_) if of != request => Err(DirectoryError::OtherCursor),
            Some(offset) => Ok(offset),
            None => Err(DirectoryError::NoCursor { cursor: cursor.to_owned() }),
        }
    }

    /// Refuses a path that is not there, and names the closest one that is.
    fn check_path(&self, path: &[String]) -> Result<(), DirectoryError> {
        let exists = |path: &[String]| path.is_empty() || self.nodes.iter().any(|node| node.path == path);
        if exists(path) {
            return Ok(());
        }
        let depth = (0..path.len()).rev().find(|depth| exists(&path[..*depth])).unwrap_or(0);
        let (above, missing) = (&path[..depth], &path[depth]);
        let beside =
            self.nodes.iter().filter(|node| node.path.len() == depth + 1 && node.path.starts_with(above));
        let names: Vec<&str> = beside.map(|node| node.name.as_str()).collect();
        let close = nearest_names(missing, names.iter().copied(), 3);
        let mut closest = above.to_vec();
        closest.extend(close.first().map(|name| (*name).to_owned()));
        let names = if close.is_empty() { names } else { close }.into_iter().map(str::to_owned).collect();
        let (missing, above) = (missing.clone(), above.to_vec());
        Err(DirectoryError::UnknownNode { missing, above, names, closest })
    }
}

/// A mark of what a request asks for, whatever its page: a cursor goes on with that alone.
fn request_mark(names: &[&[String]], query: &str) -> String {
    let all = json!([names, query]).to_string();
    hash::short_hash(all.as_bytes())[..8].to_owned()
}

/// Refuses a limit that no page has.
fn check_limit(limit: usize) -> Result<usize, DirectoryError> {
    match limit {
        1..=MAX_LIMIT => Ok(limit),
        _ => Err(DirectoryError::Limit { limit }),
    }
}

/// Returns the number of best matches that are worth showing on the first page.
fn likely(found: &[(usize, f64)]) -> usize {
    let unlikely = found.iter().skip(SHOWN).position(|(_, confidence)| *confidence < UNLIKELY);
    unlikely.map_or(found.len(), |at| SHOWN + at)
}

fn round_confidence(confidence: f64) -> f64 {
    (confidence * 1000.0).round() / 1000.0
}

fn pointer(path: &[String], summary: String, tags: Vec<String>) -> NodePointer {
    NodePointer { name: path.last().cloned().unwrap_or_default(), path: path.to_vec(), summary, tags }
}

/// The nodes that only tools of servers stand at or below, each with a summary that names the servers.
fn nodes_of_servers(tree: &OntologyTree, tools: &[&ToolDef]) -> Vec<NodePointer> {
    let mut servers: BTreeMap<&[String], BTreeSet<&str>> = BTreeMap::new();
    for def in tools {
        let Some(ToolRunner::Remote { mcp_server, .. }) = &def.runs else { continue };
        for path in &def.nodes {
            let unknown = (1..=path.len()).map(|end| &path[..end]).filter(|path| tree.at(path).is_none());
            for path in unknown {
                servers.entry(path).or_default().insert(mcp_server);
            }
        }
    }
    let node = |(path, servers): (&[String], BTreeSet<&str>)| {
        let names: Vec<&str> = servers.iter().copied().collect();
        let word = if names.len() == 1 { "server" } else { "servers" };
        let tags = names.iter().map(|name| name.to_lowercase()).collect();
        pointer(path, format!("Tools of the {word} {}", names.join(", ")), tags)
    };
    servers.into_iter().map(node).collect()
}
