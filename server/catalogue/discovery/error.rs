//! The errors of looking through a catalogue, and their faults.

use serde_json::json;
use thiserror::Error;

use super::no_match::{join_paths, make_list_action};
use crate::protocol::{Code, Fault, MAX_LIMIT};

/// The reasons why a directory has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DirectoryError {
    /// The cursor was given for another catalogue.
    #[error("the catalogue has changed since this cursor was given")]
    OldCursor,
    /// The cursor is of another request.
    #[error(
        "the cursor is of another request: it goes on with the path, the tags and the query that it came with"
    )]
    OtherCursor,
    /// The text is no cursor.
    #[error("{cursor:?} is no cursor of this server's")]
    NoCursor {
        /// The text.
        cursor: String,
    },
    /// The limit is none that a page has.
    #[error("`limit` is a number from 1 to {MAX_LIMIT}, not {limit}")]
    Limit {
        /// The limit.
        limit: usize,
    },
    /// A path leads to no node.
    #[error("there is no node {missing:?} {}", node_place(above, "at the root"))]
    UnknownNode {
        /// The first name on the path that no node has.
        missing: String,
        /// The node above it.
        above: Vec<String>,
        /// The names of the nodes below that one: the nearest, or all where none is near.
        names: Vec<String>,
        /// The closest node.
        closest: Vec<String>,
    },
    /// No tool under a node answers the request.
    #[error("no tool answers {asked:?} {}: {lack}", node_place(category, "in the catalogue"))]
    NoMatch {
        /// The request, cut.
        asked: String,
        /// The lack of the tools.
        lack: String,
        /// The node.
        category: Vec<String>,
        /// The nodes whose tools answer it, likeliest first.
        elsewhere: Vec<Vec<String>>,
        /// The nodes nearest to it, where none answers it.
        near: Vec<Vec<String>>,
        /// The root's nodes.
        roots: Vec<String>,
    },
}

/// Names the location of a node, for a sentence.
fn node_place(path: &[String], root: &str) -> String {
    if path.is_empty() { root.to_owned() } else { format!("under {}", path.join(" / ")) }
}

impl From<DirectoryError> for Fault {
    fn from(error: DirectoryError) -> Self {
        let message = error.to_string();
        match error {
            DirectoryError::OldCursor => {
                Self::new(Code::Stale, message).with_suggestion("ask again without a cursor")
            }
            DirectoryError::Limit { .. } => Self::new(Code::InvalidArgs, message)
                .with_suggestion("take a limit within, and go on from `next_cursor`"),
            DirectoryError::OtherCursor => {
                Self::new(Code::InvalidArgs, message).with_suggestion("ask for this without a cursor first")
            }
            DirectoryError::NoCursor { .. } => Self::new(Code::InvalidArgs, message)
                .with_suggestion("send the `next_cursor` of an earlier answer as it came, or none"),
            DirectoryError::UnknownNode { names, closest, .. } => Self::new(Code::UnknownPath, message)
                .with_hints(names)
                .with_suggestion("list the closest node, or search_nodes for what you want")
                .with_next_action(json!({ "tool": "list", "arguments": { "path": closest } })),
            DirectoryError::NoMatch { asked, elsewhere, near, roots, .. } => {
                let fault =
                    Self::new(Code::NoMatchInCategory, message).with_near_names(join_paths(&elsewhere));
                match elsewhere.first() {
                    Some(best) => fault
                        .with_suggestion("search under one of the nodes in `hints`")
                        .with_next_action(json!({
                            "tool": "search_tool_by_category",
                            "arguments": { "query": asked, "category_path": best },
                        })),
                    None => fault
                        .with_hints(if near.is_empty() { roots } else { join_paths(&near) })
                        .with_suggestion("list one of the nodes in `hints`, or say it in other words")
                        .with_next_action(make_list_action(near.first().map(Vec::as_slice))),
                }
            }
        }
    }
}
