//! The operations on a catalogue: what stands at a node, which tools and nodes answer a request.

use super::error::DirectoryError;
use super::{Index, ToolItem};
use crate::base::hash;
use crate::base::nearest::nearest;
use crate::catalogue::{ToolDef, TreeNode, tree};
use crate::protocol::{
    ListToolsAnswer, ListToolsParams, MOST, NodeMatch, NodePointer, SearchNodesAnswer, SearchNodesParams,
    SearchToolsAnswer, SearchToolsParams, ToolPointer,
};

/// Results that the first page shows however unlikely they are, if so many are asked for.
const SHOWN: usize = 5;
/// Less than this confidence, and a result behind those is left to the next page.
const UNLIKELY: f64 = 0.02;

/// Tools under their nodes, ready to be looked through.
#[derive(Debug)]
pub struct Directory {
    index: Index,
    /// Every node, those above before those below.
    nodes: Vec<NodePointer>,
    /// Changes with the catalogue: a cursor of another one is known by it.
    mark: String,
}

impl Directory {
    /// A directory of our own and the user's definitions, under the nodes of `schemas/tree.yaml`.
    pub fn of_definitions<'a>(tools: impl IntoIterator<Item = &'a ToolDef>) -> Self {
        let mut nodes = Vec::new();
        add_nodes(tree(), &[], &mut nodes);
        let item = |def: &ToolDef| {
            let mut under = Vec::new();
            find_category(tree(), &def.category, &[], &mut under);
            under.extend(def.nodes.iter().filter(|node| !under.contains(node)).cloned().collect::<Vec<_>>());
            ToolItem::of(def, under)
        };
        Self::new(tools.into_iter().map(item).collect(), nodes)
    }

    /// A directory of these tools; `nodes` says what is known of nodes, and others come from the tools' paths.
    pub fn new(items: Vec<ToolItem>, mut nodes: Vec<NodePointer>) -> Self {
        let mut known: std::collections::HashSet<Vec<String>> =
            nodes.iter().map(|node| node.path.clone()).collect();
        let mut mark = String::new();
        for item in &items {
            mark.push_str(&item.id);
            mark.push('\n');
            for path in &item.nodes {
                // Where a node is known, those above it are.
                let unknown = (1..=path.len()).rev().take_while(|end| !known.contains(&path[..*end]));
                for end in unknown.collect::<Vec<_>>().into_iter().rev() {
                    if known.insert(path[..end].to_vec()) {
                        nodes.push(NodePointer {
                            name: path[end - 1].clone(),
                            path: path[..end].to_vec(),
                            summary: String::new(),
                            tags: Vec::new(),
                        });
                    }
                }
            }
        }
        let mark = hash::short(mark.as_bytes())[..8].to_owned();
        Self { index: Index::new(items), nodes, mark }
    }

    /// What stands at a node: the nodes below it and, a page at a time, its tools.
    ///
    /// # Errors
    /// UNKNOWN_PATH with the closest node there is; STALE for a cursor of a catalogue that has changed.
    pub fn list(
        &self,
        params: &ListToolsParams,
        cosines: Option<&[f32]>,
    ) -> Result<ListToolsAnswer, DirectoryError> {
        self.check(&params.path)?;
        let from = self.offset(params.cursor.as_deref())?;
        // Before the best are picked: what is not meant takes no place among them.
        let tagged = |item: &ToolItem| params.tags.iter().all(|tag| item.tags.contains(tag));
        let meant = |item: &ToolItem| item.is_under(&params.path) && tagged(item);
        let found: Vec<(usize, f64)> = match params.query.as_deref().filter(|query| !query.trim().is_empty())
        {
            Some(query) => {
                let all = self.index.search_among(query, cosines, usize::MAX, meant);
                all.into_iter().map(|found| (found.item, found.confidence)).collect()
            }
            None => {
                let all = self.index.items().iter().enumerate().filter(|(_, item)| meant(item));
                all.map(|(at, _)| (at, 1.0)).collect()
            }
        };
        let depth = params.path.len() + 1;
        let below = |node: &&NodePointer| node.path.len() == depth && node.path.starts_with(&params.path);
        let (tools, next_cursor) = self.page(&found, from, params.limit, &params.path);
        let nodes = self.nodes.iter().filter(below).cloned().collect();
        Ok(ListToolsAnswer { path: params.path.clone(), nodes, tools, next_cursor })
    }

    /// The tools under a node that answer a request, best first; `cosines` as for [`Index::search`].
    ///
    /// # Errors
    /// UNKNOWN_PATH; NO_MATCH_IN_CATEGORY with the nodes where there is something; STALE for an old cursor.
    pub fn search(
        &self,
        params: &SearchToolsParams,
        cosines: Option<&[f32]>,
    ) -> Result<SearchToolsAnswer, DirectoryError> {
        self.check(&params.category_path)?;
        let from = self.offset(params.cursor.as_deref())?;
        let found = self.index.search(&params.query, cosines, &params.category_path, usize::MAX);
        if found.is_empty() {
            return Err(self.no_match(params, cosines));
        }
        let found: Vec<_> = found.into_iter().map(|found| (found.item, found.confidence)).collect();
        let (results, next_cursor) = self.page(&found, from, params.limit, &params.category_path);
        Ok(SearchToolsAnswer { category_path: params.category_path.clone(), results, next_cursor })
    }

    /// The names of the tools that the words of a request ask for, likeliest first.
    pub fn by_words(&self, request: &str) -> Vec<&str> {
        let found = self.index.search(request, None, &[], usize::MAX);
        found
            .into_iter()
            .filter_map(|found| self.index.items().get(found.item))
            .map(|item| item.id.as_str())
            .collect()
    }

    /// The nodes that may hold what a request asks for, likeliest first; `cosines` as for [`Index::search`].
    pub fn search_nodes(&self, params: &SearchNodesParams, cosines: Option<&[f32]>) -> SearchNodesAnswer {
        let found = self.index.search_nodes(&params.query, cosines, params.limit.min(MOST));
        let result = |path: &[String], confidence: f64| {
            let node = self.nodes.iter().find(|node| node.path == path);
            let summary = node.map(|node| node.summary.clone()).unwrap_or_default();
            NodeMatch { path: path.to_vec(), summary, confidence: rounded(confidence) }
        };
        let results = found.into_iter().map(|found| result(found.path, found.confidence)).collect();
        SearchNodesAnswer { results }
    }

    /// Its tools, in the order of their cosines.
    pub fn items(&self) -> &[ToolItem] {
        self.index.items()
    }

    /// The first node that a tool stands under.
    pub fn path_of(&self, id: &str) -> Vec<String> {
        let item = self.index.items().iter().find(|item| item.id == id);
        item.and_then(|item| item.nodes.first()).cloned().unwrap_or_default()
    }

    fn page(
        &self,
        found: &[(usize, f64)],
        from: usize,
        limit: usize,
        within: &[String],
    ) -> (Vec<ToolPointer>, Option<String>) {
        let limit = limit.clamp(1, MOST);
        let pointer = |(item, confidence): &(usize, f64)| {
            let item = &self.index.items()[*item];
            // Of several nodes the one asked for is shown.
            let path = item.nodes.iter().find(|node| node.starts_with(within)).or(item.nodes.first());
            ToolPointer {
                tool_id: item.id.clone(),
                path: path.cloned().unwrap_or_default(),
                summary: item.summary.clone(),
                tags: item.tags.clone(),
                confidence: rounded(*confidence),
            }
        };
        let mut next = from.saturating_add(limit);
        if from == 0 {
            // What is hardly it costs a reader more than it is worth; who asks on is shown it.
            let unlikely = found.iter().skip(SHOWN).position(|(_, confidence)| *confidence < UNLIKELY);
            next = next.min(unlikely.map_or(next, |at| SHOWN + at));
        }
        let tools = found.iter().take(next).skip(from).map(pointer).collect();
        (tools, (next < found.len()).then(|| format!("{}-{next}", self.mark)))
    }

    /// Where a cursor goes on.
    fn offset(&self, cursor: Option<&str>) -> Result<usize, DirectoryError> {
        let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) else { return Ok(0) };
        let parsed = cursor.split_once('-').and_then(|(mark, from)| Some((mark, from.parse().ok()?)));
        match parsed {
            Some((mark, from)) if mark == self.mark => Ok(from),
            Some(_) => Err(DirectoryError::OldCursor),
            None => Err(DirectoryError::NoCursor { cursor: cursor.to_owned() }),
        }
    }

    /// Refuses a path that is not there, and names the closest one that is.
    fn check(&self, path: &[String]) -> Result<(), DirectoryError> {
        let exists = |path: &[String]| path.is_empty() || self.nodes.iter().any(|node| node.path == path);
        if exists(path) {
            return Ok(());
        }
        let depth = (0..path.len()).rev().find(|depth| exists(&path[..*depth])).unwrap_or(0);
        let (above, missing) = (&path[..depth], &path[depth]);
        let beside =
            self.nodes.iter().filter(|node| node.path.len() == depth + 1 && node.path.starts_with(above));
        let names: Vec<&str> = beside.map(|node| node.name.as_str()).collect();
        let close = nearest(missing, names.iter().copied(), 3);
        let mut closest = above.to_vec();
        closest.extend(close.first().map(|name| (*name).to_owned()));
        let names = if close.is_empty() { names } else { close }.into_iter().map(str::to_owned).collect();
        let (missing, above) = (missing.clone(), above.to_vec());
        Err(DirectoryError::UnknownNode { missing, above, names, closest })
    }

    fn no_match(&self, params: &SearchToolsParams, cosines: Option<&[f32]>) -> DirectoryError {
        let elsewhere = self.index.search_nodes(&params.query, cosines, 3);
        DirectoryError::NoMatch {
            asked: params.query.chars().take(100).collect(),
            category: params.category_path.clone(),
            elsewhere: elsewhere.into_iter().map(|found| found.path.to_vec()).collect(),
        }
    }
}

fn rounded(confidence: f64) -> f64 {
    (confidence * 1000.0).round() / 1000.0
}

fn add_nodes(nodes: &[TreeNode], above: &[String], all: &mut Vec<NodePointer>) {
    for node in nodes {
        let path = [above, std::slice::from_ref(&node.name)].concat();
        all.push(NodePointer {
            name: node.name.clone(),
            path: path.clone(),
            summary: node.summary.clone(),
            tags: node.tags.clone(),
        });
        add_nodes(&node.nodes, &path, all);
    }
}

/// The nodes that list a category.
fn find_category(nodes: &[TreeNode], category: &str, above: &[String], found: &mut Vec<Vec<String>>) {
    for node in nodes {
        let path = [above, std::slice::from_ref(&node.name)].concat();
        if node.categories.iter().any(|own| own == category) {
            found.push(path.clone());
        }
        find_category(&node.nodes, category, &path, found);
    }
}
