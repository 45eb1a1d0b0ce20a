//! Searches of an agent's own tools: one whose result would show lines of a closed file is left.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};

use super::places;
use crate::base::{WorkspacePath, blocking};
use crate::execution::IgnoredPaths;
use crate::hub::Folder;
use crate::index::lexical::query::{Case, Query};
use crate::native::{NativeAct, NativeAnswer, NativeParams, NativeVerdict, told};
use crate::ports::Caller;
use crate::protocol::Origin;

/// Closed files that are looked into, and their bytes: an agent waits for it. A search over more is left.
const MOST: usize = 2_000;
const BYTES: u64 = 64 << 20;

/// What a search would show of what the rules close.
enum Shown {
    /// Lines of this file.
    Lines(WorkspacePath),
    /// Nobody can say in time: too much is closed.
    Unknown,
}

/// A search, as the agent's tool does it.
struct NativeSearch {
    query: Query,
    /// The file or folder that is searched.
    at: WorkspacePath,
    /// The files that are searched, by their names.
    files: Override,
}

impl Folder {
    /// A search is held to the rules for its folder as a read is, and for what it would find in closed files. Whether capitals
    /// count differs among the agents; here they do not.
    pub(super) async fn native_search(
        &self,
        params: &NativeParams,
        origin: &Origin,
        caller: Option<Arc<dyn Caller>>,
    ) -> NativeAnswer {
        let NativeAct::Search { pattern, path, files } = &params.act else { return NativeAnswer::default() };
        let at = path.as_deref().unwrap_or(".");
        let answer = self.native_read(params, origin, &[at.to_owned()], caller).await;
        let Some(at) = places::inside(self.root(), params.cwd.as_deref(), at) else { return answer };
        if answer.verdict == NativeVerdict::Leave {
            return answer;
        }
        let query = Query::new(pattern, Case::Insensitive, false);
        let query = query.or_else(|_| Query::new(pattern, Case::Insensitive, true));
        // What no engine takes finds nothing.
        let Ok(query) = query else { return answer };
        let search = NativeSearch { query, at, files: named(self.root(), files.as_deref()) };
        match blocking(|| self.shown(&search)) {
            None => answer,
            Some(Shown::Lines(path)) => {
                NativeAnswer::new(NativeVerdict::Leave, told::closed_lines(Some(&path)))
            }
            Some(Shown::Unknown) => NativeAnswer::new(NativeVerdict::Leave, told::closed_lines(None)),
        }
    }

    fn shown(&self, search: &NativeSearch) -> Option<Shown> {
        let files = self.session().files().unasked();
        // A workspace that cannot be listed shows the agent nothing either.
        let closed = self.executor().closed(&files).ok()?;
        let mut ignored = IgnoredPaths::of(self.root());
        let (mut looked_into, mut bytes) = (0, 0);
        for place in closed.iter().flat_map(|place| files_in(place)) {
            let Some(Ok(path)) = place.to_str().map(|place| WorkspacePath::parse(self.root(), place)) else {
                continue;
            };
            // Agents' tools leave out what git ignores, unless it is what they are to search.
            let is_searched = path == search.at || path.is_in(&search.at) && !ignored.holds(&path, false);
            if !is_searched || search.files.matched(path.as_str(), false).is_ignore() {
                continue;
            }
            looked_into += 1;
            bytes += std::fs::symlink_metadata(&place).map_or(0, |meta| meta.len());
            if looked_into > MOST || bytes > BYTES {
                return Some(Shown::Unknown);
            }
            // One that this process may not read the agent's tool may not read either.
            if std::fs::read(&place).is_ok_and(|text| search.query.is_in(&text)) {
                return Some(Shown::Lines(path));
            }
        }
        None
    }
}

/// The file itself, or the files of the folder.
fn files_in(place: &Path) -> impl Iterator<Item = PathBuf> {
    let all = WalkBuilder::new(place).standard_filters(false).build().flatten();
    all.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).map(|entry| entry.into_path())
}

/// The files that a glob names; all of them where there is none, or where it is none.
fn named(root: &str, glob: Option<&str>) -> Override {
    let mut named = OverrideBuilder::new(root);
    let added = glob.is_some_and(|glob| named.add(glob).is_ok());
    added.then(|| named.build().ok()).flatten().unwrap_or_else(Override::empty)
}
