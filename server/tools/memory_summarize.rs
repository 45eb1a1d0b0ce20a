//! memory.summarize: files shortened into another file, which goes to review as any change does.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{change, off_thread};
use crate::base::hidden::short;
use crate::memory::{ByModel, Extractive, Page, is_summary};
use crate::ports::{Section, Source, Style, Summarizer};
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Bytes of the texts that one summary is made of.
const LARGEST: usize = 4 << 20;
/// Bytes of the word on why a model made no summary.
const LONGEST_NOTE: usize = 400;

/// Summarises: by the model of the settings where there is one that can, else by taking out what says most.
pub(super) struct SummarizeFiles;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SummarizeInput {
    target_paths: Vec<String>,
    into_path: String,
    #[serde(default)]
    style: AskedStyle,
    #[serde(default = "yes")]
    keep_refs: bool,
    expected_hash: Option<String>,
}

fn yes() -> bool {
    true
}

/// How the summary is to read.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AskedStyle {
    #[default]
    Bullet,
    Narrative,
    Schema,
}

/// What the answer says beside how the change stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Summarized {
    by: String,
    sources: usize,
    statements: usize,
    /// Why the model of the settings made none.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// What a summary is made of.
struct Shortened {
    sections: Vec<Section>,
    style: Style,
    by: String,
    failed: Option<Failed>,
}

/// A model that could not make a summary: its name, and why.
struct Failed {
    model: String,
    why: String,
}

impl Activity for SummarizeFiles {
    type Input = SummarizeInput;
    type Output = Summarized;

    fn effects(&self, input: &SummarizeInput) -> Effects {
        Effects { reads: input.target_paths.clone(), ..Effects::write(&input.into_path) }
    }

    async fn run(
        &self,
        input: Arc<SummarizeInput>,
        _: &Permitted,
        scope: &Scope,
    ) -> Result<Output<Summarized>, Fault> {
        let style = match input.style {
            AskedStyle::Bullet => Style::Bullet,
            AskedStyle::Narrative => Style::Narrative,
            AskedStyle::Schema => Style::Schema,
        };
        let asked = input.clone();
        let sources = off_thread(scope, move |scope| sources(scope, &asked)).await?;
        let shortened = shortened(scope, sources, style).await?;
        off_thread(scope, move |scope| written(scope, &input, &shortened)).await
    }
}

/// Has the sources shortened.
async fn shortened(scope: &Scope, sources: Vec<Source>, style: Style) -> Result<Shortened, Fault> {
    let mut failed = None;
    if let Some(settings) = &scope.settings().model {
        scope.progress("the model writes the summary", None);
        let (name, made) = match ByModel::open(settings).await {
            Ok(model) => (model.by().to_owned(), model.summarize(sources.clone(), style).await),
            Err(fault) => (settings.name.clone(), Err(fault)),
        };
        match made {
            Ok(sections) => return Ok(Shortened { sections, style, by: name, failed }),
            Err(fault) => failed = Some(Failed { model: name, why: fault.message }),
        }
    }
    let sections = Extractive.summarize(sources, style).await?;
    Ok(Shortened { sections, style, by: Extractive.by().to_owned(), failed })
}

fn sources(scope: &Scope, input: &SummarizeInput) -> Result<Vec<Source>, Fault> {
    let into = scope.path(&input.into_path)?;
    let mut sources: Vec<Source> = Vec::new();
    let mut bytes = 0;
    for asked in &input.target_paths {
        scope.check()?;
        let path = scope.path(asked)?;
        if path == into {
            return Err(Fault::new(Code::InvalidArgs, format!("{path} is to be summarised into itself"))
                .suggest("name another `into_path`, as notes/parser.summary.md"));
        }
        let snapshot = match scope.text(&path)? {
            Some(snapshot) => snapshot,
            // Opening it tells which names are near.
            None => {
                return Err(scope.files().open(&path).err().map_or_else(
                    || Fault::new(Code::NotFound, format!("{path} was there a moment ago")),
                    Fault::from,
                ));
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

fn written(
    scope: &Scope,
    input: &SummarizeInput,
    shortened: &Shortened,
) -> Result<Output<Summarized>, Fault> {
    let Shortened { sections, style, by, failed } = shortened;
    let expected = input.expected_hash.as_deref();
    let (path, before) = change::target(scope, &input.into_path, expected)?;
    if let Some(before) = &before
        && !is_summary(&before.text)
        && expected.is_none()
    {
        return Err(Fault::new(Code::InvalidArgs, format!("{path} is there already, and is no summary"))
            .suggest("name another `into_path`, or send the file's hash as `expected_hash` to replace it"));
    }
    let (style, keep_refs) = (*style, input.keep_refs);
    let instead_of = failed.as_ref().map(|failed| &*failed.model);
    let page = |created: &str| {
        Page { into: path.as_str(), sections, style, by, instead_of, created, keep_refs }.text()
    };
    // One that says the same as before is as old as it was.
    let was = before.as_ref().and_then(|before| created(&before.text));
    let same = was.map(page).filter(|same| before.as_ref().is_some_and(|before| before.text == *same));
    let after = same.unwrap_or_else(|| page(&scope.now()));
    let draft = change::draft(path.clone(), before, after, Vec::new())?;
    let statements = sections.iter().map(|section| section.statements.len()).sum();
    let note = failed.as_ref().map(|Failed { model, why }| {
        format!("{model} could not make it, so it is extractive: {}", short(why, LONGEST_NOTE))
    });
    let value = Summarized { by: by.clone(), sources: sections.len(), statements, note };
    Ok(Output::change(draft, value))
}

/// When a summary says that it was made.
fn created(summary: &str) -> Option<&str> {
    summary.lines().find_map(|line| line.strip_prefix("created: ")).map(|when| when.trim().trim_matches('"'))
}
