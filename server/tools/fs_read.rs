//! fs.read: a text, or a range of its lines.

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{off_thread, text};
use crate::base::WorkspacePath;
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::{Scope, Snapshot};
use crate::workspace::{Lines, Window, read_lines};

/// Bytes of the largest file that is read without another thread.
const SMALL: u64 = 64 << 10;

/// The first and the last line asked for; all lines when absent.
type Range = Option<(u64, u64)>;

/// Reads a text.
pub(super) struct Read;

impl Activity for Read {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects::read(text(args, "path"))
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = call.call().args();
        Box::pin(async move {
            let (path, range) = (scope.path(text(args, "path"))?, range(args)?);
            match at_hand(call, scope, &path, range)? {
                Some(output) => Ok(output),
                None => off_thread(scope, move |scope| read(scope, &path, range)).await,
            }
        })
    }
}

/// A small text that the system has in memory, which is most of those that are read: handing it to another
/// thread would cost more than reading it. Nothing where that does not do.
fn at_hand(
    call: &Permitted,
    scope: &Scope,
    path: &WorkspacePath,
    range: Range,
) -> Result<Option<Output>, Fault> {
    // The rules looked at the file a moment ago: mostly it is still that one.
    let touch = call.grant().paths().next();
    let seen = touch.and_then(|touch| scope.files().open_seen(&touch.resolved, touch.file?));
    let Some(opened) = seen else { return Ok(None) };
    if scope.shows(&opened.stat.path) {
        return Ok(None);
    }
    let Some(bytes) = opened.at_hand(SMALL) else { return Ok(None) };
    let lines = read_lines(bytes.as_slice(), opened.stat.size, window(scope, range));
    output(scope, path, range, lines.map_err(|error| failed(path, &error))?, false).map(Some)
}

/// The range asked for; one side left out means from the first line, or to the last.
fn range(args: &Map<String, Value>) -> Result<Range, Fault> {
    let Some(range) = args.get("range") else { return Ok(None) };
    let side = |name: &str| range.get(name).and_then(Value::as_u64);
    let (start, end) = (side("start").unwrap_or(1), side("end").unwrap_or(u64::MAX));
    match start > end {
        true => Err(Fault::new(
            Code::InvalidArgs,
            format!("the range starts at line {start}, after its end at {end}"),
        )
        .suggest("give `start` the smaller number; both lines are included")),
        false => Ok(Some((start, end))),
    }
}

fn read(scope: &Scope, path: &WorkspacePath, range: Range) -> Result<Output, Fault> {
    let window = window(scope, range);
    let open = scope.is_open(path);
    if let Some(Snapshot { text, encoding, hash, unsaved }) = if open { scope.text(path)? } else { None } {
        let lines =
            read_lines(text.as_bytes(), text.len() as u64, window).map_err(|error| failed(path, &error))?;
        let lines = lines.map(|lines| Lines { encoding, hash: Some(hash), ..lines });
        return output(scope, path, range, lines, unsaved);
    }
    let opened = scope.files().open(path)?;
    let lines = read_lines(opened.file, opened.stat.size, window).map_err(|error| failed(path, &error))?;
    output(scope, path, range, lines, false)
}

fn window(scope: &Scope, range: Range) -> Window {
    let limits = &scope.settings().limits;
    Window { range, max_bytes: limits.output_bytes, hash_bytes: limits.edit_bytes }
}

fn output(
    scope: &Scope,
    path: &WorkspacePath,
    range: Range,
    lines: Option<Lines>,
    unsaved: bool,
) -> Result<Output, Fault> {
    let limits = &scope.settings().limits;
    let lines = lines.ok_or_else(|| {
        Fault::new(Code::Unsupported, format!("{path} is a binary file, not a text"))
            .suggest("fs.ls tells its size; fs.copy moves bytes about")
    })?;
    if let (Some(hash), Ok(real)) = (&lines.hash, scope.files().root().resolve(path)) {
        scope.note_shown(&real, Some(hash));
    }
    if let (Some(hash), false, true) = (&lines.hash, lines.truncated, range.is_none()) {
        scope.keep_shown_text(hash, &lines.content);
    }
    let rest = lines.truncated.then(|| match lines.cut {
        true => format!(
            "line {} alone is longer than the limit of {} bytes and is cut",
            lines.end, limits.output_bytes
        ),
        false => format!("read on from line {}", lines.end + 1),
    });
    let mut value = json!({
        "content": lines.content,
        "lines": lines.total_lines,
        "truncated": lines.truncated,
        "start": lines.start,
        "end": lines.end,
        "encoding": lines.encoding.name(),
        "eol": lines.eol,
        "size": lines.size,
    });
    if let Some(hash) = &lines.hash {
        value["hash"] = json!(hash);
    }
    if lines.truncated {
        value["next_range"] = json!({ "start": lines.end + 1 });
    }
    if unsaved {
        value["unsaved"] = json!(true);
    }
    Ok(Output::Value { value, truncated: lines.truncated, rest, blocks: Vec::new(), warnings: Vec::new() })
}

fn failed(path: &WorkspacePath, error: &std::io::Error) -> Fault {
    Fault::internal(format!("{path} cannot be read: {error}"))
}
