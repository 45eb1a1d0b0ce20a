//! `wherefore search`: files by topic, or lines that match a pattern.

use std::io::BufRead;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::visible_line;
use super::progress::ProgressReport;
use crate::index::lexical::query::{CaseSensitivity, LineQuery};
use crate::protocol::{Code, Fault};
use crate::requests::Search;
use crate::requests::search::{SearchAnswer, SearchCase, SearchHit, SearchKind, SearchParams};

/// Find files by topic, or with --lexical lines that match a regular expression
///
/// Exit codes: 0 where something was found, 1 where nothing was or the search failed. A batch ends with 0 once every
/// request has its answer.
#[derive(Debug, clap::Args)]
pub(super) struct SearchArgs {
    /// The query: words, or with --lexical a regular expression
    #[arg(required_unless_present = "batch")]
    query: Option<String>,
    /// Find lines that match the query as a regular expression
    #[arg(long, conflicts_with = "vector")]
    lexical: bool,
    /// Find files that are about the query; this is the default
    #[arg(long)]
    vector: bool,
    /// Search only files whose path matches, as '*.rs' (with --lexical)
    #[arg(long, short = 'g', requires = "lexical")]
    glob: Option<String>,
    /// Search case-insensitively (with --lexical)
    #[arg(long, short = 'i', requires = "lexical")]
    ignore_case: bool,
    /// Take the query as plain text (with --lexical)
    #[arg(long, short = 'F', requires = "lexical")]
    literal: bool,
    /// The folder or the file to search, relative to the workspace
    #[arg(long, value_name = "PATH")]
    scope: Option<String>,
    /// The most results [default: 10 files, or 100 lines]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Read JSON requests from standard input, one a line: {"id","query","limit"}
    ///
    /// Where the settings name a model for embeddings, the first answer waits until the model has embedded every file.
    /// A single search does not wait.
    #[arg(long, conflicts_with_all = ["query", "json"])]
    batch: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// The form of a batch's line.
const FORM: &str = r#"write one as {"id": 1, "query": "where is the limit set", "limit": 10}"#;
/// The interval of progress lines about the vectors, in milliseconds.
const STEP: u64 = 1_000;
/// The number of intervals without a new vector that end the wait.
const STEPS: u32 = 180;

#[derive(Deserialize)]
struct SearchRequest {
    #[serde(default)]
    id: Value,
    query: String,
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Serialize)]
struct BatchedAnswer {
    id: Value,
    results: Vec<FoundPlace>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

#[derive(Serialize)]
struct FoundPlace {
    path: String,
    start: u32,
    end: u32,
    score: f32,
}

/// Runs the search: exit code 1 where nothing was found or the search failed, with the reason on standard error.
pub(super) fn run_search(args: &SearchArgs) -> ExitCode {
    let opened = args.root.find().and_then(|root| RequestTarget::open(&root));
    let done = opened.and_then(|mut backend| match &args.query {
        Some(query) if !args.batch => search_once(args, query, &mut backend),
        _ => search_batch(args, &mut backend).map(|()| true),
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(answer::FAULT),
        Err(fault) => answer::show_fault(&fault),
    }
}

fn ask_server(
    args: &SearchArgs,
    query: &str,
    limit: Option<u32>,
    wait_ms: u64,
    backend: &mut RequestTarget,
) -> Result<SearchAnswer, Fault> {
    let params = SearchParams {
        query: query.to_owned(),
        wait_ms,
        kind: if args.lexical { SearchKind::Lexical } else { SearchKind::Vector },
        scope: args.scope.clone(),
        glob: args.glob.clone(),
        case: if args.ignore_case { SearchCase::Insensitive } else { SearchCase::Sensitive },
        literal: args.literal,
        limit: limit.or(args.limit),
        ..SearchParams::default()
    };
    backend.ask::<Search>(params).map_err(|fault| suggest_flags(args, query, fault))
}

/// A fault whose suggestion names the flag of the command line instead of a tool's argument.
fn suggest_flags(args: &SearchArgs, query: &str, fault: Fault) -> Fault {
    let is_pattern = args.lexical && !args.literal;
    match fault.code {
        Code::InvalidArgs
            if is_pattern && LineQuery::new(query, CaseSensitivity::Sensitive, false).is_err() =>
        {
            fault.with_suggestion("mend the expression, or add --literal to search for the text as it stands")
        }
        Code::NotFound if args.scope.is_some() => {
            fault.with_suggestion("--scope takes a path below the workspace's folder, which --root names")
        }
        _ => fault,
    }
}

/// Reports the reason why files are ranked by their words alone although a model is configured.
fn note_trouble(found: &SearchAnswer) {
    if let Some(trouble) = &found.trouble {
        answer::write_note(&format!(
            "wherefore: {}; files are ranked by their words alone",
            visible_line(trouble)
        ));
    }
}

/// Searches once; returns whether anything was found.
fn search_once(args: &SearchArgs, query: &str, backend: &mut RequestTarget) -> Result<bool, Fault> {
    let found = ask_server(args, query, None, 0, backend)?;
    note_trouble(&found);
    if args.json {
        answer::write_json(&found);
        return Ok(!found.results.is_empty());
    }
    found.results.iter().for_each(|hit| show_hit(hit, args.lexical));
    if found.results.is_empty() {
        let why = found.empty.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        answer::write_note(&format!("wherefore: nothing was found{why}"));
    }
    if found.cursor.is_some() {
        answer::write_note("wherefore: there is more; raise --limit or narrow the search");
    }
    Ok(!found.results.is_empty())
}

fn show_hit(hit: &SearchHit, lexical: bool) {
    let SearchHit { path, start, end, line, text, .. } = hit;
    let path = visible_line(path);
    if lexical {
        return answer::write_line(&format!("{path}:{start}:{}", visible_line(text)));
    }
    answer::write_line(&format!("{path}:{start}-{end}"));
    let before = line.saturating_sub(*start) as usize;
    text.lines()
        .skip(before)
        .take(3)
        .for_each(|line| answer::write_line(&format!("    {}", visible_line(line))));
}

/// Answers a request when the vectors of files are complete, or no more of them can be made.
fn answer_when_ready(
    args: &SearchArgs,
    request: &SearchRequest,
    backend: &mut RequestTarget,
) -> Result<SearchAnswer, Fault> {
    let (mut progress, mut before, mut steps) = (ProgressReport::default(), -1.0, 0);
    loop {
        let found = ask_server(args, &request.query, request.limit, STEP, backend)?;
        let share = found.embedded.unwrap_or(1.0);
        (before, steps) = (share, if share > before { 0 } else { steps + 1 });
        let is_end = share >= 1.0 || found.trouble.is_some() || steps > STEPS;
        if !is_end || progress.is_open() {
            progress.report_share(
                share.into(),
                &format!("vectors of {:.0} % of the files", share * 100.0),
                is_end,
            );
        }
        if is_end {
            note_trouble(&found);
            return Ok(found);
        }
    }
}

fn search_batch(args: &SearchArgs, backend: &mut RequestTarget) -> Result<(), Fault> {
    let mut is_first = true;
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line.map_err(|error| Fault::new(Code::InvalidArgs, format!("standard input: {error}")))?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = match parse_request(&line) {
            Err((id, error)) => BatchedAnswer {
                id,
                results: Vec::new(),
                error: Some(error),
                suggestion: Some(FORM.to_owned()),
            },
            Ok(request) => {
                let found = match is_first && !args.lexical {
                    true => answer_when_ready(args, &request, backend),
                    false => ask_server(args, &request.query, request.limit, 0, backend),
                };
                is_first = false;
                let (results, error, suggestion) = match found {
                    Ok(found) => (found.results, None, None),
                    Err(fault) => (Vec::new(), Some(fault.message), fault.suggestion),
                };
                let place =
                    |SearchHit { path, start, end, score, .. }| FoundPlace { path, start, end, score };
                let results = results.into_iter().map(place).collect();
                BatchedAnswer { id: request.id, results, error, suggestion }
            }
        };
        answer::write_json_line(&answer);
    }
    Ok(())
}

/// The request of a line; otherwise its id, if it has one, and the problem.
fn parse_request(line: &[u8]) -> Result<SearchRequest, (Value, String)> {
    let refused = |error: serde_json::Error| format!("the line is not a request: {error}");
    let value: Value = serde_json::from_slice(line).map_err(|error| (Value::Null, refused(error)))?;
    let id = value.get("id").cloned().unwrap_or_default();
    serde_json::from_value(value).map_err(|error| (id, refused(error)))
}
