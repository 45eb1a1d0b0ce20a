//! The nodes of an object or a list, rebuilt with one member more or less.

use std::ops::Range;

use jsonc_parser::cst::{CstLeafNode, CstNode};

use super::layout::LayoutStyle;

/// An object or a list.
pub(super) struct NodeGroup {
    node: CstNode,
    nodes: Vec<CstNode>,
    /// The indexes of its members among the nodes.
    members: Vec<usize>,
}

impl NodeGroup {
    pub(super) fn of(node: CstNode) -> Self {
        let nodes = node.children();
        let is_member = |node: &CstNode| !node.is_token() && !is_blank(node) && !node.is_comment();
        let members = (0..nodes.len()).filter(|at| is_member(&nodes[*at])).collect();
        Self { node, nodes, members }
    }

    /// Returns whether it is empty, without even a comment. A value that is no object and no list is not empty.
    pub(super) fn is_bare(&self) -> bool {
        !self.nodes.is_empty() && self.nodes.iter().all(|node| node.is_token() || is_blank(node))
    }

    /// The text with a member behind the others. `render` lays it out, by the blanks its line begins with and whether
    /// members have lines of their own.
    pub(super) fn insert_member(
        &self,
        text: &str,
        style: &LayoutStyle,
        render: impl Fn(&str, bool) -> String,
    ) -> String {
        let around = line_indentation(text, node_start(&self.node));
        let last = self.members.last().copied();
        let spread = match last {
            Some(_) => self.node.to_string().contains('\n'),
            None => style.spread,
        };
        let indent = last.and_then(|last| self.line_indent(last));
        let indent = indent.unwrap_or_else(|| format!("{around}{}", style.unit));
        let member = render(&indent, spread);
        let lead = if spread { format!("{}{indent}", style.newline) } else { " ".to_owned() };
        let new = match last {
            Some(last) => self.append_after_last(last, &format!("{lead}{member}")),
            None => {
                self.append_first(&lead, &member, &(spread.then(|| format!("{}{around}", style.newline))))
            }
        };
        replace_node(text, &self.node, &new)
    }

    /// With a member behind the last one, and behind the comments that begin on the last one's line.
    fn append_after_last(&self, last: usize, member: &str) -> String {
        let comma = self.comma_after(last);
        let (before, after) = if comma.is_some() { ("", ",") } else { (",", "") };
        let end = comma.unwrap_or(last);
        let on_line =
            self.nodes[end + 1..].iter().take_while(|node| node.is_whitespace() || node.is_comment());
        let comments = on_line.enumerate().filter(|(_, node)| node.is_comment()).last();
        let at = comments.map_or(end, |(beyond, _)| end + 1 + beyond) + 1;
        let part = |range: Range<usize>| join_nodes(&self.nodes[range]);
        let (name, whole) = (last + 1, self.nodes.len());
        [&part(0..name), before, &part(name..at), member, after, &part(at..whole)].concat()
    }

    /// Inserts the first member, after the comments. `end` is the text before the bracket if members have lines of their own.
    fn append_first(&self, lead: &str, member: &str, end: &Option<String>) -> String {
        let nodes = &self.nodes;
        let close = nodes.len().saturating_sub(1);
        let at = nodes.iter().rposition(CstNode::is_comment).map_or(1, |comment| comment + 1);
        let rest = join_nodes(&nodes[at..close]);
        let (lead, rest) = match end {
            Some(_) if rest.contains('\n') => (lead, rest.as_str()),
            Some(end) => (lead, end.as_str()),
            None if at == 1 => ("", ""),
            None => (lead, ""),
        };
        [&join_nodes(&nodes[..at]), lead, member, rest, &join_nodes(&nodes[close..])].concat()
    }

    /// The text without a member, its leading blanks, and the comma that is not needed any more: its own, or for the
    /// last member the one before it.
    pub(super) fn without_member(&self, text: &str, member: &CstNode) -> String {
        let nodes = &self.nodes;
        let at = member.child_index();
        let from = nodes[..at].iter().rposition(|node| !is_blank(node)).map_or(0, |before| before + 1);
        let comma = self.comma_after(at).or_else(|| nodes[..at].iter().rposition(CstNode::is_comma));
        let part = |range: Range<usize>| -> Vec<CstNode> {
            range.filter(|at| Some(*at) != comma).map(|at| nodes[at].clone()).collect()
        };
        let (head, rest) = (part(0..from), part(at + 1..nodes.len()));
        let new = match head.iter().chain(&rest).all(|node| is_blank(node) || node.is_token()) {
            true if !head.iter().chain(&rest).any(CstNode::is_comma) => {
                [&head[..1], &rest[rest.len().saturating_sub(1)..]]
                    .concat()
                    .iter()
                    .map(CstNode::to_string)
                    .collect()
            }
            _ => {
                let (is_open, rest) = (head.last().is_some_and(is_line_comment), join_nodes(&rest));
                // A line comment must not swallow the rest.
                let swallows = is_open && rest.lines().next().is_some_and(|line| !line.trim().is_empty());
                [join_nodes(&head).as_str(), if swallows { "\n" } else { "" }, &rest].concat()
            }
        };
        replace_node(text, &self.node, &new)
    }

    /// The comma behind a member.
    fn comma_after(&self, member: usize) -> Option<usize> {
        let trivia = |node: &CstNode| is_blank(node) || node.is_comment();
        let next = self.nodes[member + 1..].iter().position(|node| !trivia(node))? + member + 1;
        self.nodes[next].is_comma().then_some(next)
    }

    /// The indentation of a member that is the first on its line; none if other text is before it.
    fn line_indent(&self, member: usize) -> Option<String> {
        let at_margin =
            || self.nodes[..member].last().filter(|node| node.is_newline()).map(|_| String::new());
        self.nodes[member].indent_text().or_else(at_margin)
    }
}

fn is_blank(node: &CstNode) -> bool {
    node.is_whitespace() || node.is_newline()
}

fn is_line_comment(node: &CstNode) -> bool {
    matches!(node, CstNode::Leaf(CstLeafNode::Comment(comment)) if comment.is_line_comment())
}

fn join_nodes(nodes: &[CstNode]) -> String {
    nodes.iter().map(CstNode::to_string).collect()
}

/// The text with another one in a node's place.
pub(super) fn replace_node(text: &str, node: &CstNode, new: &str) -> String {
    let start = node_start(node);
    [&text[..start], new, &text[start + node.to_string().len()..]].concat()
}

/// The offset of a node in the text.
pub(super) fn node_start(node: &CstNode) -> usize {
    let before: usize = node.previous_siblings().map(|sibling| sibling.to_string().len()).sum();
    before + node.parent().map_or(0, |parent| node_start(&CstNode::Container(parent)))
}

/// The blanks that the line of a place begins with.
pub(super) fn line_indentation(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    &line[..line.len() - line.trim_start().len()]
}
