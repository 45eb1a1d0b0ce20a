//! Statements: lists, pipelines, loops, conditions, functions.

use tree_sitter::Node;

use super::{CommandContext, CommandTail, ScriptReader, text_of};
use crate::command::{ScriptDoubt, ShellCommand, Within};
use crate::word::{ShellWord, WordKind};

impl ScriptReader {
    /// Reads a statement and its parts.
    pub(super) fn read_statement(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        if self.budget.enter_statement() {
            self.statement_inside(node, text, around);
        } else {
            self.reading.add_doubt(ScriptDoubt::TooMuch);
        }
        self.budget.leave_statement();
    }

    fn statement_inside(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        match node.kind() {
            "program" => self.statements_of(node, text, around),
            // `a && b || c`: a list nests to the left, one level a command.
            "list" => {
                let around = around.as_unsure();
                flatten_list(node).into_iter().for_each(|part| self.read_statement(part, text, &around));
            }
            "subshell" | "do_group" | "if_statement" | "elif_clause" | "else_clause" | "while_statement"
            | "negated_command" => self.statements_of(node, text, &around.as_unsure()),
            "compound_statement" => self.read_compound(node, text, around),
            "pipeline" => self.read_pipeline(node, text, around),
            "redirected_statement" => self.read_redirected(node, text, around),
            "command" => self.read_command(node, text, around),
            "declaration_command" | "unset_command" => self.read_declaration(node, text, around),
            "variable_assignment" | "variable_assignments" => self.read_assignments(node, text, around),
            "test_command" if evaluates_expression(text_of(node, text)) => {
                self.read_calculated(text_of(node, text), around)
            }
            "test_command" => self.read_loose(text_of(node, text), around),
            "for_statement" => self.for_each(node, text, around),
            "c_style_for_statement" => self.read_counted_loop(node, text, around),
            "case_statement" | "case_item" => self.read_case(node, text, around),
            "function_definition" => self.read_function(node, text, around),
            "comment" => {}
            kind if !node.is_named() && is_sign(kind) => {}
            _ => {
                self.reading.doubt_piece(text_of(node, text));
                self.statements_of(node, text, &around.as_unsure());
            }
        }
    }

    fn statements_of(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.read_statement(child, text, around);
        }
    }

    /// `{ …; }` or `(( … ))`.
    fn read_compound(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let source = text_of(node, text);
        match (source.starts_with("(("), source.ends_with("))")) {
            (true, true) => self.read_calculated(source, around),
            (false, _) => self.statements_of(node, text, around),
            (true, false) => self.reading.doubt_piece(source),
        }
    }

    fn read_pipeline(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let mut input = None;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| child.kind() != "comment") {
            let before = self.reading.commands.len();
            let around = match input.take() {
                Some(input) => around.with_construct(Within::Pipeline).with_input(input),
                None => around.as_unsure(),
            };
            self.read_statement(child, text, &around);
            input = Some(self.reading.pipe_input(before));
        }
    }

    /// A statement with redirections, which belong to its last command.
    fn read_redirected(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let mut tail = CommandTail::default();
        let mut after = Vec::new();
        let mut cursor = node.walk();
        let mut body = None;
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "file_redirect" | "herestring_redirect" => self.read_redirect(child, text, around, &mut tail),
                "heredoc_redirect" => after.extend(self.read_document(child, text, around, &mut tail)),
                "comment" => {}
                _ if body.is_none() => body = Some(child),
                _ => self.reading.doubt_piece(text_of(child, text)),
            }
        }
        let before = self.reading.commands.len();
        match (body, body.and_then(last_command)) {
            (Some(body), Some(last)) => {
                self.tails.entry(last.id()).or_default().merge_tail(tail);
                self.read_statement(body, text, around);
            }
            (body, _) => {
                let input = tail.input.take();
                self.emit_command(
                    ShellCommand { words: tail.words, redirects: tail.redirects, ..ShellCommand::default() },
                    &around.as_unsure(),
                );
                let inner = input.map_or_else(|| around.clone(), |input| around.with_input(input));
                body.into_iter().for_each(|body| self.read_statement(body, text, &inner));
            }
        }
        for (pipes, statement) in after {
            let around = match pipes {
                true => around.with_construct(Within::Pipeline).with_input(self.reading.pipe_input(before)),
                false => around.as_unsure(),
            };
            self.read_statement(statement, text, &around);
        }
    }

    fn for_each(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let name = node.child_by_field_name("variable").map(|name| text_of(name, text).to_owned());
        let mut cursor = node.walk();
        let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).collect();
        let values: Vec<ShellWord> =
            values.into_iter().flat_map(|value| self.expand_text(text_of(value, text), around)).collect();
        let name = name.unwrap_or_default();
        let known = |word: &ShellWord| word.kind != WordKind::Computed || word.listed;
        let given = node.child_by_field_name("value").is_some();
        let other = (!given || !values.iter().all(known)).then_some(None);
        self.variables
            .set_each(&name, values.iter().flat_map(ShellWord::possible_texts).map(Some).chain(other));
        self.check_name(&name, around);
        if let Some(body) = node.child_by_field_name("body") {
            self.read_statement(body, text, &around.as_unsure());
        }
    }

    fn read_counted_loop(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let Some(body) = node.child_by_field_name("body") else {
            return self.reading.doubt_piece(text_of(node, text));
        };
        let head = text.get(node.start_byte()..body.start_byte()).unwrap_or_default();
        self.read_calculated(head, around);
        self.read_statement(body, text, &around.as_unsure());
    }

    fn read_case(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let mut cursor = node.walk();
        let children: Vec<(bool, Node<'_>)> = node
            .children(&mut cursor)
            .enumerate()
            .map(|(at, child)| (child_field(node, at) == Some("value"), child))
            .collect();
        for (is_value, child) in children {
            match is_value {
                true => self.read_loose(text_of(child, text), around),
                false => self.read_statement(child, text, &around.as_unsure()),
            }
        }
    }

    fn read_function(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let name = node.child_by_field_name("name").map(|name| text_of(name, text)).unwrap_or_default();
        let Some(body) = node.child_by_field_name("body") else {
            return self.reading.doubt_piece(text_of(node, text));
        };
        self.reading.forks_without_end |= forks_itself(body, name, text, 0);
        let mut tail = CommandTail::default();
        let mut cursor = node.walk();
        let redirects: Vec<Node<'_>> = node.children_by_field_name("redirect", &mut cursor).collect();
        redirects.into_iter().for_each(|redirect| self.read_redirect(redirect, text, around, &mut tail));
        if !tail.redirects.is_empty() {
            let redirects = tail.redirects;
            self.emit_command(
                ShellCommand { redirects, ..ShellCommand::default() },
                &around.with_construct(Within::Function),
            );
        }
        self.read_statement(body, text, &around.with_construct(Within::Function));
    }
}

impl CommandTail {
    fn merge_tail(&mut self, other: Self) {
        self.words.extend(other.words);
        self.redirects.extend(other.redirects);
        self.input = other.input.or(self.input.take());
    }
}

/// The parts of a list, and of the lists at its left.
fn flatten_list(list: Node<'_>) -> Vec<Node<'_>> {
    let (mut parts, mut list) = (Vec::new(), list);
    loop {
        let mut cursor = list.walk();
        let children: Vec<Node<'_>> = list.children(&mut cursor).collect();
        parts.extend(children.iter().skip(1).rev().copied());
        match children.first() {
            Some(first) if first.kind() == "list" => list = *first,
            first => {
                parts.extend(first.copied());
                break;
            }
        }
    }
    parts.reverse();
    parts
}

/// Returns the name of a child's field.
pub(super) fn child_field<'n>(node: Node<'n>, at: usize) -> Option<&'n str> {
    node.field_name_for_child(u32::try_from(at).ok()?)
}

/// The command that a redirection after `node` belongs to.
fn last_command(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "command" | "declaration_command" | "unset_command" => Some(node),
        "pipeline" | "list" | "negated_command" => {
            let last = u32::try_from(node.named_child_count().checked_sub(1)?).ok()?;
            last_command(node.named_child(last)?)
        }
        _ => None,
    }
}

/// Returns whether a function's body pipes the function to itself: a fork bomb.
fn forks_itself(node: Node<'_>, name: &str, text: &str, depth: usize) -> bool {
    let calls = |node: Node<'_>| node.kind() == "command" && text_of(node, text).trim() == name;
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let twice = node.kind() == "pipeline" && children.iter().filter(|child| calls(**child)).count() > 1;
    let behind = children.windows(2).any(|pair| calls(pair[0]) && pair[1].kind() == "&");
    twice
        || behind
        || (depth < 50 && children.into_iter().any(|child| forks_itself(child, name, text, depth + 1)))
}

/// Returns whether a test evaluates expressions: it asks for a variable, or compares numbers.
fn evaluates_expression(test: &str) -> bool {
    const SIGNS: [&str; 8] = ["-v", "-R", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
    test.split_whitespace().any(|word| SIGNS.contains(&word))
}

/// The signs and keywords that stand between statements.
fn is_sign(kind: &str) -> bool {
    matches!(
        kind,
        ";" | ";;"
            | ";&"
            | ";;&"
            | "&"
            | "&&"
            | "||"
            | "|"
            | "|&"
            | "!"
            | "("
            | ")"
            | "{"
            | "}"
            | "\n"
            | "in"
            | "if"
            | "then"
            | "elif"
            | "else"
            | "fi"
            | "while"
            | "until"
            | "do"
            | "done"
            | "case"
            | "esac"
    )
}
