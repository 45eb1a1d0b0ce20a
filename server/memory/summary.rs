//! Summaries: what is taken out of texts, and the page that it becomes.

mod by_model;
mod code;
mod data;
mod page;
mod prose;

use futures::future::BoxFuture;

pub(crate) use by_model::ModelSummarizer;
pub(crate) use page::{SummaryPage, is_summary};

use crate::ports::{Section, Source, Statement, Style, Summarizer};
use crate::protocol::Fault;

/// Characters of one statement.
const LONGEST: usize = 400;

/// Extracts the most important statements, and adds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extractive;

impl Summarizer for Extractive {
    fn by(&self) -> &str {
        "extractive"
    }

    fn summarize(&self, sources: Vec<Source>, style: Style) -> BoxFuture<'_, Result<Vec<Section>, Fault>> {
        Box::pin(async move {
            let work = move || sources.into_iter().map(|source| extract_section(source, style)).collect();
            tokio::task::spawn_blocking(work).await.map_err(|error| Fault::internal(error.to_string()))
        })
    }
}

fn extract_section(source: Source, style: Style) -> Section {
    let Source { path, text } = source;
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension).to_lowercase();
    // Data that cannot be read as what it is called is looked at as prose.
    let found =
        code::code_statements(&extension, &text, style).or_else(|| data::data_statements(&extension, &text));
    let mut statements = found.unwrap_or_else(|| prose::prose_statements(&text, style));
    for statement in &mut statements {
        statement.text = one_line(&statement.text);
    }
    Section { path, statements }
}

/// White space folded, and cut where it is too long.
fn one_line(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match folded.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &folded[..at]),
        None => folded,
    }
}

fn new_statement(text: impl Into<String>, line: usize, depth: usize) -> Statement {
    Statement { text: text.into(), line: u32::try_from(line).ok(), depth }
}

/// The first sentence of a text.
fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let ends = |at: usize| {
        let (before, after) = text.split_at(at);
        let word = before.rsplit([' ', '(']).next().unwrap_or_default();
        let short = matches!(word, "e.g" | "i.e" | "etc" | "cf" | "vs" | "Mr" | "Dr");
        after[1..].chars().next().is_none_or(char::is_whitespace) && !short
    };
    let end = text.char_indices().find(|(at, c)| matches!(c, '.' | '!' | '?') && ends(*at));
    end.map_or(text, |(at, _)| &text[..=at])
}
