//! Statements: lists, pipelines, loops, conditions, functions.

use tree_sitter::Node;

use super::{Around, DEEPEST_STATEMENT, Reader, Tail, text_of};
use crate::command::{Doubt, ShellCommand, Within};
use crate::word::{Word, WordKind};

impl Reader {
    /// Reads a statement and what stands in it.
    pub(super) fn statement(&mut self, node: Node<'_>, text: &str, around: &Around) {
        self.statements += 1;
        if self.statements > DEEPEST_STATEMENT {
            self.doubt(Doubt::TooMuch);
        } else {
            self.statement_inside(node, text, around);
        }
        self.statements -= 1;
    }

    fn statement_inside(&mut self, node: Node<'_>, text: &str, around: &Around) {
        match node.kind() {
            "program" => self.statements_of(node, text, around),
            "list" => self.list(node, text, &around.perhaps()),
            "subshell" | "do_group" | "if_statement" | "elif_clause" | "else_clause" | "while_statement"
            | "negated_command" => self.statements_of(node, text, &around.perhaps()),
            "compound_statement" => self.compound(node, text, around),
            "pipeline" => self.pipeline(node, text, around),
            "redirected_statement" => self.redirected(node, text, around),
            "command" => self.command(node, text, around),
            "declaration_command" | "unset_command" => self.declaration(node, text, around),
            "variable_assignment" | "variable_assignments" => self.assignments(node, text, around),
            "test_command" => self.loose(text_of(node, text), around),
            "for_statement" => self.for_each(node, text, around),
            "c_style_for_statement" => self.counted(node, text, around),
            "case_statement" | "case_item" => self.case(node, text, around),
            "function_definition" => self.function(node, text, around),
            "comment" => {}
            kind if !node.is_named() && is_sign(kind) => {}
            _ => {
                self.doubt(Doubt::Syntax);
                self.statements_of(node, text, &around.perhaps());
            }
        }
    }

    fn statements_of(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.statement(child, text, around);
        }
    }

    /// `a && b || c`: a list nests to the left, one level a command.
    fn list(&mut self, node: Node<'_>, text: &str, around: &Around) {
        for part in flattened(node) {
            self.statement(part, text, around);
        }
    }

    /// `{ …; }` or `(( … ))`.
    fn compound(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let source = text_of(node, text);
        match (source.starts_with("(("), source.ends_with("))")) {
            (true, true) => self.loose(source, around),
            (false, _) => self.statements_of(node, text, around),
            (true, false) => self.doubt(Doubt::Syntax),
        }
    }

    fn pipeline(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let mut input = None;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| child.kind() != "comment") {
            let before = self.reading.commands.len();
            let around = match input.take() {
                Some(input) => around.within(Within::Pipeline).with(input),
                None => around.perhaps(),
            };
            self.statement(child, text, &around);
            input = Some(self.piped(before));
        }
    }

    /// A statement with redirections, which belong to its last command.
    fn redirected(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let mut tail = Tail::default();
        let mut after = Vec::new();
        let mut cursor = node.walk();
        let mut body = None;
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "file_redirect" | "herestring_redirect" => self.redirect(child, text, around, &mut tail),
                "heredoc_redirect" => after.extend(self.document(child, text, around, &mut tail)),
                "comment" => {}
                _ if body.is_none() => body = Some(child),
                _ => self.doubt(Doubt::Syntax),
            }
        }
        let before = self.reading.commands.len();
        match (body, body.and_then(last_command)) {
            (Some(body), Some(last)) => {
                self.tails.entry(last.id()).or_default().add(tail);
                self.statement(body, text, around);
            }
            (body, _) => {
                let input = tail.input.take();
                self.emit(
                    ShellCommand { words: tail.words, redirects: tail.redirects, ..ShellCommand::default() },
                    &around.perhaps(),
                );
                let inner = input.map_or_else(|| around.clone(), |input| around.with(input));
                body.into_iter().for_each(|body| self.statement(body, text, &inner));
            }
        }
        for (pipes, statement) in after {
            let around = match pipes {
                true => around.within(Within::Pipeline).with(self.piped(before)),
                false => around.perhaps(),
            };
            self.statement(statement, text, &around);
        }
    }

    fn for_each(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let name = node.child_by_field_name("variable").map(|name| text_of(name, text).to_owned());
        let mut cursor = node.walk();
        let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).collect();
        let values: Vec<Word> =
            values.into_iter().flat_map(|value| self.words(text_of(value, text), around)).collect();
        let name = name.unwrap_or_default();
        let known = |word: &Word| word.kind != WordKind::Computed || word.listed;
        let given = node.child_by_field_name("value").is_some();
        let other = (!given || !values.iter().all(known)).then_some(None);
        self.variables.list(&name, values.iter().flat_map(Word::texts).map(Some).chain(other));
        self.check_name(&name, around);
        if let Some(body) = node.child_by_field_name("body") {
            self.statement(body, text, &around.perhaps());
        }
    }

    fn counted(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let Some(body) = node.child_by_field_name("body") else { return self.doubt(Doubt::Syntax) };
        let head = text.get(node.start_byte()..body.start_byte()).unwrap_or_default();
        self.loose(head, around);
        self.statement(body, text, &around.perhaps());
    }

    fn case(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let mut cursor = node.walk();
        let children: Vec<(bool, Node<'_>)> = node
            .children(&mut cursor)
            .enumerate()
            .map(|(at, child)| (field(node, at) == Some("value"), child))
            .collect();
        for (is_value, child) in children {
            match is_value {
                true => self.loose(text_of(child, text), around),
                false => self.statement(child, text, &around.perhaps()),
            }
        }
    }

    fn function(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let name = node.child_by_field_name("name").map(|name| text_of(name, text)).unwrap_or_default();
        let Some(body) = node.child_by_field_name("body") else { return self.doubt(Doubt::Syntax) };
        self.reading.forks_without_end |= multiplies(body, name, text, 0);
        let mut tail = Tail::default();
        let mut cursor = node.walk();
        let redirects: Vec<Node<'_>> = node.children_by_field_name("redirect", &mut cursor).collect();
        redirects.into_iter().for_each(|redirect| self.redirect(redirect, text, around, &mut tail));
        if !tail.redirects.is_empty() {
            let redirects = tail.redirects;
            self.emit(
                ShellCommand { redirects, ..ShellCommand::default() },
                &around.within(Within::Function),
            );
        }
        self.statement(body, text, &around.within(Within::Function));
    }
}

impl Tail {
    fn add(&mut self, other: Self) {
        self.words.extend(other.words);
        self.redirects.extend(other.redirects);
        self.input = other.input.or(self.input.take());
    }
}

/// The parts of a list, and of the lists at its left.
fn flattened(list: Node<'_>) -> Vec<Node<'_>> {
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

/// The name of the field that a child stands in.
pub(super) fn field<'n>(node: Node<'n>, at: usize) -> Option<&'n str> {
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

/// Whether a function's body pipes the function to itself: a fork bomb.
fn multiplies(node: Node<'_>, name: &str, text: &str, depth: usize) -> bool {
    let calls = |node: Node<'_>| node.kind() == "command" && text_of(node, text).trim() == name;
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let twice = node.kind() == "pipeline" && children.iter().filter(|child| calls(**child)).count() > 1;
    let behind = children.windows(2).any(|pair| calls(pair[0]) && pair[1].kind() == "&");
    twice
        || behind
        || (depth < 50 && children.into_iter().any(|child| multiplies(child, name, text, depth + 1)))
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
