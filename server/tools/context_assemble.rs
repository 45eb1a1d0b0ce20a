//! context.assemble: the working set, and files that are named, fitted to a budget of tokens.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::off_thread;
use crate::base::WorkspacePath;
use crate::memory::fit::{
    ContextCandidate, ContextRoom, FittedContext, FittedFile, UnfittedFile, fit_context,
};
use crate::memory::{ESTIMATE, TokenCounter};
use crate::protocol::{Advice, CallEffects, Event, Fault, Role, Truncate, WorkingFile};
use crate::registry::{Activity, ActivityOutput, CheckedCall, PermittedCall};
use crate::session::CallScope;

/// Bytes of the largest file that is counted.
const LARGEST: u64 = 2 << 20;
/// The priority of a file without one.
const PLACE: u32 = 5;
/// Files whose text is looked at for what is asked about.
const LOOKED_AT: usize = 100;

/// Puts contexts together.
pub(super) struct AssembleContext;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AssembleInput {
    budget: Option<Count>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default = "yes")]
    set: bool,
    #[serde(default)]
    roles: Vec<Role>,
    #[serde(default)]
    query: String,
    model: Option<String>,
}

fn yes() -> bool {
    true
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Assembled {
    tokens: u64,
    budget: u64,
    tokenizer: String,
    included: Vec<IncludedFile>,
    cut: Vec<CutFile>,
    left_out: Vec<LeftOutFile>,
    warnings: Vec<String>,
}

/// A file in the context.
#[derive(Debug, Serialize, JsonSchema)]
struct IncludedFile {
    path: String,
    role: Role,
    priority: u32,
    tokens: u64,
    content: String,
}

/// A file of which lines are gone.
#[derive(Debug, Serialize, JsonSchema)]
struct CutFile {
    path: String,
    strategy: Truncate,
    lines: GoneLines,
    tokens_whole: u64,
}

/// The first and the last line that are gone.
#[derive(Debug, Serialize, JsonSchema)]
struct GoneLines {
    start: u64,
    end: u64,
}

/// A file that did not go in.
#[derive(Debug, Serialize, JsonSchema)]
struct LeftOutFile {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    reason: String,
}

/// The budget of tokens, and their counter.
#[derive(Clone, Copy)]
struct TokenBudget {
    tokens: u64,
    counter: TokenCounter,
}

impl Activity for AssembleContext {
    type Input = AssembleInput;
    type Output = Assembled;

    fn call_effects(&self, input: &AssembleInput) -> CallEffects {
        CallEffects { reads: input.paths.clone(), ..CallEffects::default() }
    }

    async fn run_call(
        &self,
        input: Arc<AssembleInput>,
        permitted: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<Assembled>, Fault> {
        let call = permitted.call().clone();
        off_thread(scope, move |scope| assemble_context(scope, &call, &input)).await
    }
}

fn assemble_context(
    scope: &CallScope,
    call: &CheckedCall,
    input: &AssembleInput,
) -> Result<ActivityOutput<Assembled>, Fault> {
    let set = scope.memory().working_set();
    let notes = scope.memory().file_notes();
    let mut warnings = set.problems.clone();
    let model = input.model.as_deref().or(notes.manifest.model.as_deref());
    let counter = TokenCounter::for_model(model);
    if let Some(model) = model.filter(|_| counter.name() == ESTIMATE) {
        warnings
            .push(format!("the tokenizer of {model:?} is not known: tokens are a quarter of the characters"));
    }
    let budget = TokenBudget { tokens: input.budget.map_or(set.budget, |budget| budget.0), counter };
    let mut candidates = named_files(scope, &input.paths, &set.files)?;
    let mut left_out = Vec::new();
    if input.set {
        left_out = add_set(scope, &mut candidates, &set.files, &input.roles);
    }
    if candidates.is_empty() && left_out.is_empty() {
        warnings.push("no file matters now: read some, name them in `paths`, or call them hot".to_owned());
    }
    rank_by_query(scope, &mut candidates, &input.query, &mut warnings)?;
    let room = ContextRoom { tokens: budget.tokens, bytes: scope.settings().limits.output_bytes };
    let mut fitted = fit_context(candidates, |file| read_text(scope, &file.path), room, counter);
    fitted.left_out.extend(left_out);
    scope.check_cancelled()?;
    log_assembly(scope, call, budget, &fitted)?;
    Ok(ActivityOutput::from_value(assembly_answer(fitted, budget, warnings)))
}

/// Adds the files of the working set that have one of `roles` and are not there yet; gives those that stay out.
fn add_set(
    scope: &CallScope,
    candidates: &mut Vec<ContextCandidate>,
    set: &[WorkingFile],
    roles: &[Role],
) -> Vec<UnfittedFile> {
    let mut left_out = Vec::new();
    let named = candidates.len();
    for file in set.iter().filter(|file| roles.is_empty() || roles.contains(&file.role)) {
        if candidates[..named].iter().any(|named| named.path == file.path) {
            continue;
        }
        match exclusion_reason(scope, file) {
            Some(reason) => left_out.push(UnfittedFile { path: file.path.clone(), tokens: None, reason }),
            None => candidates.push(set_candidate(file)),
        }
    }
    left_out
}

/// The files that the caller names, in their order, before all others.
fn named_files(
    scope: &CallScope,
    paths: &[String],
    set: &[WorkingFile],
) -> Result<Vec<ContextCandidate>, Fault> {
    let mut candidates: Vec<ContextCandidate> = Vec::new();
    for (at, asked) in paths.iter().enumerate() {
        let path = scope.parse_path(asked)?;
        // A named file that cannot be read is a fault; one of the set is left out.
        if !scope.texts().is_open(&path) {
            scope.files().open(&path)?;
        }
        let path = path.to_string();
        let known = set.iter().find(|file| file.path == path);
        #[allow(clippy::cast_precision_loss, reason = "an order of some paths")]
        let hotness = 1.0 - at as f64 * 1e-6;
        let file = match known.map(set_candidate) {
            Some(file) => ContextCandidate { priority: 1, hotness, ..file },
            None => ContextCandidate::from_path(path, hotness),
        };
        if candidates.iter().all(|other| other.path != file.path) {
            candidates.push(file);
        }
    }
    Ok(candidates)
}

fn set_candidate(file: &WorkingFile) -> ContextCandidate {
    ContextCandidate {
        path: file.path.clone(),
        priority: file.priority.unwrap_or(if file.pinned { 1 } else { PLACE }),
        hotness: file.hotness,
        role: file.role,
        truncate: file.truncate_strategy,
    }
}

/// Returns the reason why a file of the set stays out, no matter how much room there is.
fn exclusion_reason(scope: &CallScope, file: &WorkingFile) -> Option<String> {
    if file.advice == Some(Advice::Cold) && !file.pinned {
        return Some("it was called cold".to_owned());
    }
    let path = WorkspacePath::from_relative(&file.path)?;
    let real = scope.files().paths().root().resolve_path(&path).unwrap_or_else(|_| path.clone());
    let asks = [path, real].iter().any(|path| scope.files().paths().asking_rule(path).is_some());
    asks.then(|| "the person is asked before it is read: name it in `paths` to have them asked".to_owned())
}

/// The text of a file as the person sees it, or why it cannot be had.
fn read_text(scope: &CallScope, path: &str) -> Result<String, String> {
    let path =
        WorkspacePath::from_relative(path).ok_or_else(|| "it is no path of this workspace".to_owned())?;
    let size = match scope.texts().open_size(&path) {
        Some(size) => Some(size),
        None => scope.files().stat(&path).map_err(|error| error.to_string())?.map(|stat| stat.size),
    };
    if let Some(size) = size.filter(|size| *size > LARGEST) {
        return Err(format!(
            "it holds {size} bytes, too many for a context: read a range of it with fs.read"
        ));
    }
    match scope.read_text(&path) {
        Ok(Some(snapshot)) => Ok(snapshot.text),
        Ok(None) => Err("there is no such file".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Moves the files up that hold the words of what is asked about.
fn rank_by_query(
    scope: &CallScope,
    candidates: &mut [ContextCandidate],
    query: &str,
    warnings: &mut Vec<String>,
) -> Result<(), Fault> {
    let words: Vec<String> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 2)
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() {
        return Ok(());
    }
    candidates.sort_by(|a, b| b.hotness.total_cmp(&a.hotness));
    let mut found = false;
    for (at, file) in candidates.iter_mut().enumerate() {
        scope.check_cancelled()?;
        let mut hay = file.path.to_lowercase();
        if at < LOOKED_AT {
            hay.push_str(&read_text(scope, &file.path).unwrap_or_default().to_lowercase());
        }
        let hits = words.iter().filter(|word| hay.contains(word.as_str())).count();
        found |= hits > 0;
        #[allow(clippy::cast_precision_loss, reason = "some words")]
        let share = hits as f64 / words.len() as f64;
        file.hotness = file.hotness * 0.3 + share * 0.7;
    }
    if !found {
        warnings
            .push(format!("no file of the context holds a word of {query:?}: find some with search.lexical"));
    }
    Ok(())
}

fn log_assembly(
    scope: &CallScope,
    call: &CheckedCall,
    budget: TokenBudget,
    fitted: &FittedContext,
) -> Result<(), Fault> {
    let cut = fitted.included.iter().filter(|included| included.cut.is_some());
    let event = Event::ContextAssembly {
        call_id: Some(call.id().clone()),
        run: None,
        why: call.why().as_str().to_owned(),
        budget: budget.tokens,
        tokens: fitted.tokens,
        tokenizer: budget.counter.name().to_owned(),
        cut: cut.map(|included| included.file.path.clone()).collect(),
        included: fitted
            .included
            .iter()
            .map(|included| (included.file.path.clone(), included.tokens))
            .collect(),
        left_out: fitted
            .left_out
            .iter()
            .map(|left| (left.path.clone(), left.reason.clone()))
            .collect::<BTreeMap<_, _>>(),
    };
    Ok(scope.post_event(event)?)
}

fn assembly_answer(fitted: FittedContext, budget: TokenBudget, warnings: Vec<String>) -> Assembled {
    let cut = |included: &FittedFile| {
        let (tokens_whole, (start, end)) = included.cut?;
        let (path, strategy) = (included.file.path.clone(), included.file.truncate);
        Some(CutFile { path, strategy, lines: GoneLines { start, end }, tokens_whole })
    };
    let included = |FittedFile { file, text, tokens, .. }: FittedFile| IncludedFile {
        path: file.path,
        role: file.role,
        priority: file.priority,
        tokens,
        content: text,
    };
    let left_out = |UnfittedFile { path, tokens, reason }: UnfittedFile| LeftOutFile { path, tokens, reason };
    Assembled {
        tokens: fitted.tokens,
        budget: budget.tokens,
        tokenizer: budget.counter.name().to_owned(),
        cut: fitted.included.iter().filter_map(cut).collect(),
        included: fitted.included.into_iter().map(included).collect(),
        left_out: fitted.left_out.into_iter().map(left_out).collect(),
        warnings,
    }
}
