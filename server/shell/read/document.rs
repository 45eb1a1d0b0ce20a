//! Here-documents: the ends of their bodies by bash's rules, and the contents of the bodies.

use tree_sitter::Node;

use super::{CommandContext, CommandTail, ScriptReader, text_of};
use crate::command::{CommandInput, Within};
use crate::expand;
use crate::scan::{self, read_delimiter};

impl ScriptReader {
    /// Reads a here-document; gives the statements that stand after it on its line, and whether it is piped into them.
    pub(super) fn read_document<'t>(
        &mut self,
        node: Node<'t>,
        text: &str,
        around: &CommandContext,
        tail: &mut CommandTail,
    ) -> Vec<(bool, Node<'t>)> {
        let mut after = Vec::new();
        let (mut start, mut body, mut end, mut line_end) = (None, None, None, node.start_byte());
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "<<" | "<<-" | "file_descriptor" | "|" | "|&" | "&&" | "||" => {}
                "heredoc_start" => start = Some(child),
                "heredoc_body" => body = Some(child),
                "heredoc_end" => end = Some(child),
                "file_redirect" | "herestring_redirect" => self.read_redirect(child, text, around, tail),
                "pipeline" => {
                    let mut parts = child.walk();
                    after.extend(child.named_children(&mut parts).map(|part| (true, part)));
                }
                _ if is_argument(child.kind()) => {
                    let words = self.expand_text(text_of(child, text), around);
                    tail.words.extend(words);
                }
                _ => after.push((false, child)),
            }
            if body.is_none() && end.is_none() {
                line_end = child.end_byte();
            }
        }
        let tabs = text_of(node, text).trim_start_matches(|c: char| c.is_ascii_digit()).starts_with("<<-");
        let found = start.zip(end).and_then(|(start, end)| body_of(text, start, line_end, end, tabs));
        match found {
            Some((body, quoted)) => {
                tail.input = Some(CommandInput::Text(self.document_body(&body, quoted, around)))
            }
            None => {
                self.reading.doubt_piece(text_of(node, text));
                tail.input = Some(CommandInput::Text(None));
            }
        }
        after
    }

    /// The text of a body, if all of it is known.
    fn document_body(&mut self, body: &str, quoted: bool, around: &CommandContext) -> Option<String> {
        if quoted {
            return Some(body.to_owned());
        }
        let scanned = scan::scan_expanding(body, &self.variables);
        let scanned = self.take_scanned(scanned, body, &around.with_construct(Within::HereDocument))?;
        expand::known_text(&scanned.units)
    }
}

/// The body of a here-document and whether its delimiter is quoted, if it ends at `end` for bash too.
fn body_of(
    text: &str,
    start: Node<'_>,
    line_end: usize,
    end: Node<'_>,
    tabs: bool,
) -> Option<(String, bool)> {
    let written = text_of(start, text);
    let chars: Vec<char> = written.chars().collect();
    let (delimiter, length) = read_delimiter(&chars).filter(|(_, length)| *length == chars.len())?;
    debug_assert!(length > 0);
    let quoted = written.contains(['\'', '"', '\\']);
    let rest = text.get(line_end..)?;
    let (blank, _) = rest.split_once('\n')?;
    if !blank.chars().all(|c| matches!(c, ' ' | '\t')) {
        return None;
    }
    let mut at = line_end + blank.len() + 1;
    let mut body = String::new();
    loop {
        let line = text.get(at..)?.split('\n').next()?;
        let bare = if tabs { line.trim_start_matches('\t') } else { line };
        if bare == delimiter {
            let is_end =
                at + line.len() - bare.len() == end.start_byte() && end.end_byte() == at + line.len();
            return is_end.then_some((body, quoted));
        }
        body.push_str(bare);
        body.push('\n');
        at += line.len() + 1;
        if at > text.len() {
            return None;
        }
    }
}

fn is_argument(kind: &str) -> bool {
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
    )
}
