//! Reads git's index: the output of `git ls-files --stage`.

use std::collections::BTreeMap;

use super::{GitError, GitReader, to_arguments};
use crate::base::WorkspacePath;

/// Bytes of paths that git is given as arguments; beyond that it is asked for all of its index.
const MOST: usize = 64 << 10;
/// The mode of a repository in a repository.
const REPOSITORY: &str = "160000";

/// Part of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::execution) struct IndexPart(BTreeMap<String, IndexEntry>);

/// The index's entry of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct IndexEntry {
    hash: String,
    is_repository: bool,
}

impl GitReader<'_> {
    /// Returns the index's entries at `paths` and below them.
    ///
    /// # Errors
    /// Fails where git cannot be run, refuses, or answers more than there is room for.
    pub(in crate::execution) async fn index_part(
        &self,
        paths: &[&WorkspacePath],
    ) -> Result<IndexPart, GitError> {
        let mut all = to_arguments(&["ls-files", "--stage", "-z", "--"]);
        if paths.iter().map(|path| path.as_str().len()).sum::<usize>() <= MOST {
            let owned: Vec<WorkspacePath> =
                paths.iter().filter_map(|path| self.below.join(path.as_str())).collect();
            all.extend(super::path_arguments(&owned));
        }
        let output = self.run_git(all, None).await?;
        match output.is_cut {
            true => Err(GitError::TooMuch),
            false => Ok(IndexPart::read_entries(&output.bytes, &self.below)),
        }
    }
}

impl IndexPart {
    /// Reads entries: `MODE HASH STAGE`, a tab and the path, each with a NUL at its end. The paths of the part are those from
    /// the folder `below` on.
    fn read_entries(bytes: &[u8], below: &WorkspacePath) -> Self {
        let beginning = if below.is_root() { String::new() } else { format!("{below}/") };
        let entry = |entry: &[u8]| {
            let text = String::from_utf8_lossy(entry);
            let (said, path) = text.split_once('\t')?;
            let path = path.strip_prefix(&beginning)?;
            let mut said = said.split(' ');
            let (mode, hash) = (said.next()?, said.next()?);
            Some((path.to_owned(), IndexEntry { hash: hash.to_owned(), is_repository: mode == REPOSITORY }))
        };
        Self(bytes.split(|byte| *byte == 0).filter_map(entry).collect())
    }

    /// The hash of the file that it has at a path.
    pub(in crate::execution) fn hash(&self, path: &WorkspacePath) -> Option<&str> {
        self.0.get(path.as_str()).map(|entry| entry.hash.as_str())
    }

    /// Returns whether it has something at a path: a file, or a repository that the path lies in.
    pub(in crate::execution) fn has_path(&self, path: &WorkspacePath) -> bool {
        let mut above = path.parent();
        while let Some(folder) = above {
            if self.0.get(folder.as_str()).is_some_and(|entry| entry.is_repository) {
                return true;
            }
            above = folder.parent();
        }
        self.0.contains_key(path.as_str())
    }

    /// Returns the entries below a folder.
    pub(in crate::execution) fn paths_below<'s>(
        &'s self,
        folder: &WorkspacePath,
    ) -> impl Iterator<Item = &'s str> + use<'s> {
        let beginning = if folder.is_root() { String::new() } else { format!("{folder}/") };
        let from = self.0.range(beginning.clone()..);
        from.map(|(path, _)| path.as_str()).take_while(move |path| path.starts_with(&beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_read_with_its_repositories() {
        let path = |path: &str| WorkspacePath::from_relative(path).unwrap();
        let root = WorkspacePath::root();
        let part = IndexPart::read_entries(
            b"100644 aa 0\tdist/a b\x00160000 bb 0\tlibs/sub\x00100755 cc 2\tdist/deep/x\x00rubbish\x00100644 dd 0\tdist-2\x00",
            &root,
        );
        assert!(
            part.has_path(&path("dist/a b"))
                && part.has_path(&path("dist/deep/x"))
                && part.has_path(&path("libs/sub/any/file"))
        );
        assert!(
            !part.has_path(&path("dist")) && !part.has_path(&path("dist/b")) && !part.has_path(&path("libs"))
        );
        assert_eq!(part.paths_below(&path("dist")).collect::<Vec<_>>(), ["dist/a b", "dist/deep/x"]);
        assert_eq!((part.hash(&path("dist-2")), part.paths_below(&root).count()), (Some("dd"), 4));
        let below =
            IndexPart::read_entries(b"100644 aa 0\tapp/dist/a\x00100644 bb 0\tapp-2/x\x00", &path("app"));
        assert_eq!(below.paths_below(&root).collect::<Vec<_>>(), ["dist/a"]);
    }
}
