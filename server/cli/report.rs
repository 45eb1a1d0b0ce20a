//! `wherefore report`: the changes of agents and their reasons, for reviewers.

mod commits;
mod read;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum, ValueHint};

use super::answer;
use super::completions;
use super::log::parse_time;
use crate::base::hidden::{escape_in_json, shorten_to_line};
use crate::protocol::{Code, Fault};
use crate::report::{ChangeReport, LARGEST_BODY, ReportScope, render_html, render_markdown};
use read::ReportRequest;

/// Write a report of what agents changed and why, grouped by reason
///
/// The report holds each change with its reason and the decisions on its hunks, the tests and commands that ran, what was
/// refused, and what no person looked at. It is made from the session logs of the workspace. A log that was altered is named,
/// and nothing of it is in the report.
#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// A session, or a range of commits as main..HEAD [default: the most recent session]
    #[arg(value_name = "RANGE|SESSION", add = completions::complete_sessions(), conflicts_with_all = ["since", "until"])]
    which: Option<String>,
    /// All sessions, from this time on: a time, as 2026-07-01T12:00, or an age, as 10m or 2h
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// All sessions, up to this time, in the same form
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Md)]
    format: ReportFormat,
    /// The most bytes that a report in Markdown has
    #[arg(long, value_name = "BYTES", default_value_t = LARGEST_BODY, value_parser = parse_limit)]
    limit: usize,
    /// The file to write, in place of standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// The workspace's folder [default: the nearest folder here or above that holds .wherefore]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    root: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// Markdown for the body of a pull request
    Md,
    /// One page that needs nothing beside itself
    Html,
    /// JSON by schemas/report.json
    Json,
}

/// Reads the limit of a report in Markdown.
fn parse_limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(limit) if limit >= 4096 => Ok(limit),
        _ => Err("give a number of bytes, 4096 at least".to_owned()),
    }
}

/// Runs it.
pub(super) fn run_report(args: &ReportArgs) -> ExitCode {
    match make_report(args).and_then(|report| write_report(args, &report)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => answer::write_fault("wherefore report", &fault),
    }
}

fn make_report(args: &ReportArgs) -> Result<ChangeReport, Fault> {
    let root = sessions_root(args.root.as_deref())?;
    let asked = parse_request(args, &root)?;
    read::read_report(&root, asked)
}

/// The request that the arguments describe.
fn parse_request(args: &ReportArgs, root: &Path) -> Result<ReportRequest, Fault> {
    if let Some(range) = args.which.as_ref().filter(|which| which.contains("..")) {
        return commits::request_of_commits(root, range);
    }
    let mut scope = ReportScope::default();
    if args.since.is_none() && args.until.is_none() {
        return Ok(match &args.which {
            Some(session) => ReportRequest::of_session(session),
            None => ReportRequest::of_latest(),
        });
    }
    let mut words = Vec::new();
    for (name, text, at) in
        [("since", &args.since, &mut scope.since), ("until", &args.until, &mut scope.until)]
    {
        if let Some(text) = text {
            let point = parse_time(text)?;
            words.push(format!("{name} {}", point.strftime("%F %H:%M UTC")));
            *at = Some(point);
        }
    }
    Ok(ReportRequest::of_times(&words.join(", "), scope))
}

/// The absolute path of the folder that has the sessions.
fn sessions_root(given: Option<&Path>) -> Result<PathBuf, Fault> {
    let here = std::env::current_dir().map_err(|error| Fault::internal(error.to_string()))?;
    let named = match given {
        Some(root) => root.to_owned(),
        None => here
            .ancestors()
            .find(|folder| folder.join(".wherefore/sessions").is_dir())
            .unwrap_or(&here)
            .to_owned(),
    };
    std::fs::canonicalize(&named)
        .map_err(|error| Fault::new(Code::NotFound, format!("{}: {error}", named.display())))
}

fn write_report(args: &ReportArgs, report: &ChangeReport) -> Result<(), Fault> {
    let text = match args.format {
        ReportFormat::Md => render_markdown(report, args.limit),
        ReportFormat::Html => render_html(report),
        ReportFormat::Json => {
            let json = serde_json::to_string_pretty(report).unwrap_or_default();
            format!("{}\n", escape_in_json(&json))
        }
    };
    let Some(path) = &args.out else {
        answer::write_text(&text);
        return Ok(());
    };
    let file = std::fs::File::create(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        let name = shorten_to_line(&path.to_string_lossy(), 200);
        Fault::new(Code::PermissionDenied, format!("{name} cannot be written: {error}"))
            .with_suggestion("name another file")
    })
}
