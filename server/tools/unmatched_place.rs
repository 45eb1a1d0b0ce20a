//! Says why a search had no file to look at: its glob, or its folder.

use std::collections::BTreeMap;

use super::whole_unless;
use crate::session::{CallScope, SearchError, SearchScope};

/// Endings of files that are named.
const NAMED_ENDINGS: usize = 3;

/// Describes what is there instead, where no file is at a place; nothing where one is, or the place is the whole workspace.
pub(super) fn describe_no_files(
    scope: &CallScope,
    place: SearchScope<'_>,
) -> Result<Option<String>, SearchError> {
    let SearchScope { scope: folder, glob } = place;
    let is_whole = whole_unless(folder) == ".";
    if (glob.is_empty() && is_whole) || !scope.search().list_files(place)?.is_empty() {
        return Ok(None);
    }
    let here = if is_whole { "the workspace".to_owned() } else { folder.to_owned() };
    let there = match glob.is_empty() {
        true => Vec::new(),
        false => scope.search().list_files(SearchScope { glob: "", ..place })?,
    };
    if there.is_empty() {
        return Ok(Some(format!(
            "no file of {here} may be searched: it is empty, or git ignores what it holds; fs.ls lists a folder, and a \
             `glob` finds what is ignored too"
        )));
    }
    let mut endings: BTreeMap<&str, usize> = BTreeMap::new();
    for name in there.iter().filter_map(|entry| entry.path.rsplit('/').next()) {
        if let Some((_, ending)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
            *endings.entry(ending).or_default() += 1;
        }
    }
    let mut endings: Vec<(&str, usize)> = endings.into_iter().collect();
    endings.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let named: Vec<String> =
        endings.iter().take(NAMED_ENDINGS).map(|(ending, _)| format!("*.{ending}")).collect();
    let named = if named.is_empty() { String::new() } else { format!("; {} would", named.join(", ")) };
    let (count, word) = (there.len(), if there.len() == 1 { "file" } else { "files" });
    Ok(Some(format!("the glob {glob:?} matches none of the {count} {word} in {here}{named}")))
}
