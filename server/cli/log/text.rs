//! The log for people: a call with its reason, its end and what was decided.

use std::collections::HashMap;
use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::filter::paths;
use super::lines::{LinePart, LogRow};
use super::waits::PersonWaits;
use super::{change, output};
use crate::base::hidden::short;
use crate::base::numbers::counted;
use crate::cli::print::{TerminalPage, TextLook};
use crate::journal::Entry;
use crate::protocol::{EventType, Why};

/// Characters of a reason that are shown.
const REASON: usize = 400;

/// Calls in the order they were made, each with what became of it.
#[derive(Debug)]
pub(super) struct Table {
    page: TerminalPage,
    /// Whether changes and outputs are shown whole.
    whole: bool,
    zone: TimeZone,
    lines: Vec<LogLine>,
    calls: HashMap<String, usize>,
    waits: PersonWaits,
}

/// What is printed of one call, or of one event that belongs to none.
#[derive(Debug, Default)]
struct LogLine {
    head: LogRow,
    below: Vec<LogRow>,
}

impl LogLine {
    fn print(&self, page: TerminalPage, out: &mut impl Write) -> io::Result<()> {
        let below = self.below.iter().flat_map(|row| row.below(page));
        self.head.first(page).into_iter().chain(below).try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// A time in this place, to the minute.
pub(super) fn local_minute(time: Timestamp) -> String {
    time.to_zoned(TimeZone::system()).strftime("%F %H:%M").to_string()
}

impl Table {
    pub(super) fn new(page: TerminalPage, whole: bool) -> Self {
        Self {
            page,
            whole,
            zone: TimeZone::system(),
            lines: Vec::new(),
            calls: HashMap::new(),
            waits: PersonWaits::default(),
        }
    }

    /// Adds an event to its call's line, or as a line.
    pub(super) fn add(&mut self, entry: &Entry) {
        self.waits.hear(entry);
        let id = entry.call_id().unwrap_or_default();
        if entry.kind() == Some(EventType::ToolCall) {
            self.calls.insert(id.to_owned(), self.lines.len());
            return self.lines.push(LogLine { head: self.head(entry), below: reason(entry) });
        }
        let LogLine { head, below } = self.what(entry);
        match self.calls.get(id).and_then(|at| self.lines.get_mut(*at)) {
            Some(line) if matches!(entry.kind(), Some(EventType::ToolResult | EventType::ToolError)) => {
                line.head = std::mem::take(&mut line.head).joined(head);
                line.below.extend(below);
            }
            Some(line) => line.below.extend([head].into_iter().chain(below)),
            None => {
                let head = LogRow::of(TextLook::Dim, self.time(entry)).joined(head);
                self.lines.push(LogLine { head, below });
            }
        }
    }

    /// Prints the last lines, or all, and forgets them.
    pub(super) fn print(&mut self, last: Option<usize>, out: &mut impl Write) -> io::Result<()> {
        self.calls.clear();
        let lines = std::mem::take(&mut self.lines);
        let skip = lines.len().saturating_sub(last.unwrap_or(usize::MAX));
        lines.iter().skip(skip).try_for_each(|line| line.print(self.page, out))
    }

    /// Prints one event of a followed log, as it comes.
    pub(super) fn event(&mut self, entry: &Entry, out: &mut impl Write) -> io::Result<()> {
        self.waits.hear(entry);
        if entry.kind() == Some(EventType::ToolCall) {
            return LogLine { head: self.head(entry), below: reason(entry) }.print(self.page, out);
        }
        let LogLine { head, below } = self.what(entry);
        let id = short(entry.call_id().unwrap_or_default(), 20);
        let at = LogRow::new([LinePart::new(TextLook::Dim, self.time(entry)), LinePart::plain(id)]);
        LogLine { head: at.joined(head), below }.print(self.page, out)
    }

    fn time(&self, entry: &Entry) -> String {
        let time = entry.time.parse::<Timestamp>().map(|time| time.to_zoned(self.zone.clone()));
        time.map_or_else(|_| "--:--:--".to_owned(), |time| time.strftime("%H:%M:%S").to_string())
    }

    fn head(&self, entry: &Entry) -> LogRow {
        let origin = |key: &str| entry.body.get("origin")?.get(key)?.as_str();
        let agent = match (origin("agent"), origin("tool"), origin("door")) {
            (agent, Some(tool), Some(door)) => format!("{} {tool} by {door}", agent.unwrap_or_default()),
            (None, None, Some("outside")) => "outside".to_owned(),
            (agent, ..) => agent.unwrap_or_default().to_owned(),
        };
        LogRow::new([
            LinePart::new(TextLook::Dim, self.time(entry)),
            LinePart::plain(short(&text(entry, "call_id"), 20)),
            LinePart::new(TextLook::Bold, short(&text(entry, "tool"), 80)),
            LinePart::plain(short(&paths(entry).join(" "), 120)),
            LinePart::new(TextLook::Dim, short(agent.trim(), 60)),
        ])
    }

    /// What an event says; further lines stand below it.
    fn what(&self, entry: &Entry) -> LogLine {
        let said = |key: &str| short(&text(entry, key), REASON);
        let took = LinePart::new(TextLook::Dim, self.waits.took(entry));
        let row = match entry.kind() {
            Some(EventType::ToolResult) => return self.result(entry, took),
            Some(EventType::ToolError) => {
                let error = entry.body.get("error");
                let part =
                    |key| error.and_then(|error| error.get(key)).and_then(Value::as_str).unwrap_or_default();
                return LogLine {
                    head: LogRow::new([LinePart::new(TextLook::Red, short(part("code"), 60)), took]),
                    below: vec![LogRow::of(TextLook::Red, short(part("message"), REASON))],
                };
            }
            Some(EventType::CommandEnd) => LogRow::new([
                LinePart::plain(format!("the command in the background ended: {}", said("outcome"))),
                took,
            ]),
            Some(EventType::Proposal) => {
                let head = format!("proposal {}: {}", said("proposal"), change::extent(entry));
                return LogLine {
                    head: LogRow::plain(short(&head, REASON)),
                    below: change::rows(entry, self.whole),
                };
            }
            Some(EventType::Decision) => {
                let look = match said("status").as_str() {
                    "applied" => TextLook::Green,
                    "rejected" | "stale" => TextLook::Red,
                    _ => TextLook::Yellow,
                };
                let status = match said("status").as_str() {
                    // Some hunks wait still.
                    "pending" => "partly decided".to_owned(),
                    status => status.replace('_', " "),
                };
                LogRow::of(look, format!("{status} by {}: {}", said("by"), hunks(entry)))
            }
            Some(EventType::Undo) => LogRow::of(
                TextLook::Yellow,
                format!("undone: {} ({})", list(entry, "paths"), said("undo_id")),
            ),
            Some(EventType::UserApproval) => {
                let granted = entry.body.get("granted") == Some(&Value::Bool(true));
                let word = if granted { "allowed" } else { "refused" };
                LogRow::plain(format!("{word} by the person, under the rule {}", said("rule")))
            }
            Some(EventType::Hint) => LogRow::plain(format!("hint by {}: {}", said("by"), hinted(entry))),
            Some(EventType::ContextAssembly) => {
                let number = |key: &str| entry.body.get(key).and_then(Value::as_u64).unwrap_or_default();
                let files = entry.body.get("included").and_then(Value::as_object).map_or(0, Map::len);
                let (tokens, budget) = (number("tokens"), number("budget"));
                let (what, part) = match entry.body.contains_key("run") {
                    true => ("short prompt", "part"),
                    false => ("context", "file"),
                };
                let parts = counted(files, part);
                LogRow::plain(format!(
                    "{what}: {parts}, {tokens} tokens of {budget} by {}",
                    said("tokenizer")
                ))
            }
            Some(EventType::SessionStart) => {
                LogRow::plain(format!("session {} in {}", said("session"), said("root")))
            }
            Some(EventType::NativeEdit) => {
                let outcome = said("outcome").replace('_', " ");
                LogRow::plain(format!("{} of {}: {outcome}", said("tool"), said("agent")))
            }
            Some(EventType::OutsideChanges) => {
                let files = entry.body.get("files").and_then(Value::as_u64).unwrap_or_default();
                let files = counted(files, "file");
                let why = said("why");
                LogRow::plain(format!("{files} changed by another program, not offered for review: {why}"))
            }
            Some(EventType::PersonMessage) => message(entry),
            Some(EventType::Recovery) => {
                LogRow::of(TextLook::Yellow, format!("{} ({})", said("reason"), said("kept")))
            }
            Some(EventType::SessionEnd) => LogRow::plain(format!("session end: {}", totals(entry))),
            _ => LogRow::plain(short(&entry.event_type, 60)),
        };
        LogLine { head: row, below: Vec::new() }
    }

    /// How a result came to be, and below that what a command wrote.
    fn result(&self, entry: &Entry, took: LinePart) -> LogLine {
        let result = entry.body.get("result").unwrap_or(&Value::Null);
        let status = short(&text(entry, "status"), 60);
        let look = if status == "ok" { TextLook::Green } else { TextLook::Yellow };
        let ended = if output::failed(result) { TextLook::Red } else { TextLook::Green };
        let ending = output::ending(result).unwrap_or_default();
        LogLine {
            head: LogRow::new([LinePart::new(look, status), took, LinePart::new(ended, ending)]),
            below: output::lines(result, self.whole)
                .into_iter()
                .map(|line| LogRow::verbatim(Some(TextLook::Dim), line))
                .collect(),
        }
    }
}

/// Why a call was made, and what is to be said of it.
fn reason(entry: &Entry) -> Vec<LogRow> {
    let why = entry.body.get("args").and_then(|args| args.get("why"));
    let why = match why {
        Some(Value::Object(stored)) => stored.get("head").and_then(Value::as_str).unwrap_or_default(),
        Some(Value::Null) => Why::UNSTATED,
        why => why.and_then(Value::as_str).unwrap_or_default(),
    };
    let why = short(why, REASON);
    let warnings = entry.body.get("warnings").and_then(Value::as_array).into_iter().flatten();
    let warnings = warnings
        .filter_map(Value::as_str)
        .map(|text| LogRow::of(TextLook::Yellow, format!("warning: {}", short(text, REASON))));
    let problems = entry.problems.iter().map(|text| LogRow::of(TextLook::Red, short(text, REASON)));
    let why = (!why.is_empty()).then(|| LogRow::of(TextLook::Cyan, why));
    why.into_iter().chain(warnings).chain(problems).collect()
}

/// What a person said to an agent, and of what.
fn message(entry: &Entry) -> LogRow {
    let message = entry.body.get("message");
    let part = |key: &str| message.and_then(|message| message.get(key)).and_then(Value::as_str);
    let to = entry.body.get("to").and_then(Value::as_str).unwrap_or("the next agent");
    let about = part("path").map(|path| format!(" about {}", short(path, REASON))).unwrap_or_default();
    let text = short(part("text").unwrap_or_default(), REASON);
    LogRow::plain(format!("message to {}{about}: {text}", short(to, 60)))
}

fn text(entry: &Entry, key: &str) -> String {
    entry.body.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list(entry: &Entry, key: &str) -> String {
    let items = entry.body.get(key).and_then(Value::as_array).into_iter().flatten();
    short(&items.filter_map(Value::as_str).collect::<Vec<_>>().join(" "), REASON)
}

/// Hunks with their states and the words given with them.
fn hunks(entry: &Entry) -> String {
    let hunks = entry.body.get("hunks").and_then(Value::as_array).into_iter().flatten();
    let said = hunks.map(|hunk| {
        let part = |key: &str| hunk.get(key).and_then(Value::as_str).unwrap_or_default();
        let reason =
            if part("reason").is_empty() { String::new() } else { format!(" (“{}”)", part("reason")) };
        format!("{} {}{reason}", part("id"), part("state"))
    });
    short(&said.collect::<Vec<_>>().join(", "), REASON)
}

/// Files with what was advised of them and what became of it.
fn hinted(entry: &Entry) -> String {
    let paths = entry.body.get("paths").and_then(Value::as_array).into_iter().flatten();
    let said = paths.map(|path| {
        let part = |key: &str| path.get(key).and_then(Value::as_str).unwrap_or_default();
        format!("{} {} {}", part("advice"), part("path"), part("outcome"))
    });
    short(&said.collect::<Vec<_>>().join(", "), REASON)
}

fn totals(entry: &Entry) -> String {
    let totals = entry.body.get("totals").and_then(Value::as_object).into_iter().flatten();
    // `calls_failed` counts calls, `hunks_applied` hunks.
    let told = |(name, count): (&String, &Value)| match (name.split_once("s_"), count.as_u64()) {
        (Some((noun, how)), Some(count)) => format!("{} {how}", counted(count, noun)),
        _ => format!("{count} {name}"),
    };
    short(&totals.map(told).collect::<Vec<_>>().join(", "), REASON)
}
