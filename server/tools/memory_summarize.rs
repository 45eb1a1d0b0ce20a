//! memory.summarize: files shortened into another file, which goes to review as any change does.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{change, off_thread, text};
use crate::memory::{Page, is_summary};
use crate::ports::{Section, Source, Style, Summarizer};
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Draft, Output, Permitted};
use crate::session::Scope;

/// Bytes of the texts that one summary is made of.
const LARGEST: usize = 4 << 20;

/// Summarises, by whatever does so.
pub(super) struct Summarize(pub Arc<dyn Summarizer>);

impl Activity for Summarize {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects { reads: targets(args), ..Effects::write(text(args, "into_path")) }
    }

    fn run<'a>(&'a self, permitted: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = permitted.call().args().clone();
        Box::pin(async move {
            let style = match text(&args, "style") {
                "narrative" => Style::Narrative,
                "schema" => Style::Schema,
                _ => Style::Bullet,
            };
            let asked = args.clone();
            let sources = off_thread(scope, move |scope| sources(scope, &asked)).await?;
            let sections = self.0.summarize(sources, style).await?;
            let by = self.0.by().to_owned();
            let write = move |scope: &Scope| draft(scope, &args, &sections, style, &by).map(Output::Change);
            off_thread(scope, write).await
        })
    }
}

fn targets(args: &Map<String, Value>) -> Vec<String> {
    let all = args.get("target_paths").and_then(Value::as_array).into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn sources(scope: &Scope, args: &Map<String, Value>) -> Result<Vec<Source>, Fault> {
    let into = scope.path(text(args, "into_path"))?;
    let mut sources: Vec<Source> = Vec::new();
    let mut bytes = 0;
    for asked in targets(args) {
        scope.check()?;
        let path = scope.path(&asked)?;
        if path == into {
            return Err(Fault::new(Code::InvalidArgs, format!("{path} is to be summarised into itself"))
                .suggest("name another `into_path`, as notes/parser.summary.md"));
        }
        let snapshot = match scope.text(&path)? {
            Some(snapshot) => snapshot,
            // Opening it tells which names are near.
            None => {
                return Err(scope.files().open(&path).err().unwrap_or_else(|| {
                    Fault::new(Code::NotFound, format!("{path} was there a moment ago"))
                }));
            }
        };
        bytes += snapshot.text.len();
        if bytes > LARGEST {
            let most = LARGEST >> 20;
            return Err(Fault::new(
                Code::QuotaExceeded,
                format!("with {path} the texts hold more than the {most} MiB that one summary is made of"),
            )
            .suggest("summarise fewer files at a time"));
        }
        let path = path.to_string();
        if sources.iter().all(|source| source.path != path) {
            sources.push(Source { path, text: snapshot.text });
        }
    }
    Ok(sources)
}

fn draft(
    scope: &Scope,
    args: &Map<String, Value>,
    sections: &[Section],
    style: Style,
    by: &str,
) -> Result<Draft, Fault> {
    let (path, before) = change::target_at(scope, text(args, "into_path"), args)?;
    if let Some(before) = &before
        && !is_summary(&before.text)
        && !args.contains_key("expected_hash")
    {
        return Err(Fault::new(Code::InvalidArgs, format!("{path} is there already, and is no summary"))
            .suggest("name another `into_path`, or send the file's hash as `expected_hash` to replace it"));
    }
    let keep_refs = args.get("keep_refs") != Some(&json!(false));
    let page = |created: &str| Page { into: path.as_str(), sections, style, by, created, keep_refs }.text();
    // One that says the same as before is as old as it was.
    let was = before.as_ref().and_then(|before| created(&before.text));
    let same = was.map(page).filter(|same| before.as_ref().is_some_and(|before| before.text == *same));
    let after = same.unwrap_or_else(|| page(&scope.now()));
    let mut draft = change::draft(path.clone(), before, after, Vec::new())?;
    let statements: usize = sections.iter().map(|section| section.statements.len()).sum();
    draft.notes.insert("by".to_owned(), json!(by));
    draft.notes.insert("sources".to_owned(), json!(sections.len()));
    draft.notes.insert("statements".to_owned(), json!(statements));
    Ok(draft)
}

/// When a summary says that it was made.
fn created(summary: &str) -> Option<&str> {
    summary.lines().find_map(|line| line.strip_prefix("created: ")).map(|when| when.trim().trim_matches('"'))
}
