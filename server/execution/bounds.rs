//! What of the workspace a tool's definition leaves to its command.

use std::io;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::closures::Closures;
use crate::base::WorkspacePath;
use crate::registry::{Change, Draft};

/// What of the workspace a command reads, and what of its changes is taken. The default is all of it, as far as the rules
/// leave it open.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandBounds {
    /// The files and folders that the command reads; nothing where that is all of the workspace.
    reads: Option<Vec<WorkspacePath>>,
    writes: WriteBounds,
}

/// Which changes of a command are taken.
#[derive(Clone, Debug, Default)]
enum WriteBounds {
    #[default]
    All,
    /// The workspace is read-only.
    None,
    /// Those of paths that match.
    Matching(GlobSet),
}

impl CommandBounds {
    /// The bounds that a definition sets: each of `places` is `workspace` or a glob below the root, with `:r`, `:w` or `:rw`
    /// behind it. An empty list sets none. A place that is none opens nothing.
    pub(crate) fn of(places: &[String]) -> Self {
        let parsed: Vec<(&str, &str)> = places.iter().filter_map(|place| place.rsplit_once(':')).collect();
        if places.is_empty() {
            return Self::default();
        }
        let is_all = |place: &str| matches!(place, "workspace" | "." | "**");
        let written: Vec<&str> =
            parsed.iter().filter(|(_, how)| how.contains('w')).map(|(place, _)| *place).collect();
        let writes = match written.as_slice() {
            [] => WriteBounds::None,
            places if places.iter().any(|place| is_all(place)) => WriteBounds::All,
            places => matching(places),
        };
        let reads = match parsed.iter().any(|(place, _)| is_all(place)) {
            true => None,
            false => Some(parsed.iter().filter_map(|(place, _)| beginning(place)).collect()),
        };
        Self { reads, writes }
    }

    /// Whether no change of the command is taken.
    pub(super) fn is_read_only(&self) -> bool {
        matches!(self.writes, WriteBounds::None)
    }

    /// Whether some changes are taken and others are not: only a layer keeps them apart.
    pub(super) fn are_partial(&self) -> bool {
        matches!(self.writes, WriteBounds::Matching(_))
    }

    /// Closes what is not read of the workspace at `root`, and leaves of the folders that are written directly those that may
    /// be written.
    ///
    /// # Errors
    /// Where a folder on the way to what is read cannot be listed.
    pub(super) fn narrow(&self, root: &Path, closures: &mut Closures) -> io::Result<()> {
        closures.ignored.retain(|path| {
            let inside = path.strip_prefix(root).ok().and_then(Path::to_str).and_then(WorkspacePath::clean);
            inside.is_some_and(|folder| self.takes_folder(&folder))
        });
        let Some(reads) = &self.reads else { return Ok(()) };
        let mut hidden = Vec::new();
        hide(root, &WorkspacePath::root(), reads, &mut hidden)?;
        let is_open = |path: &PathBuf| !hidden.iter().any(|hidden| path.starts_with(hidden));
        closures.masked.retain(is_open);
        closures.protected.retain(is_open);
        closures.ignored.retain(is_open);
        closures.masked.extend(hidden);
        Ok(())
    }

    /// Takes those changes out of a draft that are out of bounds, and says so.
    pub(super) fn hold(&self, draft: &mut Draft, left_out: &mut Vec<String>) {
        let takes = |change: &Change| {
            self.takes(&change.path) && change.from.as_ref().is_none_or(|from| self.takes(from))
        };
        let (taken, others): (Vec<Change>, Vec<Change>) =
            std::mem::take(&mut draft.changes).into_iter().partition(takes);
        draft.changes = taken;
        left_out.extend(others.iter().map(|change| {
            format!("{}: the tool's definition does not let its command write there", change.path)
        }));
    }

    fn takes(&self, path: &WorkspacePath) -> bool {
        match &self.writes {
            WriteBounds::All => true,
            WriteBounds::None => false,
            WriteBounds::Matching(globs) => globs.is_match(path.as_str()),
        }
    }

    /// Whether any file of a folder may be written.
    fn takes_folder(&self, folder: &WorkspacePath) -> bool {
        folder.join("file").is_some_and(|file| self.takes(&file))
    }
}

fn matching(places: &[&str]) -> WriteBounds {
    let mut globs = GlobSetBuilder::new();
    for place in places {
        // One that is no glob matches nothing.
        if let Ok(glob) = GlobBuilder::new(place.trim_start_matches("./")).literal_separator(true).build() {
            globs.add(glob);
        }
    }
    globs.build().map_or(WriteBounds::None, WriteBounds::Matching)
}

/// The path that a glob begins with, up to the first part that is not literal.
fn beginning(glob: &str) -> Option<WorkspacePath> {
    let literal: Vec<&str> =
        glob.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
    WorkspacePath::clean(&literal.join("/"))
}

/// Lists what lies beside the way to `shown`. Symlinks are left alone: what they lead to is shown or hidden itself.
fn hide(
    at: &Path,
    path: &WorkspacePath,
    shown: &[WorkspacePath],
    hidden: &mut Vec<PathBuf>,
) -> io::Result<()> {
    if shown.iter().any(|shown| path.is_in(shown)) {
        return Ok(());
    }
    for entry in std::fs::read_dir(at)? {
        let entry = entry?;
        let below = entry.file_name().to_str().and_then(|name| path.join(name));
        if entry.file_type()?.is_symlink() {
            continue;
        }
        match below {
            Some(below) if shown.iter().any(|shown| shown.is_in(&below)) => {
                if entry.file_type()?.is_dir() {
                    hide(&entry.path(), &below, shown, hidden)?;
                }
            }
            _ => hidden.push(entry.path()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ChangeKind;

    fn path(path: &str) -> WorkspacePath {
        WorkspacePath::clean(path).unwrap()
    }

    fn bounds(places: &[&str]) -> CommandBounds {
        CommandBounds::of(&places.iter().map(|place| (*place).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_definition_only_narrows_what_is_written() {
        let all = bounds(&[]);
        assert!(all.takes(&path("a")) && !all.is_read_only());
        assert!(bounds(&["workspace:rw"]).takes(&path("a/b")));
        for read_only in [&["workspace:r"][..], &["docs/**:r"], &["nonsense"], &[":r"]] {
            assert!(bounds(read_only).is_read_only(), "{read_only:?}");
        }
        let docs = bounds(&["workspace:r", "docs/*.md:rw"]);
        assert!(docs.takes(&path("docs/a.md")) && !docs.is_read_only());
        for other in ["docs/a.txt", "docs/deep/a.md", "a.md", "src/docs/a.md"] {
            assert!(!docs.takes(&path(other)), "{other}");
        }
        let bare =
            |path_: &str, from: Option<&str>| Change::bare(path(path_), ChangeKind::Rename, from.map(path));
        let mut draft = Draft {
            changes: vec![bare("docs/b.md", Some("docs/a.md")), bare("docs/c.md", Some("src/c.md"))],
            ..Draft::default()
        };
        let mut left_out = Vec::new();
        docs.hold(&mut draft, &mut left_out);
        assert_eq!((draft.changes.len(), left_out.len()), (1, 1), "{left_out:?}");
    }

    #[test]
    fn what_a_definition_does_not_name_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        for file in ["src/a/x.rs", "src/b.rs", "docs/d.md", "top", "out/x"] {
            std::fs::create_dir_all(at.join(file).parent().unwrap()).unwrap();
            std::fs::write(at.join(file), "").unwrap();
        }
        std::os::unix::fs::symlink("top", at.join("link")).unwrap();
        let closures = || Closures {
            masked: vec![at.join("docs/d.md"), at.join("src/a/x.rs")],
            protected: Vec::new(),
            ignored: vec![at.join("out")],
        };
        let narrowed = |places: &[&str]| {
            let mut closures = closures();
            bounds(places).narrow(at, &mut closures).unwrap();
            closures.masked.sort();
            closures
        };
        let src = narrowed(&["src/a/**:r"]);
        let expected = ["docs", "out", "src/a/x.rs", "src/b.rs", "top"].map(|path| at.join(path));
        assert_eq!((src.masked.as_slice(), src.ignored.len()), (expected.as_slice(), 0));
        assert_eq!(narrowed(&[]), closures());
        let whole = narrowed(&["workspace:r", "out/**:rw"]);
        assert_eq!((whole.masked.len(), whole.ignored.len()), (2, 1));
        assert_eq!(narrowed(&["../x/**:r"]).masked.len(), 4, "what lies outside opens nothing");
    }
}
