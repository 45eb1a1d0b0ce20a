//! The log for people: a call with its reason, its end and what was decided.

use std::collections::HashMap;
use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::filter::paths;
use super::output;
use crate::base::hidden::short;
use crate::cli::print::{TerminalPage, TextLook};
use crate::journal::Entry;
use crate::protocol::{EventType, Why};

/// Characters of a reason that are shown.
const REASON: usize = 400;

/// Calls in the order they were made, each with what became of it.
#[derive(Debug)]
pub(super) struct Table {
    page: TerminalPage,
    zone: TimeZone,
    lines: Vec<LogLine>,
    calls: HashMap<String, usize>,
}

/// What is printed of one call, or of one event that belongs to none.
#[derive(Debug, Default)]
struct LogLine {
    head: String,
    end: Option<String>,
    below: Vec<String>,
}

/// A time in this place, to the minute.
pub(super) fn local_minute(time: Timestamp) -> String {
    time.to_zoned(TimeZone::system()).strftime("%F %H:%M").to_string()
}

impl Table {
    pub(super) fn new(page: TerminalPage) -> Self {
        Self { page, zone: TimeZone::system(), lines: Vec::new(), calls: HashMap::new() }
    }

    /// Adds an event to its call's line, or as a line.
    pub(super) fn add(&mut self, entry: &Entry) {
        let id = entry.call_id().unwrap_or_default();
        if entry.kind() == Some(EventType::ToolCall) {
            self.calls.insert(id.to_owned(), self.lines.len());
            let line = LogLine { head: self.head(entry), end: None, below: self.reason(entry) };
            return self.lines.push(line);
        }
        let text = self.what(entry);
        match self.calls.get(id).and_then(|at| self.lines.get_mut(*at)) {
            Some(line) if matches!(entry.kind(), Some(EventType::ToolResult | EventType::ToolError)) => {
                let (end, more) = split(text);
                line.end = Some(end);
                line.below.extend(more.iter().flat_map(|more| more.lines()).map(str::to_owned));
            }
            Some(line) => line.below.push(text),
            None => {
                let head = format!("{}  {text}", self.page.paint(TextLook::Dim, &self.time(entry)));
                self.lines.push(LogLine { head, ..LogLine::default() });
            }
        }
    }

    /// Prints the last lines, or all, and forgets them.
    pub(super) fn print(&mut self, last: Option<usize>, out: &mut impl Write) -> io::Result<()> {
        self.calls.clear();
        let lines = std::mem::take(&mut self.lines);
        let skip = lines.len().saturating_sub(last.unwrap_or(usize::MAX));
        for line in lines.into_iter().skip(skip) {
            let end = line.end.map_or_else(String::new, |end| format!("  {end}"));
            writeln!(out, "{}{end}", line.head)?;
            for below in line.below {
                writeln!(out, "          {below}")?;
            }
        }
        Ok(())
    }

    /// One event of a followed log, as it comes.
    pub(super) fn event(&self, entry: &Entry) -> String {
        if entry.kind() == Some(EventType::ToolCall) {
            let below = self.reason(entry).into_iter().map(|line| format!("\n          {line}"));
            return format!("{}{}", self.head(entry), below.collect::<String>());
        }
        let (time, id) =
            (self.page.paint(TextLook::Dim, &self.time(entry)), entry.call_id().unwrap_or_default());
        let id = if id.is_empty() { String::new() } else { format!("{}  ", short(id, 20)) };
        format!("{time}  {id}{}", self.what(entry).replace('\n', "\n          "))
    }

    fn time(&self, entry: &Entry) -> String {
        let time = entry.time.parse::<Timestamp>().map(|time| time.to_zoned(self.zone.clone()));
        time.map_or_else(|_| "--:--:--".to_owned(), |time| time.strftime("%H:%M:%S").to_string())
    }

    fn head(&self, entry: &Entry) -> String {
        let (id, tool) = (text(entry, "call_id"), text(entry, "tool"));
        let paths = paths(entry).join(" ");
        let origin = |key: &str| entry.body.get("origin")?.get(key)?.as_str();
        let agent = match (origin("agent"), origin("tool"), origin("door")) {
            (agent, Some(tool), Some(door)) => {
                Some(format!("{} {tool} by {door}", agent.unwrap_or_default()))
            }
            (None, None, Some("outside")) => Some("outside".to_owned()),
            (agent, ..) => agent.map(str::to_owned),
        };
        let mut head = format!("{}  {}", self.page.paint(TextLook::Dim, &self.time(entry)), short(&id, 20));
        for part in [self.page.paint(TextLook::Bold, &short(&tool, 80)), short(&paths, 120)] {
            if !part.is_empty() {
                head.push_str("  ");
                head.push_str(&part);
            }
        }
        if let Some(agent) = agent {
            head.push_str(&format!("  {}", self.page.paint(TextLook::Dim, &short(agent.trim(), 60))));
        }
        head
    }

    fn reason(&self, entry: &Entry) -> Vec<String> {
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
            .map(|text| self.page.paint(TextLook::Yellow, &format!("warning: {}", short(text, REASON))));
        let problems = entry.problems.iter().map(|text| self.page.paint(TextLook::Red, &short(text, REASON)));
        (!why.is_empty())
            .then(|| self.page.paint(TextLook::Cyan, &why))
            .into_iter()
            .chain(warnings)
            .chain(problems)
            .collect()
    }

    /// What an event says; further lines stand below it.
    fn what(&self, entry: &Entry) -> String {
        let said = |key: &str| short(&text(entry, key), REASON);
        let took = entry.body.get("duration_ms").and_then(Value::as_f64).map(|ms| format!("{ms:.1} ms"));
        let took = self.page.paint(TextLook::Dim, &took.unwrap_or_default());
        match entry.kind() {
            Some(EventType::ToolResult) => {
                let status = said("status");
                let style = if status == "ok" { TextLook::Green } else { TextLook::Yellow };
                format!("{}{}", self.page.paint(style, &status), self.result(entry, &took))
            }
            Some(EventType::ToolError) => {
                let error = entry.body.get("error");
                let part =
                    |key| error.and_then(|error| error.get(key)).and_then(Value::as_str).unwrap_or_default();
                let code = self.page.paint(TextLook::Red, &short(part("code"), 60));
                format!("{code}  {took}\n{}", self.page.paint(TextLook::Red, &short(part("message"), REASON)))
            }
            Some(EventType::CommandEnd) => {
                format!("the command in the background ended: {}  {took}", said("outcome"))
            }
            Some(EventType::Proposal) => format!("proposal {}: {}", said("proposal"), hunks(entry)),
            Some(EventType::Decision) => {
                format!("{} by {}: {}", self.status(&said("status")), said("by"), hunks(entry))
            }
            Some(EventType::Undo) => format!(
                "{} {} ({})",
                self.page.paint(TextLook::Yellow, "undone:"),
                list(entry, "paths"),
                said("undo_id")
            ),
            Some(EventType::UserApproval) => {
                let granted = entry.body.get("granted") == Some(&Value::Bool(true));
                format!(
                    "{} by the person, asked by {}",
                    if granted { "allowed" } else { "refused" },
                    said("rule")
                )
            }
            Some(EventType::Hint) => format!("hint by {}: {}", said("by"), hinted(entry)),
            Some(EventType::ContextAssembly) => {
                let number = |key: &str| entry.body.get(key).and_then(Value::as_u64).unwrap_or_default();
                let files = entry.body.get("included").and_then(Value::as_object).map_or(0, Map::len);
                let (tokens, budget) = (number("tokens"), number("budget"));
                format!("context: {files} files, {tokens} tokens of {budget} by {}", said("tokenizer"))
            }
            Some(EventType::SessionStart) => format!("session {} in {}", said("session"), said("root")),
            Some(EventType::NativeEdit) => {
                format!("{} of {}: {}", said("tool"), said("agent"), said("outcome").replace('_', " "))
            }
            Some(EventType::OutsideChanges) => {
                let files = entry.body.get("files").and_then(Value::as_u64).unwrap_or_default();
                format!("{files} files changed by another program, not offered for review: {}", said("why"))
            }
            Some(EventType::PersonMessage) => self.message(entry),
            Some(EventType::Recovery) => {
                self.page.paint(TextLook::Yellow, &format!("{} ({})", said("reason"), said("kept")))
            }
            Some(EventType::SessionEnd) => format!("session end: {}", totals(entry)),
            _ => short(&entry.event_type, 60),
        }
    }

    /// What a person said to an agent, and of what.
    fn message(&self, entry: &Entry) -> String {
        let message = entry.body.get("message");
        let part = |key: &str| message.and_then(|message| message.get(key)).and_then(Value::as_str);
        let to = entry.body.get("to").and_then(Value::as_str).unwrap_or("the next agent");
        let about = part("path").map(|path| format!(" about {}", short(path, REASON))).unwrap_or_default();
        let text = short(part("text").unwrap_or_default(), REASON);
        format!("message to {}{about}: {}", short(to, 60), self.page.paint(TextLook::Bold, &text))
    }

    /// How a result came to be, and below that what a command wrote.
    fn result(&self, entry: &Entry, took: &str) -> String {
        let result = entry.body.get("result").unwrap_or(&Value::Null);
        let look = if output::failed(result) { TextLook::Red } else { TextLook::Green };
        let ending = output::ending(result).map(|ending| format!("  {}", self.page.paint(look, &ending)));
        let below = output::lines(result)
            .into_iter()
            .map(|line| format!("\n{}", self.page.paint(TextLook::Dim, &line)));
        format!("{}  {took}{}", ending.unwrap_or_default(), below.collect::<String>())
    }

    fn status(&self, status: &str) -> String {
        let style = match status {
            "applied" => TextLook::Green,
            "rejected" | "stale" => TextLook::Red,
            _ => TextLook::Yellow,
        };
        self.page.paint(style, status)
    }
}

fn split(text: String) -> (String, Option<String>) {
    match text.split_once('\n') {
        Some((first, rest)) => (first.to_owned(), Some(rest.to_owned())),
        None => (text, None),
    }
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
    short(&totals.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", "), REASON)
}
