//! `wherefore context`: the files that matter now, fitted to a budget of tokens.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::visible_line;
use crate::protocol::{Code, Fault, RawCall};
use crate::requests::Call;

/// Print the named files and the files of the working set, as many as fit into a budget of tokens
///
/// Hidden characters are printed as escapes, such as \u{202e}. With --json the texts are unchanged.
#[derive(Debug, clap::Args)]
pub(super) struct ContextArgs {
    /// Files to include before all others
    paths: Vec<String>,
    /// The most tokens, those of the files' paths among them; a file that is cut takes at most half of what is left
    /// while others wait [default: as working-set.yml or the settings say]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    /// Words of the task: files that hold them come first
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    /// The model whose tokenizer counts, as gpt-4o
    #[arg(long)]
    model: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// The answer of `context.assemble`.
#[derive(Debug, Serialize, Deserialize)]
struct AssembledContext {
    tokens: u64,
    budget: u64,
    tokenizer: String,
    included: Vec<ContextFile>,
    cut: Vec<ShortenedFile>,
    left_out: Vec<OmittedFile>,
    warnings: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ContextFile {
    path: String,
    role: String,
    priority: u32,
    tokens: u64,
    content: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct ShortenedFile {
    path: String,
    strategy: String,
    lines: Value,
    tokens_whole: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct OmittedFile {
    path: String,
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
}

/// Runs it.
pub(super) fn run_context(args: &ContextArgs) -> ExitCode {
    match assemble_context(args) {
        Ok(context) if args.json => answer::write_json(&context),
        Ok(context) => show_context(&context),
        Err(fault) => return answer::show_fault(&fault),
    }
    ExitCode::SUCCESS
}

fn assemble_context(args: &ContextArgs) -> Result<AssembledContext, Fault> {
    let mut arguments = json!({ "why": "Print the context that the person asked for on the command line" });
    if !args.paths.is_empty() {
        arguments["paths"] = json!(args.paths);
    }
    for (name, value) in [("query", &args.query), ("model", &args.model)] {
        if let Some(value) = value {
            arguments[name] = json!(value);
        }
    }
    if let Some(budget) = args.budget {
        arguments["budget"] = json!(budget);
    }
    let call = RawCall { tool: "context.assemble".to_owned(), arguments, ..RawCall::default() };
    let envelope = RequestTarget::open(&args.root.find()?)?.ask::<Call>(call)?;
    if let Some(fault) = envelope.error {
        return Err(fault);
    }
    let result = envelope.result.as_deref().cloned().unwrap_or_default();
    serde_json::from_value(result).map_err(|error| {
        Fault::new(Code::Internal, format!("the answer of context.assemble cannot be read: {error}"))
    })
}

/// Prints the texts to standard output, each below its path, and the cut and omitted files to standard error.
fn show_context(context: &AssembledContext) {
    for file in &context.included {
        answer::write_line(&format!("==> {} <==", visible_line(&file.path)));
        let end = if file.content.ends_with('\n') { "" } else { "\n" };
        answer::write_text(&format!("{}{end}\n", file.content));
    }
    let AssembledContext { tokens, budget, tokenizer, .. } = context;
    answer::write_note(&format!("{tokens} tokens of {budget}, counted by {tokenizer}"));
    for cut in &context.cut {
        let lines = format!("lines {} to {}", cut.lines["start"], cut.lines["end"]);
        answer::write_note(&format!("cut       {}: {lines} are left out", visible_line(&cut.path)));
    }
    for left in &context.left_out {
        answer::write_note(&format!(
            "left out  {}: {}",
            visible_line(&left.path),
            visible_line(&left.reason)
        ));
    }
    for warning in &context.warnings {
        answer::write_note(&format!("warning   {}", visible_line(warning)));
    }
}
