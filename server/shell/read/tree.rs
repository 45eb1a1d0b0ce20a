//! The syntax tree of a script, and whether it covers the script as bash would.

use std::ops::ControlFlow;
use std::time::Instant;

use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Parses a script; `None` if it takes too long.
pub(super) fn parse_tree(text: &str, until: Instant) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut in_time = |_: &tree_sitter::ParseState| match Instant::now() > until {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let bytes = text.as_bytes();
    let mut rest = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut in_time);
    parser.parse_with_options(&mut rest, None, Some(options))
}

/// The line of the first part that is no valid script; the whole text if none is marked.
pub(super) fn broken_line<'a>(root: Node<'_>, text: &'a str) -> &'a str {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        if node.is_error() || node.is_missing() {
            let start =
                text.get(..node.start_byte()).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
            return text.get(start..).unwrap_or(text);
        }
        let mut cursor = node.walk();
        let broken: Vec<_> =
            node.children(&mut cursor).filter(|child| child.has_error() || child.is_missing()).collect();
        waiting.extend(broken.into_iter().rev());
    }
    text
}

/// Returns whether the text between the parts of statements separates them for bash too: blanks, ends of lines,
/// comments that begin at the start of a word.
pub(super) fn covers_text(root: Node<'_>, text: &str) -> bool {
    let outer = [0..root.start_byte(), root.end_byte()..text.len()];
    outer.into_iter().all(|gap| text.get(gap).is_some_and(is_blank)) && covers_below(root, text)
}

/// Looks at the parts of one statement after the other. A list nests to the left, one level a command, so the
/// statements that wait stand in a list and not on the stack.
fn covers_below(root: Node<'_>, text: &str) -> bool {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        let (mut end, mut was_word) = (node.start_byte(), false);
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            let gap = text.get(end..child.start_byte()).unwrap_or("\0");
            let is_word = is_word(child.kind());
            if !is_blank(gap) || was_word && is_word && !is_separator(gap) {
                return false;
            }
            if child.kind() == "comment" && !is_comment(child, text) {
                return false;
            }
            if is_statement(child.kind()) {
                waiting.push(child);
            }
            (end, was_word) = (child.end_byte(), is_word);
        }
        if !text.get(end..node.end_byte()).is_some_and(is_blank) {
            return false;
        }
    }
    true
}

/// Returns whether a node's parts are statements, words and operators, with blanks between them.
fn is_statement(kind: &str) -> bool {
    matches!(
        kind,
        "program"
            | "redirected_statement"
            | "for_statement"
            | "while_statement"
            | "do_group"
            | "if_statement"
            | "elif_clause"
            | "else_clause"
            | "case_statement"
            | "case_item"
            | "function_definition"
            | "subshell"
            | "pipeline"
            | "list"
            | "negated_command"
            | "declaration_command"
            | "unset_command"
            | "command"
            | "variable_assignments"
            | "file_redirect"
            | "herestring_redirect"
    ) || kind == "compound_statement"
}

fn is_word(kind: &str) -> bool {
    matches!(
        kind,
        "word"
            | "string"
            | "raw_string"
            | "ansi_c_string"
            | "translated_string"
            | "number"
            | "expansion"
            | "simple_expansion"
            | "command_substitution"
            | "process_substitution"
            | "arithmetic_expansion"
            | "brace_expression"
            | "concatenation"
            | "command_name"
            | "variable_assignment"
            | "variable_name"
    )
}

/// Blanks and ends of lines, as bash has them: a carriage return is none.
fn is_blank(gap: &str) -> bool {
    gap.replace("\\\n", "").chars().all(|c| matches!(c, ' ' | '\t' | '\n'))
}

fn is_separator(gap: &str) -> bool {
    !gap.replace("\\\n", "").is_empty()
}

/// Returns whether a comment begins at a position where bash would begin one.
fn is_comment(node: Node<'_>, text: &str) -> bool {
    let before = text.get(..node.start_byte()).and_then(|before| before.chars().next_back());
    before.is_none_or(|c| " \t\n;&|()".contains(c))
}
