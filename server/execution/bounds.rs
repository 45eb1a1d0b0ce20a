//! The bounds that a tool's definition sets to its command within the workspace.

use std::io;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::closures::Closures;
use crate::base::WorkspacePath;
use crate::registry::{CallDraft, PathChange};

/// The parts of the workspace that a command reads, and the changes of it that are taken. The default is all that the
/// rules leave open.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandBounds {
    /// The files and folders that the command reads; nothing where that is all of the workspace.
    reads: Option<Vec<WorkspacePath>>,
    writes: WriteBounds,
}

/// The changes of a command that are taken.
#[derive(Clone, Debug, Default)]
enum WriteBounds {
    #[default]
    All,
    /// The workspace is read-only.
    None,
    /// The changes of paths that match.
    Matching(GlobSet),
}

impl CommandBounds {
    /// The bounds that a definition sets: each of `places` is `workspace` or a glob below the root, with `:r`, `:w` or `:rw`
    /// behind it. An empty list opens nothing, no list sets no bounds. A place that is none opens nothing.
    pub(crate) fn from_places(places: Option<&[String]>) -> Self {
        let Some(places) = places else { return Self::default() };
        let parsed: Vec<(&str, &str)> = places.iter().filter_map(|place| place.rsplit_once(':')).collect();
        let is_all = |place: &str| matches!(place, "workspace" | "." | "**");
        let written: Vec<&str> =
            parsed.iter().filter(|(_, how)| how.contains('w')).map(|(place, _)| *place).collect();
        let writes = match written.as_slice() {
            [] => WriteBounds::None,
            places if places.iter().any(|place| is_all(place)) => WriteBounds::All,
            places => write_bounds(places),
        };
        let reads = match parsed.iter().any(|(place, _)| is_all(place)) {
            true => None,
            false => Some(parsed.iter().filter_map(|(place, _)| literal_prefix(place)).collect()),
        };
        Self { reads, writes }
    }

    /// The bounds of a command that reads the workspace and writes nothing in it.
    pub(crate) fn read_only() -> Self {
        Self { reads: None, writes: WriteBounds::None }
    }

    /// Returns whether no change of the command is taken.
    pub(super) fn is_read_only(&self) -> bool {
        matches!(self.writes, WriteBounds::None)
    }

    /// Returns whether some changes are taken and others are not: only a layer keeps them apart.
    pub(super) fn are_partial(&self) -> bool {
        matches!(self.writes, WriteBounds::Matching(_))
    }

    /// True if the command reads and writes all of the workspace.
    pub(super) fn are_none(&self) -> bool {
        self.reads.is_none() && matches!(self.writes, WriteBounds::All)
    }

    /// Closes the parts of the workspace at `root` that the command does not read.
    ///
    /// # Errors
    /// Fails where a folder on the way to a readable path cannot be listed.
    pub(super) fn narrow_closures(&self, root: &Path, closures: &mut Closures) -> io::Result<()> {
        let Some(reads) = &self.reads else { return Ok(()) };
        let mut hidden = Vec::new();
        hide_siblings(root, &WorkspacePath::root(), reads, &mut hidden)?;
        let is_open = |path: &PathBuf| !hidden.iter().any(|hidden| path.starts_with(hidden));
        closures.masked.retain(is_open);
        closures.shown.retain(|shown| is_open(&shown.path));
        closures.protected.retain(is_open);
        closures.hidden = hidden;
        Ok(())
    }

    /// Takes the changes that are out of bounds out of a draft, and reports them.
    pub(super) fn filter_draft(&self, draft: &mut CallDraft, left_out: &mut Vec<String>) {
        let takes = |change: &PathChange| {
            self.takes_path(&change.path) && change.from.as_ref().is_none_or(|from| self.takes_path(from))
        };
        let (taken, others): (Vec<PathChange>, Vec<PathChange>) =
            std::mem::take(&mut draft.changes).into_iter().partition(takes);
        draft.changes = taken;
        left_out.extend(others.iter().map(|change| {
            format!("{}: the tool's definition does not let its command write there", change.path)
        }));
    }

    /// Returns whether a change of a path is taken.
    pub(super) fn takes_path(&self, path: &WorkspacePath) -> bool {
        match &self.writes {
            WriteBounds::All => true,
            WriteBounds::None => false,
            WriteBounds::Matching(globs) => globs.is_match(path.as_str()),
        }
    }
}

fn write_bounds(places: &[&str]) -> WriteBounds {
    let mut globs = GlobSetBuilder::new();
    for place in places {
        // An invalid glob matches nothing.
        if let Ok(glob) = GlobBuilder::new(place.trim_start_matches("./")).literal_separator(true).build() {
            globs.add(glob);
        }
    }
    globs.build().map_or(WriteBounds::None, WriteBounds::Matching)
}

/// The path that a glob begins with, up to the first part that is not literal.
fn literal_prefix(glob: &str) -> Option<WorkspacePath> {
    let literal: Vec<&str> =
        glob.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
    WorkspacePath::from_relative(&literal.join("/"))
}

/// Lists the entries next to the way to `shown`. Symlinks are left alone: their targets are shown or hidden themselves.
fn hide_siblings(
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
                    hide_siblings(&entry.path(), &below, shown, hidden)?;
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
        WorkspacePath::from_relative(path).unwrap()
    }

    fn bounds(places: &[&str]) -> CommandBounds {
        CommandBounds::from_places(Some(&places.iter().map(|place| (*place).to_owned()).collect::<Vec<_>>()))
    }

    #[test]
    fn a_definition_only_narrows_what_is_written() {
        let all = CommandBounds::from_places(None);
        assert!(all.takes_path(&path("a")) && !all.is_read_only());
        assert!(bounds(&["workspace:rw"]).takes_path(&path("a/b")));
        for read_only in [&[][..], &["workspace:r"], &["docs/**:r"], &["nonsense"], &[":r"]] {
            assert!(bounds(read_only).is_read_only(), "{read_only:?}");
        }
        let docs = bounds(&["workspace:r", "docs/*.md:rw"]);
        assert!(docs.takes_path(&path("docs/a.md")) && !docs.is_read_only());
        for other in ["docs/a.txt", "docs/deep/a.md", "a.md", "src/docs/a.md"] {
            assert!(!docs.takes_path(&path(other)), "{other}");
        }
        let bare = |path_: &str, from: Option<&str>| {
            PathChange::without_content(path(path_), ChangeKind::Rename, from.map(path))
        };
        let mut draft = CallDraft {
            changes: vec![bare("docs/b.md", Some("docs/a.md")), bare("docs/c.md", Some("src/c.md"))],
            ..CallDraft::default()
        };
        let mut left_out = Vec::new();
        docs.filter_draft(&mut draft, &mut left_out);
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
            hidden: Vec::new(),
            shown: Vec::new(),
            ignored: Vec::new(),
            ..Closures::default()
        };
        let narrowed_by = |bounds: CommandBounds| {
            let mut closures = closures();
            bounds.narrow_closures(at, &mut closures).unwrap();
            closures.masked.append(&mut closures.hidden);
            closures.masked.sort();
            closures
        };
        let narrowed = |places: &[&str]| narrowed_by(bounds(places));
        let src = narrowed(&["src/a/**:r"]);
        let expected = ["docs", "out", "src/a/x.rs", "src/b.rs", "top"].map(|path| at.join(path));
        assert_eq!(src.masked.as_slice(), expected.as_slice());
        assert_eq!(narrowed_by(CommandBounds::from_places(None)), closures());
        assert_eq!(narrowed(&[]).masked, ["docs", "out", "src", "top"].map(|path| at.join(path)));
        let whole = narrowed(&["workspace:r", "out/**:rw"]);
        assert_eq!(whole.masked.len(), 2);
        assert_eq!(narrowed(&["../x/**:r"]).masked.len(), 4, "what lies outside opens nothing");
    }
}
