//! Lists in YAML that people edit too: an item is put in or taken out by its lines, and every other line stays as it is.

use crate::catalogue::node::{self, NodeKind, YamlNode};

/// A list of items in a file, with what is around it.
#[derive(Clone, Debug)]
pub(super) struct YamlList {
    /// The whole file; nothing for one that is empty or holds only comments.
    pub root: Option<YamlNode>,
    /// The key that the list is under; none where it is the whole file.
    key: Option<&'static str>,
}

impl YamlList {
    /// Reads a file whose list is the whole of it, or is under one of `keys`. A map in place of the list is one of
    /// items by their paths.
    ///
    /// # Errors
    /// The problem, as a sentence that names file and line.
    pub(super) fn read_list(name: &str, text: &str, keys: &[&'static str]) -> Result<Self, String> {
        let root = node::read_yaml(name, text)
            .map_err(|problem| format!("{name}:{}: {}", problem.line, problem.message.replace('\n', " ")))?;
        if root.to_value().is_null() {
            return Ok(Self { root: None, key: None });
        }
        let key = keys.iter().find(|key| root.entry(key).is_some()).copied();
        Ok(Self { root: Some(root), key })
    }

    /// The items: paths alone, or maps.
    pub(super) fn items(&self) -> &[YamlNode] {
        match self.list_node().map(|list| &list.kind) {
            Some(NodeKind::List(items)) => items,
            _ => &[],
        }
    }

    /// The list, where there is one.
    pub(super) fn list_node(&self) -> Option<&YamlNode> {
        let root = self.root.as_ref()?;
        match self.key {
            Some(key) => root.entry(key).map(|entry| &entry.value),
            None => matches!(root.kind, NodeKind::List(_)).then_some(root),
        }
    }

    /// The text with an item more at the list's end. `key` is what a list is put under where the file has none.
    pub(super) fn add_item(&self, text: &str, pairs: &[(&str, String)], key: Option<&str>) -> Option<String> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let (at, indent) = match (self.items().last(), self.list_node()) {
            (Some(last), _) => {
                let block = find_item_lines(&lines, last.line)?;
                (block.end, block.indent)
            }
            (None, Some(list)) if list.to_value().is_null() && self.key.is_some() => {
                let at = usize::try_from(list.line).ok()?;
                // Anything behind the key would become a part of its first item.
                lines.get(at - 1).filter(|line| line.trim_end().ends_with(':'))?;
                (at, 2)
            }
            (None, Some(_)) => return None,
            (None, None) => {
                let indent = match (key, &self.root) {
                    (Some(key), _) => {
                        lines.push(format!("{key}:"));
                        2
                    }
                    (None, None) => 0,
                    (None, Some(_)) => return None,
                };
                (lines.len(), indent)
            }
        };
        lines.splice(at..at, item_lines(indent, pairs));
        Some(join_lines(&lines))
    }
}

/// The lines of an item.
struct ItemLines {
    start: usize,
    end: usize,
    indent: usize,
}

/// The lines of the item that begins at a line counted from 1; nothing where it does not begin with a dash of its own.
fn find_item_lines(lines: &[String], line: u32) -> Option<ItemLines> {
    let start = usize::try_from(line).ok()?.checked_sub(1)?;
    let indent = indent_of(lines.get(start)?);
    if !lines[start][indent..].starts_with("- ") {
        return None;
    }
    let mut end = start + 1;
    for (at, line) in lines.iter().enumerate().skip(start + 1) {
        let body = line.trim_start();
        if indent_of(line) > indent && !body.is_empty() {
            end = at + 1;
        } else if !body.is_empty() && !body.starts_with('#') {
            break;
        }
    }
    Some(ItemLines { start, end, indent })
}

/// The text without the item that begins at a line counted from 1.
pub(super) fn without_item(text: &str, line: u32) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let block = find_item_lines(&lines, line)?;
    lines.drain(block.start..block.end);
    Some(join_lines(&lines))
}

/// The text with one key of an item set, or taken out where `value` is nothing.
pub(super) fn with_key(text: &str, node: &YamlNode, key: &str, value: Option<&str>) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let block = find_item_lines(&lines, node.line)?;
    let indent = block.indent;
    match (&node.kind, node.entry(key)) {
        (NodeKind::Map(_), Some(entry)) if entry.line > node.line => {
            let at = usize::try_from(entry.line).ok()? - 1;
            let body = lines[at].trim_start();
            // A value over several lines, or several keys on one, is nothing to cut by lines.
            body.strip_prefix(key).filter(|rest| rest.starts_with(':'))?;
            match value {
                Some(value) => {
                    lines[at] = format!("{}{key}: {value}", " ".repeat(indent_of(&lines[at])));
                }
                None => drop(lines.remove(at)),
            }
        }
        (NodeKind::Map(_), None) => {
            let Some(value) = value else { return Some(text.to_owned()) };
            lines.insert(block.start + 1, format!("{}{key}: {value}", " ".repeat(indent + 2)));
        }
        (NodeKind::Scalar(_), _) => {
            let Some(value) = value else { return Some(text.to_owned()) };
            let rest = lines[block.start][indent + 2..].to_owned();
            lines[block.start] = format!("{}- path: {rest}", " ".repeat(indent));
            lines.insert(block.start + 1, format!("{}{key}: {value}", " ".repeat(indent + 2)));
        }
        _ => return None,
    }
    Some(join_lines(&lines))
}

fn item_lines(indent: usize, pairs: &[(&str, String)]) -> Vec<String> {
    let pad = " ".repeat(indent);
    let line = |(at, (key, value)): (usize, &(&str, String))| {
        format!("{pad}{} {key}: {value}", if at == 0 { "-" } else { " " })
    };
    pairs.iter().enumerate().map(line).collect()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn join_lines(lines: &[String]) -> String {
    let mut text = lines.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// A text as a YAML value: as it is where it reads back as itself, else in quotes.
pub(super) fn yaml_scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./ ,".contains(c))
        && !text.ends_with(' ');
    let same = |_: &()| serde_saphyr::from_str::<serde_json::Value>(text).is_ok_and(|value| value == text);
    match plain.then_some(()).filter(same) {
        Some(()) => text.to_owned(),
        // JSON's quotes are YAML's.
        None => serde_json::Value::from(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "# what I work on\n\nfiles:\n  # first\n  - path: a.rs   # the heart\n    why: it is\n      long\n  # second\n\n  - b.rs\n# the end\nother: 1\n";

    fn read(text: &str) -> YamlList {
        YamlList::read_list("hot.yml", text, &["files", "hot"]).unwrap()
    }

    #[test]
    fn one_item_goes_and_the_rest_stays_to_the_letter() {
        let listed = read(OWN);
        let lines: Vec<u32> = listed.items().iter().map(|item| item.line).collect();
        assert_eq!(lines, [5, 10]);
        let gone = without_item(OWN, 5).unwrap();
        assert_eq!(
            gone,
            "# what I work on\n\nfiles:\n  # first\n  # second\n\n  - b.rs\n# the end\nother: 1\n"
        );
        let gone = without_item(&gone, read(&gone).items()[0].line).unwrap();
        assert_eq!(read(&gone).items().len(), 0);
        let again = read(&gone).add_item(
            &gone,
            &[("path", "c.rs".into()), ("why", yaml_scalar("x: y"))],
            Some("files"),
        );
        assert_eq!(
            again.unwrap(),
            "# what I work on\n\nfiles:\n  - path: c.rs\n    why: \"x: y\"\n  # first\n  # second\n\n# the end\nother: 1\n"
        );
    }

    #[test]
    fn an_item_is_added_where_the_others_are() {
        let pairs = [("path", "c.rs".to_owned())];
        for (text, expected) in [
            ("", "- path: c.rs\n"),
            ("# mine\n", "# mine\n- path: c.rs\n"),
            ("- a.rs\n# end", "- a.rs\n- path: c.rs\n# end\n"),
            ("hot:\n- a.rs\n", "hot:\n- a.rs\n- path: c.rs\n"),
            ("hot:\n    - a.rs\n", "hot:\n    - a.rs\n    - path: c.rs\n"),
        ] {
            assert_eq!(read(text).add_item(text, &pairs, None).as_deref(), Some(expected), "{text}");
        }
        for text in ["hot: [a.rs]\n", "other: 1\n", "[a.rs]", "hot: a.rs\n"] {
            assert_eq!(read(text).add_item(text, &pairs, None), None, "{text}");
        }
    }

    #[test]
    fn one_key_is_set_and_taken_out() {
        let listed = read(OWN);
        let pinned = with_key(OWN, &listed.items()[1], "pinned", Some("true")).unwrap();
        assert!(pinned.contains("\n  - path: b.rs\n    pinned: true\n# the end"), "{pinned}");
        let listed = read(&pinned);
        let off = with_key(&pinned, &listed.items()[1], "pinned", Some("false")).unwrap();
        assert!(off.contains("    pinned: false\n"), "{off}");
        let out = with_key(&off, &read(&off).items()[1], "pinned", None).unwrap();
        assert!(!out.contains("pinned"), "{out}");
        let first = with_key(OWN, &read(OWN).items()[0], "pinned", Some("true")).unwrap();
        assert!(first.contains("- path: a.rs   # the heart\n    pinned: true\n    why: it is\n"), "{first}");
    }

    #[test]
    fn texts_read_back_as_themselves() {
        for text in
            ["src/a.rs", "true", "null", "1e5", "it's: # odd", "", " x", "no", "- a", "ü\n\"\u{202e}", "a  b"]
        {
            let yaml = format!("path: {}\n", yaml_scalar(text));
            let read: serde_json::Value = serde_saphyr::from_str(&yaml).unwrap();
            assert_eq!(read["path"], text, "{yaml}");
        }
    }

    #[test]
    fn what_is_no_yaml_is_named_with_its_line() {
        let wrong = YamlList::read_list("hot.yml", "- a\n- [b\n", &[]).unwrap_err();
        assert!(wrong.starts_with("hot.yml:"), "{wrong}");
    }
}
