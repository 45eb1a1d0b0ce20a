//! The nodes of an object or a list, put together anew with a member more or a member less.

use std::ops::Range;

use jsonc_parser::cst::{CstLeafNode, CstNode};

use super::layout::LayoutStyle;

/// An object or a list.
pub(super) struct Group {
    node: CstNode,
    nodes: Vec<CstNode>,
    /// Where its members stand among the nodes.
    members: Vec<usize>,
}

impl Group {
    pub(super) fn of(node: CstNode) -> Self {
        let nodes = node.children();
        let is_member = |node: &CstNode| !node.is_token() && !is_blank(node) && !node.is_comment();
        let members = (0..nodes.len()).filter(|at| is_member(&nodes[*at])).collect();
        Self { node, nodes, members }
    }

    /// Whether nothing stands in it, not even a comment. A value that is no object and no list holds something.
    pub(super) fn is_bare(&self) -> bool {
        !self.nodes.is_empty() && self.nodes.iter().all(|node| node.is_token() || is_blank(node))
    }

    /// The text with a member behind the others. `render` lays it out, by the blanks its line begins with and whether
    /// members have lines of their own.
    pub(super) fn insert(
        &self,
        text: &str,
        style: &LayoutStyle,
        render: impl Fn(&str, bool) -> String,
    ) -> String {
        let around = indentation(text, start(&self.node));
        let last = self.members.last().copied();
        let spread = match last {
            Some(_) => self.node.to_string().contains('\n'),
            None => style.spread,
        };
        let indent = last.and_then(|last| self.own_line(last));
        let indent = indent.unwrap_or_else(|| format!("{around}{}", style.unit));
        let member = render(&indent, spread);
        let lead = if spread { format!("{}{indent}", style.newline) } else { " ".to_owned() };
        let new = match last {
            Some(last) => self.behind(last, &format!("{lead}{member}")),
            None => self.inside(&lead, &member, &(spread.then(|| format!("{}{around}", style.newline)))),
        };
        replaced(text, &self.node, &new)
    }

    /// With a member behind the last one, and behind the comments that begin on the last one's line.
    fn behind(&self, last: usize, member: &str) -> String {
        let comma = self.comma(last);
        let (before, after) = if comma.is_some() { ("", ",") } else { (",", "") };
        let end = comma.unwrap_or(last);
        let on_line =
            self.nodes[end + 1..].iter().take_while(|node| node.is_whitespace() || node.is_comment());
        let comments = on_line.enumerate().filter(|(_, node)| node.is_comment()).last();
        let at = comments.map_or(end, |(beyond, _)| end + 1 + beyond) + 1;
        let part = |range: Range<usize>| joined(&self.nodes[range]);
        let (name, whole) = (last + 1, self.nodes.len());
        [&part(0..name), before, &part(name..at), member, after, &part(at..whole)].concat()
    }

    /// With a member where there was none, behind the comments. `end` stands before the bracket where members have
    /// lines of their own.
    fn inside(&self, lead: &str, member: &str, end: &Option<String>) -> String {
        let nodes = &self.nodes;
        let close = nodes.len().saturating_sub(1);
        let at = nodes.iter().rposition(CstNode::is_comment).map_or(1, |comment| comment + 1);
        let rest = joined(&nodes[at..close]);
        let (lead, rest) = match end {
            Some(_) if rest.contains('\n') => (lead, rest.as_str()),
            Some(end) => (lead, end.as_str()),
            None if at == 1 => ("", ""),
            None => (lead, ""),
        };
        [&joined(&nodes[..at]), lead, member, rest, &joined(&nodes[close..])].concat()
    }

    /// The text without a member, without the blanks before it and the comma that is needed no more: its own, else,
    /// since the last member needs none, the one before it.
    pub(super) fn without(&self, text: &str, member: &CstNode) -> String {
        let nodes = &self.nodes;
        let at = member.child_index();
        let from = nodes[..at].iter().rposition(|node| !is_blank(node)).map_or(0, |before| before + 1);
        let comma = self.comma(at).or_else(|| nodes[..at].iter().rposition(CstNode::is_comma));
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
                let (is_open, rest) = (head.last().is_some_and(is_line_comment), joined(&rest));
                // A comment to the end of its line must not swallow what follows.
                let swallows = is_open && rest.lines().next().is_some_and(|line| !line.trim().is_empty());
                [joined(&head).as_str(), if swallows { "\n" } else { "" }, &rest].concat()
            }
        };
        replaced(text, &self.node, &new)
    }

    /// The comma behind a member.
    fn comma(&self, member: usize) -> Option<usize> {
        let trivia = |node: &CstNode| is_blank(node) || node.is_comment();
        let next = self.nodes[member + 1..].iter().position(|node| !trivia(node))? + member + 1;
        self.nodes[next].is_comma().then_some(next)
    }

    /// The blanks before a member that is the first on its line; nothing where something stands before it.
    fn own_line(&self, member: usize) -> Option<String> {
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

fn joined(nodes: &[CstNode]) -> String {
    nodes.iter().map(CstNode::to_string).collect()
}

/// The text with another one in a node's place.
pub(super) fn replaced(text: &str, node: &CstNode, new: &str) -> String {
    let start = start(node);
    [&text[..start], new, &text[start + node.to_string().len()..]].concat()
}

/// Where a node begins in the text.
pub(super) fn start(node: &CstNode) -> usize {
    let before: usize = node.previous_siblings().map(|sibling| sibling.to_string().len()).sum();
    before + node.parent().map_or(0, |parent| start(&CstNode::Container(parent)))
}

/// The blanks that the line of a place begins with.
pub(super) fn indentation(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    &line[..line.len() - line.trim_start().len()]
}
