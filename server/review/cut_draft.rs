//! A draft becomes a proposal: each change of text is cut into hunks where lines differ.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::base::WorkspacePath;
use crate::change_draft::{CallDraft, ChangeContent, PathChange};
use crate::patch;
use crate::protocol::{ChangeKind, DirectWrites, Fault, Hunk, Policy, Proposal, ProposedFile};
use crate::queued_proposal::{HunkBase, QueuedProposal};

/// The workspace that the paths of a draft are in.
pub trait DraftPlaces {
    /// Resolves a path to the entry that it names: of a symlink, the link.
    ///
    /// # Errors
    /// PERMISSION_DENIED where it leads outside.
    fn resolve_entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, Fault>;

    /// Resolves a path to the file that it leads to: of a symlink, its target.
    ///
    /// # Errors
    /// PERMISSION_DENIED where it leads outside.
    fn resolve_file(&self, path: &WorkspacePath) -> Result<WorkspacePath, Fault>;

    /// The warning for the person, where a change of the path makes programs run.
    fn change_warning(&self, path: &WorkspacePath) -> Option<&'static str>;

    /// The `file:` URI of a path.
    fn uri(&self, path: &WorkspacePath) -> String;

    /// The version of the open document at a path; none where it is not open.
    fn document_version(&self, path: &WorkspacePath) -> Option<i32>;
}

/// Cuts a call's draft into the files and hunks of `proposal`, which has none yet. Hunks are numbered through all its
/// files.
///
/// # Errors
/// The error of a path that cannot be resolved.
pub fn cut_draft(
    proposal: Proposal,
    draft: CallDraft,
    policy: Policy,
    places: &dyn DraftPlaces,
) -> Result<QueuedProposal, Fault> {
    let mut cutter = DraftCutter { places, files: Vec::new(), views: Vec::new(), hunks: 0 };
    draft.changes.into_iter().try_for_each(|change| cutter.add_change(change))?;
    let DraftCutter { mut files, views, .. } = cutter;
    if let (Some(words), Some(hunk)) = (direct_writes_note(&draft.notes), first_hunk(&mut files)) {
        hunk.warning =
            Some(hunk.warning.take().map_or(words.clone(), |warning| format!("{warning}; {words}")));
    }
    Ok(QueuedProposal::new(Proposal { files, ..proposal }, policy, views, draft.notes))
}

/// Describes the paths that the call wrote without a review, for the person who decides on the rest.
fn direct_writes_note(notes: &Map<String, Value>) -> Option<String> {
    let written = Vec::<DirectWrites>::deserialize(notes.get("written")?).ok()?;
    let words: Vec<String> = written.iter().map(DirectWrites::to_string).collect();
    (!words.is_empty()).then(|| format!("written without a review by the same call: {}", words.join("; ")))
}

fn first_hunk(files: &mut [ProposedFile]) -> Option<&mut Hunk> {
    files.iter_mut().flat_map(|file| &mut file.hunks).next()
}

struct DraftCutter<'p> {
    places: &'p dyn DraftPlaces,
    files: Vec<ProposedFile>,
    /// The text of each file.
    views: Vec<HunkBase>,
    /// The number of hunks so far.
    hunks: usize,
}

impl DraftCutter<'_> {
    fn add_change(&mut self, mut change: PathChange) -> Result<(), Fault> {
        let asked = std::mem::replace(&mut change.path, WorkspacePath::root());
        change.path = self.resolve_place(&asked, change.kind)?;
        let other_name = Some(&asked).filter(|asked| **asked != change.path);
        let mut names = [Some(&change.path), other_name].into_iter().flatten();
        let warning = names.find_map(|path| self.places.change_warning(path));
        // Until its rename is accepted, a file and its other hunks are at the old path.
        let path = self.before_renames(&change);
        let from = change.from.as_ref().map(|from| self.resolve_place(from, change.kind)).transpose()?;
        let other = |content: &Option<ChangeContent>| match content {
            Some(ChangeContent::Other(content)) => Some(content.clone()),
            _ => None,
        };
        let mut file = ProposedFile {
            uri: self.places.uri(&path),
            kind: change.kind,
            version: self.places.document_version(&path),
            path,
            from,
            before: other(&change.before),
            after: other(&change.after),
            executable: change.executable,
            what: None,
            hunks: hunks_of(&change),
        };
        for hunk in &mut file.hunks {
            self.hunks += 1;
            hunk.id = format!("h{}", self.hunks).into();
            // Nothing runs for a folder.
            let is_folder = matches!(change.kind, ChangeKind::Mkdir | ChangeKind::Rmdir);
            hunk.warning = warning.filter(|_| !is_folder).map(str::to_owned);
        }
        file.what = file.change_sentence();
        let encoding =
            [&change.before, &change.after].into_iter().flatten().find_map(ChangeContent::encoding);
        let text = change.before.as_ref().and_then(ChangeContent::text).map(Into::into);
        self.views.push(HunkBase { text, encoding });
        self.files.push(file);
        Ok(())
    }

    /// Resolves the path that a change is about: the file itself, not a link to it, since an editor shows it under that
    /// name. A change to a link, or to an entry that takes the place of a removed one, is about the link's own path.
    fn resolve_place(&self, asked: &WorkspacePath, kind: ChangeKind) -> Result<WorkspacePath, Fault> {
        let entry = self.places.resolve_entry(asked)?;
        let is_freed = self.files.iter().any(|file| file.frees_path(&entry));
        let is_moved = self.files.iter().any(|file| file.kind == ChangeKind::Rename && file.path == entry);
        match matches!(kind, ChangeKind::Rename | ChangeKind::Symlink) || is_freed || is_moved {
            true => Ok(entry),
            false => self.places.resolve_file(asked),
        }
    }

    fn before_renames(&self, change: &PathChange) -> WorkspacePath {
        let renames = |file: &&ProposedFile| {
            file.kind == ChangeKind::Rename && file.path == change.path && change.kind != file.kind
        };
        let moved = self.files.iter().find(renames).and_then(|file| file.from.clone());
        moved.unwrap_or_else(|| change.path.clone())
    }
}

fn hunks_of(change: &PathChange) -> Vec<Hunk> {
    let text = |content: &Option<ChangeContent>| {
        content.as_ref().and_then(ChangeContent::text).unwrap_or_default().to_owned()
    };
    let (before, after) = (text(&change.before), text(&change.after));
    let whole = |old: Vec<String>, new: Vec<String>| vec![new_hunk(0, old, new, None)];
    match change.kind {
        ChangeKind::Create => whole(Vec::new(), owned_lines(&after)),
        ChangeKind::Delete => whole(owned_lines(&before), Vec::new()),
        ChangeKind::Edit => {
            let mut shift = 0_i64;
            let mut hunks = Vec::new();
            for cut in patch::cut_hunks(&before, &after) {
                let first = cut.old_start as i64 + shift;
                let last = first + cut.new.len() as i64;
                let near = |(line, _): &&(u32, String)| (first - 3..=last + 3).contains(&i64::from(*line));
                let loose = change.loose.iter().find(near).map(|(_, how)| how.clone());
                shift += cut.new.len() as i64 - cut.old.len() as i64;
                hunks.push(new_hunk(cut.old_start, cut.old, cut.new, loose));
            }
            hunks
        }
        _ => whole(Vec::new(), Vec::new()),
    }
}

fn new_hunk(start: usize, old: Vec<String>, new: Vec<String>, loose: Option<String>) -> Hunk {
    let start = u32::try_from(start).unwrap_or(u32::MAX);
    Hunk { start, old, new, loose, ..Hunk::default() }
}

fn owned_lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::text::TextEncoding;
    use crate::protocol::PathContent;

    /// A workspace in which `link` is a symlink to `target`, and `Makefile` makes programs run.
    struct LinkedPlaces;

    impl DraftPlaces for LinkedPlaces {
        fn resolve_entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, Fault> {
            Ok(path.clone())
        }

        fn resolve_file(&self, path: &WorkspacePath) -> Result<WorkspacePath, Fault> {
            Ok(if path.as_str() == "link" { place("target") } else { path.clone() })
        }

        fn change_warning(&self, path: &WorkspacePath) -> Option<&'static str> {
            (path.as_str() == "Makefile").then_some("make runs it")
        }

        fn uri(&self, path: &WorkspacePath) -> String {
            format!("file:///{path}")
        }

        fn document_version(&self, path: &WorkspacePath) -> Option<i32> {
            (path.as_str() == "target").then_some(3)
        }
    }

    fn place(path: &str) -> WorkspacePath {
        WorkspacePath::from_relative(path).unwrap()
    }

    fn text(text: &str) -> ChangeContent {
        ChangeContent::Text { text: text.to_owned(), encoding: TextEncoding::Utf8 }
    }

    fn edit(path: &str, before: &str, after: &str) -> PathChange {
        PathChange::of_text(place(path), Some(text(before)), text(after))
    }

    fn cut(changes: Vec<PathChange>, notes: Value) -> QueuedProposal {
        let proposal = json!({
            "id": "p-1", "call_id": "c-1", "session": "s", "tool": "fs.edit", "why": "", "created": "",
            "origin": { "door": "mcp" }, "files": [],
        });
        let notes = notes.as_object().cloned().unwrap_or_default();
        let draft = CallDraft { changes, notes, ..CallDraft::default() };
        cut_draft(serde_json::from_value(proposal).unwrap(), draft, Policy::Ask, &LinkedPlaces).unwrap()
    }

    #[test]
    fn hunks_are_numbered_through_all_files_and_stand_where_lines_differ() {
        let item = cut(
            vec![
                edit("a", "1\n2\n3\n4\n5\n6\n7\n", "one\n2\n3\n4\n5\n6\nseven\n"),
                PathChange::of_text(place("b"), None, text("new\n")),
            ],
            Value::Null,
        );
        let hunks: Vec<_> = item.proposal().hunks().map(|hunk| (hunk.id.as_str(), hunk.start)).collect();
        assert_eq!(hunks, [("h1", 0), ("h2", 6), ("h3", 0)]);
        assert_eq!(item.views()[0].text.as_deref(), Some("1\n2\n3\n4\n5\n6\n7\n"));
        assert!(item.views()[1].text.is_none() && !item.is_up());
    }

    #[test]
    fn a_change_through_a_link_stands_at_the_file_and_a_change_of_the_link_at_the_link() {
        let link = PathChange::of_content(place("link"), Some(PathContent::Symlink("x".into())), None);
        let item = cut(vec![edit("link", "a\n", "b\n"), link], Value::Null);
        let files = &item.proposal().files;
        assert_eq!((files[0].path.as_str(), files[0].version), ("target", Some(3)));
        assert_eq!((files[1].path.as_str(), files[1].version), ("link", None));
    }

    #[test]
    fn hunks_of_a_file_that_is_renamed_stand_at_its_old_path() {
        let rename = PathChange::without_content(place("new"), ChangeKind::Rename, Some(place("old")));
        let item = cut(vec![rename, edit("new", "a\n", "b\n")], Value::Null);
        let paths: Vec<_> = item.proposal().files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["new", "old"]);
    }

    #[test]
    fn the_person_is_warned_of_what_runs_and_of_what_is_written_already() {
        let notes = json!({ "written": [{ "path": "out", "files": 2 }] });
        let item = cut(vec![edit("Makefile", "a\n", "b\n")], notes);
        let warning = item.proposal().hunks().next().unwrap().warning.clone().unwrap();
        assert!(
            warning.starts_with("make runs it; written without a review by the same call: "),
            "{warning}"
        );
    }
}
