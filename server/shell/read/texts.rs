//! The commands of a script as they stand in it, for rules of others that are about such texts.

use std::time::{Duration, Instant};

use super::tree;

/// The longest time that a script is read.
const TIME: Duration = Duration::from_secs(1);
/// The nodes that are commands.
const COMMANDS: [&str; 4] = ["command", "declaration_command", "unset_command", "test_command"];

/// The text of each command of a script, at every depth but that of scripts in words, in their order; `None` if the script
/// cannot be read whole.
pub fn command_texts(script: &str) -> Option<Vec<String>> {
    let tree =
        tree::parse_tree(script, Instant::now() + TIME).filter(|tree| !tree.root_node().has_error())?;
    let (mut waiting, mut found) = (vec![tree.root_node()], Vec::new());
    while let Some(node) = waiting.pop() {
        let is_named = node.kind() != "command" || node.child_by_field_name("name").is_some();
        if COMMANDS.contains(&node.kind()) && is_named {
            found.push((node.start_byte(), script.get(node.byte_range())?.trim().to_owned()));
        }
        let mut cursor = node.walk();
        waiting.extend(node.children(&mut cursor));
    }
    found.sort_by_key(|(start, _)| *start);
    Some(found.into_iter().map(|(_, text)| text).collect())
}

#[cfg(test)]
mod tests {
    use super::command_texts;

    #[test]
    fn each_command_is_found_as_it_stands_in_the_script() {
        for (script, commands) in [
            ("make all", &["make all"][..]),
            ("ls -l && FOO=1 make x > out", &["ls -l", "FOO=1 make x"]),
            ("echo $(make); (ls)", &["echo $(make)", "make", "ls"]),
            ("if [ -e a ]; then git  log; fi", &["[ -e a ]", "git  log"]),
            ("export A=1; unset B", &["export A=1", "unset B"]),
            ("cat <<X\nmake\nX", &["cat"]),
            ("bash -c 'make'", &["bash -c 'make'"]),
            ("A=1", &[]),
        ] {
            let found = command_texts(script).unwrap_or_default();
            assert_eq!(found, commands, "{script}");
        }
        assert_eq!(command_texts("echo 'a"), None);
    }
}
