//! fs.read: a text, or a range of its lines.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::off_thread;
use crate::base::WorkspacePath;
use crate::base::text::Eol;
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::{Scope, Snapshot};
use crate::workspace::{Lines, Window, read_lines};

/// Bytes of the largest file that is read without another thread.
const SMALL: u64 = 64 << 10;

/// What is asked of a file.
#[derive(Clone, Copy)]
struct Asked {
    /// The first and the last line; all lines when absent.
    range: Option<(u64, u64)>,
    /// Whether each line is numbered.
    numbers: bool,
}

/// Reads a text.
pub(super) struct ReadFile;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadInput {
    path: String,
    range: Option<AskedLines>,
    #[serde(default)]
    numbers: bool,
}

/// The lines asked for; one side left out means from the first line, or to the last.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
struct AskedLines {
    start: Option<Count>,
    end: Option<Count>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FileText {
    content: String,
    lines: u64,
    truncated: bool,
    start: u64,
    end: u64,
    encoding: &'static str,
    #[schemars(with = "String")]
    eol: Eol,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_range: Option<NextLines>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unsaved: bool,
}

/// The lines to ask for next.
#[derive(Debug, Serialize, JsonSchema)]
struct NextLines {
    start: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<u64>,
}

impl Activity for ReadFile {
    type Input = ReadInput;
    type Output = FileText;

    fn effects(&self, input: &ReadInput) -> Effects {
        Effects::read(&input.path)
    }

    async fn run(
        &self,
        input: Arc<ReadInput>,
        call: &Permitted,
        scope: &Scope,
    ) -> Result<Output<FileText>, Fault> {
        let path = scope.path(&input.path)?;
        let asked = Asked { range: range(input.range)?, numbers: input.numbers };
        match at_hand(call, scope, &path, asked)? {
            Some(output) => Ok(output),
            None => off_thread(scope, move |scope| read(scope, &path, asked)).await,
        }
    }
}

/// A small text that the system has in memory, which is most of those that are read: handing it to another
/// thread would cost more than reading it. Nothing where that does not do.
fn at_hand(
    call: &Permitted,
    scope: &Scope,
    path: &WorkspacePath,
    asked: Asked,
) -> Result<Option<Output<FileText>>, Fault> {
    // The rules looked at the file a moment ago: mostly it is still that one.
    let touch = call.grant().paths().next();
    let seen = touch.and_then(|touch| scope.files().open_seen(&touch.resolved, touch.file?));
    let Some(opened) = seen else { return Ok(None) };
    if scope.shows(&opened.stat.path) {
        return Ok(None);
    }
    let Some(bytes) = opened.at_hand(SMALL) else { return Ok(None) };
    let lines = read_lines(bytes.as_slice(), opened.stat.size, window(scope, asked));
    output(scope, path, asked, lines.map_err(|error| failed(path, &error))?, false).map(Some)
}

fn range(asked: Option<AskedLines>) -> Result<Option<(u64, u64)>, Fault> {
    let Some(asked) = asked else { return Ok(None) };
    let side = |side: Option<Count>, default: u64| side.map_or(default, |side| side.0);
    let (start, end) = (side(asked.start, 1), side(asked.end, u64::MAX));
    match start > end {
        true => Err(Fault::new(
            Code::InvalidArgs,
            format!("the range starts at line {start}, after its end at {end}"),
        )
        .suggest("give `start` the smaller number; both lines are included")),
        false => Ok(Some((start, end))),
    }
}

fn read(scope: &Scope, path: &WorkspacePath, asked: Asked) -> Result<Output<FileText>, Fault> {
    let window = window(scope, asked);
    let open = scope.is_open(path);
    if let Some(Snapshot { text, encoding, hash, unsaved }) = if open { scope.text(path)? } else { None } {
        let lines =
            read_lines(text.as_bytes(), text.len() as u64, window).map_err(|error| failed(path, &error))?;
        let lines = lines.map(|lines| Lines { encoding, hash: Some(hash), ..lines });
        return output(scope, path, asked, lines, unsaved);
    }
    let opened = scope.files().open(path)?;
    let lines = read_lines(opened.file, opened.stat.size, window).map_err(|error| failed(path, &error))?;
    output(scope, path, asked, lines, false)
}

fn window(scope: &Scope, asked: Asked) -> Window {
    let limits = &scope.settings().limits;
    Window { range: asked.range, max_bytes: limits.output_bytes, hash_bytes: limits.edit_bytes }
}

fn output(
    scope: &Scope,
    path: &WorkspacePath,
    asked: Asked,
    lines: Option<Lines>,
    unsaved: bool,
) -> Result<Output<FileText>, Fault> {
    let lines = lines.ok_or_else(|| {
        Fault::new(Code::Unsupported, format!("{path} is a binary file, not a text"))
            .suggest("fs.ls tells its size; fs.copy moves bytes about")
    })?;
    note_shown(scope, path, asked, &lines);
    let truncated = lines.truncated;
    let rest = truncated.then(|| match lines.cut {
        true => format!(
            "line {} alone is longer than the limit of {} bytes and is cut",
            lines.end,
            scope.settings().limits.output_bytes
        ),
        false => format!("read on from line {}", lines.end + 1),
    });
    let asked_end = asked.range.map(|(_, end)| end).filter(|end| *end != u64::MAX);
    let text = FileText {
        content: if asked.numbers { numbered(&lines.content, lines.start) } else { lines.content },
        lines: lines.total_lines,
        truncated,
        start: lines.start,
        end: lines.end,
        encoding: lines.encoding.name(),
        eol: lines.eol,
        size: lines.size,
        hash: lines.hash,
        next_range: truncated.then(|| NextLines { start: lines.end + 1, end: asked_end }),
        unsaved,
    };
    Ok(Output { truncated, rest, ..Output::value(text) })
}

/// A text with the number of each line and a tab before it.
fn numbered(text: &str, first: u64) -> String {
    (first..).zip(text.split_inclusive('\n')).map(|(number, line)| format!("{number}\t{line}")).collect()
}

/// Remembers which state of the file the agent was shown, and a text that it was shown whole.
fn note_shown(scope: &Scope, path: &WorkspacePath, asked: Asked, lines: &Lines) {
    let Some(hash) = &lines.hash else { return };
    if let Ok(real) = scope.files().root().resolve(path) {
        scope.note_shown(&real, Some(hash));
    }
    if !lines.truncated && asked.range.is_none() {
        scope.keep_shown_text(hash, &lines.content);
    }
}

fn failed(path: &WorkspacePath, error: &std::io::Error) -> Fault {
    Fault::internal(format!("{path} cannot be read: {error}"))
}
