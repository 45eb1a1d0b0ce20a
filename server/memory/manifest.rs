//! `working-set.yml`: the budget, the model that counts it, and what a person says of single files.

use super::hints::clean;
use super::lines::{self, Listed, scalar};
use crate::base::nearest;
use crate::catalogue::node::{Node, NodeEntry, NodeKind};
use crate::protocol::{Role, Truncate};

/// Its name in our folder.
pub(super) const FILE: &str = "working-set.yml";

const KEYS: [&str; 3] = ["budget", "model", "files"];
const FILE_KEYS: [&str; 6] = ["path", "priority", "role", "truncate_strategy", "pinned", "why"];
const HEADING: &str = "# The working set: `budget` in tokens, `model` whose tokens are counted, and what you say of single files:\n\
                       # priority (1 first), role, truncate_strategy (never, start, middle, end), pinned.\n";

/// What is said of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRule {
    /// The file, relative to the root.
    pub path: String,
    /// Its place in a context, 1 first.
    pub priority: Option<u32>,
    /// What it is.
    pub role: Option<Role>,
    /// Which part of it is cut where it does not fit.
    pub truncate: Option<Truncate>,
    /// Whether it stays in the set whatever happens.
    pub pinned: bool,
    /// What the person says of it.
    pub why: String,
}

/// What the manifest holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Tokens that a context may hold.
    pub budget: Option<u64>,
    /// The model whose tokens are counted.
    pub model: Option<String>,
    /// What is said of single files, in order.
    pub files: Vec<FileRule>,
    /// What is wrong with it, a sentence each.
    pub problems: Vec<String>,
}

impl Manifest {
    /// What is said of one file.
    pub fn of(&self, path: &str) -> Option<&FileRule> {
        self.files.iter().find(|rule| rule.path == path)
    }
}

/// Reads it.
pub(super) fn read(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let listed = match Listed::read(FILE, text, &["files"]) {
        Ok(listed) => listed,
        Err(problem) => return Manifest { problems: vec![problem], ..manifest },
    };
    let Some(root) = &listed.root else { return manifest };
    let mut problems = Vec::new();
    if !matches!(root.kind, NodeKind::Map(_)) {
        problems
            .push(format!("{FILE}:{}: this is no manifest; write `budget: 32000` and `files:`", root.line));
    }
    strange(root, &KEYS, &mut problems);
    for entry in root.entries() {
        match entry.key.as_str() {
            "budget" => manifest.budget = number(entry, "a number of tokens, as 32000", &mut problems),
            "model" => manifest.model = entry.value.text().map(str::to_owned),
            _ => {}
        }
    }
    for item in listed.items() {
        let rule = rule(item, &mut problems);
        match rule {
            Some(rule) if manifest.of(&rule.path).is_some() => {
                problems.push(format!("{FILE}:{}: {} is named twice", item.line, rule.path));
            }
            rule => manifest.files.extend(rule),
        }
    }
    if listed.list().is_some_and(|list| !matches!(list.kind, NodeKind::List(_)) && !list.value().is_null()) {
        problems.push(format!("{FILE}:{}: `files` is no list; write one `- path: …` a line", root.line));
    }
    Manifest { problems, ..manifest }
}

fn rule(item: &Node, problems: &mut Vec<String>) -> Option<FileRule> {
    let asked = match &item.kind {
        NodeKind::Scalar(_) => item.text(),
        _ => item.entry("path").and_then(|entry| entry.value.text()),
    };
    let Some(path) = asked.and_then(clean) else {
        problems.push(format!(
            "{FILE}:{}: an entry names no file of this workspace: write `- path: src/main.rs`",
            item.line
        ));
        return None;
    };
    strange(item, &FILE_KEYS, problems);
    let mut rule = FileRule { path, ..FileRule::default() };
    for entry in item.entries() {
        match entry.key.as_str() {
            "priority" => rule.priority = number(entry, "a whole number, 1 for the first", problems),
            "role" => rule.role = word(entry, &Role::ALL.map(|role| (role.word(), role)), problems),
            "why" => rule.why = entry.value.text().unwrap_or_default().to_owned(),
            "truncate_strategy" => {
                rule.truncate = word(entry, &Truncate::ALL.map(|way| (way.word(), way)), problems);
            }
            "pinned" => {
                rule.pinned = word(entry, &[("true", true), ("false", false)], problems).unwrap_or_default();
            }
            _ => {}
        }
    }
    Some(rule)
}

fn strange(node: &Node, known: &[&str], problems: &mut Vec<String>) {
    for entry in node.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
        let meant =
            nearest::meant(&entry.key, known.iter().copied()).map_or_else(|| known.join(", "), str::to_owned);
        problems.push(format!("{FILE}:{}: there is no `{}` here; there is {meant}", entry.line, entry.key));
    }
}

fn number<T: TryFrom<u64>>(entry: &NodeEntry, wanted: &str, problems: &mut Vec<String>) -> Option<T> {
    let value = entry.value.value();
    let number = value.as_u64().filter(|number| *number > 0).and_then(|number| T::try_from(number).ok());
    if number.is_none() && !value.is_null() {
        problems.push(format!("{FILE}:{}: `{}` is {value}; it must be {wanted}", entry.line, entry.key));
    }
    number
}

fn word<T: Copy>(entry: &NodeEntry, words: &[(&str, T)], problems: &mut Vec<String>) -> Option<T> {
    let value = entry.value.value();
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
    if found.is_none() && !value.is_null() {
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        problems.push(format!(
            "{FILE}:{}: `{}` is {value}; it must be one of {}",
            entry.line,
            entry.key,
            all.join(", ")
        ));
    }
    found
}

/// The text with a file pinned, and why, or no longer.
///
/// # Errors
/// Why it cannot be written so, as a sentence.
pub(super) fn with_pin(text: &str, path: &str, pinned: bool, why: &str) -> Result<String, String> {
    let text = if text.trim().is_empty() { HEADING } else { text };
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    let listed = Listed::read(FILE, text, &["files"])?;
    let named = |item: &&Node| {
        item.text().or_else(|| item.entry("path")?.value.text()).and_then(clean).as_deref() == Some(path)
    };
    let after = match (listed.items().iter().find(named), pinned) {
        (Some(item), true) => {
            let pinned = lines::with_key(text, item, "pinned", Some("true"));
            // What they wrote of it before stays.
            match pinned {
                Some(pinned) if !why.is_empty() && item.entry("why").is_none() => {
                    let listed = Listed::read(FILE, &pinned, &["files"])?;
                    let item = listed.items().iter().find(named);
                    item.and_then(|item| lines::with_key(&pinned, item, "why", Some(&scalar(&why))))
                }
                pinned => pinned,
            }
        }
        (Some(item), false)
            if item.entries().iter().all(|entry| matches!(entry.key.as_str(), "path" | "pinned" | "why")) =>
        {
            lines::without(text, item.line)
        }
        (Some(item), false) => lines::with_key(text, item, "pinned", None),
        (None, true) => {
            let mut pairs = vec![("path", scalar(path)), ("pinned", "true".to_owned())];
            pairs.extend((!why.is_empty()).then(|| ("why", scalar(&why))));
            listed.add(text, &pairs, Some("files"))
        }
        (None, false) => Some(text.to_owned()),
    };
    let odd = || {
        format!("{FILE} does not have its files as one `- path: …` a line, so nothing can be changed in it")
    };
    let after = after.ok_or_else(odd)?;
    let stands = read(&after).of(path).is_some_and(|rule| rule.pinned);
    if stands == pinned { Ok(after) } else { Err(odd()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "budget: 9000 # small\nmodel: gpt-4o\nfiles:\n  - path: a.rs\n    priority: 1\n    role: reference\n    truncate_strategy: middle\n  # and\n  - b.rs\n";

    #[test]
    fn it_is_read_leniently() {
        let manifest = read(OWN);
        assert_eq!(manifest.problems, Vec::<String>::new());
        assert_eq!((manifest.budget, manifest.model.as_deref()), (Some(9000), Some("gpt-4o")));
        let expected = FileRule {
            path: "a.rs".into(),
            priority: Some(1),
            role: Some(Role::Reference),
            truncate: Some(Truncate::Middle),
            ..FileRule::default()
        };
        assert_eq!(manifest.of("a.rs"), Some(&expected));
        assert_eq!(manifest.of("b.rs"), Some(&FileRule { path: "b.rs".into(), ..FileRule::default() }));
    }

    #[test]
    fn what_is_wrong_is_named_and_the_rest_counts() {
        let manifest = read(
            "bugdet: 1\nbudget: lots\nfiles:\n  - path: a.rs\n    priority: 0\n    role: sauce\n    pinned: yes\n  - path: /etc/x\n  - path: b.rs\n    truncate_strategy: End\n  - b.rs\n",
        );
        assert_eq!(
            manifest.problems,
            [
                "working-set.yml:1: there is no `bugdet` here; there is budget",
                "working-set.yml:2: `budget` is \"lots\"; it must be a number of tokens, as 32000",
                "working-set.yml:5: `priority` is 0; it must be a whole number, 1 for the first",
                "working-set.yml:6: `role` is \"sauce\"; it must be one of summary, source, test, doc, reference",
                "working-set.yml:7: `pinned` is \"yes\"; it must be one of true, false",
                "working-set.yml:8: an entry names no file of this workspace: write `- path: src/main.rs`",
                "working-set.yml:11: b.rs is named twice",
            ]
        );
        assert_eq!(manifest.of("b.rs").and_then(|rule| rule.truncate), Some(Truncate::End));
        assert!(read("- a.rs\n").problems[0].contains("no manifest"));
        assert!(!read("a: [").problems.is_empty());
    }

    #[test]
    fn a_pin_changes_its_lines_alone() {
        let pinned = with_pin(OWN, "b.rs", true, "").unwrap();
        assert_eq!(pinned, OWN.replace("  - b.rs\n", "  - path: b.rs\n    pinned: true\n"));
        let both = with_pin(&pinned, "a.rs", true, "").unwrap();
        assert_eq!(both.matches("pinned: true").count(), 2);
        assert_eq!(with_pin(&both, "a.rs", false, "").unwrap(), pinned);
        let unpinned = with_pin(&pinned, "b.rs", false, "").unwrap();
        assert!(
            unpinned.starts_with("budget: 9000 # small\n")
                && unpinned.contains("# and")
                && !unpinned.contains("b.rs")
        );
        let new = with_pin("", "new file.rs", true, "It is\nnext").unwrap();
        let rule = read(&new).of("new file.rs").cloned().unwrap();
        assert_eq!((rule.pinned, rule.why.as_str()), (true, "It is next"));
        assert_eq!(
            with_pin(&with_pin("budget: 5\n", "x", true, "").unwrap(), "x", false, "").unwrap(),
            "budget: 5\nfiles:\n"
        );
        let again = with_pin("files:\n  - b.rs\n", "b.rs", true, "x: y").unwrap();
        assert_eq!(again, "files:\n  - path: b.rs\n    why: \"x: y\"\n    pinned: true\n");
        assert!(with_pin("files: [x]\n", "y", true, "").is_err());
        assert!(with_pin("files: [", "y", true, "").is_err());
    }
}
