//! Simple commands: words, assignments, redirections.

use tree_sitter::Node;

use super::statement::field;
use super::{Around, Reader, Tail, text_of};
use crate::command::{Assignment, Doubt, Input, Redirect, RedirectKind, ShellCommand};
use crate::word::Word;

/// Words that bash takes for its grammar where a command begins; the parser takes some for names of commands.
const RESERVED: [&str; 17] = [
    "{", "}", "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "select", "function", "[[",
];

impl Reader {
    pub(super) fn command(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let mut command = ShellCommand { input: around.input.clone(), ..ShellCommand::default() };
        let mut tail = Tail::default();
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for (at, child) in children.into_iter().enumerate() {
            match (child.kind(), field(node, at)) {
                ("variable_assignment", _) => {
                    command.assignments.extend(self.assignment(child, text, around))
                }
                ("file_redirect" | "herestring_redirect", _) => self.redirect(child, text, around, &mut tail),
                ("comment", _) => {}
                ("subshell", _) => {
                    self.doubt(Doubt::Syntax);
                    self.statement(child, text, around);
                }
                (kind, _) => {
                    let source = text_of(child, text);
                    let is_name = kind == "command_name";
                    let reserved = is_name || runs_words(command.program());
                    if reserved && RESERVED.contains(&source) {
                        self.doubt(Doubt::Syntax);
                    }
                    let words = self.words(source, around);
                    command.words.extend(words);
                }
            }
        }
        self.complete(command, tail, node, around);
    }

    /// Adds what stands around a command, and takes it into the list.
    fn complete(&mut self, mut command: ShellCommand, mut tail: Tail, node: Node<'_>, around: &Around) {
        if let Some(later) = self.tails.remove(&node.id()) {
            tail.words.extend(later.words);
            tail.redirects.extend(later.redirects);
            tail.input = later.input.or(tail.input);
        }
        command.words.extend(tail.words);
        command.redirects.extend(tail.redirects);
        command.input = tail.input.unwrap_or(command.input);
        self.emit(command, around);
    }

    /// `export`, `declare`, `unset` and their kin.
    pub(super) fn declaration(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let mut command = ShellCommand::default();
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for child in children {
            match child.kind() {
                "variable_assignment" => {
                    let set = self.assignment(child, text, around);
                    let word =
                        |set: &Assignment| set.value.with_text(&format!("{}={}", set.name, set.value.text));
                    command.words.extend(set.as_ref().map(word));
                    command.assignments.extend(set);
                }
                "comment" => {}
                _ => {
                    let words = self.words(text_of(child, text), around);
                    command.words.extend(words);
                }
            }
        }
        self.complete(command, Tail::default(), node, around);
    }

    /// Assignments that are a statement of their own.
    pub(super) fn assignments(&mut self, node: Node<'_>, text: &str, around: &Around) {
        let mut assignments = Vec::new();
        match node.kind() {
            "variable_assignment" => assignments.extend(self.assignment(node, text, around)),
            _ => {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                children
                    .into_iter()
                    .for_each(|child| assignments.extend(self.assignment(child, text, around)));
            }
        }
        self.emit(ShellCommand { assignments, ..ShellCommand::default() }, around);
    }

    fn assignment(&mut self, node: Node<'_>, text: &str, around: &Around) -> Option<Assignment> {
        let target = node.child_by_field_name("name")?;
        let subscript = target.kind() == "subscript";
        if subscript {
            self.loose(text_of(target, text), around);
        }
        let source = text_of(target, text);
        let name = source.split('[').next().unwrap_or(source).to_owned();
        let value = match node.child_by_field_name("value") {
            Some(value) if value.kind() == "array" => {
                let inner = text_of(value, text).strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
                match inner {
                    Some(inner) => self.loose(inner, around),
                    None => self.doubt(Doubt::Syntax),
                }
                Word::computed()
            }
            Some(value) => {
                let written = text.get(value.start_byte()..node.end_byte()).unwrap_or_default();
                self.value(written, around)
            }
            None => Word::known(""),
        };
        let appends = text.get(target.end_byte()..).is_some_and(|rest| rest.starts_with('+'));
        let value =
            if appends || subscript { Word { maybe: vec![value.text], ..Word::computed() } } else { value };
        Some(Assignment { name, value })
    }

    /// A variable that a loop sets: it is judged as an assignment.
    pub(super) fn check_name(&mut self, name: &str, around: &Around) {
        let assignments = vec![Assignment { name: name.to_owned(), value: Word::computed() }];
        let command =
            ShellCommand { assignments, uses: std::mem::take(&mut self.uses), ..ShellCommand::default() };
        self.note(command, around);
    }

    /// A redirection to a file or a descriptor, or a text of one line. Words after its target belong to the command.
    pub(super) fn redirect(&mut self, node: Node<'_>, text: &str, around: &Around, tail: &mut Tail) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let mut sign = "";
        let mut target = None;
        for child in children {
            match (child.kind(), child.is_named()) {
                ("file_descriptor", _) => self.check_descriptor(child, text),
                ("comment", _) => {}
                (_, false) if sign.is_empty() => sign = text_of(child, text),
                _ if target.is_none() => target = Some(self.value(text_of(child, text), around)),
                _ => {
                    let words = self.words(text_of(child, text), around);
                    tail.words.extend(words);
                }
            }
        }
        let target = target.unwrap_or_else(|| Word::known("-"));
        if sign == "<<<" {
            tail.input = Some(Input::Text(target.plain().map(str::to_owned)));
            return;
        }
        let descriptor = target.plain().is_some_and(|text| {
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
            tail.input = Some(if target.plain().is_some() { Input::File } else { Input::Pipe(None) });
        }
        tail.redirects.push(Redirect { kind, target });
    }

    /// A number is a descriptor only where a word would begin.
    fn check_descriptor(&mut self, node: Node<'_>, text: &str) {
        let before = text.get(..node.start_byte()).and_then(|before| before.chars().next_back());
        if before.is_some_and(|c| !" \t\n;&|(){}".contains(c)) {
            self.doubt(Doubt::Syntax);
        }
    }
}

/// Whether a word of the grammar after this one begins a statement, which the parser does not see.
fn runs_words(program: Option<&str>) -> bool {
    matches!(program, Some("time" | "coproc" | "!"))
}
