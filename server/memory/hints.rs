//! `hot.yml` and `cold.yml`: hints as they stand on the disk, read leniently, written without touching a person's lines.

use super::lines::{self, YamlList, yaml_scalar};
use crate::base::{WorkspacePath, nearest};
use crate::catalogue::node::{NodeKind, YamlNode};
use crate::protocol::Advice;

/// The keys of an entry.
const KEYS: [&str; 3] = ["path", "why", "by"];
/// The keys that the list may be under.
const LISTS: [&str; 3] = ["hot", "cold", "files"];

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HintEntry {
    /// The file, relative to the root.
    pub path: String,
    /// The reason.
    pub why: String,
    /// The agent that gave it; nothing for the person.
    pub by: Option<String>,
    line: u32,
}

/// The content of a file of hints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HintFile {
    /// Its entries, in order.
    pub entries: Vec<HintEntry>,
    /// The problems of the file, a sentence each.
    pub problems: Vec<String>,
}

/// The name of the file of one advice.
pub(super) fn hint_file_name(advice: Advice) -> &'static str {
    match advice {
        Advice::Hot => "hot.yml",
        Advice::Cold => "cold.yml",
    }
}

/// Returns the first lines of a new file.
fn file_heading(advice: Advice) -> &'static str {
    match advice {
        Advice::Hot => "# Files that matter now. Yours to edit: one path an entry, with a why if you like.\n",
        Advice::Cold => {
            "# Files that do not matter now. Yours to edit: one path an entry, with a why if you like.\n"
        }
    }
}

/// Reads one.
pub(super) fn read_hints(advice: Advice, text: &str) -> HintFile {
    let name = hint_file_name(advice);
    let listed = match YamlList::read_list(name, text, &LISTS) {
        Ok(listed) => listed,
        Err(problem) => return HintFile { problems: vec![problem], ..HintFile::default() },
    };
    let mut hints = HintFile::default();
    for item in listed.items() {
        match read_entry(name, item, &mut hints.problems) {
            Some(entry) if hints.entries.iter().any(|known| known.path == entry.path) => {
                hints.problems.push(format!("{name}:{}: {} is named twice", item.line, entry.path));
            }
            Some(entry) => hints.entries.push(entry),
            None => {}
        }
    }
    let is_list = listed
        .list_node()
        .is_some_and(|list| matches!(list.kind, NodeKind::List(_)) || list.to_value().is_null());
    if let (Some(root), false) = (&listed.root, is_list) {
        hints.problems.push(format!(
            "{name}:{}: this is no list of files; write one `- path: …` a line, with a `why:` below",
            root.line
        ));
    }
    hints
}

fn read_entry(name: &str, item: &YamlNode, problems: &mut Vec<String>) -> Option<HintEntry> {
    let line = item.line;
    let mut wrong = |what: String| problems.push(format!("{name}:{line}: {what}"));
    let text = |key: &str| item.entry(key).and_then(|entry| entry.value.text()).map(str::to_owned);
    let asked = match &item.kind {
        NodeKind::Scalar(_) => item.text().map(str::to_owned),
        _ => text("path"),
    };
    for entry in item.entries().iter().filter(|entry| !KEYS.contains(&entry.key.as_str())) {
        let meant = nearest::likely_name(&entry.key, KEYS).map_or_else(|| KEYS.join(", "), str::to_owned);
        wrong(format!("an entry has no `{}`; it may say {meant}", entry.key));
    }
    let Some(path) = asked.as_deref().and_then(clean_path) else {
        wrong("an entry names no file of this workspace: write `- path: src/main.rs`".to_owned());
        return None;
    };
    Some(HintEntry { path, why: text("why").unwrap_or_default(), by: text("by"), line })
}

/// A path of the workspace as it is written in these files.
pub(super) fn clean_path(asked: &str) -> Option<String> {
    if asked.starts_with('/') {
        return None;
    }
    let path = WorkspacePath::from_relative(asked.strip_prefix("./").unwrap_or(asked))?;
    (!path.is_root()).then(|| path.to_string())
}

/// The text with an entry more, or with another one for its path.
///
/// # Errors
/// The reason why it cannot be written so, as a sentence: it is not YAML, or not in a form that lines can be added to.
pub(super) fn with_hint(
    advice: Advice,
    text: &str,
    path: &str,
    why: &str,
    by: Option<&str>,
) -> Result<String, String> {
    let text = without_hints(advice, text, |entry| entry.path == path)?;
    let text = if text.trim().is_empty() { file_heading(advice).to_owned() } else { text };
    let listed = YamlList::read_list(hint_file_name(advice), &text, &LISTS)?;
    let mut pairs = vec![("path", yaml_scalar(path))];
    let folded = why.split_whitespace().collect::<Vec<_>>().join(" ");
    pairs.extend((!folded.is_empty()).then(|| ("why", yaml_scalar(&folded))));
    pairs.extend(by.map(|by| ("by", yaml_scalar(by))));
    let after = listed.add_item(&text, &pairs, None).ok_or_else(|| format_error(advice))?;
    let added = read_hints(advice, &after)
        .entries
        .iter()
        .any(|entry| entry.path == path && entry.by.as_deref() == by);
    if added { Ok(after) } else { Err(format_error(advice)) }
}

/// The text without the entries that `gone` picks.
///
/// # Errors
/// As [`with_hint`].
pub(super) fn without_hints(
    advice: Advice,
    text: &str,
    gone: impl Fn(&HintEntry) -> bool,
) -> Result<String, String> {
    // A file that cannot be read is not written: a slip must not cost the person the rest.
    YamlList::read_list(hint_file_name(advice), text, &LISTS)?;
    let before = read_hints(advice, text).entries;
    let mut after = text.to_owned();
    // From the end, so that the lines of those before stay where they are.
    for entry in before.iter().rev().filter(|entry| gone(entry)) {
        after = lines::without_item(&after, entry.line).ok_or_else(|| format_error(advice))?;
    }
    let kept = |entry: &&HintEntry| !gone(entry);
    let same = read_hints(advice, &after)
        .entries
        .iter()
        .map(|entry| &entry.path)
        .eq(before.iter().filter(kept).map(|entry| &entry.path));
    if same { Ok(after) } else { Err(format_error(advice)) }
}

fn format_error(advice: Advice) -> String {
    format!(
        "{} is not a list with one `- path: …` a line, so nothing can be added or taken out",
        hint_file_name(advice)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_a_person_writes_it_is_read() {
        for text in [
            "- src/a.rs\n- path: b.rs\n  why: here\n  by: codex\n",
            "hot:\n  - ./src/a.rs\n  - {path: b.rs, why: here, by: codex}\n",
            "files: [src/a.rs, {path: b.rs, why: here, by: codex}]\n",
        ] {
            let hints = read_hints(Advice::Hot, text);
            assert_eq!(hints.problems, Vec::<String>::new(), "{text}");
            let found: Vec<_> = hints
                .entries
                .iter()
                .map(|entry| (entry.path.as_str(), entry.why.as_str(), entry.by.as_deref()))
                .collect();
            assert_eq!(found, [("src/a.rs", "", None), ("b.rs", "here", Some("codex"))], "{text}");
        }
        for empty in ["", "# nothing\n", "hot:\n"] {
            assert_eq!(read_hints(Advice::Hot, empty), HintFile::default(), "{empty}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_the_rest_counts() {
        let hints =
            read_hints(Advice::Cold, "- ok.rs\n- path: ../out\n- wy: x\n  path: two.rs\n- ok.rs\n- 7\n");
        let paths: Vec<&str> = hints.entries.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(paths, ["ok.rs", "two.rs"]);
        assert_eq!(
            hints.problems,
            [
                "cold.yml:2: an entry names no file of this workspace: write `- path: src/main.rs`",
                "cold.yml:3: an entry has no `wy`; it may say why",
                "cold.yml:5: ok.rs is named twice",
                "cold.yml:6: an entry names no file of this workspace: write `- path: src/main.rs`",
            ]
        );
        let odd = read_hints(Advice::Cold, "hott:\n  - a.rs\n");
        assert!(odd.entries.is_empty() && odd.problems[0].contains("no list of files"), "{odd:?}");
    }

    #[test]
    fn a_hint_is_put_in_and_taken_out_beside_a_persons_lines() {
        let own = "# mine, do not lose\n- keep.rs # because\n";
        let with_one = with_hint(Advice::Hot, own, "a: b.rs", "Look\nhere", Some("codex")).unwrap();
        assert_eq!(
            with_one,
            "# mine, do not lose\n- keep.rs # because\n- path: \"a: b.rs\"\n  why: Look here\n  by: codex\n"
        );
        let again = with_hint(Advice::Hot, &with_one, "a: b.rs", "Anew", None).unwrap();
        assert_eq!(again.matches("a: b.rs").count(), 1);
        assert_eq!(without_hints(Advice::Hot, &with_one, |entry| entry.by.is_some()).unwrap(), own);
        let new = with_hint(Advice::Cold, "", "x.rs", "", None).unwrap();
        assert_eq!(read_hints(Advice::Cold, &new).entries[0].path, "x.rs");
        for odd in ["- [a", "hot: [a.rs]\n", "hello\n"] {
            assert!(with_hint(Advice::Hot, odd, "x.rs", "", None).is_err(), "{odd}");
        }
    }
}
