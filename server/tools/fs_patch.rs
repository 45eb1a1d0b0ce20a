//! fs.patch: a unified diff, placed and applied.

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{change, off_thread, text};
use crate::patch;
use crate::protocol::{ChangeKind, Effects, Fault};
use crate::registry::{Activity, Change, Content, Draft, Output, Permitted};
use crate::session::Scope;

/// Applies a diff to one file.
pub struct Patch;

impl Activity for Patch {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects::write(text(args, "path"))
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = call.call().args().clone();
        Box::pin(off_thread(scope, move |scope| draft(scope, &args).map(Output::Change)))
    }
}

fn draft(scope: &Scope, args: &Map<String, Value>) -> Result<Draft, Fault> {
    let (path, before) = change::target(scope, args)?;
    let old = before.as_ref().map(|before| before.text.as_str());
    let applied = patch::apply(path.as_str(), old, text(args, "diff")).map_err(Fault::from)?;
    let mut draft = match (applied.after, before) {
        (Some(after), before) => change::draft(path, before, after, change::loose(&applied.hunks))?,
        (None, Some(before)) => {
            let content = Content { text: before.text, encoding: before.encoding };
            let change = Change { before: Some(content), ..Change::bare(path, ChangeKind::Delete, None) };
            Draft { changes: vec![change], notes: Map::new() }
        }
        (None, None) => Draft::default(),
    };
    draft.notes.insert("placed".into(), json!(applied.hunks));
    if applied.unchanged {
        draft.notes.insert("note".into(), json!("the diff is applied already; nothing was changed"));
    }
    Ok(draft)
}
