//! Scripts of nothing but commands of plain words, one after the other.

use std::time::{Duration, Instant};

use tree_sitter::Node;

use super::tree;

/// The longest time that a script is read.
const TIME: Duration = Duration::from_secs(1);
/// The nodes of such a script, with the signs between its commands.
const PARTS: [&str; 17] = [
    "program",
    "list",
    "pipeline",
    "command",
    "command_name",
    "word",
    "string",
    "string_content",
    "raw_string",
    "number",
    "concatenation",
    "&&",
    "||",
    ";",
    "|",
    "\"",
    "'",
];

/// The words of each command; `None` if the script holds anything else: a variable, a redirection, a block.
pub fn plain_commands(script: &str) -> Option<Vec<Vec<String>>> {
    let tree =
        tree::parse_tree(script, Instant::now() + TIME).filter(|tree| !tree.root_node().has_error())?;
    let (mut waiting, mut commands) = (vec![tree.root_node()], Vec::new());
    while let Some(node) = waiting.pop() {
        if !PARTS.contains(&node.kind()) {
            return None;
        }
        if node.kind() == "command" {
            commands.push((node.start_byte(), command_words(node, script)?));
        }
        let mut cursor = node.walk();
        waiting.extend(node.children(&mut cursor));
    }
    commands.sort_by_key(|(start, _)| *start);
    Some(commands.into_iter().map(|(_, words)| words).collect())
}

fn command_words(command: Node<'_>, script: &str) -> Option<Vec<String>> {
    let mut cursor = command.walk();
    command
        .named_children(&mut cursor)
        .map(|node| match node.kind() {
            "command_name" => plain_word(node.named_child(0).filter(|name| name.kind() == "word")?, script),
            _ => plain_word(node, script),
        })
        .collect()
}

fn plain_word(node: Node<'_>, script: &str) -> Option<String> {
    let text = script.get(node.byte_range())?;
    match node.kind() {
        "word" | "number" => Some(text.to_owned()),
        "raw_string" => Some(text.strip_prefix('\'')?.strip_suffix('\'')?.to_owned()),
        "string" => Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned()),
        "concatenation" => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).map(|part| plain_word(part, script)).collect()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::plain_commands;

    #[test]
    fn only_commands_of_plain_words_are_read() {
        let commands = plain_commands("ls -l && git log --format=\"%h (x)\" | wc 'a b'x; make").unwrap();
        let expected: [&[&str]; 4] =
            [&["ls", "-l"], &["git", "log", "--format=%h (x)"], &["wc", "a bx"], &["make"]];
        assert_eq!(commands, expected);
        for script in [
            "(make)",
            "A=1 make",
            "make > x",
            "echo $(make)",
            "echo $A",
            "'make'",
            "! make",
            "if a; then b; fi",
        ] {
            assert_eq!(plain_commands(script), None, "{script}");
        }
    }
}
