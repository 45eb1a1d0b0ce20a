//! `wherefore why`: the reasons for the lines of a file.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::ValueHint;
use jiff::Timestamp;
use serde::Serialize;

use super::answer;
use super::backend::{RequestTarget, RootArgs};
use super::print::{TerminalPage, TextLook, visible_line};
use crate::protocol::{Code, Fault, LineBy, LineCall, LineCommit, LineGroup, LineWhys};
use crate::requests::Why;
use crate::requests::why::WhyParams;

/// Digits of a commit's hash that people are shown.
const SHORT: usize = 10;

/// Say why lines of a file are as they are: who wrote each, for which call, and how it was decided
#[derive(Debug, clap::Args)]
pub(super) struct WhyArgs {
    /// The file, and the lines where not all are meant: PATH, PATH:LINE or PATH:FIRST-LAST
    #[arg(value_name = "PATH[:LINE[-LINE]]", value_hint = ValueHint::FilePath)]
    lines: String,
    /// Show only lines that were decided since then, as 2026-01-31 or 2026-01-31T09:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Show only lines of agents whose name holds this
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Show only lines of this call
    #[arg(long, value_name = "CALL")]
    call: Option<String>,
    /// Print JSON: an array, one object a line
    #[arg(long, conflicts_with = "porcelain")]
    json: bool,
    /// Print each line with its headers, in the form of `git blame --porcelain`
    #[arg(long)]
    porcelain: bool,
    #[command(flatten)]
    root: RootArgs,
}

/// A line, as JSON shows it.
#[derive(Debug, Serialize)]
struct ShownLine<'w> {
    line: u32,
    by: LineBy,
    call: Option<&'w str>,
    agent: Option<&'w str>,
    why: Option<&'w str>,
    decision: Option<&'w str>,
    decided_by: Option<&'w str>,
    reason: Option<&'w str>,
    time: Option<&'w str>,
    session: Option<&'w str>,
    hunk: Option<&'w str>,
    commit: Option<&'w str>,
    /// `altered`, where the log that holds the call was.
    log: Option<&'static str>,
}

/// Runs it.
pub(super) fn run_why(args: &WhyArgs) -> ExitCode {
    match ask_why(args) {
        Ok(whys) => {
            let warnings = whys.warnings.iter().cloned().chain(whys.altered_warnings());
            warnings.for_each(|warning| answer::write_note(&format!("wherefore: {warning}")));
            match (args.json, args.porcelain) {
                (true, _) => answer::write_json(&shown_lines(&whys)),
                (_, true) => answer::write_text(&format_porcelain(&whys)),
                _ => print_for_people(&whys),
            }
            ExitCode::SUCCESS
        }
        Err(fault) => answer::show_fault(&fault),
    }
}

fn ask_why(args: &WhyArgs) -> Result<LineWhys, Fault> {
    let since = args.since.as_deref().map(parse_day_or_instant).transpose()?;
    let (path, start, end) = parse_path_and_lines(&args.lines)?;
    let absolute =
        std::path::absolute(path).map_err(|error| Fault::new(Code::InvalidArgs, error.to_string()))?;
    let root = match &args.root.root {
        None => RootArgs::find_from(absolute.parent().unwrap_or(&absolute))?,
        Some(_) => args.root.find()?,
    };
    let path = absolute.to_string_lossy().into_owned();
    let params = WhyParams { path, start, end, commits: true, root: None, text: None };
    let mut whys = RequestTarget::open(&root)?.ask::<Why>(params)?;
    let calls = std::mem::take(&mut whys.calls);
    let is_meant = |call: &LineCall| {
        let agent = |name: &String| call.agent.as_ref().is_some_and(|agent| agent.contains(name.as_str()));
        let named =
            |name: &String| *name == call.call.as_str() || *name == format!("{}/{}", call.session, call.call);
        let is_late = |since: &Timestamp| {
            call.time
                .as_deref()
                .and_then(|time| time.parse::<Timestamp>().ok())
                .is_some_and(|time| time >= *since)
        };
        args.agent.as_ref().is_none_or(agent)
            && args.call.as_ref().is_none_or(named)
            && since.as_ref().is_none_or(is_late)
    };
    if since.is_some() || args.agent.is_some() || args.call.is_some() {
        let of = |group: &LineGroup| group.call.and_then(|at| calls.get(at as usize));
        whys.groups.retain(|group| of(group).is_some_and(is_meant));
    }
    let shown = whys.groups.iter().filter_map(|group| calls.get(group.call? as usize));
    let shown: BTreeSet<&str> = shown.map(|call| call.session.as_str()).collect();
    whys.altered.retain(|session, _| shown.contains(session.as_str()));
    Ok(LineWhys { calls, ..whys })
}

/// A day or an instant.
fn parse_day_or_instant(text: &str) -> Result<Timestamp, Fault> {
    let day = || {
        let day: jiff::civil::Date = text.parse().ok()?;
        Some(day.to_zoned(jiff::tz::TimeZone::system()).ok()?.timestamp())
    };
    text.parse().ok().or_else(day).ok_or_else(|| {
        Fault::new(Code::InvalidArgs, format!("{text:?} is no time"))
            .with_suggestion("write a day as 2026-01-31, or an instant as 2026-01-31T09:00:00Z")
    })
}

/// A path and lines: `PATH`, `PATH:LINE` or `PATH:FIRST-LAST`. If a file with the whole name exists, the text is its path.
fn parse_path_and_lines(text: &str) -> Result<(&str, Option<u32>, Option<u32>), Fault> {
    let Some((path, lines)) = text.rsplit_once(':').filter(|_| !std::path::Path::new(text).exists()) else {
        return Ok((text, None, None));
    };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first >= 1 && first <= last => Ok((path, Some(first), Some(last))),
        _ => Err(Fault::new(Code::InvalidArgs, format!("{lines:?} names no lines"))
            .with_suggestion("write PATH:LINE or PATH:FIRST-LAST, counted from 1")),
    }
}

fn call_of<'w>(whys: &'w LineWhys, group: &LineGroup) -> Option<&'w LineCall> {
    whys.calls.get(group.call? as usize)
}

fn commit_of<'w>(whys: &'w LineWhys, group: &'w LineGroup) -> Option<(&'w str, &'w LineCommit)> {
    let hash = group.commit.as_deref()?;
    Some((hash, whys.commits.get(hash)?))
}

fn shown_lines(whys: &LineWhys) -> Vec<ShownLine<'_>> {
    let lines = whys.groups.iter().flat_map(|group| (group.start..=group.end).map(move |line| (line, group)));
    lines
        .map(|(line, group)| {
            let call = call_of(whys, group);
            ShownLine {
                line,
                by: group.by,
                call: call.map(|call| call.call.as_str()),
                agent: call.and_then(|call| call.agent.as_deref()),
                why: call.and_then(|call| call.why.as_deref()),
                decision: call.and_then(|call| call.decision.as_deref()),
                decided_by: call.and_then(|call| call.decided_by.as_deref()),
                reason: call.and_then(|call| call.reason.as_deref()),
                time: call.and_then(|call| call.time.as_deref()),
                session: call.map(|call| call.session.as_str()),
                hunk: call.and_then(|call| call.hunk.as_deref()),
                commit: group.commit.as_deref(),
                log: call.and_then(|call| whys.log_of(call)),
            }
        })
        .collect()
}

/// The form of `git blame --porcelain`, with additional headers that git's readers skip.
fn format_porcelain(whys: &LineWhys) -> String {
    let mut out = String::new();
    for group in &whys.groups {
        let zeros = "0".repeat(40);
        let hash = group.commit.as_deref().unwrap_or(&zeros);
        for line in group.start..=group.end {
            let from = group.commit_line.map_or(line, |first| first + (line - group.start));
            let count =
                if line == group.start { format!(" {}", group.end - group.start + 1) } else { String::new() };
            out.push_str(&format!("{hash} {from} {line}{count}\n"));
            if line != group.start {
                continue;
            }
            let call = call_of(whys, group);
            let mut header = |name: &str, value: Option<&str>| {
                if let Some(value) = value {
                    out.push_str(&format!("{name} {}\n", visible_line(value)));
                }
            };
            if let Some((_, commit)) = commit_of(whys, group) {
                header("author", Some(&commit.author));
                header("author-mail", Some(&commit.mail));
                header("author-time", Some(&commit.time.to_string()));
                header("author-tz", Some(&commit.zone));
                header("summary", Some(&commit.summary));
            }
            header("wherefore-by", Some(group.by.as_str()));
            header("wherefore-call", call.map(|call| call.call.as_str()));
            header("wherefore-agent", call.and_then(|call| call.agent.as_deref()));
            header("wherefore-why", call.and_then(|call| call.why.as_deref()));
            header("wherefore-decision", call.and_then(|call| call.decision.as_deref()));
            header("wherefore-log", call.and_then(|call| whys.log_of(call)));
            header("filename", Some(whys.path.as_str()));
        }
    }
    out
}

fn print_for_people(whys: &LineWhys) {
    let page = TerminalPage::stdout();
    if whys.groups.is_empty() {
        answer::write_line(if whys.total == 0 {
            "the file has no lines"
        } else {
            "no line is of such a call"
        });
    }
    for group in &whys.groups {
        let range = match group.start == group.end {
            true => format!("line {}", group.start),
            false => format!("lines {}-{}", group.start, group.end),
        };
        let call = call_of(whys, group);
        let who = match (group.by, call) {
            (LineBy::Agent, Some(call)) => visible_line(call.agent.as_deref().unwrap_or("an agent")),
            (LineBy::Mixed, Some(call)) => {
                format!("{} and a person", visible_line(call.agent.as_deref().unwrap_or("an agent")))
            }
            (LineBy::Human, _) => "a person".to_owned(),
            (LineBy::Git, _) => "git".to_owned(),
            _ => "not in git, and no agent changed it as far as is recorded".to_owned(),
        };
        answer::write_line(&format!(
            "{}  {}",
            page.paint(TextLook::Cyan, &range),
            page.paint(TextLook::Bold, &who)
        ));
        if let Some(call) = call {
            if let Some(why) = &call.why {
                answer::write_line(&format!("  {}", visible_line(why)));
            }
            let log = whys.log_of(call).map_or(String::new(), |log| format!("; its log was {log}"));
            answer::write_line(
                &page.paint(TextLook::Dim, &format!("  {}{log}", visible_line(&describe_decision(call)))),
            );
        }
        if let Some((hash, commit)) = commit_of(whys, group) {
            let hash = hash.get(..SHORT).unwrap_or(hash);
            let said = format!(
                "  commit {hash} by {}: {}",
                visible_line(&commit.author),
                visible_line(&commit.summary)
            );
            answer::write_line(&page.paint(TextLook::Dim, &said));
        }
    }
}

/// The call, with the decision and its time.
fn describe_decision(call: &LineCall) -> String {
    let mut said = format!("{}/{}", call.session, call.call);
    if let (Some(decision), Some(by)) = (&call.decision, &call.decided_by) {
        said.push_str(&format!(", {decision} by {by}"));
    }
    if let Some(time) = &call.time {
        said.push_str(&format!(", {time}"));
    }
    if let Some(reason) = &call.reason {
        said.push_str(&format!(": {reason}"));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_with_its_lines() {
        assert_eq!(parse_path_and_lines("a.rs").unwrap(), ("a.rs", None, None));
        assert_eq!(parse_path_and_lines("a.rs:3").unwrap(), ("a.rs", Some(3), Some(3)));
        assert_eq!(parse_path_and_lines("x:y/a.rs:3-7").unwrap(), ("x:y/a.rs", Some(3), Some(7)));
        for odd in ["a.rs:0", "a.rs:7-3", "a.rs:x", "a.rs:1-", "a.rs:99999999999"] {
            assert_eq!(parse_path_and_lines(odd).unwrap_err().code, Code::InvalidArgs, "{odd}");
        }
    }

    #[test]
    fn a_day_and_an_instant_are_times() {
        assert!(
            parse_day_or_instant("2026-01-31").is_ok()
                && parse_day_or_instant("2026-01-31T09:00:00Z").is_ok()
        );
        assert_eq!(parse_day_or_instant("yesterday").unwrap_err().code, Code::InvalidArgs);
    }
}
