//! `working-set.yml`: the budget, the model that counts it, and the person's rules for single files.

use super::hints::clean_path;
use super::lines::{self, YamlList, yaml_scalar};
use crate::base::nearest;
use crate::catalogue::node::{NodeEntry, NodeKind, YamlNode};
use crate::protocol::{Role, Truncate};

/// Its name in our folder.
pub(super) const FILE: &str = "working-set.yml";

const KEYS: [&str; 3] = ["budget", "model", "files"];
const FILE_KEYS: [&str; 6] = ["path", "priority", "role", "truncate_strategy", "pinned", "why"];
const HEADING: &str = "# The working set: `budget` in tokens, `model` whose tokens are counted, and what you say of single files:\n\
                       # priority (1 first), role, truncate_strategy (never, start, middle, end), pinned.\n";

/// The rule for one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManifestRule {
    /// The file, relative to the root.
    pub path: String,
    /// Its place in a context, 1 first.
    pub priority: Option<u32>,
    /// Its role.
    pub role: Option<Role>,
    /// The part of it that is cut where it does not fit.
    pub truncate: Option<Truncate>,
    /// True where it stays in the set whatever happens.
    pub pinned: bool,
    /// The person's comment on it.
    pub why: String,
}

/// The content of the manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkingSetManifest {
    /// Tokens that a context may hold.
    pub budget: Option<u64>,
    /// The model whose tokens are counted.
    pub model: Option<String>,
    /// The rules for single files, in order.
    pub files: Vec<ManifestRule>,
    /// The problems of the manifest, a sentence each.
    pub problems: Vec<String>,
}

impl WorkingSetManifest {
    /// Returns the rule for one file.
    pub fn rule_for(&self, path: &str) -> Option<&ManifestRule> {
        self.files.iter().find(|rule| rule.path == path)
    }
}

/// Reads it.
pub(super) fn read_manifest(text: &str) -> WorkingSetManifest {
    let mut manifest = WorkingSetManifest::default();
    let listed = match YamlList::read_list(FILE, text, &["files"]) {
        Ok(listed) => listed,
        Err(problem) => return WorkingSetManifest { problems: vec![problem], ..manifest },
    };
    let Some(root) = &listed.root else { return manifest };
    let mut problems = Vec::new();
    if !matches!(root.kind, NodeKind::Map(_)) {
        problems
            .push(format!("{FILE}:{}: this is no manifest; write `budget: 32000` and `files:`", root.line));
    }
    report_unknown_keys(root, &KEYS, &mut problems);
    for entry in root.entries() {
        match entry.key.as_str() {
            "budget" => manifest.budget = read_number(entry, "a number of tokens, as 32000", &mut problems),
            "model" => manifest.model = entry.value.text().map(str::to_owned),
            _ => {}
        }
    }
    for item in listed.items() {
        let rule = read_rule(item, &mut problems);
        match rule {
            Some(rule) if manifest.rule_for(&rule.path).is_some() => {
                problems.push(format!("{FILE}:{}: {} is named twice", item.line, rule.path));
            }
            rule => manifest.files.extend(rule),
        }
    }
    if listed
        .list_node()
        .is_some_and(|list| !matches!(list.kind, NodeKind::List(_)) && !list.to_value().is_null())
    {
        problems.push(format!("{FILE}:{}: `files` is no list; write one `- path: …` a line", root.line));
    }
    WorkingSetManifest { problems, ..manifest }
}

fn read_rule(item: &YamlNode, problems: &mut Vec<String>) -> Option<ManifestRule> {
    let asked = match &item.kind {
        NodeKind::Scalar(_) => item.text(),
        _ => item.entry("path").and_then(|entry| entry.value.text()),
    };
    let Some(path) = asked.and_then(clean_path) else {
        problems.push(format!(
            "{FILE}:{}: an entry names no file of this workspace: write `- path: src/main.rs`",
            item.line
        ));
        return None;
    };
    report_unknown_keys(item, &FILE_KEYS, problems);
    let mut rule = ManifestRule { path, ..ManifestRule::default() };
    for entry in item.entries() {
        match entry.key.as_str() {
            "priority" => rule.priority = read_number(entry, "a whole number, 1 for the first", problems),
            "role" => rule.role = read_word(entry, &Role::ALL.map(|role| (role.as_str(), role)), problems),
            "why" => rule.why = entry.value.text().unwrap_or_default().to_owned(),
            "truncate_strategy" => {
                rule.truncate = read_word(entry, &Truncate::ALL.map(|way| (way.as_str(), way)), problems);
            }
            "pinned" => {
                rule.pinned =
                    read_word(entry, &[("true", true), ("false", false)], problems).unwrap_or_default();
            }
            _ => {}
        }
    }
    Some(rule)
}

fn report_unknown_keys(node: &YamlNode, known: &[&str], problems: &mut Vec<String>) {
    for entry in node.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
        let meant = nearest::likely_name(&entry.key, known.iter().copied())
            .map_or_else(|| known.join(", "), str::to_owned);
        problems.push(format!("{FILE}:{}: there is no `{}` here; there is {meant}", entry.line, entry.key));
    }
}

fn read_number<T: TryFrom<u64>>(entry: &NodeEntry, wanted: &str, problems: &mut Vec<String>) -> Option<T> {
    let value = entry.value.to_value();
    let number = value.as_u64().filter(|number| *number > 0).and_then(|number| T::try_from(number).ok());
    if number.is_none() && !value.is_null() {
        problems.push(format!("{FILE}:{}: `{}` is {value}; it must be {wanted}", entry.line, entry.key));
    }
    number
}

fn read_word<T: Copy>(entry: &NodeEntry, words: &[(&str, T)], problems: &mut Vec<String>) -> Option<T> {
    let value = entry.value.to_value();
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
/// The reason why it cannot be written so, as a sentence.
pub(super) fn with_pin(text: &str, path: &str, pinned: bool, why: &str) -> Result<String, String> {
    let text = if text.trim().is_empty() { HEADING } else { text };
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    let listed = YamlList::read_list(FILE, text, &["files"])?;
    let named = |item: &&YamlNode| {
        item.text().or_else(|| item.entry("path")?.value.text()).and_then(clean_path).as_deref() == Some(path)
    };
    let after = match (listed.items().iter().find(named), pinned) {
        (Some(item), true) => {
            let pinned = lines::with_key(text, item, "pinned", Some("true"));
            // The person's earlier comment on it stays.
            match pinned {
                Some(pinned) if !why.is_empty() && item.entry("why").is_none() => {
                    let listed = YamlList::read_list(FILE, &pinned, &["files"])?;
                    let item = listed.items().iter().find(named);
                    item.and_then(|item| lines::with_key(&pinned, item, "why", Some(&yaml_scalar(&why))))
                }
                pinned => pinned,
            }
        }
        (Some(item), false)
            if item.entries().iter().all(|entry| matches!(entry.key.as_str(), "path" | "pinned" | "why")) =>
        {
            lines::without_item(text, item.line)
        }
        (Some(item), false) => lines::with_key(text, item, "pinned", None),
        (None, true) => {
            let mut pairs = vec![("path", yaml_scalar(path)), ("pinned", "true".to_owned())];
            pairs.extend((!why.is_empty()).then(|| ("why", yaml_scalar(&why))));
            listed.add_item(text, &pairs, Some("files"))
        }
        (None, false) => Some(text.to_owned()),
    };
    let odd = || {
        format!("{FILE} does not have its files as one `- path: …` a line, so nothing can be changed in it")
    };
    let after = after.ok_or_else(odd)?;
    let stands = read_manifest(&after).rule_for(path).is_some_and(|rule| rule.pinned);
    if stands == pinned { Ok(after) } else { Err(odd()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "budget: 9000 # small\nmodel: gpt-4o\nfiles:\n  - path: a.rs\n    priority: 1\n    role: reference\n    truncate_strategy: middle\n  # and\n  - b.rs\n";

    #[test]
    fn it_is_read_leniently() {
        let manifest = read_manifest(OWN);
        assert_eq!(manifest.problems, Vec::<String>::new());
        assert_eq!((manifest.budget, manifest.model.as_deref()), (Some(9000), Some("gpt-4o")));
        let expected = ManifestRule {
            path: "a.rs".into(),
            priority: Some(1),
            role: Some(Role::Reference),
            truncate: Some(Truncate::Middle),
            ..ManifestRule::default()
        };
        assert_eq!(manifest.rule_for("a.rs"), Some(&expected));
        assert_eq!(
            manifest.rule_for("b.rs"),
            Some(&ManifestRule { path: "b.rs".into(), ..ManifestRule::default() })
        );
    }

    #[test]
    fn what_is_wrong_is_named_and_the_rest_counts() {
        let manifest = read_manifest(
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
        assert_eq!(manifest.rule_for("b.rs").and_then(|rule| rule.truncate), Some(Truncate::End));
        assert!(read_manifest("- a.rs\n").problems[0].contains("no manifest"));
        assert!(!read_manifest("a: [").problems.is_empty());
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
        let rule = read_manifest(&new).rule_for("new file.rs").cloned().unwrap();
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
