//! A draft becomes a proposal: each change of text is cut into hunks where lines differ.

use super::item::{Item, View};
use crate::base::WorkspacePath;
use crate::patch;
use crate::protocol::{ChangeKind, Fault, Hunk, Policy, Proposal, ProposedFile};
use crate::registry::{Call, Change, Content, Draft};
use crate::session::Session;

/// Cuts a call's draft. Hunks are numbered through all its files.
pub(super) fn cut(session: &Session, call: &Call, draft: Draft, policy: Policy) -> Result<Item, Fault> {
    let mut cutter = Cutter { session, files: Vec::new(), views: Vec::new(), hunks: 0 };
    draft.changes.into_iter().try_for_each(|change| cutter.add(change))?;
    let Cutter { files, views, .. } = cutter;
    let proposal = Proposal {
        id: format!("p-{}", crate::base::ids::unique()).into(),
        call_id: call.id().clone(),
        session: session.log().journal()?.session().to_owned(),
        tool: call.tool().name().to_owned(),
        why: call.why().as_str().to_owned(),
        origin: call.origin().clone(),
        created: session.now(),
        files,
    };
    Ok(Item::new(proposal, policy, views, draft.notes))
}

struct Cutter<'s> {
    session: &'s Session,
    files: Vec<ProposedFile>,
    /// The text of each file.
    views: Vec<View>,
    /// How many hunks there are so far.
    hunks: usize,
}

impl Cutter<'_> {
    fn add(&mut self, mut change: Change) -> Result<(), Fault> {
        let asked = std::mem::replace(&mut change.path, WorkspacePath::root());
        change.path = self.place(&asked, change.kind)?;
        let files = self.session.files().unasked();
        let rules = files.rules();
        let warning = rules.warning(&change.path).or_else(|| rules.warning(&asked));
        // Until a rename is accepted its file stands at the old path, and so do the other hunks of that file.
        let path = self.before_renames(&change);
        let from = change.from.as_ref().map(|from| self.place(from, change.kind)).transpose()?;
        let other = |content: &Option<Content>| match content {
            Some(Content::Other(content)) => Some(content.clone()),
            _ => None,
        };
        let mut file = ProposedFile {
            uri: self.session.workspace().uri(&path),
            kind: change.kind,
            version: self.session.files().document(&path).map(|document| document.version),
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
        file.what = file.sentence();
        let encoding = [&change.before, &change.after].into_iter().flatten().find_map(Content::encoding);
        let text = change.before.as_ref().and_then(Content::text).map(Into::into);
        self.views.push(View { text, encoding });
        self.files.push(file);
        Ok(())
    }

    /// Where a path leads: the file itself, not a link to it, since an editor shows it under that name. What is done to a
    /// link is done to the link, and so is what takes the place of one that goes.
    fn place(&self, asked: &WorkspacePath, kind: ChangeKind) -> Result<WorkspacePath, Fault> {
        let root = self.session.workspace().store().root().clone();
        let entry = root.resolve_entry(asked)?;
        let is_freed = self.files.iter().any(|file| file.frees(&entry));
        let is_moved = self.files.iter().any(|file| file.kind == ChangeKind::Rename && file.path == entry);
        match matches!(kind, ChangeKind::Rename | ChangeKind::Symlink) || is_freed || is_moved {
            true => Ok(entry),
            false => Ok(root.resolve(asked)?),
        }
    }

    fn before_renames(&self, change: &Change) -> WorkspacePath {
        let renames = |file: &&ProposedFile| {
            file.kind == ChangeKind::Rename && file.path == change.path && change.kind != file.kind
        };
        let moved = self.files.iter().find(renames).and_then(|file| file.from.clone());
        moved.unwrap_or_else(|| change.path.clone())
    }
}

fn hunks_of(change: &Change) -> Vec<Hunk> {
    let text =
        |content: &Option<Content>| content.as_ref().and_then(Content::text).unwrap_or_default().to_owned();
    let (before, after) = (text(&change.before), text(&change.after));
    let whole = |old: Vec<String>, new: Vec<String>| vec![hunk(0, old, new, None)];
    match change.kind {
        ChangeKind::Create => whole(Vec::new(), lines(&after)),
        ChangeKind::Delete => whole(lines(&before), Vec::new()),
        ChangeKind::Edit => {
            let mut shift = 0_i64;
            let mut hunks = Vec::new();
            for cut in patch::cut(&before, &after) {
                let first = cut.old_start as i64 + shift;
                let last = first + cut.new.len() as i64;
                let near = |(line, _): &&(u32, String)| (first - 3..=last + 3).contains(&i64::from(*line));
                let loose = change.loose.iter().find(near).map(|(_, how)| how.clone());
                shift += cut.new.len() as i64 - cut.old.len() as i64;
                hunks.push(hunk(cut.old_start, cut.old, cut.new, loose));
            }
            hunks
        }
        _ => whole(Vec::new(), Vec::new()),
    }
}

fn hunk(start: usize, old: Vec<String>, new: Vec<String>, loose: Option<String>) -> Hunk {
    let start = u32::try_from(start).unwrap_or(u32::MAX);
    Hunk { start, old, new, loose, ..Hunk::default() }
}

fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}
