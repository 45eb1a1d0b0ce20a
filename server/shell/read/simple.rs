//! Simple commands: words, assignments, redirections.

use tree_sitter::Node;

use super::statement::child_field;
use super::{CommandContext, CommandTail, ScriptReader, text_of};
use crate::command::{CommandInput, RedirectKind, ShellCommand, StreamRedirect, VariableAssignment};
use crate::word::ShellWord;

/// Words that bash takes for its grammar where a command begins; the parser takes some for names of commands.
const RESERVED: [&str; 17] = [
    "{", "}", "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "select", "function", "[[",
];

impl ScriptReader {
    pub(super) fn read_command(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let mut command = ShellCommand { input: around.input.clone(), ..ShellCommand::default() };
        let mut tail = CommandTail::default();
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for (at, child) in children.into_iter().enumerate() {
            match (child.kind(), child_field(node, at)) {
                ("variable_assignment", _) => {
                    command.assignments.extend(self.read_assignment(child, text, around))
                }
                ("file_redirect" | "herestring_redirect", _) => {
                    self.read_redirect(child, text, around, &mut tail)
                }
                ("comment", _) => {}
                ("subshell", _) => {
                    self.reading.doubt_piece(text_of(child, text));
                    self.read_statement(child, text, around);
                }
                (kind, _) => {
                    let source = text_of(child, text);
                    let is_name = kind == "command_name";
                    let reserved = is_name || runs_words(command.program());
                    if reserved && RESERVED.contains(&source) {
                        self.reading.doubt_piece(text_of(node, text));
                    }
                    let words = self.expand_text(source, around);
                    command.words.extend(words);
                }
            }
        }
        self.complete_command(command, tail, node, around);
    }

    /// Adds the context of a command, and takes it into the list.
    fn complete_command(
        &mut self,
        mut command: ShellCommand,
        mut tail: CommandTail,
        node: Node<'_>,
        around: &CommandContext,
    ) {
        if let Some(later) = self.tails.remove(&node.id()) {
            tail.words.extend(later.words);
            tail.redirects.extend(later.redirects);
            tail.input = later.input.or(tail.input);
        }
        command.words.extend(tail.words);
        command.redirects.extend(tail.redirects);
        command.input = tail.input.unwrap_or(command.input);
        self.emit_command(command, around);
    }

    /// `export`, `declare`, `unset` and their kin.
    pub(super) fn read_declaration(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let mut command = ShellCommand::default();
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for child in children {
            match child.kind() {
                "variable_assignment" => {
                    let set = self.read_assignment(child, text, around);
                    let word = |set: &VariableAssignment| {
                        set.value.with_text(&format!("{}={}", set.name, set.value.text))
                    };
                    command.words.extend(set.as_ref().map(word));
                    command.assignments.extend(set);
                }
                "comment" => {}
                _ => {
                    let words = self.expand_text(text_of(child, text), around);
                    command.words.extend(words);
                }
            }
        }
        self.complete_command(command, CommandTail::default(), node, around);
    }

    /// Assignments that are a statement of their own.
    pub(super) fn read_assignments(&mut self, node: Node<'_>, text: &str, around: &CommandContext) {
        let mut assignments = Vec::new();
        match node.kind() {
            "variable_assignment" => assignments.extend(self.read_assignment(node, text, around)),
            _ => {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                children
                    .into_iter()
                    .for_each(|child| assignments.extend(self.read_assignment(child, text, around)));
            }
        }
        self.emit_command(ShellCommand { assignments, ..ShellCommand::default() }, around);
    }

    fn read_assignment(
        &mut self,
        node: Node<'_>,
        text: &str,
        around: &CommandContext,
    ) -> Option<VariableAssignment> {
        let target = node.child_by_field_name("name")?;
        let subscript = target.kind() == "subscript";
        if subscript {
            self.read_calculated(text_of(target, text), around);
        }
        let source = text_of(target, text);
        let name = source.split('[').next().unwrap_or(source).to_owned();
        let value = match node.child_by_field_name("value") {
            Some(value) if value.kind() == "array" => {
                let inner = text_of(value, text).strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
                match inner {
                    Some(inner) if inner.contains("]=") => self.read_calculated(inner, around),
                    Some(inner) => self.read_loose(inner, around),
                    None => self.reading.doubt_piece(text_of(node, text)),
                }
                ShellWord::unknown_text()
            }
            Some(value) => {
                let written = text.get(value.start_byte()..node.end_byte()).unwrap_or_default();
                self.read_value(written, around)
            }
            None => ShellWord::from_text(""),
        };
        let appends = text.get(target.end_byte()..).is_some_and(|rest| rest.starts_with('+'));
        let value = if appends || subscript {
            ShellWord { maybe: vec![value.text], ..ShellWord::unknown_text() }
        } else {
            value
        };
        Some(VariableAssignment { name, value })
    }

    /// A variable that a loop sets: it is judged as an assignment.
    pub(super) fn check_name(&mut self, name: &str, around: &CommandContext) {
        let assignments =
            vec![VariableAssignment { name: name.to_owned(), value: ShellWord::unknown_text() }];
        let command =
            ShellCommand { assignments, uses: std::mem::take(&mut self.uses), ..ShellCommand::default() };
        self.reading.commands.push(around.place_command(command));
    }

    /// A redirection to a file or a descriptor, or a text of one line. Words after its target belong to the command.
    pub(super) fn read_redirect(
        &mut self,
        node: Node<'_>,
        text: &str,
        around: &CommandContext,
        tail: &mut CommandTail,
    ) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let mut sign = "";
        let mut target = None;
        for child in children {
            match (child.kind(), child.is_named()) {
                ("file_descriptor", _) => self.check_descriptor(child, text),
                ("comment", _) => {}
                (_, false) if sign.is_empty() => sign = text_of(child, text),
                _ if target.is_none() => target = Some(self.read_value(text_of(child, text), around)),
                _ => {
                    let words = self.expand_text(text_of(child, text), around);
                    tail.words.extend(words);
                }
            }
        }
        let target = target.unwrap_or_else(|| ShellWord::from_text("-"));
        if sign == "<<<" {
            tail.input = Some(CommandInput::Text(target.plain_text().map(str::to_owned)));
            return;
        }
        let descriptor = target.plain_text().is_some_and(|text| {
            text == "-" || text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()) && !text.is_empty()
        });
        let kind = match sign {
            "<" => RedirectKind::Read,
            ">>" | "&>>" => RedirectKind::Append,
            "<&" | ">&" | "<&-" | ">&-" if descriptor => RedirectKind::Duplicate,
            "<&" => RedirectKind::Read,
            _ => RedirectKind::Write,
        };
        if kind == RedirectKind::Read {
            tail.input = Some(if target.plain_text().is_some() {
                CommandInput::File
            } else {
                CommandInput::Pipe(None)
            });
        }
        tail.redirects.push(StreamRedirect { kind, target });
    }

    /// A number is a descriptor only at a position where a word would begin.
    fn check_descriptor(&mut self, node: Node<'_>, text: &str) {
        let before = text.get(..node.start_byte()).and_then(|before| before.chars().next_back());
        if before.is_some_and(|c| !" \t\n;&|(){}".contains(c)) {
            self.reading.doubt_piece(text_of(node, text));
        }
    }
}

/// Returns whether a word of the grammar after this one begins a statement, which the parser does not see.
fn runs_words(program: Option<&str>) -> bool {
    matches!(program, Some("time" | "coproc" | "!"))
}
