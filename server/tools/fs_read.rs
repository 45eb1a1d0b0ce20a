//! fs.read: a text, a range of its lines, or a part of it.

mod named_part;
mod part;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::file_part::PartInput;
use super::off_thread;
use crate::base::WorkspacePath;
use crate::base::numbers::format_count;
use crate::base::text::LineEnding;
use crate::protocol::{CallEffects, Code, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::{CallScope, TextSnapshot};
use crate::workspace::{FileLines, ReadWindow, read_lines};

/// Bytes of the largest file that is read without another thread.
const SMALL: u64 = 64 << 10;

/// The request of a read.
#[derive(Clone, Copy)]
struct ReadRequest {
    /// The first and the last line; all lines when absent.
    range: Option<(u64, u64)>,
    /// True where each line is numbered.
    numbers: bool,
}

/// Reads a text.
pub(super) struct ReadFile;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadInput {
    path: String,
    at: Option<PartInput>,
    range: Option<AskedLines>,
    bytes: Option<AskedBytes>,
    #[serde(default)]
    numbers: bool,
}

/// The part of the text asked for, in bytes of its UTF-8 form: for lines that are too long to be read as lines.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
struct AskedBytes {
    #[serde(default)]
    start: Option<Count>,
    end: Option<Count>,
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
    eol: LineEnding,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_range: Option<NextLines>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_bytes: Option<NextBytes>,
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

/// The place at which to read on, after a text that was cut inside of a line.
#[derive(Debug, Serialize, JsonSchema)]
struct NextBytes {
    start: usize,
}

impl Activity for ReadFile {
    type Input = ReadInput;
    type Output = FileText;

    fn call_effects(&self, input: &ReadInput) -> CallEffects {
        CallEffects::read(&input.path)
    }

    async fn run_call(
        &self,
        input: Arc<ReadInput>,
        call: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<FileText>, Fault> {
        let path = scope.parse_path(&input.path)?;
        if let Some(at) = &input.at {
            if input.range.is_some() || input.bytes.is_some() {
                return Err(Fault::new(
                    Code::InvalidArgs,
                    "`at` names the part to read: it goes with no `range` and no `bytes`",
                )
                .with_suggestion("leave out `at`, or the others"));
            }
            let (at, numbers) = (at.to_address()?, input.numbers);
            return off_thread(scope, move |scope| named_part::read_part(scope, &path, &at, numbers)).await;
        }
        if let Some(bytes) = input.bytes {
            if input.range.is_some() || input.numbers {
                let message = "`bytes` reads a part of the text whatever its lines are: it goes with no `range` and no `numbers`";
                return Err(Fault::new(Code::InvalidArgs, message)
                    .with_suggestion("leave out `bytes`, or the others"));
            }
            return off_thread(scope, move |scope| part::read(scope, &path, bytes)).await;
        }
        let asked = ReadRequest { range: line_range(input.range)?, numbers: input.numbers };
        match at_hand(call, scope, &path, asked)? {
            Some(output) => Ok(output),
            None => off_thread(scope, move |scope| read_file(scope, &path, asked)).await,
        }
    }
}

/// A small text that the system has in memory, which is most of those that are read: handing it to another
/// thread would cost more than reading it. Nothing where that does not do.
fn at_hand(
    call: &PermittedCall,
    scope: &CallScope,
    path: &WorkspacePath,
    asked: ReadRequest,
) -> Result<Option<ActivityOutput<FileText>>, Fault> {
    // The rules looked at the file a moment ago: mostly it is still that one.
    let touch = call.grant().paths().next();
    let seen = touch.and_then(|touch| scope.files().open_seen(&touch.resolved, touch.file?));
    let Some(opened) = seen else { return Ok(None) };
    if scope.texts().is_open_at(&opened.stat.path) {
        return Ok(None);
    }
    let Some(bytes) = opened.at_hand(SMALL) else { return Ok(None) };
    let lines = read_lines(bytes.as_slice(), opened.stat.size, read_window(scope, asked));
    read_output(scope, path, asked, lines.map_err(|error| read_fault(path, &error))?, false).map(Some)
}

fn line_range(asked: Option<AskedLines>) -> Result<Option<(u64, u64)>, Fault> {
    let Some(asked) = asked else { return Ok(None) };
    let side = |side: Option<Count>, default: u64| side.map_or(default, |side| side.0);
    let (start, end) = (side(asked.start, 1), side(asked.end, u64::MAX));
    match start > end {
        true => Err(Fault::new(
            Code::InvalidArgs,
            format!("the range starts at line {start}, after its end at {end}"),
        )
        .with_suggestion("give `start` the smaller number; both lines are included")),
        false => Ok(Some((start, end))),
    }
}

fn read_file(
    scope: &CallScope,
    path: &WorkspacePath,
    asked: ReadRequest,
) -> Result<ActivityOutput<FileText>, Fault> {
    let window = read_window(scope, asked);
    let open = scope.texts().is_open(path);
    if let Some(TextSnapshot { text, encoding, hash, unsaved }) =
        if open { scope.read_text(path)? } else { None }
    {
        let lines = read_lines(text.as_bytes(), text.len() as u64, window)
            .map_err(|error| read_fault(path, &error))?;
        let lines = lines.map(|lines| FileLines { encoding, hash: Some(hash), ..lines });
        return read_output(scope, path, asked, lines, unsaved);
    }
    let opened = scope.files().open(path)?;
    let lines =
        read_lines(opened.file, opened.stat.size, window).map_err(|error| read_fault(path, &error))?;
    read_output(scope, path, asked, lines, false)
}

fn read_window(scope: &CallScope, asked: ReadRequest) -> ReadWindow {
    let limits = &scope.settings().limits;
    ReadWindow { range: asked.range, max_bytes: limits.output_bytes, hash_bytes: limits.edit_bytes }
}

fn read_output(
    scope: &CallScope,
    path: &WorkspacePath,
    asked: ReadRequest,
    lines: Option<FileLines>,
    unsaved: bool,
) -> Result<ActivityOutput<FileText>, Fault> {
    let lines = lines.ok_or_else(|| {
        Fault::new(Code::Unsupported, format!("{path} is a binary file, not a text"))
            .with_suggestion("fs.ls tells its size; fs.copy moves bytes about")
    })?;
    note_shown(scope, path, asked, &lines);
    let truncated = lines.truncated;
    let next_bytes = match lines.cut {
        true => {
            part::offset_behind(scope, path, lines.start, &lines.content).map(|start| NextBytes { start })
        }
        false => None,
    };
    let rest = truncated.then(|| match (lines.cut, &next_bytes) {
        (true, Some(next)) => format!(
            "line {} alone is longer than the limit of {} bytes and is cut; read on with `bytes: {{ start: {} }}`",
            lines.end,
            scope.settings().limits.output_bytes,
            next.start
        ),
        (true, None) => format!(
            "line {} alone is longer than the limit of {} bytes and is cut; a command reads the rest, as tail -c",
            lines.end,
            scope.settings().limits.output_bytes
        ),
        (false, _) => format!("read on from line {}", lines.end + 1),
    });
    let asked_end = asked.range.map(|(_, end)| end).filter(|end| *end != u64::MAX);
    let behind = asked.range.filter(|(start, _)| *start > lines.total_lines.max(1));
    let warnings: Vec<String> = behind
        .map(|(start, _)| {
            format!("nothing stands at line {start}: {path} has {}", format_count(lines.total_lines, "line"))
        })
        .into_iter()
        .collect();
    let next_range = truncated && lines.end < lines.total_lines;
    let text = FileText {
        content: if asked.numbers { number_lines(&lines.content, lines.start) } else { lines.content },
        lines: lines.total_lines,
        truncated,
        start: lines.start,
        end: lines.end,
        encoding: lines.encoding.name(),
        eol: lines.eol,
        size: lines.size,
        hash: lines.hash,
        next_range: next_range.then(|| NextLines { start: lines.end + 1, end: asked_end }),
        next_bytes,
        unsaved,
    };
    Ok(ActivityOutput { truncated, rest, warnings, ..ActivityOutput::from_value(text) })
}

/// A text with the number of each line and a tab before it.
fn number_lines(text: &str, first: u64) -> String {
    (first..).zip(text.split_inclusive('\n')).map(|(number, line)| format!("{number}\t{line}")).collect()
}

/// Remembers which state of the file the agent was shown, and a text that it was shown whole.
fn note_shown(scope: &CallScope, path: &WorkspacePath, asked: ReadRequest, lines: &FileLines) {
    let Some(hash) = &lines.hash else { return };
    if let Ok(real) = scope.files().paths().root().resolve_path(path) {
        scope.texts().note_shown(&real, Some(hash));
    }
    if !lines.truncated && asked.range.is_none() {
        scope.texts().keep_shown_text(hash, &lines.content);
    }
}

fn read_fault(path: &WorkspacePath, error: &std::io::Error) -> Fault {
    Fault::internal(format!("{path} cannot be read: {error}"))
}
