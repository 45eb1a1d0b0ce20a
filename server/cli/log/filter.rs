//! The filters of `wherefore log`: a filter chooses calls, and a call brings all of its events.

use std::collections::{HashMap, HashSet};

use clap::{Args, ValueEnum};
use globset::{GlobBuilder, GlobMatcher};
use jiff::{Timestamp, Zoned};
use serde::Deserialize;
use serde_json::Value;

use crate::journal::JournalEntry;
use crate::protocol::{Code, Door, EventType, Fault, RunEnding, Status, call_paths};

/// The filters of `wherefore log`.
#[derive(Args, Debug)]
pub(super) struct FilterArgs {
    /// Only calls of tools whose name matches, as `fs.*`
    #[arg(long, value_name = "GLOB")]
    tool: Option<String>,
    /// Only calls with a path that matches, as `src/**`
    #[arg(long, value_name = "GLOB")]
    path: Option<String>,
    /// Only calls of agents whose name contains this text
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only what agents' own tools did, and what changed with no tool of ours
    #[arg(long)]
    native: bool,
    /// Only calls with this status
    #[arg(long, value_enum)]
    status: Option<StatusFilter>,
    /// Only calls from this time on: a time, as 2026-07-01T12:00, or an age, as 10m or 2h
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only calls up to this time, in the same form
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StatusFilter {
    /// The call succeeded
    Ok,
    /// The call failed, or the command that it ran
    Error,
    /// The call's change waits for a decision
    Pending,
    /// No code runs the tool: the caller filled the output, or is asked to
    Latent,
    /// The call has not ended yet
    Running,
}

impl StatusFilter {
    fn of(entry: &JournalEntry) -> Option<Self> {
        match entry.kind()? {
            EventType::ToolError => Some(Self::Error),
            EventType::ToolResult if entry.is_latent() => Some(Self::Latent),
            EventType::ToolResult => {
                Some(match entry.body.get("status").and_then(|status| Status::deserialize(status).ok()) {
                    Some(Status::Error) => Self::Error,
                    Some(Status::Pending) => Self::Pending,
                    Some(Status::Latent) => Self::Latent,
                    Some(Status::Ok) | None if is_failure(entry) => Self::Error,
                    Some(Status::Ok) | None => Self::Ok,
                })
            }
            _ => None,
        }
    }
}

/// Returns whether the command of a call failed.
fn is_failure(entry: &JournalEntry) -> bool {
    entry.body.get("result").and_then(RunEnding::failure_words).is_some()
}

/// Chooses entries as they are read.
#[derive(Debug)]
pub(super) struct EntrySelector {
    tool: Option<GlobMatcher>,
    path: Option<GlobMatcher>,
    agent: Option<String>,
    native: bool,
    status: Option<StatusFilter>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    chosen: HashSet<String>,
    /// Events of calls whose end is not known yet, where the end decides.
    held: HashMap<String, Vec<JournalEntry>>,
}

impl EntrySelector {
    /// # Errors
    /// INVALID_ARGS for a glob or a time that does not read.
    pub(super) fn new(args: &FilterArgs) -> Result<Self, Fault> {
        Ok(Self {
            tool: args.tool.as_deref().map(|text| parse_glob(text, false)).transpose()?,
            path: args.path.as_deref().map(|text| parse_glob(text, text.contains('/'))).transpose()?,
            agent: args.agent.as_ref().map(|name| name.to_lowercase()),
            native: args.native,
            status: args.status,
            since: args.since.as_deref().map(parse_time).transpose()?,
            until: args.until.as_deref().map(parse_time).transpose()?,
            chosen: HashSet::new(),
            held: HashMap::new(),
        })
    }

    /// Returns whether there is no filter at all.
    pub(super) fn takes_all(&self) -> bool {
        self.takes_any_call() && self.status.is_none() && self.since.is_none() && self.until.is_none()
    }

    fn takes_any_call(&self) -> bool {
        self.tool.is_none() && self.path.is_none() && self.agent.is_none() && !self.native
    }

    /// The entries to show now that this one was read, in order.
    pub(super) fn take_entry(&mut self, entry: JournalEntry) -> Vec<JournalEntry> {
        if self.takes_all() {
            return vec![entry];
        }
        let Some(id) = entry.call_id().map(str::to_owned) else {
            let show = self.takes_any_call() && self.status.is_none() && self.in_time(&entry);
            return if show { vec![entry] } else { Vec::new() };
        };
        if entry.kind() == Some(EventType::ToolCall) {
            match (self.matches_call(&entry), self.status) {
                (false, _) => {}
                (true, Some(_)) => drop(self.held.insert(id, vec![entry])),
                (true, None) => {
                    self.chosen.insert(id);
                    return vec![entry];
                }
            }
            return Vec::new();
        }
        if self.chosen.contains(&id) {
            return vec![entry];
        }
        let Some(held) = self.held.get_mut(&id) else { return Vec::new() };
        let ended = StatusFilter::of(&entry);
        held.push(entry);
        let done = if ended.is_some() { self.held.remove(&id) } else { None };
        match done {
            Some(all) if ended == self.status => {
                self.chosen.insert(id);
                all
            }
            _ => Vec::new(),
        }
    }

    /// The retained events of calls that have not ended, if those are wanted. A followed log keeps retaining them.
    pub(super) fn running_entries(&mut self, follow: bool) -> Vec<JournalEntry> {
        if self.status != Some(StatusFilter::Running) {
            return Vec::new();
        }
        let held = if follow { self.held.clone() } else { std::mem::take(&mut self.held) };
        let mut rest: Vec<JournalEntry> = held.into_values().flatten().collect();
        rest.sort_by_key(|entry| entry.seq);
        rest
    }

    fn in_time(&self, entry: &JournalEntry) -> bool {
        let time = entry.time.parse::<Timestamp>().ok();
        self.since.is_none_or(|since| time.is_some_and(|time| time >= since))
            && self.until.is_none_or(|until| time.is_some_and(|time| time <= until))
    }

    fn matches_call(&self, entry: &JournalEntry) -> bool {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let origin = entry.body.get("origin");
        let agent = || {
            let part = |key: &str| text(origin.and_then(|origin| origin.get(key)));
            format!("{} {} {}", part("agent"), part("session"), part("door")).to_lowercase()
        };
        let paths = || entry.body.get("args").and_then(Value::as_object).map(call_paths).unwrap_or_default();
        let is_native = || entry_door(entry).is_some_and(Door::is_native);
        self.in_time(entry)
            && (!self.native || is_native())
            && self.tool.as_ref().is_none_or(|tool| tool.is_match(text(entry.body.get("tool"))))
            && self.agent.as_ref().is_none_or(|name| agent().contains(name))
            && self.path.as_ref().is_none_or(|glob| paths().iter().any(|path| self.matches_path(glob, path)))
    }

    fn matches_path(&self, glob: &GlobMatcher, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        glob.is_match(path) || glob.is_match(path.rsplit('/').next().unwrap_or(path))
    }
}

/// The way in of a call.
pub(super) fn entry_door(entry: &JournalEntry) -> Option<Door> {
    let door = entry.body.get("origin")?.get("door")?;
    Door::deserialize(door).ok()
}

fn parse_glob(text: &str, folders: bool) -> Result<GlobMatcher, Fault> {
    let glob = GlobBuilder::new(text).literal_separator(folders).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| Fault::new(Code::InvalidArgs, format!("{text:?} is not a glob: {error}")))
}

/// A point in time: a timestamp, a local date or time, or how long ago.
pub(in crate::cli) fn parse_time(text: &str) -> Result<Timestamp, Fault> {
    let local =
        |date: jiff::civil::DateTime| date.to_zoned(jiff::tz::TimeZone::system()).map(|at| at.timestamp());
    let today = Zoned::now().date();
    let wrong = || {
        Fault::new(Code::InvalidArgs, format!("{text:?} is not a time")).with_suggestion(
            "give a time, as 2026-07-01T12:00, 12:00 or 2026-07-01T12:00:00Z, or an age, as 10m or 2h",
        )
    };
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    if let Ok(date) = text.parse::<jiff::civil::DateTime>() {
        return local(date).map_err(|_| wrong());
    }
    if let Ok(at) = text.parse::<jiff::civil::Time>() {
        return local(today.to_datetime(at)).map_err(|_| wrong());
    }
    let ago = text.parse::<jiff::Span>().map_err(|_| wrong())?;
    Zoned::now().checked_sub(ago).map(|at| at.timestamp()).map_err(|_| wrong())
}
