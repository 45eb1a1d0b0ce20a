//! context.assemble: the working set, and files that are named, fitted to a budget of tokens.

use std::collections::BTreeMap;

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{off_thread, text};
use crate::base::{CallId, WorkspacePath};
use crate::memory::fit::{Candidate, Fitted, LeftOut, Room, fit};
use crate::memory::{Counter, ESTIMATE};
use crate::protocol::{Advice, Effects, Event, Fault, WorkingFile};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Bytes of the largest file that is counted.
const LARGEST: u64 = 2 << 20;
/// The place of a file that nobody gave one.
const PLACE: u32 = 5;
/// Files whose text is looked at for what is asked about.
const LOOKED_AT: usize = 100;

/// Puts contexts together.
pub(super) struct Assemble;

impl Activity for Assemble {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects { reads: strings(args, "paths"), ..Effects::default() }
    }

    fn run<'a>(&'a self, permitted: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let (id, args) = (permitted.call().id().clone(), permitted.call().args().clone());
        Box::pin(off_thread(scope, move |scope| assemble(scope, id, &args)))
    }
}

fn strings(args: &Map<String, Value>, name: &str) -> Vec<String> {
    let all = args.get(name).and_then(Value::as_array).into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn assemble(scope: &Scope, call_id: CallId, args: &Map<String, Value>) -> Result<Output, Fault> {
    let set = scope.working_set();
    let notes = scope.notes();
    let mut warnings = set.problems.clone();
    let model = args.get("model").and_then(Value::as_str).or(notes.manifest.model.as_deref());
    let counter = Counter::of(model);
    if let Some(model) = model.filter(|_| counter.name() == ESTIMATE) {
        warnings
            .push(format!("the tokenizer of {model:?} is not known: tokens are a quarter of the characters"));
    }
    let budget = args.get("budget").and_then(Value::as_u64).unwrap_or(set.budget);
    let mut left_out = Vec::new();
    let mut candidates = named(scope, args, &set.files)?;
    let roles = strings(args, "roles");
    if args.get("set") != Some(&json!(false)) {
        let new = |file: &&WorkingFile| candidates.iter().all(|named| named.path != file.path);
        let more: Vec<Candidate> = set
            .files
            .iter()
            .filter(new)
            .filter(|file| roles.is_empty() || roles.iter().any(|role| role == file.role.word()))
            .filter_map(|file| match bar(scope, file) {
                Some(reason) => {
                    left_out.push(LeftOut { path: file.path.clone(), tokens: None, reason });
                    None
                }
                None => Some(candidate(file)),
            })
            .collect();
        candidates.extend(more);
    }
    if candidates.is_empty() && left_out.is_empty() {
        warnings.push("no file matters now: read some, name them in `paths`, or call them hot".to_owned());
    }
    rank(scope, &mut candidates, text(args, "query"), &mut warnings)?;
    let room = Room { tokens: budget, bytes: scope.settings().limits.output_bytes };
    let mut fitted = fit(candidates, |file| read(scope, &file.path), room, counter);
    fitted.left_out.extend(left_out);
    scope.check()?;
    log(scope, call_id, args, budget, counter, &fitted)?;
    Ok(Output::value(answer(&fitted, budget, counter, &warnings)))
}

/// The files that the caller names, in their order, before all others.
fn named(scope: &Scope, args: &Map<String, Value>, set: &[WorkingFile]) -> Result<Vec<Candidate>, Fault> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for (at, asked) in strings(args, "paths").iter().enumerate() {
        let path = scope.path(asked)?;
        // One that is named and cannot be read is a fault; one of the set is left out.
        if !scope.is_open(&path) {
            scope.files().open(&path)?;
        }
        let path = path.to_string();
        let known = set.iter().find(|file| file.path == path);
        #[allow(clippy::cast_precision_loss, reason = "an order of some paths")]
        let hotness = 1.0 - at as f64 * 1e-6;
        let file = match known.map(candidate) {
            Some(file) => Candidate { priority: 1, hotness, ..file },
            None => Candidate::of(path, hotness),
        };
        if candidates.iter().all(|other| other.path != file.path) {
            candidates.push(file);
        }
    }
    Ok(candidates)
}

fn candidate(file: &WorkingFile) -> Candidate {
    Candidate {
        path: file.path.clone(),
        priority: file.priority.unwrap_or(if file.pinned { 1 } else { PLACE }),
        hotness: file.hotness,
        role: file.role,
        truncate: file.truncate_strategy,
    }
}

/// Why a file of the set stays out, whatever room there is.
fn bar(scope: &Scope, file: &WorkingFile) -> Option<String> {
    if file.advice == Some(Advice::Cold) && !file.pinned {
        return Some("it was called cold".to_owned());
    }
    let path = WorkspacePath::clean(&file.path)?;
    let real = scope.files().root().resolve(&path).unwrap_or_else(|_| path.clone());
    let asks = [path, real].iter().any(|path| scope.files().asks(path).is_some());
    asks.then(|| "the person is asked before it is read: name it in `paths` to have them asked".to_owned())
}

/// The text of a file as the person sees it, or why it cannot be had.
fn read(scope: &Scope, path: &str) -> Result<String, String> {
    let path = WorkspacePath::clean(path).ok_or_else(|| "it is no path of this workspace".to_owned())?;
    let size = match scope.open_size(&path) {
        Some(size) => Some(size),
        None => scope.files().stat(&path).map_err(|fault| fault.message)?.map(|stat| stat.size),
    };
    if let Some(size) = size.filter(|size| *size > LARGEST) {
        return Err(format!(
            "it holds {size} bytes, too many for a context: read a range of it with fs.read"
        ));
    }
    match scope.text(&path) {
        Ok(Some(snapshot)) => Ok(snapshot.text),
        Ok(None) => Err("there is no such file".to_owned()),
        Err(fault) => Err(fault.message),
    }
}

/// Moves the files up that hold the words of what is asked about.
fn rank(
    scope: &Scope,
    candidates: &mut [Candidate],
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
        scope.check()?;
        let mut hay = file.path.to_lowercase();
        if at < LOOKED_AT {
            hay.push_str(&read(scope, &file.path).unwrap_or_default().to_lowercase());
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

fn log(
    scope: &Scope,
    call_id: CallId,
    args: &Map<String, Value>,
    budget: u64,
    counter: Counter,
    fitted: &Fitted,
) -> Result<(), Fault> {
    let cut = fitted.included.iter().filter(|included| included.cut.is_some());
    let event = Event::ContextAssembly {
        call_id,
        why: text(args, "why").to_owned(),
        budget,
        tokens: fitted.tokens,
        tokenizer: counter.name().to_owned(),
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
    scope.post(event)
}

fn answer(fitted: &Fitted, budget: u64, counter: Counter, warnings: &[String]) -> Value {
    let included = fitted.included.iter().map(|included| {
        json!({
            "path": included.file.path,
            "role": included.file.role,
            "priority": included.file.priority,
            "tokens": included.tokens,
            "content": included.text,
        })
    });
    let cut = fitted.included.iter().filter_map(|included| {
        let (whole, (first, last)) = included.cut?;
        let strategy = included.file.truncate;
        let lines = json!({ "start": first, "end": last });
        Some(json!({ "path": included.file.path, "strategy": strategy, "lines": lines, "tokens_whole": whole }))
    });
    let left_out = fitted.left_out.iter().map(|left| {
        let mut shown = json!({ "path": left.path, "reason": left.reason });
        if let Some(tokens) = left.tokens {
            shown["tokens"] = json!(tokens);
        }
        shown
    });
    json!({
        "tokens": fitted.tokens,
        "budget": budget,
        "tokenizer": counter.name(),
        "included": included.collect::<Vec<_>>(),
        "cut": cut.collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
        "warnings": warnings,
    })
}
