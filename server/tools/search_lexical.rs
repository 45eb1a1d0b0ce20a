//! search.lexical: lines that match a pattern, in the files that are not ignored.

mod ignores;
mod matcher;
mod sink;

use futures::future::BoxFuture;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};
use serde_json::{Map, Value, json};

use super::{off_thread, text};
use crate::base::WorkspacePath;
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;
use sink::Matches;

/// Lines of context on each side of a match, where the caller names none.
const CONTEXT: u64 = 2;

/// Matches in one answer, where the caller names no limit.
const LIMIT: u64 = 100;

/// Searches texts.
pub struct Lexical;

impl Activity for Lexical {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects::read(scope_of(args))
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = call.call().args().clone();
        Box::pin(off_thread(scope, move |scope| search(scope, &args)))
    }
}

fn scope_of(args: &Map<String, Value>) -> &str {
    match text(args, "scope") {
        "" => ".",
        scope => scope,
    }
}

fn search(scope: &Scope, args: &Map<String, Value>) -> Result<Output, Fault> {
    let number = |name: &str, default| args.get(name).and_then(Value::as_u64).unwrap_or(default);
    let matcher =
        matcher::build(text(args, "query"), text(args, "case"), args.get("literal") == Some(&json!(true)))?;
    let limit = usize::try_from(number("limit", LIMIT))
        .unwrap_or(usize::MAX)
        .min(scope.settings().limits.output_items);
    let around = usize::try_from(number("context", CONTEXT)).unwrap_or(0);
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(around)
        .after_context(around)
        .binary_detection(BinaryDetection::quit(0))
        .build();
    let mut matches = Matches::new(limit, scope.settings().limits.output_bytes);
    for path in files(scope, &scope.path(scope_of(args))?, text(args, "glob"))? {
        scope.check()?;
        matches.enter(&path);
        let searched = match scope.session().document(&path) {
            Some(document) => searcher.search_slice(&matcher, document.text.as_bytes(), matches.sink()),
            None => match scope.files().open(&path) {
                Ok(opened) => searcher.search_reader(&matcher, opened.file, matches.sink()),
                // Gone since it was listed, closed by a rule, no file: it holds no match for this caller.
                Err(_) => continue,
            },
        };
        // A file that cannot be read to its end keeps the matches found so far.
        let _ = searched;
        if matches.full() {
            break;
        }
    }
    let truncated = matches.full();
    let rest = truncated.then(|| {
        format!("{limit} matches are shown; narrow the scope, the glob or the query, or raise `limit`")
    });
    Ok(Output::Value { value: matches.into_value(), truncated, rest, blocks: Vec::new() })
}

/// The files to search, in order of their paths: those of a folder that no ignore file leaves out, or the one named.
fn files(scope: &Scope, base: &WorkspacePath, glob: &str) -> Result<Vec<WorkspacePath>, Fault> {
    let root = scope.session().root();
    let found = scope.files().stat(base)?.ok_or_else(|| {
        Fault::new(Code::NotFound, format!("{base} does not exist")).suggest("fs.ls shows what is there")
    })?;
    if found.kind != crate::workspace::Kind::Folder {
        // One that is named and cannot be read is a fault; one that is come across is passed over.
        return scope.files().open(&found.path).map(|_| vec![found.path]);
    }
    let top = std::path::Path::new(root).join(found.path.as_str());
    let mut walk = WalkBuilder::new(&top);
    let odd = ignores::Odd::guard(&mut walk, &top)?;
    // What is left out is what ripgrep leaves out: hidden files, and what ignore files name.
    walk.follow_links(false).overrides(overrides(root, glob)?).sort_by_file_name(Ord::cmp);
    let mut files = Vec::new();
    for entry in walk.build().flatten() {
        scope.check()?;
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let inside = entry.path().strip_prefix(root).ok().and_then(|path| path.to_str());
        files.extend(inside.filter(|_| is_file).and_then(WorkspacePath::clean));
    }
    odd.check(std::path::Path::new(root))?;
    Ok(files)
}

fn overrides(root: &str, glob: &str) -> Result<Override, Fault> {
    let wrong = |error: ignore::Error| {
        Fault::new(Code::InvalidArgs, format!("the glob {glob:?} is wrong: {error}"))
            .suggest("write one like *.rs or src/**/*.ts")
    };
    let mut overrides = OverrideBuilder::new(root);
    if !glob.is_empty() {
        overrides.add(glob).map_err(wrong)?;
    }
    overrides.build().map_err(wrong)
}
