//! The syntax tree of a script, and whether it covers the script as bash would.

use std::ops::ControlFlow;
use std::time::Instant;

use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Parses a script; nothing where it takes too long.
pub(super) fn parsed(text: &str, until: Instant) -> Option<Tree> {
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

/// Whether what stands between the parts of statements separates them for bash too: blanks, ends of lines, comments
/// that begin where a word would.
pub(super) fn covers(root: Node<'_>, text: &str) -> bool {
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
            if !is_blank(gap) || was_word && is_word && !separates(gap) {
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

/// Whether a node's parts are statements, words and operators, with blanks between them.
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

fn separates(gap: &str) -> bool {
    !gap.replace("\\\n", "").is_empty()
}

/// Whether a comment begins where bash would begin one.
fn is_comment(node: Node<'_>, text: &str) -> bool {
    let before = text.get(..node.start_byte()).and_then(|before| before.chars().next_back());
    before.is_none_or(|c| " \t\n;&|()".contains(c))
}
