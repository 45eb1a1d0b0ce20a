//! The output of the demo: each call with its reason and its end, each hunk with the lines around it.

use std::io;
use std::time::Duration;

use serde_json::Value;

use super::project::DemoProject;
use super::recording::DemoRecording;
use crate::base::numbers::{format_count, format_duration};
use crate::cli::print::{TerminalPage, TextLook, fit_text, visible_line, wrap_text};
use crate::cli::show::diff_look;
use crate::protocol::{Code, Envelope, Status};

/// Columns of the step's number and the gap after it.
const INDENT: &str = "   ";

/// Prints the title and the agent's task.
pub(super) fn show_start(
    page: TerminalPage,
    project: &DemoProject,
    recording: &DemoRecording,
) -> io::Result<()> {
    let name = project.root.file_name().unwrap_or_default().to_string_lossy();
    let title = page.paint(TextLook::Bold, &format!("wherefore demo: {name}"));
    page.write_line(format!(
        "{title}, {}, copied to {}",
        format_count(project.files, "file"),
        project.root.display()
    ))?;
    page.write_line(format!("{} is asked to: {}", recording.agent, recording.task))
}

/// Shows a call before it is made: its number, its tool, its subject, and its reason.
pub(super) fn show_call(page: TerminalPage, number: usize, tool: &str, arguments: &Value) -> io::Result<()> {
    let about =
        ["path", "query", "proposal"].iter().find_map(|name| arguments[*name].as_str()).unwrap_or_default();
    let about = fit_text(about, page.width().saturating_sub(tool.len() + 5));
    page.write_line("")?;
    page.write_line(format!(
        "{} {} {about}",
        page.paint(TextLook::Dim, &format!("{number:>2}")),
        page.paint(TextLook::Bold, tool)
    ))?;
    match arguments["why"].as_str() {
        Some(why) => write_paragraph(page, TextLook::Cyan, ("", ""), why),
        None => write_paragraph(page, TextLook::Dim, ("", ""), "the call gives no reason (`why`)"),
    }
}

/// Shows how a call ended; with the time it took, unless it waited for a person.
pub(super) fn show_answer(
    page: TerminalPage,
    tool: &str,
    envelope: &Envelope,
    took: Option<Duration>,
) -> io::Result<()> {
    if let Some(fault) = &envelope.error {
        let code = serde_json::to_value(fault.code)?;
        let text = format!("{}: {}", code.as_str().unwrap_or_default(), fault.message);
        write_paragraph(page, TextLook::Red, ("✗ ", "  "), &text)?;
        return fault
            .suggestion
            .as_ref()
            .map_or(Ok(()), |text| write_paragraph(page, TextLook::Yellow, ("→ ", "  "), text));
    }
    let (mark, look) =
        if envelope.status == Status::Ok { ("✓", TextLook::Green) } else { ("…", TextLook::Yellow) };
    let took =
        took.map(|took| format!(", {}", format_duration(took.as_secs_f64() * 1000.0))).unwrap_or_default();
    let summary = result_summary(tool, envelope.result.as_deref().unwrap_or(&Value::Null));
    page.write_line(format!("{INDENT}{} {summary}{took}", page.paint(look, mark)))
}

/// Shows a text in as many lines as it needs, the first one after the first lead, the others after the second.
fn write_paragraph(
    page: TerminalPage,
    look: TextLook,
    (first, other): (&str, &str),
    text: &str,
) -> io::Result<()> {
    let lines = wrap_text(text, page.width() - INDENT.len() - first.chars().count());
    lines.iter().enumerate().try_for_each(|(at, line)| {
        let lead = if at == 0 { first } else { other };
        page.write_line(format!("{INDENT}{}{}", page.paint(look, lead), page.paint(look, line)))
    })
}

/// A result in a few words: the number of its items.
fn result_summary(tool: &str, result: &Value) -> String {
    let what = if tool.starts_with("search.") { "matches" } else { "entries" };
    let listed = || result.as_array().map(|list| format!("{} {what}", list.len()));
    let lines = || result["lines"].as_u64().map(|lines| format_count(lines, "line"));
    let status = || result["status"].as_str().map(|status| status.replace('_', " "));
    let said = || result["summary"].as_str().map(visible_line);
    listed().or_else(said).or_else(status).or_else(lines).unwrap_or_else(|| "done".to_owned())
}

/// Shows a unified diff.
pub(super) fn show_diff(page: TerminalPage, diff: &str) -> io::Result<()> {
    for line in diff.lines() {
        let look = diff_look(line);
        page.write_line(format!("{INDENT}{}", page.paint(look, &fit_text(line, page.width() - 3))))?;
    }
    Ok(())
}

/// Shows a heading of the end.
pub(super) fn show_heading(page: TerminalPage, text: &str) -> io::Result<()> {
    page.write_line("")?;
    page.write_line(page.paint(TextLook::Bold, text))
}

/// Prints the result of a check, with a mark for success or failure.
pub(super) fn show_check(page: TerminalPage, right: bool, text: &str) -> io::Result<()> {
    let mark = if right { page.paint(TextLook::Green, "✓") } else { page.paint(TextLook::Red, "✗") };
    page.write_line(format!("{INDENT}{mark} {text}"))
}

/// The end of a call, in words: the code of its fault, or success.
pub(super) fn describe_end(code: Option<Code>) -> String {
    code.map_or_else(|| "success".to_owned(), |code| format!("{code:?}"))
}
