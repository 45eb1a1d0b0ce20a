//! memory.summarize: files shortened into another file, which goes to review as any change does.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{change, off_thread};
use crate::base::hidden::shorten_to_line;
use crate::memory::{Extractive, ModelSummarizer, SummaryPage, is_summary};
use crate::ports::{Section, Source, Style, Summarizer};
use crate::protocol::{CallEffects, Code, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Bytes of the texts that one summary is made of.
const LARGEST: usize = 4 << 20;
/// Bytes of the word on why a model made no summary.
const LONGEST_NOTE: usize = 400;

/// Summarises files: by the model of the settings where there is one that can, else by extracting the most important
/// statements.
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

/// The style of the summary.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AskedStyle {
    #[default]
    Bullet,
    Narrative,
    Schema,
}

/// The members of the answer in addition to the change's state.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Summarized {
    by: String,
    sources: usize,
    statements: usize,
    /// The reason why the model of the settings made none.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// The parts that a summary is made of.
struct ShortSummary {
    sections: Vec<Section>,
    style: Style,
    by: String,
    failed: Option<ModelFailure>,
}

/// A model that could not make a summary: its name, and why.
struct ModelFailure {
    model: String,
    why: String,
}

impl Activity for SummarizeFiles {
    type Input = SummarizeInput;
    type Output = Summarized;

    fn call_effects(&self, input: &SummarizeInput) -> CallEffects {
        CallEffects { reads: input.target_paths.clone(), ..CallEffects::write(&input.into_path) }
    }

    async fn run_call(
        &self,
        input: Arc<SummarizeInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<Summarized>, Fault> {
        let style = match input.style {
            AskedStyle::Bullet => Style::Bullet,
            AskedStyle::Narrative => Style::Narrative,
            AskedStyle::Schema => Style::Schema,
        };
        let asked = input.clone();
        let sources = off_thread(scope, move |scope| read_sources(scope, &asked)).await?;
        let shortened = shorten_sources(scope, sources, style).await?;
        off_thread(scope, move |scope| summary_output(scope, &input, &shortened)).await
    }
}

/// Shortens the sources.
async fn shorten_sources(
    scope: &CallScope,
    sources: Vec<Source>,
    style: Style,
) -> Result<ShortSummary, Fault> {
    let mut failed = None;
    if let Some(settings) = &scope.settings().model {
        scope.report_progress("the model writes the summary", None);
        let (name, made) = match ModelSummarizer::open(settings).await {
            Ok(model) => (model.by().to_owned(), model.summarize(sources.clone(), style).await),
            Err(fault) => (settings.name.clone(), Err(fault)),
        };
        match made {
            Ok(sections) => return Ok(ShortSummary { sections, style, by: name, failed }),
            Err(fault) => failed = Some(ModelFailure { model: name, why: fault.message }),
        }
    }
    let sections = Extractive.summarize(sources, style).await?;
    Ok(ShortSummary { sections, style, by: Extractive.by().to_owned(), failed })
}

fn read_sources(scope: &CallScope, input: &SummarizeInput) -> Result<Vec<Source>, Fault> {
    let into = scope.parse_path(&input.into_path)?;
    let mut sources: Vec<Source> = Vec::new();
    let mut bytes = 0;
    for asked in &input.target_paths {
        scope.check_cancelled()?;
        let path = scope.parse_path(asked)?;
        if path == into {
            return Err(Fault::new(Code::InvalidArgs, format!("{path} is to be summarised into itself"))
                .with_suggestion("name another `into_path`, as notes/parser.summary.md"));
        }
        let snapshot = match scope.read_text(&path)? {
            Some(snapshot) => snapshot,
            // Opening the file finds names near it.
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
            .with_suggestion("summarise fewer files at a time"));
        }
        let path = path.to_string();
        if sources.iter().all(|source| source.path != path) {
            sources.push(Source { path, text: snapshot.text });
        }
    }
    Ok(sources)
}

fn summary_output(
    scope: &CallScope,
    input: &SummarizeInput,
    shortened: &ShortSummary,
) -> Result<ActivityOutput<Summarized>, Fault> {
    let ShortSummary { sections, style, by, failed } = shortened;
    let expected = input.expected_hash.as_deref();
    let (path, before) = change::edit_target(scope, &input.into_path, expected)?;
    if let Some(before) = &before
        && !is_summary(&before.text)
        && expected.is_none()
    {
        return Err(Fault::new(Code::InvalidArgs, format!("{path} is there already, and is no summary"))
            .with_suggestion(
                "name another `into_path`, or send the file's hash as `expected_hash` to replace it",
            ));
    }
    let (style, keep_refs) = (*style, input.keep_refs);
    let instead_of = failed.as_ref().map(|failed| &*failed.model);
    let page = |created: &str| {
        SummaryPage { into: path.as_str(), sections, style, by, instead_of, created, keep_refs }.page_text()
    };
    // A summary with the same text as before keeps its date.
    let was = before.as_ref().and_then(|before| created_time(&before.text));
    let same = was.map(page).filter(|same| before.as_ref().is_some_and(|before| before.text == *same));
    let after = same.unwrap_or_else(|| page(&scope.now()));
    let draft = change::text_draft(path.clone(), before, after, Vec::new())?;
    let statements = sections.iter().map(|section| section.statements.len()).sum();
    let note = failed.as_ref().map(|ModelFailure { model, why }| {
        format!("{model} could not make it, so it is extractive: {}", shorten_to_line(why, LONGEST_NOTE))
    });
    let value = Summarized { by: by.clone(), sources: sections.len(), statements, note };
    Ok(ActivityOutput::from_change(draft, value))
}

/// Returns the creation time in a summary's front matter.
fn created_time(summary: &str) -> Option<&str> {
    summary.lines().find_map(|line| line.strip_prefix("created: ")).map(|when| when.trim().trim_matches('"'))
}
