//! A draft becomes a proposal: each change of text is cut into hunks where lines differ.

use std::sync::Arc;

use super::item::{Item, Stage, View};
use crate::base::WorkspacePath;
use crate::patch;
use crate::protocol::{ChangeKind, Fault, Hunk, Policy, Proposal, ProposedFile};
use crate::registry::{Call, Change, Draft};
use crate::session::Session;

/// Cuts a call's draft. Hunks are numbered through all its files.
pub(super) fn cut(session: &Session, call: &Call, draft: Draft, policy: Policy) -> Result<Item, Fault> {
    let mut hunks = 0;
    let mut files = Vec::new();
    let mut views = Vec::new();
    for mut change in draft.changes {
        // The file itself, not a link to it: an editor shows it under that name.
        let asked = std::mem::replace(&mut change.path, WorkspacePath::root());
        change.path = session.workspace().store().root().resolve(&asked)?;
        let unasked = session.files().unasked();
        let rules = unasked.rules();
        let warning = rules.warning(&change.path).or_else(|| rules.warning(&asked));
        let mut file = ProposedFile {
            uri: session.workspace().uri(&change.path),
            path: change.path.clone(),
            kind: change.kind,
            version: session.files().document(&change.path).map(|document| document.version),
            from: change.from.clone(),
            hunks: hunks_of(&change),
        };
        for hunk in &mut file.hunks {
            hunks += 1;
            hunk.id = format!("h{hunks}").into();
            // Nothing runs for a folder.
            hunk.warning = warning.filter(|_| change.kind != ChangeKind::Mkdir).map(str::to_owned);
        }
        let encoding = change.before.as_ref().or(change.after.as_ref()).map(|content| content.encoding);
        views.push(View { text: change.before.map(|content| content.text.into()), encoding });
        files.push(file);
    }
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
    Ok(Item {
        proposal,
        policy,
        views,
        notes: draft.notes,
        answered: false,
        delivered: false,
        stored: false,
        stage: Stage::default(),
        storing: Arc::default(),
    })
}

fn hunks_of(change: &Change) -> Vec<Hunk> {
    let (before, after) = (&change.before, &change.after);
    let whole = |old: Vec<String>, new: Vec<String>| vec![hunk(0, old, new, None)];
    match change.kind {
        ChangeKind::Mkdir | ChangeKind::Copy => whole(Vec::new(), Vec::new()),
        ChangeKind::Create => {
            whole(Vec::new(), after.as_ref().map_or(Vec::new(), |content| lines(&content.text)))
        }
        ChangeKind::Delete => {
            whole(before.as_ref().map_or(Vec::new(), |content| lines(&content.text)), Vec::new())
        }
        ChangeKind::Edit => {
            let text = |content: &Option<crate::registry::Content>| {
                content.as_ref().map_or(String::new(), |content| content.text.clone())
            };
            let mut shift = 0_i64;
            let mut hunks = Vec::new();
            for cut in patch::cut(&text(before), &text(after)) {
                let first = cut.old_start as i64 + shift;
                let last = first + cut.new.len() as i64;
                let near = |(line, _): &&(u32, String)| (first - 3..=last + 3).contains(&i64::from(*line));
                let loose = change.loose.iter().find(near).map(|(_, how)| how.clone());
                shift += cut.new.len() as i64 - cut.old.len() as i64;
                hunks.push(hunk(cut.old_start, cut.old, cut.new, loose));
            }
            hunks
        }
    }
}

fn hunk(start: usize, old: Vec<String>, new: Vec<String>, loose: Option<String>) -> Hunk {
    let start = u32::try_from(start).unwrap_or(u32::MAX);
    Hunk { start, old, new, loose, ..Hunk::default() }
}

fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}
