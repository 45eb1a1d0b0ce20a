//! The log for people: a call with its reason, its end and the decisions.

use std::collections::HashMap;
use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::lines::{LinePart, LogRow};
use super::waits::PersonWaits;
use super::{change, decision, model, output};
use crate::base::hidden::shorten_to_line;
use crate::base::numbers::format_count;
use crate::cli::print::{TerminalPage, TextLook};
use crate::journal::JournalEntry;
use crate::protocol::{DirectWrites, EventType, RepositoryAct, RunEnding, Unanswered, Why, call_subject};

/// Characters of a reason that are shown.
pub(super) const REASON: usize = 400;

/// Calls in the order they were made, each with its outcome.
#[derive(Debug)]
pub(super) struct CallTable {
    page: TerminalPage,
    /// True if changes and outputs are shown in full.
    whole: bool,
    zone: TimeZone,
    lines: Vec<CallLines>,
    calls: HashMap<String, usize>,
    waits: PersonWaits,
}

/// The lines of one call, or of one event that belongs to none.
#[derive(Debug, Default)]
struct CallLines {
    head: LogRow,
    below: Vec<LogRow>,
}

impl CallLines {
    fn print(&self, page: TerminalPage, out: &mut impl Write) -> io::Result<()> {
        let below = self.below.iter().flat_map(|row| row.lines_below(page));
        self.head.lines_at_margin(page).into_iter().chain(below).try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// A time in this place, to the minute.
pub(super) fn local_minute(time: Timestamp) -> String {
    time.to_zoned(TimeZone::system()).strftime("%F %H:%M").to_string()
}

impl CallTable {
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
    pub(super) fn add_event(&mut self, entry: &JournalEntry) {
        self.waits.take_event(entry);
        let id = entry.call_id().unwrap_or_default();
        if entry.kind() == Some(EventType::ToolCall) {
            self.calls.insert(id.to_owned(), self.lines.len());
            return self.lines.push(CallLines { head: self.call_head(entry), below: reason_rows(entry) });
        }
        let CallLines { head, below } = self.describe_event(entry);
        match self.calls.get(id).and_then(|at| self.lines.get_mut(*at)) {
            Some(line) if matches!(entry.kind(), Some(EventType::ToolResult | EventType::ToolError)) => {
                line.head = std::mem::take(&mut line.head).append_row(head);
                line.below.extend(below);
            }
            Some(line) => line.below.extend([head].into_iter().chain(below)),
            None => {
                let head = LogRow::of(TextLook::Dim, self.format_time(entry)).append_row(head);
                self.lines.push(CallLines { head, below });
            }
        }
    }

    /// Prints the last lines, or all, and forgets them.
    pub(super) fn print_lines(&mut self, last: Option<usize>, out: &mut impl Write) -> io::Result<()> {
        self.calls.clear();
        let lines = std::mem::take(&mut self.lines);
        let skip = lines.len().saturating_sub(last.unwrap_or(usize::MAX));
        lines.iter().skip(skip).try_for_each(|line| line.print(self.page, out))
    }

    /// Prints one event of a followed log, as it comes.
    pub(super) fn print_event(&mut self, entry: &JournalEntry, out: &mut impl Write) -> io::Result<()> {
        self.waits.take_event(entry);
        if entry.kind() == Some(EventType::ToolCall) {
            return CallLines { head: self.call_head(entry), below: reason_rows(entry) }
                .print(self.page, out);
        }
        let CallLines { head, below } = self.describe_event(entry);
        let id = shorten_to_line(entry.call_id().unwrap_or_default(), 20);
        let at = LogRow::new([LinePart::new(TextLook::Dim, self.format_time(entry)), LinePart::plain(id)]);
        CallLines { head: at.append_row(head), below }.print(self.page, out)
    }

    fn format_time(&self, entry: &JournalEntry) -> String {
        let time = entry.time.parse::<Timestamp>().map(|time| time.to_zoned(self.zone.clone()));
        time.map_or_else(|_| "--:--:--".to_owned(), |time| time.strftime("%H:%M:%S").to_string())
    }

    fn call_head(&self, entry: &JournalEntry) -> LogRow {
        let origin = |key: &str| entry.body.get("origin")?.get(key)?.as_str();
        let agent = match (origin("agent"), origin("tool"), origin("door")) {
            (agent, Some(tool), Some(door)) => format!("{} {tool} by {door}", agent.unwrap_or_default()),
            (None, None, Some("outside")) => "outside".to_owned(),
            (agent, ..) => agent.unwrap_or_default().to_owned(),
        };
        let args = entry.body.get("args").and_then(Value::as_object);
        let subject = args.map(call_subject).unwrap_or_default();
        LogRow::new([
            LinePart::new(TextLook::Dim, self.format_time(entry)),
            LinePart::plain(shorten_to_line(&body_text(entry, "call_id"), 20)),
            LinePart::new(TextLook::Bold, shorten_to_line(&body_text(entry, "tool"), 80)),
            LinePart::plain(shorten_to_line(&subject, 120)),
            LinePart::new(TextLook::Dim, shorten_to_line(agent.trim(), 60)),
            LinePart::new(TextLook::Yellow, shorten_to_line(&body_text(entry, "environment"), 80)),
        ])
    }

    /// The line of an event, with further lines below it.
    fn describe_event(&self, entry: &JournalEntry) -> CallLines {
        let said = |key: &str| shorten_to_line(&body_text(entry, key), REASON);
        let took = LinePart::new(TextLook::Dim, self.waits.duration_text(entry));
        let row = match entry.kind() {
            Some(EventType::ToolResult) => return self.describe_result(entry, took),
            Some(EventType::ToolError) => {
                let error = entry.body.get("error");
                let part =
                    |key| error.and_then(|error| error.get(key)).and_then(Value::as_str).unwrap_or_default();
                return CallLines {
                    head: LogRow::new([
                        LinePart::new(TextLook::Red, shorten_to_line(part("code"), 60)),
                        took,
                    ]),
                    below: vec![LogRow::of(TextLook::Red, shorten_to_line(part("message"), REASON))],
                };
            }
            Some(EventType::CommandEnd) => {
                let outcome = said("outcome");
                let ended = match (entry.body.get("exit_code").and_then(Value::as_i64), outcome.as_str()) {
                    (Some(0), _) => {
                        LinePart::plain(format!("the command in the background ended: {outcome}"))
                    }
                    (_, "cancelled") => LinePart::plain("the command in the background was cancelled"),
                    _ => LinePart::new(
                        TextLook::Red,
                        format!("the command in the background failed: {outcome}"),
                    ),
                };
                LogRow::new([ended, took])
            }
            Some(EventType::Proposal) => {
                let head = format!("proposal {}: {}", said("proposal"), change::change_extent(entry));
                return CallLines {
                    head: LogRow::plain(shorten_to_line(&head, REASON)),
                    below: change::diff_rows(entry, self.whole),
                };
            }
            Some(EventType::Decision) => decision::decision_row(entry),
            Some(EventType::ModelInput) => {
                let (head, below) = model::asked(entry);
                return CallLines { head, below };
            }
            Some(EventType::ModelOutput) => {
                let (head, below) = model::answered(entry, took);
                return CallLines { head, below };
            }
            Some(EventType::Undo) => LogRow::of(
                TextLook::Yellow,
                format!("undone: {} ({})", body_list(entry, "paths"), said("undo_id")),
            ),
            Some(EventType::UserApproval) => {
                let granted = entry.body.get("granted") == Some(&Value::Bool(true));
                let unanswered = entry.body.get("unanswered").map(Unanswered::deserialize);
                let is_clients = entry.body.get("by_client") == Some(&Value::Bool(true));
                let what = match (granted, unanswered) {
                    (true, _) if is_clients => "allowed by the agent's client".to_owned(),
                    (false, None) if is_clients => "refused by the agent's client".to_owned(),
                    (true, _) => "allowed by the person".to_owned(),
                    (false, None) => "refused by the person".to_owned(),
                    (false, Some(Ok(cause))) => format!("not allowed: {}", cause.to_clause()),
                    (false, Some(Err(_))) => "not allowed: nobody answered".to_owned(),
                };
                LogRow::plain(format!("{what}, under the rule {}", said("rule")))
            }
            Some(EventType::ApartDecision) => {
                let verb = if said("act") == "take" { "taken over" } else { "dropped" };
                let files = entry.body.get("files").and_then(Value::as_array).into_iter().flatten();
                let words: Vec<String> = files
                    .filter_map(|writes| DirectWrites::deserialize(writes).ok())
                    .map(|writes| writes.to_string())
                    .collect();
                LogRow::plain(format!("{verb} by the person: {}", words.join("; ")))
            }
            Some(EventType::RepositoryDecision) => {
                let verb = RepositoryAct::deserialize(entry.body.get("act").unwrap_or(&Value::Null))
                    .map_or("decided", RepositoryAct::word);
                let changes = entry.body.get("changes").and_then(Value::as_array).into_iter().flatten();
                let words: Vec<&str> = changes.filter_map(Value::as_str).collect();
                LogRow::plain(format!("{verb} by the person: {}", words.join("; ")))
            }
            Some(EventType::Hint) => LogRow::plain(format!("hint by {}: {}", said("by"), hint_texts(entry))),
            Some(EventType::ContextAssembly) => {
                let number = |key: &str| entry.body.get(key).and_then(Value::as_u64).unwrap_or_default();
                let files = entry.body.get("included").and_then(Value::as_object).map_or(0, Map::len);
                let (tokens, budget) = (number("tokens"), number("budget"));
                let (what, part) = match entry.body.contains_key("run") {
                    true => ("short prompt", "part"),
                    false => ("context", "file"),
                };
                let parts = format_count(files, part);
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
            Some(EventType::NativeRefusal) => {
                let row = format!("{} of {} refused unread: {}", said("tool"), said("agent"), said("why"));
                LogRow::of(TextLook::Yellow, row)
            }
            Some(EventType::OutsideChanges) => {
                let files = entry.body.get("files").and_then(Value::as_u64).unwrap_or_default();
                let files = format_count(files, "file");
                let why = said("why");
                LogRow::plain(format!("{files} changed by another program, not offered for review: {why}"))
            }
            Some(EventType::PersonMessage) => message_row(entry),
            Some(EventType::Recovery) => {
                LogRow::of(TextLook::Yellow, format!("{} ({})", said("reason"), said("kept")))
            }
            Some(EventType::SessionEnd) => LogRow::plain(format!("session end: {}", session_totals(entry))),
            _ => LogRow::plain(shorten_to_line(&entry.event_type, 60)),
        };
        CallLines { head: row, below: Vec::new() }
    }

    /// The kind of a result, with the output of a command below it.
    fn describe_result(&self, entry: &JournalEntry, took: LinePart) -> CallLines {
        let result = entry.body.get("result").unwrap_or(&Value::Null);
        if entry.is_latent() {
            // No command or test ran, whatever the result claims.
            let said = match body_text(entry, "status").as_str() {
                "latent" => "no code runs it: the caller was asked for the result",
                _ => "no code ran: the caller filled the result",
            };
            let said = LinePart::new(TextLook::Yellow, said);
            return CallLines {
                head: LogRow::new([
                    LinePart::new(TextLook::Yellow, shorten_to_line(&body_text(entry, "status"), 60)),
                    took,
                    said,
                ]),
                below: Vec::new(),
            };
        }
        let ending = RunEnding::from_result(result);
        let (failed, words) = ending.map_or((false, String::new()), |ending| (ending.failed, ending.words));
        let status =
            if failed { "failed".to_owned() } else { shorten_to_line(&body_text(entry, "status"), 60) };
        let look = match status.as_str() {
            "ok" => TextLook::Green,
            "failed" => TextLook::Red,
            _ => TextLook::Yellow,
        };
        let ended = if failed { TextLook::Red } else { TextLook::Green };
        let ending = shorten_to_line(&words, 60);
        CallLines {
            head: LogRow::new([LinePart::new(look, status), took, LinePart::new(ended, ending)]),
            below: output::output_lines(result, self.whole)
                .into_iter()
                .map(|line| LogRow::verbatim(Some(TextLook::Dim), line))
                .collect(),
        }
    }
}

/// The reason of a call, its comments, and its warnings.
fn reason_rows(entry: &JournalEntry) -> Vec<LogRow> {
    let why = entry.body.get("args").and_then(|args| args.get("why"));
    let why = match why {
        Some(Value::Object(stored)) => stored.get("head").and_then(Value::as_str).unwrap_or_default(),
        Some(Value::Null) => Why::UNSTATED,
        why => why.and_then(Value::as_str).unwrap_or_default(),
    };
    let why = shorten_to_line(why, REASON);
    let warnings = entry.body.get("warnings").and_then(Value::as_array).into_iter().flatten();
    let warnings = warnings
        .filter_map(Value::as_str)
        .map(|text| LogRow::of(TextLook::Yellow, format!("warning: {}", shorten_to_line(text, REASON))));
    let problems = entry.problems.iter().map(|text| LogRow::of(TextLook::Red, shorten_to_line(text, REASON)));
    let why = (!why.is_empty()).then(|| LogRow::of(TextLook::Cyan, why));
    let comments = entry.comments.iter().flat_map(|(place, text)| {
        text.lines().map(move |line| {
            LogRow::of(TextLook::Dim, shorten_to_line(&format!("# {place}: {line}"), REASON))
        })
    });
    why.into_iter().chain(comments).chain(warnings).chain(problems).collect()
}

/// A message of the person to an agent, and its subject.
fn message_row(entry: &JournalEntry) -> LogRow {
    let message = entry.body.get("message");
    let part = |key: &str| message.and_then(|message| message.get(key)).and_then(Value::as_str);
    let to = entry.body.get("to").and_then(Value::as_str).unwrap_or("the next agent");
    let about =
        part("path").map(|path| format!(" about {}", shorten_to_line(path, REASON))).unwrap_or_default();
    let text = shorten_to_line(part("text").unwrap_or_default(), REASON);
    LogRow::plain(format!("message to {}{about}: {text}", shorten_to_line(to, 60)))
}

fn body_text(entry: &JournalEntry, key: &str) -> String {
    entry.body.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn body_list(entry: &JournalEntry, key: &str) -> String {
    let items = entry.body.get(key).and_then(Value::as_array).into_iter().flatten();
    shorten_to_line(&items.filter_map(Value::as_str).collect::<Vec<_>>().join(" "), REASON)
}

/// Files with their hints and the outcomes of these.
fn hint_texts(entry: &JournalEntry) -> String {
    let paths = entry.body.get("paths").and_then(Value::as_array).into_iter().flatten();
    let said = paths.map(|path| {
        let part = |key: &str| path.get(key).and_then(Value::as_str).unwrap_or_default();
        format!("{} {} {}", part("advice"), part("path"), part("outcome"))
    });
    shorten_to_line(&said.collect::<Vec<_>>().join(", "), REASON)
}

fn session_totals(entry: &JournalEntry) -> String {
    let totals = entry.body.get("totals").and_then(Value::as_object).into_iter().flatten();
    // A name like `calls_failed` counts calls, `hunks_applied` hunks.
    let told = |(name, count): (&String, &Value)| match (name.split_once("s_"), count.as_u64()) {
        (Some((noun, how)), Some(count)) => format!("{} {how}", format_count(count, noun)),
        _ => format!("{count} {name}"),
    };
    shorten_to_line(&totals.map(told).collect::<Vec<_>>().join(", "), REASON)
}
